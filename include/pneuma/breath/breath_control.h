#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "pneuma/breath/breath_style.h"
#include "pneuma/breath/torso_step.h"
#include "pneuma/core/random.h"

/// From a style, or from a recorded volume, to the control inputs of the muscles.
namespace pneuma::breath {

/// Contractions of the groups to the pairs (alpha, r) of the channels: graded over the intercostal
/// spaces, shifted by posture. alpha is 1 except for very weak contractions, where it fades so that
/// a relaxed muscle is passive.
MuscleDrive makeDrive(const TorsoConfig& config, const Contractions& contractions);

/// Plays a style.
class StylePlayer {
 public:
  StylePlayer(const TorsoConfig& config, BreathStyle style, BreathKnobs knobs, std::uint64_t seed);

  /// The drive for the step that begins at `time` and lasts dt. Times must not go back.
  MuscleDrive advance(double time, double dt);
  const BreathStyle& style() const { return style_; }
  double meanPeriod() const;  ///< of the style with its knobs [s]; 0: no breath at all

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  MuscleDrive paperDrive(double time) const;
  void startBreath(double time);

  TorsoConfig config_;
  BreathStyle style_;
  BreathKnobs knobs_;
  Random random_;
  std::uint64_t index_ = 0;
  double start_ = 0, period_ = 0, depth_ = 1;  // of the current breath
  double inspire_ = 0, expire_ = 0;            // after activation dynamics
};

/// A wanted course of lung volume over time, relative to rest [m^3], at equal steps.
struct VolumeTarget {
  double rate = 50;  ///< samples per second [Hz]
  std::vector<double> volumes;

  double duration() const { return static_cast<double>(volumes.size() - 1) / rate; }
  double at(double time) const;     ///< linear, constant beyond the ends
  double slope(double time) const;  ///< [m^3/s]
  double range() const;
};

/// Makes the lung cavity follow a target: the inverse of the steady response as feed-forward, with
/// the lag of the chest compensated, and a proportional-integral correction.
class VolumeFollower {
 public:
  /// `steady` gives the volume at which the trunk settles under constant contractions, relative to
  /// rest [m^3]; it is asked twice.
  VolumeFollower(const TorsoConfig& config, Contractions inspire, Contractions expire,
                 VolumeTarget target, const std::function<double(const Contractions&)>& steady);

  /// `volume` is the lung volume at `time`, relative to rest.
  MuscleDrive advance(double time, double dt, double volume);
  const VolumeTarget& target() const { return target_; }

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  TorsoConfig config_;
  Contractions inspire_, expire_;
  VolumeTarget target_;
  double inspireGain_ = 1, expireGain_ = 1;  // [m^3] per unit of effort
  double integral_ = 0;
};

/// Volume at which the model settles under constant contractions, relative to rest [m^3].
double steadyVolume(const TorsoModel& model, const Contractions& contractions);

}  // namespace pneuma::breath
