#pragma once

#include <nlohmann/json.hpp>

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

}  // namespace pneuma::io
