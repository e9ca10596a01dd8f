#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/body/gait_measures.h"
#include "pneuma/body/living_meter.h"
#include "pneuma/body/living_step.h"
#include "pneuma/breath/breath_driver.h"
#include "pneuma/breath/torso_measures.h"

/// A person who moves and breathes: model, inputs over time, state and what was measured.
namespace pneuma::body {

/// What a person does.
struct LivingSettings {
  skeleton::PoseTrack motion;                  ///< a clip, key poses, or one pose that is held
  std::optional<breath::BreathStyle> style;    ///< none: the breath is held at rest
  breath::BreathKnobs knobs;                   ///< on top of the style
  std::optional<breath::VolumeTarget> target;  ///< recorded breath; `style` gives its muscles
  double step = 0.004;                         ///< [s], 1e-4 .. 0.02
  double sampleInterval = 0.02;                ///< between measures [s], > 0
  std::uint64_t seed = 1;                      ///< of the style's variability
};

/// Volume at which the lungs settle in the pose of `rest` under constant contractions, above that
/// of `rest` [m^3]. The state is left as it is; h is the step [s].
double steadyVolume(const LivingModel& model, const LivingState& rest,
                    const breath::Contractions& contractions, double h);

/// The steps of a living body with its breath, measured on the way. Begins at rest: soft parts are
/// settled in the first pose before time runs, and everything is counted from there.
class LivingSimulation {
 public:
  LivingSimulation(const LivingModel& model, LivingSettings settings);
  LivingSimulation(const LivingSimulation&) = delete;
  LivingSimulation& operator=(const LivingSimulation&) = delete;

  /// Steps until `time`, measuring on the way. Throws SimulationError.
  void run(double time, const std::function<void(double time)>& progress = {});

  const LivingModel& model() const { return *model_; }
  const LivingSettings& settings() const { return settings_; }
  const LivingState& state() const { return state_; }
  /// Kinematics and points of the present state.
  const LivingWorkspace& now();
  const Settled& settled() const { return settled_; }
  const std::vector<breath::TorsoMeasures>& samples() const { return samples_; }
  double meanPeriod() const;   ///< of the breath [s]; 0: none
  double settledTime() const;  ///< from which breaths count: two of them, at most half of the run
  /// Excursions; of a gait, breaths are those of the volume below half the step rate.
  breath::BreathSummary summary() const;
  /// With a recording: see breath::BreathDriver.
  double followingError() const { return driver_.followingError(samples_, settled_.lungVolume); }
  /// Breath and steps apart, when the motion is a gait and the run is long enough.
  std::optional<GaitMeasures> gait() const;
  /// Settled rest state, seen from the chest: all points of the cage.
  const breath::PointArray& restPoints() const { return meter_->restPoints(); }
  /// Takes the world to the place where the chest is at rest.
  Pose toChest() const { return meter_->toChest(workspace_); }

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  void measureNow();

  const LivingModel* model_;
  LivingSettings settings_;
  LivingWorkspace workspace_;
  LivingState state_;
  Settled settled_;
  std::optional<LivingMeter> meter_;
  breath::BreathDriver driver_;
  std::uint64_t stride_ = 5;
  std::vector<breath::TorsoMeasures> samples_;
};

}  // namespace pneuma::body
