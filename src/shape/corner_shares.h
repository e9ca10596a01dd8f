#pragma once

#include <algorithm>

#include "pneuma/core/types.h"

namespace pneuma::shape::internal {

/// Shares of the corners at a point of the triangle.
inline Vec3 cornerShares(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a);
  const double whole = std::max(1e-300, n.squaredNorm());
  const double u = (c - b).cross(p - b).dot(n) / whole, v = (a - c).cross(p - c).dot(n) / whole;
  return {u, v, 1 - u - v};
}

}  // namespace pneuma::shape::internal
