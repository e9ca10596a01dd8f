#pragma once

#include <string>
#include <vector>

#include "pneuma/breath/breath_simulation.h"

/// People's ranges of a quiet breath, for one person.
namespace pneuma::stage::internal {

/// Whether people's ranges say anything about a run: somebody grown breathes, and nothing hits him.
bool isAdultsBreath(const breath::BreathSettings& settings);

/// What goes on in a run, for its heading: "casual, upright".
std::string occasionOf(const breath::BreathSettings& settings);

/// A figure of a run beside the range of people.
struct JudgedFigure {
  std::string quantity;  ///< as the summary names it
  double value = 0, low = 0, high = 0;
  std::string unit, source;
  bool inside() const { return value >= low && value <= high; }
};

/// What is known of people who breathe quietly upright, beside what this run gave. The figures are
/// those of a man of 1.75 m (data/breath/physiology.toml); for another person volumes go with the
/// predicted FRC and ways with the height. Empty for any other breath: its figures would say
/// nothing.
std::vector<JudgedFigure> judgeQuietBreath(const breath::BreathSimulation& run);

}  // namespace pneuma::stage::internal
