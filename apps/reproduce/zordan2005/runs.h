#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pneuma/breath/breath_simulation.h"
#include "pneuma/core/progress.h"
#include "pneuma/io/run_folder.h"

/// The runs behind the figures and tables of Zordan et al. 2005.
namespace pneuma::reproduce::zordan2005 {

inline constexpr const char* kPresets[] = {"default", "zordan2005"};
inline constexpr const char* kStyles[] = {"casual", "deep", "panting", "forced-exhale"};

/// The body of the data folder, and its trunk.
std::shared_ptr<const anatomy::Body> defaultBody();
breath::TorsoModel defaultTorso(const breath::TorsoConfig& config);
breath::BreathSettings settingsOf(std::string_view preset, std::string_view style);

/// One style of one preset: volume and right ribs over its last seconds.
struct StyleRun {
  std::string preset, style;
  std::vector<double> time;               ///< [s]
  std::vector<double> volume;             ///< against rest [mL]
  std::vector<std::vector<double>> ribs;  ///< pump angle of right ribs 1 .. 10 [deg]
  breath::BreathSummary summary;
  double realTime = 0;
};
/// Every style of both presets, in parallel; then the casual ones again, alone, for the speed.
std::vector<StyleRun> runStyles();
const StyleRun& find(const std::vector<StyleRun>& runs, std::string_view preset,
                     std::string_view style);

/// First harmonic of one rib's rotation (Fig. 9).
struct RibPhase {
  double swing = 0;  ///< peak to peak [deg]
  double delay = 0;  ///< after rib 1 [ms]
};
std::vector<RibPhase> ribPhases(const StyleRun& run);

/// Figure 7: tidal volume of steady breathing over contraction and period.
struct BreathSpace {
  std::vector<double> efforts, periods;
  std::vector<double> tidal;  ///< a row of efforts per period [mL]
};
/// 306 runs, row by row in parallel; every row is a checkpoint of the folder.
BreathSpace breathSpace(io::RunFolder& folder, Progress& progress);

/// Figure 4: a ball dropped on the gut.
struct BallRun {
  double mass = 0;             ///< [kg]
  double error = 0;            ///< largest |V / V0 - 1| [%]
  double depth = 0;            ///< deepest dent at the navel [mm]
  breath::PointArray deepest;  ///< points of the model at that moment
  breath::BallState ball;      ///< at that moment
};
BallRun dropBall(std::string_view preset);

}  // namespace pneuma::reproduce::zordan2005
