#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/breath/breath_driver.h"
#include "pneuma/breath/breath_mix.h"
#include "pneuma/breath/shoulder_layer.h"
#include "pneuma/breath/torso_measures.h"
#include "pneuma/breath/work_meter.h"

/// A person breathing: model, control, state and what was measured.
namespace pneuma::breath {

/// Who breathes, how, and on which torso.
struct BreathSettings {
  /// The expanded body as described; it is fitted to the person (anatomy::fitToPerson).
  std::shared_ptr<const anatomy::Body> body;
  anatomy::Person person;
  TorsoConfig torso;  ///< makeTorsoConfig(...)
  BreathStyle style;  ///< of readBreathStyles(...)
  BreathKnobs knobs;
  std::optional<double> tidalVolume;   ///< wanted [m^3]; the commands follow from it
  std::optional<double> chestShare;    ///< wanted part of the volume by the rib cage, 0 .. 1
  std::optional<VolumeTarget> target;  ///< recorded breath instead of a style
  std::optional<BallState> ball;
  std::optional<double> ballMass;  ///< a lead ball dropped on the belly instead [kg]
  bool arms = false;               ///< shoulders and arms follow the trunk
  double step = 0;                 ///< [s]; 0: the preset's
  double sampleInterval = 0.02;    ///< between measures [s]
  std::uint64_t seed = 1;
};

/// The breathing torso of a person, its control, and the arms behind it, stepped and measured.
class BreathSimulation {
 public:
  explicit BreathSimulation(BreathSettings settings);
  BreathSimulation(const BreathSimulation&) = delete;
  BreathSimulation& operator=(const BreathSimulation&) = delete;

  /// Steps until `time`, measuring on the way. Throws SimulationError.
  void run(double time, const std::function<void(double time)>& progress = {});

  const BreathSettings& settings() const { return settings_; }
  const anatomy::Body& body() const { return body_; }  ///< fitted to the person
  const TorsoModel& model() const { return model_; }
  const TorsoState& state() const { return state_; }
  TorsoWorkspace& workspace() { return workspace_; }
  const ShoulderLayer* layer() const { return layer_ ? &*layer_ : nullptr; }
  double step() const { return step_; }
  double effort() const { return settings_.knobs.effort; }
  const std::vector<TorsoMeasures>& samples() const { return samples_; }
  /// Time from which cycles count as settled: two breaths in the default preset, ten in the paper's
  /// (its diaphragm sloshes longer); at most half of what was simulated.
  double settledTime() const;
  /// Excursions over settled cycles. A run too short for two breaths has the rate of its drive.
  BreathSummary summary() const;
  /// What a wanted volume or share was answered with; none was wanted: absent.
  const std::optional<MixFound>& found() const { return found_; }
  /// Work of the muscles since the start, by group.
  const MuscleWork& work() const { return meter_.work(); }
  /// Simulated over wall time of the trunk alone, as the paper counts; and with the arms.
  double realTimeFactor() const;
  double realTimeFactorWithArms() const { return stepSeconds_ > 0 ? simulated_ / stepSeconds_ : 0; }
  /// With a target: root mean square of volume minus target after the first breath, part of the
  /// target's range.
  double followingError() const;

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  void findDrive();
  void measureNow();

  BreathSettings settings_;
  anatomy::Body body_;
  TorsoModel model_;
  TorsoState state_;
  TorsoWorkspace workspace_;
  std::optional<ShoulderLayer> layer_;
  BreathDriver driver_;
  double step_ = 0;
  std::uint64_t sampleStride_ = 5, layerStride_ = 2;
  std::vector<TorsoMeasures> samples_;
  std::optional<MixFound> found_;
  WorkMeter meter_;
  double stepSeconds_ = 0, layerSeconds_ = 0, simulated_ = 0;
};

}  // namespace pneuma::breath
