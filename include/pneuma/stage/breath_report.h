#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/breath/breath_simulation.h"
#include "pneuma/stage/breath_table.h"
#include "pneuma/stage/drawn_parts.h"
#include "pneuma/stage/torso_cast.h"

/// What a run of the breathing torso tells and writes.
namespace pneuma::stage {

/// The measures of a run as flat keys.
nlohmann::ordered_json breathJson(const breath::BreathSimulation& simulation);

/// One line of the summary, with the range of people beside it.
struct SummaryRow {
  std::string quantity, value, unit, human;
};
std::vector<SummaryRow> breathSummary(const breath::BreathSimulation& simulation);
/// The same as text for people.
std::string breathSummaryText(const breath::BreathSimulation& simulation);

/// What was measured of the torso; valid as long as the simulation and until it goes on.
MeasuredBreath measuredBreath(const breath::BreathSimulation& simulation);
inline io::Table measureTable(const breath::BreathSimulation& simulation) {
  return measureTable(measuredBreath(simulation));
}

/// Writes breath.glb, breath.csv, plots, stills, film and report.html at the places that `file`
/// names, and asset.glb where it is asked for; gives what the layers hold (body_layers.h).
nlohmann::ordered_json writeBreathOutputs(
    const breath::BreathSimulation& simulation, const anatomy::Body& body, const FrameTrack& track,
    const std::function<std::filesystem::path(std::string_view)>& file, const DrawnParts& drawn,
    const std::function<void(double)>& progress);

}  // namespace pneuma::stage
