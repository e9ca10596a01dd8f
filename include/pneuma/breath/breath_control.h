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
/// spaces, shifted by posture. 1 - r is the activation of a muscle with a strength, and the part of
/// its length by which one without shortens; alpha is 1 except for very weak contractions, where it
/// fades so that a relaxed muscle is passive.
MuscleDrive makeDrive(const TorsoConfig& config, const Contractions& contractions);

/// Plays a style.
class StylePlayer {
 public:
  StylePlayer(const TorsoConfig& config, BreathStyle style, BreathKnobs knobs, std::uint64_t seed);

  /// The drive for the step that begins at `time` and lasts dt. Times must not go back.
  MuscleDrive advance(double time, double dt);
  const BreathStyle& style() const { return style_; }
  double meanPeriod() const;  ///< of the style with its knobs [s]; 0: no breath at all
  /// Goes on where another player is at `time`: in the same part of the same breath, with its
  /// variability and its muscles as they are. So a slider that is dragged does not start a breath
  /// at each of its values.
  void takeOver(const StylePlayer& former, double time);

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  MuscleDrive paperDrive(double time) const;
  void startBreath(double time);
  double plainPeriod() const;  // of the current breath, without variability [s]

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
  double cutOff = 0;  ///< part of the samples that a limit cut off, 0 .. 1

  double duration() const { return static_cast<double>(volumes.size() - 1) / rate; }
  double at(double time) const;     ///< linear, constant beyond the ends
  double slope(double time) const;  ///< [m^3/s]
  double range() const;
  double medianBreath() const;  ///< rise of its breaths [m^3]; the range when there is none
};

/// Contractions for a wanted volume: the inverse of the steady response as feed-forward, and a
/// proportional-integral correction.
class VolumeControl {
 public:
  /// `steady` gives the volume at which the trunk settles under constant contractions, relative to
  /// rest [m^3]; it is asked twice.
  VolumeControl(const TorsoConfig& config, Contractions inspire, Contractions expire,
                const std::function<double(const Contractions&)>& steady);

  static constexpr double kLag = 0.16;  ///< of airways and tissue [s]

  /// `wanted` is the volume that the chest should have after its lag, `error` what is missing now,
  /// both relative to rest [m^3].
  MuscleDrive advance(double wanted, double error, double dt);

  void save(io::StateWriter& out) const { out.put(integral_); }
  void load(io::StateReader& in) { in.get(integral_); }

 private:
  TorsoConfig config_;
  Contractions inspire_, expire_;
  double inspireGain_ = 1, expireGain_ = 1;  // [m^3] per unit of effort
  double integral_ = 0;
};

/// Makes the lung cavity follow a target that is known as a whole, ahead by the lag of the chest.
class VolumeFollower {
 public:
  /// See VolumeControl.
  VolumeFollower(const TorsoConfig& config, Contractions inspire, Contractions expire,
                 VolumeTarget target, const std::function<double(const Contractions&)>& steady);

  /// `volume` is the lung volume at `time`, relative to rest.
  MuscleDrive advance(double time, double dt, double volume);
  const VolumeTarget& target() const { return target_; }

  void save(io::StateWriter& out) const { control_.save(out); }
  void load(io::StateReader& in) { control_.load(in); }

 private:
  VolumeControl control_;
  VolumeTarget target_;
};

/// Makes the lung cavity follow a volume that is told as it happens: a microphone, a belt, a
/// slider. Causal: what is told later changes nothing before.
///
///   s1' = (V* - s1) / tau,   s2' = (s1 - s2) / tau
///   wanted = s2 + (2 tau + kLag) s2'
///
///   V*  the volume told last [m^3]     tau = 0.04 s, two samples of 25 Hz: steps between what is
///   told become slopes; the lead makes up for the filter and for the lag of the chest.
class LiveVolume {
 public:
  LiveVolume(const TorsoConfig& config, Contractions inspire, Contractions expire,
             const std::function<double(const Contractions&)>& steady);

  /// Begins at a volume, at rest.
  void start(double volume);
  /// `told` is the wanted volume from now on, `volume` the one that the lungs have, relative to
  /// rest [m^3].
  MuscleDrive advance(double told, double volume, double dt);

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  VolumeControl control_;
  double first_ = 0, second_ = 0;  // s1, s2 [m^3]
};

/// Volume at which the model settles under constant contractions, relative to rest [m^3].
double steadyVolume(const TorsoModel& model, const Contractions& contractions);

}  // namespace pneuma::breath
