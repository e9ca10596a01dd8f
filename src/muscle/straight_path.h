#pragma once

#include "pneuma/muscle/wrap_surface.h"

namespace pneuma::muscle::internal {

/// The line from a to b.
inline WrapPath straightPath(const Vec3& a, const Vec3& b, bool withHessian) {
  WrapPath path;
  path.length = (b - a).norm();
  const double inverse = path.length > 0 ? 1 / path.length : 0;
  path.directionA = path.directionB = (b - a) * inverse;
  path.touchA = a;
  path.touchB = b;
  if (withHessian) {
    const Mat3 across =
        (Mat3::Identity() - path.directionA * path.directionA.transpose()) * inverse;
    path.hessian << across, -across, -across, across;
  }
  return path;
}

}  // namespace pneuma::muscle::internal
