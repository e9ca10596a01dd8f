#include "cli/field_options.h"

#include <fmt/format.h>

#include <algorithm>

namespace pneuma::cli {

FieldOptions::FieldOptions(CLI::App* verb, std::string group)
    : verb_(verb), group_(std::move(group)) {}

std::string FieldOptions::help(const SettingSpec& spec) const {
  std::string text(spec.meaning);
  // "Slower than this [s]; 0: none": the unit belongs to the first part.
  if (!spec.unit.empty())
    text.insert(std::min(text.find(';'), text.size()), fmt::format(" [{}]", spec.unit));
  if (!spec.derivedDefault.empty()) text += fmt::format(" (default: {})", spec.derivedDefault);
  return text;
}

CLI::Option* FieldOptions::finish(const SettingSpec& spec, CLI::Option* option,
                                  const std::string& initial) {
  if (!spec.choices.empty()) option->check(oneOf(spec.choices));
  if (spec.limited()) option->check(between(spec.min, spec.max));
  if (!spec.type.empty()) option->type_name(std::string(spec.type));
  if (!group_.empty()) option->group(group_);
  if (!initial.empty() && spec.derivedDefault.empty()) option->default_str(initial);
  return option;
}

CLI::Option* FieldOptions::addNumber(const SettingSpec& spec, std::function<void(double)> set) {
  CLI::Option* option =
      verb_->add_option_function<double>("--" + spec.optionName(), std::move(set), help(spec));
  return spec.limited() ? option : option->check(finiteNumber());
}

void FieldOptions::field(const SettingSpec& spec, bool& value) {
  const bool wanted = !value;
  finish(spec,
         verb_->add_flag_callback((wanted ? "--" : "--no-") + spec.optionName(),
                                  [&value, wanted] { value = wanted; }, help(spec)),
         "");
}

void FieldOptions::field(const SettingSpec& spec, int& value) {
  finish(spec, verb_->add_option("--" + spec.optionName(), value, help(spec)),
         fmt::format("{}", value));
}

void FieldOptions::field(const SettingSpec& spec, std::uint64_t& value) {
  finish(spec, verb_->add_option("--" + spec.optionName(), value, help(spec)),
         fmt::format("{}", value));
}

void FieldOptions::field(const SettingSpec& spec, double& value) {
  finish(spec, addNumber(spec, [&value, si = spec.unitInSi](double x) { value = x * si; }),
         std::isfinite(value) ? fmt::format("{:g}", spec.inUnit(value)) : "");
}

void FieldOptions::field(const SettingSpec& spec, std::optional<double>& value) {
  finish(spec, addNumber(spec, [&value, si = spec.unitInSi](double x) { value = x * si; }), "");
}

void FieldOptions::field(const SettingSpec& spec, std::string& value) {
  finish(spec, verb_->add_option("--" + spec.optionName(), value, help(spec)), value);
}

void FieldOptions::field(const SettingSpec& spec, std::vector<std::string>& value) {
  finish(spec, verb_->add_option("--" + spec.optionName(), value, help(spec)), "");
}

}  // namespace pneuma::cli
