#include "pneuma/core/field_table.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

namespace pneuma {

std::string SettingSpec::range() const {
  if (!choices.empty()) return fmt::format("{}", fmt::join(choices, ", "));
  if (std::isfinite(min) && std::isfinite(max)) return fmt::format("{:g} .. {:g}", min, max);
  if (std::isfinite(min)) return fmt::format(">= {:g}", min);
  return std::isfinite(max) ? fmt::format("<= {:g}", max) : "";
}

std::string SettingSpec::optionName() const {
  std::string option(name);
  std::ranges::replace(option, '_', '-');
  return option;
}

double SettingSpec::inUnit(double si) const {
  if (unitInSi == 1 || !std::isfinite(si)) return si;
  // Fifteen digits are what survives a way through decimal text in another unit.
  return std::strtod(fmt::format("{:.15g}", si / unitInSi).c_str(), nullptr);
}

void SettingChecker::number(const SettingSpec& spec, double value) {
  const double inUnit = spec.inUnit(value);
  if (std::isfinite(inUnit) ? spec.contains(inUnit) : inUnit > 0 && spec.max == kNoLimit) return;
  const std::string unit = spec.unit.empty() ? "" : fmt::format(" [{}]", spec.unit);
  findings.push_back({.field = std::string(spec.name),
                      .message = fmt::format("{:g} is out of range", inUnit),
                      .expected = spec.limited() ? spec.range() + unit : "a finite number" + unit});
}

void SettingChecker::field(const SettingSpec& spec, const std::string& value) {
  if (value.empty() || spec.choices.empty() ||
      std::ranges::find(spec.choices, value) != spec.choices.end())
    return;
  findings.push_back({.field = std::string(spec.name),
                      .message = fmt::format("'{}' is unknown", value),
                      .expected = spec.range(),
                      .nearest = nearestName(value, spec.choices)});
}

void SettingLister::field(const SettingSpec& spec, double value) {
  add(spec, std::isfinite(value) ? fmt::format("{:g}", spec.inUnit(value)) : "");
}

void SettingLister::field(const SettingSpec& spec, const std::optional<double>& value) {
  add(spec, value ? fmt::format("{:g}", spec.inUnit(*value)) : "");
}

void SettingLister::add(const SettingSpec& spec, std::string initial) {
  rows.push_back(
      {std::string(spec.name), std::string(spec.unit), spec.range(),
       spec.derivedDefault.empty() ? std::move(initial) : std::string(spec.derivedDefault),
       std::string(spec.meaning)});
}

}  // namespace pneuma
