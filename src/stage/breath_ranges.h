#pragma once

#include <string>
#include <vector>

#include "pneuma/breath/breath_simulation.h"
#include "pneuma/stage/breath_report.h"

/// People's ranges of a quiet breath, for one person.
namespace pneuma::stage::internal {

/// Whether people's ranges say anything about a run: somebody grown breathes, and nothing hits him.
bool isAdultsBreath(const breath::BreathSettings& settings);

/// What goes on in a run, for its heading: "casual, upright".
std::string occasionOf(const breath::BreathSettings& settings);

/// People's ranges that the excursions of a run stand beside.
enum class KnownRanges {
  None,   ///< of a cough or a gasp they would say nothing
  Quiet,  ///< a quiet breath; a recording is taken for one
  Deep    ///< from rest to full lungs
};
KnownRanges knownRanges(const breath::BreathSettings& settings);
/// How far below rest people go in this style [mL]: words, or nothing.
std::string rangeBelowRest(const breath::BreathSimulation& run);
/// What is asked of a cough, a sneeze or a voice beside the figures of every breath. Ranges are
/// those of tests/verify/physiology (docs/breathing.md has their sources), of men unless stated.
std::vector<SummaryRow> styleFigures(const breath::BreathSimulation& run);

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
