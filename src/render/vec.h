#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "pneuma/core/types.h"
#include "pneuma/render/color.h"

/// Single-precision vectors of the ray tracer: Embree traces in float, and so do we.
namespace pneuma::render::internal {

using Vec3f = Eigen::Vector3f;
using Rgb = Eigen::Array3f;  ///< linear light

inline Vec3f toFloat(const Vec3& v) {
  return v.cast<float>();
}

inline float clamp01(float x) {
  return std::clamp(x, 0.0f, 1.0f);
}

inline float smoothstep(float low, float high, float x) {
  const float t = clamp01((x - low) / (high - low));
  return t * t * (3 - 2 * t);
}

float srgbToLinear(float c);
float linearToSrgb(float c);

inline Rgb toLinear(const Color& c) {
  return {srgbToLinear(c.r), srgbToLinear(c.g), srgbToLinear(c.b)};
}

/// Two unit vectors that complete n to a right-handed basis (no branch at the poles but the sign).
inline void makeBasis(const Vec3f& n, Vec3f& t, Vec3f& b) {
  const float sign = std::copysign(1.0f, n.z());
  const float a = -1.0f / (sign + n.z());
  const float c = n.x() * n.y() * a;
  t = {1 + sign * n.x() * n.x() * a, sign * c, -sign * n.x()};
  b = {c, sign + n.y() * n.y() * a, -n.y()};
}

}  // namespace pneuma::render::internal
