#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/control/muscle_controller.h"
#include "pneuma/skeleton/pose_track.h"

/// Motions that come with Pneuma, as a body is told them.
namespace pneuma::control {

/// Muscles whose activation is set from outside, swelling and fading:
///   a(t) = peak (1 - cos(2 pi (t - delay) / period)) / 2  after the delay, 0 before.
struct MusclePulse {
  std::vector<int> muscles;
  double peak = 0;    ///< [-], 0..1
  double period = 1;  ///< [s], > 0
  double delay = 0;   ///< [s]
  double at(double time) const;
};

/// A motion: targets over time, what is held, and muscles that are set from outside.
struct Exercise {
  std::string name;
  double seconds = 0;
  skeleton::PoseTrack track;
  std::vector<std::string> loads;  ///< as of parseLoad
  std::vector<MusclePulse> pulses;
};

/// A name, and what it does.
struct ExerciseInfo {
  std::string name, meaning;
};
const std::vector<ExerciseInfo>& exercises();

/// Builds an exercise for a body. Throws InputError with the nearest name for an unknown one, and
/// for a body without the joints it moves.
Exercise makeExercise(const std::string& name, const anatomy::CompiledBody& compiled,
                      const skeleton::Model& model, const muscle::MuscleModel& muscles);

/// Rib angles of [Lee09, Sec. 5]: q_j = c_j rho_max (1 - cos theta)/2, c_j rising linearly to the
/// fifth rib and constant below. Reading: rho_max is not given; 4 degrees is quiet breath.
struct RibBreath {
  double largestAngle = degreesToRadians(4);  ///< rho_max [rad]
  double period = 4;                          ///< of a breath [s]
  int breaths = 2;
};
skeleton::PoseTrack makeRibBreath(const RibBreath& breath, const anatomy::CompiledBody& compiled,
                                  const skeleton::Model& model);

/// Applies an exercise's pulses at a time.
void applyPulses(const Exercise& exercise, double time, MuscleController& controller);

}  // namespace pneuma::control
