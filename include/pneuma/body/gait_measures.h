#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pneuma/breath/torso_measures.h"

/// Breath and steps told apart.
namespace pneuma::body {

/// What a person's breath looks like below the rate of steps, and what the steps add by inertia of
/// gut and wall.
struct GaitMeasures {
  double stepRate = 0;          ///< [1/s], two steps a cycle
  double tidalVolume = 0;       ///< of the lungs' volume below half the step rate [m^3]
  double breathsPerMinute = 0;  ///< of the same

  // What is left above, averaged over the cycles of the gait: highest minus lowest.
  double stepVolume = 0;       ///< of the lungs [m^3]
  double stepFlow = 0;         ///< largest, at the mouth: gas in the chest yields [m^3/s]
  double stepGutPressure = 0;  ///< [Pa]
  double stepBelly = 0;        ///< travel of the navel to the front [m]
};

/// Values at even intervals, low-passed without delay: a sinc with a Hann window that passes what
/// lies well below `stop` [Hz] and nothing from there on. Half a window, lowPassMargin(stop), is
/// left out at either end.
std::vector<double> lowPassed(std::span<const double> values, double interval, double stop);

/// [s]
double lowPassMargin(double stop);

/// Measures of a gait with the given cycle [s], from samples at even intervals; of the breath those
/// from `settled` on count. Nothing when the samples are too short for two cycles and a breath of
/// `period` [s], or when breaths come as fast as steps, so that no frequency lies between.
std::optional<GaitMeasures> measureGait(std::span<const breath::TorsoMeasures> samples,
                                        double cycle, double settled, double period);

}  // namespace pneuma::body
