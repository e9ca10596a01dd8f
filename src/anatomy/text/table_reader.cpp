#include "anatomy/text/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "anatomy/text/names.h"

namespace pneuma::anatomy::internal {
namespace {

std::string quoteText(std::string_view s) {
  std::string out = "\"";
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (u < 0x20 || u == 0x7f)
      out += fmt::format("\\u{:04X}", u);
    else
      out += c;
  }
  return out + '"';
}

/// A bare key where TOML allows one, else a quoted key.
std::string keyText(std::string_view key) {
  for (const char c : key)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') return quoteText(key);
  return key.empty() ? "\"\"" : std::string(key);
}

std::string shortened(std::string text) {
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

const char* kindName(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (node.is_array()) return "a list";
  return nullptr;
}

/// "0 to 90 deg", ">= 0 kg", "a number": what spec allows, in the unit of the file.
std::string numberExpectation(const FieldSpec& spec, Unit unit, const UnitTable& units) {
  const double factor = units.toSi(unit);
  const std::string name = units.name(unit);
  const std::string tail = name.empty() ? "" : " " + name;
  const bool low = spec.min > -kNoLimit, high = spec.max < kNoLimit;
  if (low && high)
    return fmt::format("a number {}{:.6g} to {:.6g}{}", spec.aboveMin ? "above " : "",
                       spec.min / factor, spec.max / factor, tail);
  if (low)
    return fmt::format("a number {} {:.6g}{}", spec.aboveMin ? ">" : ">=", spec.min / factor, tail);
  return "a number" + (name.empty() ? "" : " [" + name + "]");
}

}  // namespace

Origin originOf(const FileContext& file, const toml::node& node) {
  const auto& begin = node.source().begin;
  return {file.name, static_cast<int>(begin.line), static_cast<int>(begin.column)};
}

std::string inlineText(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    std::string out = "{";
    for (const auto& [key, value] : *table)
      out += (out.size() > 1 ? ", " : "") + keyText(key.str()) + " = " + inlineText(value);
    return out + "}";
  }
  if (const auto* array = node.as_array()) {
    std::string out = "[";
    for (const toml::node& value : *array) out += (out.size() > 1 ? ", " : "") + inlineText(value);
    return out + "]";
  }
  if (const auto* text = node.as_string()) return quoteText(text->get());
  if (const auto* number = node.as_floating_point()) {
    const double v = number->get();
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    std::string s = fmt::format("{}", v);
    return s.find_first_of(".e") == std::string::npos ? s + ".0" : s;
  }
  if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

TableReader::TableReader(const toml::table& table, const FileContext& file, std::string subject,
                         Described* described)
    : table_(&table),
      file_(&file),
      subject_(std::move(subject)),
      described_(described),
      unknown_(described ? &described->unknownFields : nullptr) {
  if (described_) described_->where = originOf(file, table);
}

const toml::node* TableReader::find(const FieldSpec& spec) {
  known_.push_back(spec);
  const toml::node* node = table_->get(spec.name);
  if (node) {
    note(std::string(spec.name), *node);
  } else if (spec.required) {
    report(spec, *table_, "is missing", std::string(spec.meaning));
  }
  return node;
}

void TableReader::note(const std::string& field, const toml::node& node) {
  if (described_) described_->fieldOrigins[field] = originOf(*file_, node);
}

bool TableReader::report(const FieldSpec& spec, const toml::node& node, std::string message,
                         std::string expected, std::string nearest) {
  if (file_->findings->size() < kMostFindings)
    file_->findings->push_back({Severity::Error, originOf(*file_, node).position(), subject_,
                                std::string(spec.name), std::move(message), std::move(expected),
                                std::move(nearest)});
  return false;
}

bool TableReader::wrong(const FieldSpec& spec, const toml::node& node, std::string expected) {
  const char* kind = kindName(node);
  return report(spec, node, "is " + (kind ? kind : shortened(inlineText(node))),
                std::move(expected));
}

bool TableReader::checkCount(const FieldSpec& spec, const toml::node& node, std::size_t count) {
  if (count >= spec.minCount && count <= spec.maxCount) return true;
  const std::string expected =
      spec.minCount == spec.maxCount ? fmt::format("{} entries", spec.minCount)
      : count < spec.minCount        ? fmt::format("at least {} entries", spec.minCount)
                                     : fmt::format("at most {} entries", spec.maxCount);
  return report(spec, node, fmt::format("has {} entries", count), expected);
}

bool TableReader::read(const FieldSpec& spec, const toml::node& node, bool& value) {
  const auto flag = node.value_exact<bool>();
  if (!flag) return wrong(spec, node, "true or false");
  value = *flag;
  return true;
}

bool TableReader::read(const FieldSpec& spec, const toml::node& node, int& value) {
  const auto number = node.value_exact<std::int64_t>();
  if (!number || static_cast<double>(*number) < spec.min || static_cast<double>(*number) > spec.max)
    return wrong(spec, node, fmt::format("a whole number {} to {}", spec.min, spec.max));
  value = static_cast<int>(*number);
  return true;
}

bool TableReader::readNumber(const FieldSpec& spec, const toml::node& node, Unit unit,
                             double& value) {
  double factor = file_->units.toSi(unit), number = 0;
  if (const auto* text = node.as_string()) {
    // A value with its own unit: "35 mm".
    const std::string& s = text->get();
    const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), number);
    const auto read = static_cast<std::size_t>(end - s.data());
    const auto own = unitFactor(unit, std::string_view(s).substr(std::min(read + 1, s.size())));
    if (error != std::errc() || end == s.data() + s.size() || *end != ' ' || !own) {
      std::string units;
      for (const std::string& u : unitSpellings(unit)) units += (units.empty() ? "" : ", ") + u;
      if (units.empty()) return wrong(spec, node, numberExpectation(spec, unit, file_->units));
      return wrong(spec, node, "a number, or a text with its unit (" + units + ")");
    }
    factor = *own;
  } else if (const auto v = node.value<double>(); v && node.is_number()) {
    number = *v;
    if (!file_->units.declared(unit))
      return report(spec, node,
                    fmt::format("has no unit: the file declares no {} unit", unitKey(unit)),
                    fmt::format("units = {{ {} = \"{}\" }} at the top of the file", unitKey(unit),
                                writingUnits().name(unit)));
  } else {
    return wrong(spec, node, numberExpectation(spec, unit, file_->units));
  }
  value = number * factor;
  const bool inside = spec.aboveMin ? value > spec.min : value >= spec.min;
  if (!std::isfinite(value) || !inside || value > spec.max)
    return wrong(spec, node, numberExpectation(spec, unit, file_->units));
  return true;
}

bool TableReader::read(const FieldSpec& spec, const toml::node& node, double& value) {
  return readNumber(spec, node, spec.unit, value);
}

bool TableReader::readNumbers(const FieldSpec& spec, const toml::node& node, std::size_t lengths,
                              std::vector<double>& value) {
  const toml::array* array = node.as_array();
  if (!array) return wrong(spec, node, "a list of numbers");
  bool good = true;
  for (std::size_t i = 0; i < array->size(); ++i) {
    double v = 0;
    good &= readNumber(spec, (*array)[i], i < lengths ? spec.unit : Unit::None, v);
    value.push_back(v);
  }
  return good;
}

bool TableReader::read(const FieldSpec& spec, const toml::node& node, std::string& value) {
  const auto* text = node.as_string();
  if (!text) return wrong(spec, node, "a text");
  const bool isName = spec.role == Role::Name || spec.role == Role::Reference;
  if (isName && !isValidName(text->get()))
    return wrong(spec, node, "a name of lower-case letters, digits, _ and - (and {variables})");
  value = text->get();
  return true;
}

bool TableReader::read(const FieldSpec& spec, const toml::node& node, Vec3& value) {
  const toml::array* array = node.as_array();
  if (!array || array->size() != 3) return wrong(spec, node, "[x, y, z]");
  std::vector<double> numbers;
  if (!readNumbers(spec, node, 3, numbers)) return false;
  value = Vec3(numbers[0], numbers[1], numbers[2]);
  return true;
}

bool TableReader::read(const FieldSpec& spec, const toml::node& node, Range& value) {
  const toml::array* array = node.as_array();
  if (!array || array->size() != 2) return wrong(spec, node, "[lower, upper]");
  std::vector<double> numbers;
  if (!readNumbers(spec, node, 2, numbers)) return false;
  value = {numbers[0], numbers[1]};
  if (value.lower >= value.upper) return wrong(spec, node, "[lower, upper] with lower < upper");
  return true;
}

bool TableReader::readChoice(const FieldSpec& spec, const toml::node& node,
                             std::span<const std::string_view> names, int& value) {
  std::vector<std::string> all(names.begin(), names.end());
  std::string expected = "one of";
  for (const std::string& n : all) expected += (n == all.front() ? " " : ", ") + n;
  const auto* text = node.as_string();
  if (!text) return wrong(spec, node, expected);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == text->get()) return value = static_cast<int>(i), true;
  return report(spec, node, "is " + shortened(inlineText(node)), expected,
                nearestName(text->get(), all));
}

bool TableReader::read(const FieldSpec& spec, const toml::node& node, PointRef& value) {
  value.where = originOf(*file_, node);
  if (node.is_array()) {
    FieldSpec inner = spec;
    inner.unit = Unit::Length, inner.min = -kFar, inner.max = kFar;
    Vec3 p;
    if (!read(inner, node, p)) return false;
    value.position = p;
    return true;
  }
  FieldSpec inner = spec;
  inner.role = Role::Reference;
  if (node.is_string()) return read(inner, node, value.at);
  const toml::table* table = node.as_table();
  if (!table)
    return wrong(spec, node, "\"bone:point\", [x, y, z], or a table with `at` or `position`");
  TableReader reader(*table, *file_, subject_, &value);
  fields(reader, value);
  reader.finish();
  if (value.at.empty() == !value.position.has_value())
    return wrong(spec, node, "either `at` or `position`");
  return true;
}

// Three spellings for what anatomists say three ways: a letter for an axis of the body, a vector
// where one was measured, and two landmarks where the axis is the line between them, which then
// follows the person.
bool TableReader::read(const FieldSpec& spec, const toml::node& node, AxisRef& value) {
  value.where = originOf(*file_, node);
  const std::string expected = "\"x\", \"-y\", ..., a vector, or a table with `from` and `to`";
  if (const auto* text = node.as_string()) {
    const std::string& s = text->get();
    const bool negative = s.size() == 2 && s[0] == '-';
    const char letter = s.empty() ? ' ' : s.back();
    if (s.size() != (negative ? 2u : 1u) || letter < 'x' || letter > 'z')
      return wrong(spec, node, expected);
    value.vector = Vec3::Unit(letter - 'x') * (negative ? -1.0 : 1.0);
    return true;
  }
  if (node.is_array()) {
    FieldSpec inner = spec;
    inner.min = -1e3, inner.max = 1e3;
    Vec3 v;
    if (!read(inner, node, v)) return false;
    if (v.norm() < 1e-9) return wrong(spec, node, "a vector that is not zero");
    value.vector = v;
    return true;
  }
  const toml::table* table = node.as_table();
  if (!table) return wrong(spec, node, expected);
  TableReader reader(*table, *file_, subject_, &value);
  fields(reader, value);
  reader.finish();
  const bool twoPoints = value.from && value.to;
  if (value.vector.has_value() == twoPoints)
    return wrong(spec, node, "`from` and `to`, or `vector`");
  return true;
}

void TableReader::series(const FieldSpec& spec, std::vector<SeriesVariable>& value) {
  // Read at the end: a variable may be the name of a number field, whose unit must be known.
  seriesNode_ = find(spec);
  series_ = &value;
}

void TableReader::readSeries() {
  if (!seriesNode_) return;
  const FieldSpec spec{.name = "series", .minCount = 1, .maxCount = 1000};
  const toml::table* table = seriesNode_->as_table();
  if (!table || table->empty()) {
    wrong(spec, *seriesNode_, "a table { variable = [values] }");
    return;
  }
  for (const auto& [key, item] : *table) {
    SeriesVariable variable{.name = std::string(key.str())};
    if (readSeriesValues(spec, item, variable)) series_->push_back(std::move(variable));
  }
}

bool TableReader::readSeriesValues(const FieldSpec& spec, const toml::node& node,
                                   SeriesVariable& variable) {
  if (const auto* text = node.as_string()) {
    variable.values = expandRange(text->get());
    return !variable.values.empty() ||
           wrong(spec, node, "a range of levels or numbers, such as \"c3..t02\" or \"01..10\"");
  }
  const toml::array* array = node.as_array();
  if (!array || array->empty())
    return wrong(spec, node, "a list of values, or a range such as \"c3..t02\"");
  FieldSpec inner = spec;
  if (!(*array)[0].is_number()) {
    inner.role = Role::Reference;
    return read(inner, node, variable.values);
  }
  for (const FieldSpec& known : known_) {
    if (known.name != variable.name) continue;
    inner.unit = known.unit, inner.min = known.min, inner.max = known.max;
    inner.aboveMin = known.aboveMin;
    return read(inner, node, variable.numbers);
  }
  return report(spec, node, "'" + variable.name + "' is not a number field of this entry",
                "texts, or numbers for a number field");
}

void TableReader::finish(const std::set<std::string>& handled) {
  readSeries();
  std::vector<std::string> names(handled.begin(), handled.end());
  for (const FieldSpec& spec : known_) names.emplace_back(spec.name);
  for (const auto& [key, node] : *table_) {
    const std::string name(key.str());
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    if (file_->findings->size() < kMostFindings)
      file_->findings->push_back({Severity::Warning, originOf(*file_, node).position(), subject_,
                                  name, "is not a known field; it is kept", "",
                                  nearestName(name, names)});
    if (unknown_) (*unknown_)[name] = inlineText(node);
  }
}

std::string TableReader::subjectOf(const toml::table& table, std::string_view section) const {
  for (const char* key : {"name", "bone"})
    if (const auto* text = table.get_as<std::string>(key))
      return fmt::format("{} '{}'", section, shortened(text->get()));
  return subject_.empty() ? std::string(section) : subject_ + ", " + std::string(section);
}

}  // namespace pneuma::anatomy::internal
