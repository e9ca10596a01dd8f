#pragma once

#include <functional>
#include <optional>
#include <span>

#include "pneuma/breath/breath_control.h"
#include "pneuma/breath/torso_measures.h"

namespace pneuma::breath {

/// What drives the muscles of a breathing body over time: a style that is played, a recorded volume
/// that is followed, or nothing. The same for the torso by itself and for a body that moves.
class BreathDriver {
 public:
  /// The breath is held at rest.
  BreathDriver() = default;
  /// Plays a style.
  BreathDriver(const TorsoConfig& config, const BreathStyle& style, const BreathKnobs& knobs,
               std::uint64_t seed);
  /// Follows a recorded volume with the muscles of a style; `steady` as VolumeControl asks for it.
  BreathDriver(const TorsoConfig& config, const BreathStyle& style, VolumeTarget target,
               const std::function<double(const Contractions&)>& steady);

  /// The drive for the step that begins at `time` and lasts dt; `volume` is that of the lungs then,
  /// relative to rest [m^3].
  MuscleDrive advance(double time, double dt, double volume);

  bool follows() const { return follower_.has_value(); }
  double meanPeriod() const;  ///< of a style [s]; 0: none
  /// From when breaths count, in a run that is `time` long [s]: after `breaths` of a style, after
  /// the first of a recording, which finds the chest at rest; at most half of the run.
  double settledTime(double time, double breaths = 2) const;
  /// Root mean square of volume minus target after the first breath, part of the target's range; 0
  /// without a target. `rest` is the volume of the lungs at rest [m^3].
  double followingError(std::span<const TorsoMeasures> samples, double rest) const;

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  std::optional<StylePlayer> player_;
  std::optional<VolumeFollower> follower_;
};

}  // namespace pneuma::breath
