#pragma once

#include "pneuma/core/types.h"

namespace pneuma::survey::internal {

// Directions of the body frame at rest, on its left side.
inline const Vec3 kUp(0, 1, 0), kDown(0, -1, 0), kFront(0, 0, 1), kBack(0, 0, -1);
inline const Vec3 kLateral(1, 0, 0), kMedial(-1, 0, 0);

}  // namespace pneuma::survey::internal
