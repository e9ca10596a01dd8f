#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cli/program.h"
#include "pneuma/core/field_table.h"

namespace pneuma::cli {

/// Declares the options of described settings (core/field_table.h): names, help, units, ranges,
/// choices and defaults all come from the description. A flag that is on by default becomes
/// `--no-<name>`.
class FieldOptions : public ChangingSettings {
 public:
  explicit FieldOptions(CLI::App* verb, std::string group = "");

  void field(const SettingSpec& spec, bool& value);
  void field(const SettingSpec& spec, int& value);
  void field(const SettingSpec& spec, std::uint64_t& value);
  void field(const SettingSpec& spec, double& value);
  void field(const SettingSpec& spec, std::optional<double>& value);
  void field(const SettingSpec& spec, std::string& value);
  void field(const SettingSpec& spec, std::vector<std::string>& value);

 private:
  /// Range, group and default of an option.
  CLI::Option* finish(const SettingSpec& spec, CLI::Option* option, const std::string& initial);
  CLI::Option* addNumber(const SettingSpec& spec, std::function<void(double)> set);
  std::string help(const SettingSpec& spec) const;

  CLI::App* verb_;
  std::string group_;
};

/// The options of one settings struct, below a heading of their own unless `group` is empty.
template <class Settings>
void addFieldOptions(CLI::App* verb, Settings& settings, const std::string& group = "") {
  FieldOptions options(verb, group);
  fields(options, settings);
}

}  // namespace pneuma::cli
