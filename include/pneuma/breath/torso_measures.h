#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pneuma/breath/torso_step.h"

/// What one would measure on a breathing person.
namespace pneuma::breath {

/// One moment. Angles and lengths are relative to the rest state.
struct TorsoMeasures {
  double time = 0;                                 ///< [s]
  double lungVolume = 0;                           ///< cavity above the diaphragm [m^3]
  double ribCageVolume = 0;                        ///< trunk above the costal margin [m^3]
  double abdomenVolume = 0;                        ///< trunk below it [m^3]
  double gutVolume = 0;                            ///< [m^3]
  double gutPressure = 0;                          ///< [Pa]
  double pleuralPressure = 0;                      ///< change against rest [Pa]
  double alveolarPressure = 0;                     ///< against the atmosphere [Pa]
  double gas = 0;                                  ///< in the lungs, by the spirometer [m^3]
  double flow = 0;                                 ///< into the mouth [m^3/s]
  double sternumUp = 0, sternumForward = 0;        ///< travel of its middle [m]
  double spineSway = 0;                            ///< travel of the neck [m]
  double dome = 0;                                 ///< descent of the cupolae [m]
  double belly = 0;                                ///< travel of the navel to the front [m]
  double shoulderUp = 0;                           ///< rise of the acromia; 0 without arms [m]
  std::array<double, 3> girth{};                   ///< level, at rib 4, rib 8 and the navel [m]
  std::array<double, kRibCount> pump{}, bucket{};  ///< mean of both sides [rad]
  std::array<double, kRibCount> rightPump{};       ///< right ribs (Fig. 9) [rad]
  std::array<double, kGroupCount> tension{};       ///< mean over the springs of a group [N]
  std::array<double, kGroupCount> length{};        ///< mean relative to rest [-]
  std::array<double, kGroupCount> work{};          ///< of the muscles since the start [J]
};

/// Where a cage is measured: `frame` takes the world to the place and pose of the rest state,
/// `rest` are the points that excursions are counted from, and the volumes then.
struct CageReference {
  Pose frame;
  const PointArray* rest = nullptr;  ///< all points; the model's own, or those of a settled posture
};

/// Measures a cage whose points are placed (CageSystem::place or a step).
///
/// Pump and bucket angle are the slopes of the plane of a rib in the sagittal and in the frontal
/// plane [Wilson87], seen from the spine; both grow when the rib rises. Rib-cage and abdominal
/// volume are the parts of the trunk that opto-electronic plethysmography separates at the margin.
TorsoMeasures measureCage(const CageModel& model, const skeleton::Model& tree,
                          const skeleton::Kinematics& kinematics, const CageSystem& cage,
                          const CageReference& reference);

/// Measures the torso by itself; refreshes the workspace's points.
TorsoMeasures measure(const TorsoModel& model, const TorsoState& state, TorsoWorkspace& workspace);

/// Samples that a run keeps, an even number: half an hour at 50 a second. Memory and checkpoints of
/// a longer one stay within some 45 MB.
inline constexpr std::size_t kMostSamples = 90'000;

/// Adds the `index`-th measure of a run, counted from 0 without a gap. When kMostSamples are kept,
/// every second of them goes, and from then on only every second comes: they stay evenly spaced.
void addSample(std::vector<TorsoMeasures>& samples, std::uint64_t index,
               const TorsoMeasures& measured);

/// Excursions over settled cycles: highest minus lowest value unless said otherwise.
struct BreathSummary {
  double tidalVolume = 0;  ///< mean over the cycles [m^3]
  double breathsPerMinute = 0;
  double ribCageShare = 0;                   ///< of the trunk's change of volume, 0 .. 1
  double gutError = 0;                       ///< largest |V / V0 - 1|
  double gutPressure = 0;                    ///< [Pa]
  double pleuralPressure = 0;                ///< [Pa]
  double sternumForward = 0, sternumUp = 0;  ///< [m]
  double spineSway = 0;                      ///< [m]
  double dome = 0;                           ///< [m]
  double belly = 0;                          ///< [m]
  double shoulderUp = 0;                     ///< [m]
  std::array<double, 3> girth{};
  std::array<double, kRibCount> pump{}, bucket{};  ///< [rad]
  double belowRest = 0;                            ///< largest volume under the rest state [m^3]
  double aboveRest = 0;                            ///< [m^3]
};

/// `restLung` and `restGut` are the volumes at rest [m^3]; samples before `settled` are left out.
BreathSummary summarize(double restLung, double restGut, std::span<const TorsoMeasures> samples,
                        double settled);
inline BreathSummary summarize(const CageModel& model, std::span<const TorsoMeasures> samples,
                               double settled) {
  return summarize(model.restLung, model.restGut, samples, settled);
}

}  // namespace pneuma::breath
