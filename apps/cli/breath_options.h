#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/person_options.h"

#include "pneuma/breath/breath_simulation.h"
#include "pneuma/breath/recording.h"

namespace pneuma::cli {

/// A style of the data folder. Throws InputError with the nearest name.
const breath::BreathStyle& styleOf(std::string_view name);

/// Who breathes and how: options shared by the verbs that run the breathing torso.
class BreathOptions {
 public:
  void addTo(CLI::App* verb);

  /// Everything resolved. Throws InputError.
  breath::BreathSettings settings() const;
  /// The same as data, for run.toml.
  nlohmann::ordered_json describe(const breath::BreathSettings& settings) const;
  double seconds(const breath::BreathSettings& settings) const;

 private:
  PersonOptions person_;
  std::string style_ = "casual", preset_ = "default", posture_ = "upright";
  std::optional<double> rate_, tidal_, share_, variability_, seconds_, step_;
  double effort_ = 1, kappa_ = 1, ball_ = 0;
  int refinement_ = 1;
  std::uint64_t seed_ = 1;
  std::string volume_, column_, kind_ = "auto";
  bool invert_ = false, calibrated_ = false;
  double detrend_ = 20;
};

/// The measures of a run as flat keys.
nlohmann::ordered_json toJson(const breath::BreathSimulation& simulation);
/// The same as a table for people, with the human range beside each number.
std::string summaryText(const breath::BreathSimulation& simulation);

/// One line of the summary.
struct SummaryRow {
  std::string quantity, value, unit, human;
};
std::vector<SummaryRow> summaryRows(const breath::BreathSimulation& simulation);

}  // namespace pneuma::cli
