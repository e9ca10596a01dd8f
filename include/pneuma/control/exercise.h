#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/control/muscle_controller.h"
#include "pneuma/skeleton/pose_track.h"

/// Motions that come with Pneuma, as a body is told them.
namespace pneuma::control {

/// An activation that a muscle is given from outside, whatever the motion asks for, swelling and
/// fading in time: a = largest (1 - cos(2 pi (t / period - delay)))/2, nothing before the delay.
struct GivenActivation {
  int muscle = 0;
  double largest = 0;  ///< 0..1
  double period = 1;   ///< [s], > 0
  double delay = 0;    ///< in periods

  double at(double time) const;
};

/// A motion: targets over time, what is held, and what muscles are given from outside.
struct Exercise {
  std::string name;
  double seconds = 0;
  skeleton::PoseTrack track;
  std::vector<std::string> loads;  ///< as of parseLoad
  std::vector<GivenActivation> given;
};

/// A name, and what it does.
struct ExerciseInfo {
  std::string name, meaning;
};
const std::vector<ExerciseInfo>& exercises();

/// Builds an exercise for a body. Throws InputError with the nearest name for an unknown one, and
/// for a body without the joints it moves.
Exercise makeExercise(const std::string& name, const anatomy::CompiledBody& compiled,
                      const skeleton::Model& model);

/// The dance of [Lee09, Sec. 5]: activations of the pectoralis major are modulated in time, left
/// and right by turns, while the other muscles hold the pose. Reading: how strongly is not given.
struct PectoralDance {
  /// Activation, 0..1. At 0.1 the pose is held to 0.004 rad; at 0.15 the twelve lines pull the
  /// collar bones down by more than their elevators can give, and ribs leave by 0.03 rad.
  double largest = 0.1;
  double period = 1;  ///< of a side [s]
};
std::vector<GivenActivation> makePectoralDance(const PectoralDance& dance,
                                               const anatomy::CompiledBody& compiled);

/// Rib angles of [Lee09, Sec. 5]: q_j = c_j rho_max (1 - cos theta)/2, c_j rising linearly to the
/// fifth rib and constant below. Reading: rho_max is not given; 4 degrees is quiet breath.
struct RibBreath {
  double largestAngle = degreesToRadians(4);  ///< rho_max [rad]
  double period = 4;                          ///< of a breath [s]
  int breaths = 2;
};
skeleton::PoseTrack makeRibBreath(const RibBreath& breath, const anatomy::CompiledBody& compiled,
                                  const skeleton::Model& model);

}  // namespace pneuma::control
