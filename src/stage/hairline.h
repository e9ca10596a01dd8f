#pragma once

#include "pneuma/core/types.h"

namespace pneuma::stage {

/// Smooth noise in [-1, 1] with one bump per `size` [m] along each axis.
double smoothNoise(const Vec3& p, const Vec3& size);

/// How far a place of the measured man's head lies above the line where hair begins, from the
/// forehead over temples and ears to the nape, along the skin [m]; far below 0 beneath the head.
double overHairline(const Vec3& place);
/// How densely hair grows there: 0 at the rim, 1 a finger's breadth above it.
double hairDensity(double overLine);

}  // namespace pneuma::stage
