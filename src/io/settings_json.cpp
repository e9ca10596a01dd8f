#include "pneuma/io/settings_json.h"

#include <cmath>
#include <limits>

namespace pneuma::io {

using nlohmann::ordered_json;

const ordered_json* SettingsFromJson::find(const SettingSpec& spec) {
  names.emplace_back(spec.name);
  const auto at = object_.find(names.back());
  return at == object_.end() ? nullptr : &*at;
}

void SettingsFromJson::refuse(const SettingSpec& spec, const char* expected) {
  findings.push_back({.field = std::string(spec.name),
                      .message = "is " + object_[std::string(spec.name)].dump(),
                      .expected = expected});
}

void SettingsFromJson::takeNumber(const SettingSpec& spec, double& value) {
  const ordered_json* given = find(spec);
  if (given == nullptr) return;
  // As SettingsToJson writes what has no limit.
  if (given->is_string() && *given == "all") {
    value = std::numeric_limits<double>::infinity();
  } else if (given->is_number()) {
    value = given->get<double>() * spec.unitInSi;
  } else {
    refuse(spec, "a number");
  }
}

template <class Whole>
void SettingsFromJson::takeWhole(const SettingSpec& spec, Whole& value) {
  const ordered_json* given = find(spec);
  if (given == nullptr) return;
  const bool negative = given->is_number_integer() && !given->is_number_unsigned() && *given < 0;
  if (!given->is_number_integer() || (std::is_unsigned_v<Whole> && negative))
    return refuse(spec, std::is_unsigned_v<Whole> ? "a whole number, 0 or more" : "a whole number");
  if constexpr (!std::is_unsigned_v<Whole>)
    if (std::abs(given->get<double>()) > std::numeric_limits<Whole>::max())
      return refuse(spec, "a smaller number");
  value = given->get<Whole>();
}
template void SettingsFromJson::takeWhole(const SettingSpec&, int&);
template void SettingsFromJson::takeWhole(const SettingSpec&, std::uint64_t&);

void SettingsFromJson::field(const SettingSpec& spec, bool& value) {
  const ordered_json* given = find(spec);
  if (given == nullptr) return;
  if (!given->is_boolean()) return refuse(spec, "true or false");
  value = given->get<bool>();
}

void SettingsFromJson::field(const SettingSpec& spec, std::string& value) {
  const ordered_json* given = find(spec);
  if (given == nullptr) return;
  if (!given->is_string()) return refuse(spec, "a text");
  value = given->get<std::string>();
}

void SettingsFromJson::field(const SettingSpec& spec, std::vector<std::string>& value) {
  const ordered_json* given = find(spec);
  if (given == nullptr) return;
  const bool texts =
      given->is_array() && std::all_of(given->begin(), given->end(),
                                       [](const ordered_json& item) { return item.is_string(); });
  if (!texts) return refuse(spec, "a list of texts");
  value = given->get<std::vector<std::string>>();
}

ordered_json SettingsSchema::number(const SettingSpec& spec, double value) {
  return std::isfinite(value) ? ordered_json(spec.inUnit(value)) : ordered_json();
}

void SettingsSchema::add(const SettingSpec& spec, const char* type, ordered_json initial) {
  ordered_json row{{"name", spec.name}, {"type", type}};
  if (!spec.unit.empty()) row["unit"] = spec.unit;
  if (std::isfinite(spec.min)) row["min"] = spec.min;
  if (std::isfinite(spec.max)) row["max"] = spec.max;
  if (!spec.choices.empty()) row["choices"] = spec.choices;
  if (!initial.is_null() && spec.derivedDefault.empty()) row["default"] = std::move(initial);
  if (!spec.derivedDefault.empty()) row["derived_default"] = spec.derivedDefault;
  row["meaning"] = spec.meaning;
  list.push_back(std::move(row));
}

}  // namespace pneuma::io
