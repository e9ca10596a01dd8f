#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "pneuma/breath/breath_control.h"
#include "pneuma/breath/torso_measures.h"
#include "pneuma/io/table.h"
#include "pneuma/render/plot.h"

/// What is told of a breath, whoever breathes: the torso by itself or a body that moves.
namespace pneuma::stage {

/// A breath as it was measured over time.
struct MeasuredBreath {
  std::span<const breath::TorsoMeasures> samples;
  double restLung = 0, restGut = 0;  ///< volumes at rest [m^3]
  /// With what the torso by itself has besides: a spirometer, shoulders that follow, a spine that
  /// sways, and work.
  bool torso = false;
  const breath::VolumeTarget* target = nullptr;  ///< that was followed, or null
};

/// All measures over time, with units.
io::Table measureTable(const MeasuredBreath& breath);
render::Plot volumePlot(const MeasuredBreath& breath);
render::Plot ribPlot(const MeasuredBreath& breath);

/// Excursions as flat keys.
nlohmann::ordered_json summaryJson(const breath::BreathSummary& summary);

}  // namespace pneuma::stage
