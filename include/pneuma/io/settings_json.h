#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "pneuma/core/field_table.h"

namespace pneuma::io {

/// Writes described settings (core/field_table.h) into an object, in their own units.
class SettingsToJson : public ReadingSettings {
 public:
  explicit SettingsToJson(nlohmann::ordered_json& object) : object_(object) {}

  void field(const SettingSpec& spec, double value) { put(spec, number(spec, value)); }
  void field(const SettingSpec& spec, int value) { put(spec, value); }
  void field(const SettingSpec& spec, std::uint64_t value) { put(spec, value); }
  void field(const SettingSpec& spec, bool value) { put(spec, value); }
  void field(const SettingSpec& spec, const std::string& value) { put(spec, value); }
  void field(const SettingSpec& spec, const std::vector<std::string>& value) { put(spec, value); }
  void field(const SettingSpec& spec, const std::optional<double>& value) {
    if (value) put(spec, number(spec, *value));
  }

 private:
  static nlohmann::ordered_json number(const SettingSpec& spec, double value) {
    const double x = spec.inUnit(value);
    return std::isfinite(x) ? nlohmann::ordered_json(x) : nlohmann::ordered_json("all");
  }
  void put(const SettingSpec& spec, nlohmann::ordered_json value) {
    object_[std::string(spec.name)] = std::move(value);
  }
  nlohmann::ordered_json& object_;
};

/// The settings as an object, for run.toml. Absent optional values are left out.
template <class Settings>
nlohmann::ordered_json settingsJson(const Settings& settings) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  SettingsToJson writer(object);
  fields(writer, settings);
  return object;
}

/// Takes described settings from an object, in their own units; an absent one stays as it is.
/// Collects values of the wrong type; see readSettings.
class SettingsFromJson : public ChangingSettings {
 public:
  explicit SettingsFromJson(const nlohmann::ordered_json& object) : object_(object) {}

  void field(const SettingSpec& spec, double& value) { takeNumber(spec, value); }
  void field(const SettingSpec& spec, std::optional<double>& value) {
    const auto* given = find(spec);
    if (given == nullptr) return;
    if (given->is_null()) return value.reset();
    double number = 0;
    takeNumber(spec, number);
    value = number;
  }
  void field(const SettingSpec& spec, int& value) { takeWhole(spec, value); }
  void field(const SettingSpec& spec, std::uint64_t& value) { takeWhole(spec, value); }
  void field(const SettingSpec& spec, bool& value);
  void field(const SettingSpec& spec, std::string& value);
  void field(const SettingSpec& spec, std::vector<std::string>& value);

  std::vector<std::string> names;  ///< of all settings that were visited
  std::vector<Diagnostic> findings;

 private:
  const nlohmann::ordered_json* find(const SettingSpec& spec);
  void refuse(const SettingSpec& spec, const char* expected);
  void takeNumber(const SettingSpec& spec, double& value);
  template <class Whole>
  void takeWhole(const SettingSpec& spec, Whole& value);

  const nlohmann::ordered_json& object_;
};

/// Throws one InputError with everything that is wrong with `object`: names that none of the
/// settings has (with the nearest), wrong types, values out of range. The settings are changed only
/// when all is well. `subject` says in messages whose settings they are.
template <class... Settings>
void readSettings(const nlohmann::ordered_json& object, const std::string& subject,
                  Settings&... settings) {
  SettingsFromJson reader(object);
  std::tuple<Settings...> copies(settings...);
  std::apply([&](auto&... copy) { (fields(reader, copy), ...); }, copies);
  std::vector<Diagnostic> found = std::move(reader.findings);
  for (const auto& [name, value] : object.items())
    if (std::find(reader.names.begin(), reader.names.end(), name) == reader.names.end())
      found.push_back({.field = name,
                       .message = "no such setting",
                       .nearest = nearestName(name, reader.names)});
  const auto check = [&](const auto& copy) {
    for (Diagnostic& d : checkSettings(copy)) found.push_back(std::move(d));
  };
  std::apply([&](const auto&... copy) { (check(copy), ...); }, copies);
  for (Diagnostic& d : found) d.subject = subject;
  if (!found.empty()) throw InputError(std::move(found));
  std::tie(settings...) = std::move(copies);
}

/// What is known of settings, for pages and programs that offer them: a list of {"name", "type",
/// "unit", "min", "max", "choices", "default", "meaning"}; what does not apply is left out.
class SettingsSchema : public ReadingSettings {
 public:
  void field(const SettingSpec& spec, double value) { add(spec, "number", number(spec, value)); }
  void field(const SettingSpec& spec, const std::optional<double>& value) {
    add(spec, "number", value ? number(spec, *value) : nlohmann::ordered_json());
  }
  void field(const SettingSpec& spec, int value) { add(spec, "integer", value); }
  void field(const SettingSpec& spec, std::uint64_t value) { add(spec, "integer", value); }
  void field(const SettingSpec& spec, bool value) { add(spec, "boolean", value); }
  void field(const SettingSpec& spec, const std::string& value) { add(spec, "string", value); }
  void field(const SettingSpec& spec, const std::vector<std::string>& value) {
    add(spec, "strings", value);
  }

  nlohmann::ordered_json list = nlohmann::ordered_json::array();

 private:
  static nlohmann::ordered_json number(const SettingSpec& spec, double value);
  void add(const SettingSpec& spec, const char* type, nlohmann::ordered_json initial);
};

template <class Settings>
nlohmann::ordered_json settingsSchema(const Settings& settings = {}) {
  SettingsSchema schema;
  fields(schema, settings);
  return std::move(schema.list);
}

}  // namespace pneuma::io
