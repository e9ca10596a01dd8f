#pragma once

#include "pneuma/core/types.h"

namespace pneuma::fit::internal {

/// Reflection in x = 0.
inline Vec3 mirroredAtX(const Vec3& p) {
  return {-p.x(), p.y(), p.z()};
}

}  // namespace pneuma::fit::internal
