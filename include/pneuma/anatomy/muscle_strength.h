#pragma once

#include "pneuma/anatomy/body.h"

/// How strong a muscle line is, and how strength follows the person.
namespace pneuma::anatomy {

/// Force of a line at full activation, at rest, at its optimal fibre length [N]:
///
///   F0 = peak_force,  or where that is not stated  A sigma
///
///   A      cross-section: `pcsa`, or the belly's volume over the fibre length [m^2]
///   sigma  `tension` [Pa]
///
/// 0 for a line that states neither: it only guides.
double peakForce(const Muscle& muscle, double fiberLength);

/// What a force model needs to know of a line, in SI.
struct MuscleArchitecture {
  double fiberLength = 0;   ///< optimal, l0 [m]
  double crossSection = 0;  ///< A [m^2], 0: only guides
  double peakForce = 0;     ///< F0 [N]
  /// What fibres of the length rest_fiber * l0 leave of the path in the rest pose [m]; the muscle
  /// keeps its thickness l0 sin(pennation).
  double tendonLength = 0;
};
MuscleArchitecture architectureOf(const Muscle& muscle, double restLength);

/// Peak forces of a person's muscles over those of another [-]:
///
///   F ~ m (s d) / h,   m lean mass of the youth, s share of muscle in it, d decline with age, h
///   height
///
/// Cross-section is volume over length, so force follows muscle mass over height. Women have less
/// muscle in their lean mass, most so above the waist, and strength falls with age faster than lean
/// mass does; the numbers and their sources stand in muscle_strength.cpp.
double strengthRatio(const Person& person, const Person& subject, MuscleRegion region);

}  // namespace pneuma::anatomy
