#pragma once

#include <string>
#include <vector>

#include "pneuma/fit/inside.h"

namespace pneuma::fit {

/// What of a fitted character a person could not have, in words: a stature or a mass for it that
/// hardly anybody has, limbs or a head far from those of a person of that sex and stature.
std::vector<std::string> unlikelyOf(const FittedFigure& fitted, const CarriedAnatomy& inside);

// Chosen so wide that a person among thousands is not warned of.
inline constexpr double kTallestPerson = 2.3, kSmallestAdult = 1.2;     ///< [m]
inline constexpr double kLeastMassIndex = 12, kMostMassIndex = 60;      ///< [kg/m^2]
inline constexpr double kShortestBone = 0.82, kLongestBone = 1 / 0.82;  ///< against our person's

}  // namespace pneuma::fit
