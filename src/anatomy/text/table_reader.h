#pragma once

#include <toml++/toml.h>

#include <set>

#include "anatomy/text/body_fields.h"

/// Reads one table of a body file into a description type, field by field (see body_fields.h).
namespace pneuma::anatomy::internal {

/// Findings stop being collected here: a binary file given as text must not fill the memory.
inline constexpr std::size_t kMostFindings = 1000;

struct FileContext {
  std::shared_ptr<const std::string> name;
  UnitTable units;
  std::vector<Diagnostic>* findings = nullptr;
};

/// The place of a node in its file.
Origin originOf(const FileContext& file, const toml::node& node);
/// A value as one line of TOML, for messages and for fields that must survive.
std::string inlineText(const toml::node& node);

class TableReader : public ChangingVisitor {
 public:
  /// `described` receives places and unknown fields; it may be null.
  TableReader(const toml::table& table, const FileContext& file, std::string subject,
              Described* described);

  template <class T>
  void field(const FieldSpec& spec, T& value) {
    if (const toml::node* node = find(spec)) read(spec, *node, value);
  }
  void series(const FieldSpec& spec, std::vector<SeriesVariable>& value);

  /// Warns about fields that were not asked for and keeps them, except those in `handled`.
  void finish(const std::set<std::string>& handled = {});

 private:
  /// The node of a field, or null; a missing required field is an error.
  const toml::node* find(const FieldSpec& spec);

  bool read(const FieldSpec& spec, const toml::node& node, bool& value);
  bool read(const FieldSpec& spec, const toml::node& node, int& value);
  bool read(const FieldSpec& spec, const toml::node& node, double& value);
  bool read(const FieldSpec& spec, const toml::node& node, std::string& value);
  bool read(const FieldSpec& spec, const toml::node& node, Vec3& value);
  bool read(const FieldSpec& spec, const toml::node& node, Range& value);
  bool read(const FieldSpec& spec, const toml::node& node, PointRef& value);
  bool read(const FieldSpec& spec, const toml::node& node, AxisRef& value);
  bool readNumbers(const FieldSpec& spec, const toml::node& node, std::size_t lengths,
                   std::vector<double>& value);
  bool readChoice(const FieldSpec& spec, const toml::node& node,
                  std::span<const std::string_view> names, int& value);
  void readSeries();
  bool readSeriesValues(const FieldSpec& spec, const toml::node& node, SeriesVariable& variable);

  bool read(const FieldSpec& spec, const toml::node& node, std::vector<double>& value) {
    return readNumbers(spec, node, std::numeric_limits<std::size_t>::max(), value) &&
           checkCount(spec, node, value.size());
  }

  template <class E>
  requires std::is_enum_v<E>
  bool read(const FieldSpec& spec, const toml::node& node, E& value) {
    int index = static_cast<int>(value);
    const bool good = readChoice(spec, node, EnumNames<E>::names, index);
    value = static_cast<E>(index);
    return good;
  }

  template <class T>
  bool read(const FieldSpec& spec, const toml::node& node, std::optional<T>& value) {
    T inner{};
    const bool good = read(spec, node, inner);
    if (good) value = std::move(inner);
    return good;
  }

  template <Row T>
  bool read(const FieldSpec& spec, const toml::node& node, T& value) {
    std::vector<double> row;
    if (!readNumbers(spec, node, RowShape<T>::lengths, row)) return false;
    if (!RowShape<T>::valid(row.size())) {
      wrong(spec, node, std::string(RowShape<T>::text));
      return false;
    }
    fromRow(row, value);
    return true;
  }

  template <class T>
  bool read(const FieldSpec& spec, const toml::node& node, std::map<std::string, T>& value) {
    const toml::table* table = node.as_table();
    if (!table) return wrong(spec, node, "a table of named values");
    for (const auto& [key, item] : *table) {
      FieldSpec inner = spec;
      const std::string name = std::string(spec.name) + "." + std::string(key.str());
      inner.name = name;
      T v{};
      if (read(inner, item, v)) value.insert_or_assign(std::string(key.str()), std::move(v));
      note(name, item);
    }
    return true;
  }

  template <class T>
  bool read(const FieldSpec& spec, const toml::node& node, std::vector<T>& value) {
    const toml::array* array = node.as_array();
    if (!array) return wrong(spec, node, "a list");
    if (!checkCount(spec, node, array->size())) return false;
    bool good = true;
    for (const toml::node& item : *array) {
      T v{};
      if (read(spec, item, v))
        value.push_back(std::move(v));
      else
        good = false;
    }
    return good;
  }

  /// A nested table with fields of its own.
  template <class T>
  requires(std::is_class_v<T> && !Row<T>) bool read(const FieldSpec& spec, const toml::node& node,
                                                    T& value) {
    const toml::table* table = node.as_table();
    if (!table) return wrong(spec, node, "a table");
    Described* described = nullptr;
    if constexpr (std::derived_from<T, Described>) described = &value;
    TableReader inner(*table, *file_, subjectOf(*table, spec.name), described);
    if constexpr (requires { value.unknownFields; }) inner.unknown_ = &value.unknownFields;
    fields(inner, value);
    inner.finish();
    return true;
  }

  bool checkCount(const FieldSpec& spec, const toml::node& node, std::size_t count);
  bool readNumber(const FieldSpec& spec, const toml::node& node, Unit unit, double& value);
  std::string subjectOf(const toml::table& table, std::string_view section) const;
  void note(const std::string& field, const toml::node& node);
  /// Reports "is ..., expected ..."; returns false.
  bool wrong(const FieldSpec& spec, const toml::node& node, std::string expected);
  bool report(const FieldSpec& spec, const toml::node& node, std::string message,
              std::string expected, std::string nearest = {});

  const toml::table* table_;
  const FileContext* file_;
  std::string subject_;
  Described* described_;
  std::map<std::string, std::string>* unknown_;  ///< where unknown fields are kept; may be null
  std::vector<FieldSpec> known_;
  const toml::node* seriesNode_ = nullptr;
  std::vector<SeriesVariable>* series_ = nullptr;
};

}  // namespace pneuma::anatomy::internal
