#include <fmt/format.h>

#include "anatomy/text/body_fields.h"
#include "anatomy/text/fit_fields.h"
#include "pneuma/anatomy/schema.h"

namespace pneuma::anatomy {
namespace {

using namespace internal;

/// Describes the fields of one type; nested tables are appended as sections of their own.
class Collector : public ReadingVisitor {
 public:
  Collector(std::vector<SectionSchema>& sections, std::string path)
      : sections_(sections), path_(std::move(path)) {}

  template <class T>
  static void collect(std::vector<SectionSchema>& sections, const std::string& path,
                      const std::string& heading) {
    const std::size_t index = sections.size();
    sections.push_back({heading, {}});
    Collector collector(sections, path);
    fields(collector, T{});
    sections[index].fields = std::move(collector.fields_);
  }

  template <class T>
  void field(const FieldSpec& spec, const T& value) {
    add(spec, type(spec, value), initial(value));
  }
  void series(const FieldSpec& spec, const std::vector<SeriesVariable>&) {
    add(spec, "table { variable = values }", "");
  }

 private:
  void add(const FieldSpec& spec, std::string type, std::string initial) {
    FieldSchema f{std::string(spec.name), std::move(type)};
    f.unit = spec.unit == Unit::None ? "" : std::string(unitName(spec.unit));
    if (!unitKey(spec.unit).empty()) f.unit = std::string(unitKey(spec.unit));
    if (spec.min > -kNoLimit && spec.max < kNoLimit)
      f.range = fmt::format("{}{:g} to {:g} {}", spec.aboveMin ? "above " : "", spec.min, spec.max,
                            unitName(spec.unit));
    while (!f.range.empty() && f.range.back() == ' ') f.range.pop_back();
    f.initial = spec.required ? "" : std::move(initial);
    f.required = spec.required;
    f.meaning = std::string(spec.meaning);
    fields_.push_back(std::move(f));
  }

  static std::string initial(bool v) { return v ? "true" : "false"; }
  static std::string initial(int v) { return fmt::format("{}", v); }
  static std::string initial(double v) { return fmt::format("{:g}", v); }
  template <class E>
  requires std::is_enum_v<E>
  static std::string initial(E e) {
    return std::string(EnumNames<E>::names[static_cast<std::size_t>(e)]);
  }
  template <class T>
  requires std::is_class_v<T>
  static std::string initial(const T&) { return ""; }

  std::string type(const FieldSpec&, bool) { return "true or false"; }
  std::string type(const FieldSpec&, int) { return "whole number"; }
  std::string type(const FieldSpec&, double) { return "number"; }
  std::string type(const FieldSpec& s, const std::string&) {
    return s.role == Role::Name ? "name" : s.role == Role::Reference ? "reference" : "text";
  }
  std::string type(const FieldSpec&, const Vec3&) { return "[x, y, z]"; }
  std::string type(const FieldSpec&, const Range&) { return "[lower, upper]"; }
  std::string type(const FieldSpec&, const PointRef&) { return "point"; }
  std::string type(const FieldSpec&, const AxisRef&) { return "axis"; }
  std::string type(const FieldSpec&, const std::vector<double>&) { return "list of numbers"; }
  template <class E>
  requires std::is_enum_v<E> std::string type(const FieldSpec&, E) {
    std::string all;
    for (const std::string_view name : EnumNames<E>::names)
      all += (all.empty() ? "" : ", ") + std::string(name);
    return "one of " + all;
  }
  template <Row T>
  std::string type(const FieldSpec&, const T&) {
    return std::string(RowShape<T>::text);
  }
  template <class T>
  std::string type(const FieldSpec& s, const std::optional<T>&) {
    return type(s, T{});
  }
  template <class T>
  std::string type(const FieldSpec& s, const std::map<std::string, T>&) {
    return "table of named " + type(s, T{}) + "s";
  }
  template <class T>
  std::string type(const FieldSpec& s, const std::vector<T>&) {
    if constexpr (std::is_class_v<T> && !Row<T> && !std::is_same_v<T, std::string> &&
                  !std::is_same_v<T, PointRef> && !std::is_same_v<T, Vec3>) {
      const std::string path = below(s.name);
      collect<T>(sections_, path, "[[" + path + "]]");
      return "list of tables [[" + path + "]]";
    } else {
      return "list of: " + type(s, T{});
    }
  }
  template <class T>
  requires(std::is_class_v<T> && !Row<T>) std::string type(const FieldSpec& s, const T&) {
    const std::string path = below(s.name);
    collect<T>(sections_, path, "[" + path + "]");
    return "table [" + path + "]";
  }
  std::string below(std::string_view name) const {
    return (path_.empty() ? "" : path_ + ".") + std::string(name);
  }

  std::vector<SectionSchema>& sections_;
  std::string path_;
  std::vector<FieldSchema> fields_;
};

}  // namespace

std::vector<SectionSchema> bodySchema() {
  std::vector<SectionSchema> sections;
  Collector::collect<Body>(sections, "", "top level");
  Collector::collect<FitTable>(sections, "fit", "[fit]");
  Collector::collect<PointRef>(sections, "point", "point, as a table");
  Collector::collect<AxisRef>(sections, "axis", "axis, as a table");
  return sections;
}

std::string bodyReference() {
  std::string out =
      "# Body file reference\n\nEvery field of a body file, written by `pneuma body reference` "
      "from "
      "the table that the reader uses.\nUnits named by a quantity (length, angle, ...) are those "
      "that the file declares; ranges are in SI.\nThe top level also has `format`, `units` and "
      "`include` (see body-format.md).\n";
  for (const SectionSchema& section : bodySchema()) {
    out += fmt::format(
        "\n## {}\n\n| field | type | unit | range | default | meaning "
        "|\n|---|---|---|---|---|---|\n",
        section.path);
    for (const FieldSchema& f : section.fields)
      out += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", f.name, f.type, f.unit, f.range,
                         f.required ? "**required**" : f.initial, f.meaning);
  }
  return out;
}

}  // namespace pneuma::anatomy
