#pragma once

#include "pneuma/anatomy/person.h"

namespace pneuma::fit {

/// What the cage of a fitted body holds at rest, against people of that sex, height, mass and age.
///
///   FRC = cavity above the diaphragm - tissue (predictThoracicTissue)
///   z   = ((FRC / M)^L - 1) / (L S)                          [Hall21, LMS of FRC]
///
///   M   predicted median (anatomy::lungVolumes)
///   L   0.3416 men, 0.2898 women
///   S   exp(-1.60197 + 0.01513 ln a) men, exp(-1.48310 - 0.03372 ln a) women; a age in years
///
/// Departure: the tabulated age splines of S are left out, as those of M are.
struct FittedLungs {
  double residual = 0;   ///< FRC of the cage [m^3]
  double predicted = 0;  ///< M [m^3]
  double score = 0;      ///< z [-]; 90 % of people lie within kUsualScore
};
inline constexpr double kUsualScore = 1.645;  ///< 5th to 95th percentile

/// `fitted` is a body in the person's size (fitToPerson). Throws InputError when tissue alone
/// already fills its cage.
FittedLungs fittedLungs(const anatomy::Body& fitted);

}  // namespace pneuma::fit
