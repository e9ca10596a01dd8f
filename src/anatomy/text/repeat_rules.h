#pragma once

#include <algorithm>

#include "anatomy/text/body_fields.h"
#include "anatomy/text/names.h"

/// The mirror rule and the series rule as visitors over the fields of an entry.
namespace pneuma::anatomy::internal {

/// Shared walk through nested fields; the derived visitor says what happens to texts, vectors and
/// numbers.
template <class Derived>
class RepeatVisitor : public ChangingVisitor {
 public:
  void field(const FieldSpec& spec, std::string& s) { self().text(spec, s); }
  void field(const FieldSpec& spec, double& x) { self().number(spec, x); }
  void field(const FieldSpec& spec, Vec3& v) { self().vector(spec, v); }
  void field(const FieldSpec& spec, std::vector<double>& v) { self().numbers(spec, v); }
  void field(const FieldSpec&, bool&) {}
  void field(const FieldSpec&, int&) {}
  void field(const FieldSpec&, Range&) {}
  template <class E>
  requires std::is_enum_v<E>
  void field(const FieldSpec&, E&) {}
  void field(const FieldSpec&, AxisRef& a) { fields(self(), a); }
  void field(const FieldSpec&, Dof& d) {
    fields(self(), d);
    self().turn(d);
  }
  template <Row T>
  void field(const FieldSpec&, T&) {}
  /// A series may state a number that the entry itself leaves out.
  void field(const FieldSpec& spec, std::optional<double>& v) {
    if (!v && self().states(spec)) v = 0.0;
    if (v) self().number(spec, *v);
  }
  template <class T>
  void field(const FieldSpec& spec, std::optional<T>& v) {
    if (v) self().field(spec, *v);
  }
  template <class T>
  void field(const FieldSpec& spec, std::vector<T>& list) {
    for (T& v : list) self().field(spec, v);
  }
  template <class T>
  void field(const FieldSpec& spec, std::map<std::string, T>& map) {
    std::map<std::string, T> changed;
    for (auto& [key, value] : map) {
      std::string name = key;
      self().text({.name = spec.name, .role = Role::Name}, name);
      self().field(spec, value);
      changed.emplace(std::move(name), std::move(value));
    }
    map = std::move(changed);
  }
  template <class T>
  requires(std::is_class_v<T> && !Row<T>) void field(const FieldSpec&, T& value) {
    fields(self(), value);
  }
  void series(const FieldSpec&, std::vector<SeriesVariable>&) {}

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

/// Reflects an entry in x = 0 and exchanges left and right in its names. A reflected rotation
/// turns the other way about the reflected axis, so that flexion stays flexion.
class Mirror : public RepeatVisitor<Mirror> {
 public:
  void text(const FieldSpec& spec, std::string& s) {
    if (spec.role == Role::Name || spec.role == Role::Reference) s = mirrorName(s);
  }
  void vector(const FieldSpec& spec, Vec3& v) {
    if (spec.name == "radii" || spec.name == "scale") return;  // sizes have no side
    if (spec.name == "turned")
      v = Vec3(v.x(), -v.y(), -v.z());  // a reflected rotation turns the other way
    else
      v.x() = -v.x();
  }
  bool states(const FieldSpec&) const { return false; }
  void number(const FieldSpec& spec, double& x) {
    // Around a mirrored line, one turns the other way.
    if (spec.name == "rotation" || spec.name == "direction") x = -x;
  }
  void numbers(const FieldSpec& spec, std::vector<double>& v) {
    if (spec.name == "inertia" && v.size() == 6) v[3] = -v[3], v[4] = -v[4];
  }
  void turn(Dof& d) {
    if (d.kind == DofKind::Rotation) d.axis.reverse = !d.axis.reverse;
  }
};

/// Puts the n-th value of each variable in place of its placeholders. Problems are told through
/// `problem`: the placeholder that could not be filled.
class Substitute : public RepeatVisitor<Substitute> {
 public:
  Substitute(const std::vector<SeriesVariable>& variables, std::size_t n)
      : variables_(&variables), n_(n) {}

  void text(const FieldSpec& spec, std::string& s);
  bool states(const FieldSpec& spec) const {
    return std::any_of(variables_->begin(), variables_->end(), [&](const SeriesVariable& v) {
      return !v.numbers.empty() && v.name == spec.name;
    });
  }
  void number(const FieldSpec& spec, double& x) {
    for (const SeriesVariable& v : *variables_)
      if (!v.numbers.empty() && v.name == spec.name) x = v.numbers[n_];
  }
  void vector(const FieldSpec&, Vec3&) {}
  void numbers(const FieldSpec&, std::vector<double>&) {}
  void turn(Dof&) {}

  struct Problem {
    std::string field, placeholder;
  };
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::optional<std::string> value(std::string_view placeholder) const;

  const std::vector<SeriesVariable>* variables_;
  std::size_t n_;
  std::vector<Problem> problems_;
};

}  // namespace pneuma::anatomy::internal
