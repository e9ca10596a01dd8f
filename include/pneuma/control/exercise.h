#pragma once

#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/control/muscle_controller.h"
#include "pneuma/skeleton/pose_track.h"

/// Motions that come with Pneuma, as a body is told them.
namespace pneuma::control {

/// A motion: targets over time, and what is held.
struct Exercise {
  std::string name;
  double seconds = 0;
  skeleton::PoseTrack track;
  std::vector<std::string> loads;  ///< as of parseLoad
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
