#include "pneuma/core/spatial.h"

namespace pneuma {

Mat6 RigidInertia::matrix() const {
  const Mat3 c = skew(center);
  Mat6 m;
  m.topLeftCorner<3, 3>() = inertia - mass * c * c;
  m.topRightCorner<3, 3>() = mass * c;
  m.bottomLeftCorner<3, 3>() = -mass * c;
  m.bottomRightCorner<3, 3>() = mass * Mat3::Identity();
  return m;
}

RigidInertia RigidInertia::transformed(const Pose& X_AB) const {
  return {mass, X_AB * center, X_AB.rotation * inertia * X_AB.rotation.transpose()};
}

RigidInertia RigidInertia::operator+(const RigidInertia& other) const {
  const double total = mass + other.mass;
  if (total <= 0) return {};
  const Vec3 d = other.center - center;
  const Mat3 s = skew(d);
  // Two point masses at distance d have the reduced mass m1 m2 / (m1 + m2) about their centre.
  const double reduced = mass * other.mass / total;
  return {total, (mass * center + other.mass * other.center) / total,
          inertia + other.inertia - reduced * s * s};
}

}  // namespace pneuma
