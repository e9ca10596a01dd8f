#pragma once

#include <fmt/format.h>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/error.h"

/// Settings described once. A settings struct has one function
///
///   template <class Visitor>
///   void fields(Visitor& v, typename Visitor::template Ref<BreathKnobs> k) {
///     v.field({.name = "rate", .meaning = "Breaths per minute", .min = 0, .max = 300}, k.rate);
///     ...
///   }
///
/// beside it, and everything else comes from there: options and help of the command line, range
/// checks, run.toml, reference pages, and whatever else wants to know names, units, ranges and
/// defaults (keywords, sliders). Values are bool, int, std::uint64_t, double, std::string,
/// std::vector<std::string>, and std::optional of a number; inside they are SI.
namespace pneuma {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// How one setting is described.
struct SettingSpec {
  std::string_view name;       ///< "chest_share": key of run.toml, `--chest-share` of the program
  std::string_view meaning;    ///< one line for people
  std::string_view unit = "";  ///< in which people state it: "ms"; "" for none
  double unitInSi = 1;         ///< SI value of one such unit
  double min = -kNoLimit;      ///< in `unit`; an empty text or absent value is never out of range
  double max = kNoLimit;
  std::vector<std::string> choices = {};  ///< of a text; empty: any
  /// What stands for the default in help when it follows from other settings.
  std::string_view derivedDefault = "";
  std::string_view type = "";  ///< of a text: "FILE", "NAME=DEG"

  bool contains(double valueInUnit) const { return valueInUnit >= min && valueInUnit <= max; }
  bool limited() const { return std::isfinite(min) || std::isfinite(max); }
  /// "0 .. 300"
  std::string range() const;
  /// "chest-share", as the command line spells it.
  std::string optionName() const;
  /// The number in its unit, without the noise that dividing by 1e-6 leaves.
  double inUnit(double si) const;
};

/// Visitors that change what they visit, and those that only read.
struct ChangingSettings {
  template <class T>
  using Ref = T&;
};
struct ReadingSettings {
  template <class T>
  using Ref = const T&;
};

/// Collects what is out of range; see checkSettings.
class SettingChecker : public ReadingSettings {
 public:
  void field(const SettingSpec& spec, double value) { number(spec, value); }
  void field(const SettingSpec& spec, int value) { number(spec, value); }
  void field(const SettingSpec& spec, std::uint64_t value) {
    number(spec, static_cast<double>(value));
  }
  void field(const SettingSpec& spec, const std::optional<double>& value) {
    if (value) number(spec, *value);
  }
  void field(const SettingSpec& spec, const std::string& value);
  void field(const SettingSpec&, bool) {}
  void field(const SettingSpec&, const std::vector<std::string>&) {}

  std::vector<Diagnostic> findings;

 private:
  void number(const SettingSpec& spec, double value);
};

/// Every setting that is out of its range, not finite, or no known choice; empty when all is well.
template <class Settings>
std::vector<Diagnostic> checkSettings(const Settings& settings) {
  SettingChecker checker;
  fields(checker, settings);
  return std::move(checker.findings);
}

/// Throws an InputError with all of them.
template <class Settings>
void requireSettings(const Settings& settings) {
  if (std::vector<Diagnostic> found = checkSettings(settings); !found.empty())
    throw InputError(std::move(found));
}

/// One row of a reference page.
struct SettingRow {
  std::string name, unit, range, initial, meaning;
};

/// The settings of a struct as rows, with the values of `settings` as defaults.
class SettingLister : public ReadingSettings {
 public:
  void field(const SettingSpec& spec, double value);
  void field(const SettingSpec& spec, int value) { add(spec, fmt::format("{}", value)); }
  void field(const SettingSpec& spec, std::uint64_t value) { add(spec, fmt::format("{}", value)); }
  void field(const SettingSpec& spec, const std::optional<double>& value);
  void field(const SettingSpec& spec, const std::string& value) { add(spec, value); }
  void field(const SettingSpec& spec, bool value) { add(spec, value ? "true" : "false"); }
  void field(const SettingSpec& spec, const std::vector<std::string>&) { add(spec, ""); }

  std::vector<SettingRow> rows;

 private:
  void add(const SettingSpec& spec, std::string initial);
};
template <class Settings>
std::vector<SettingRow> settingRows(const Settings& settings = {}) {
  SettingLister lister;
  fields(lister, settings);
  return std::move(lister.rows);
}

}  // namespace pneuma
