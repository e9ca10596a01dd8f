#pragma once

#include "pneuma/core/spatial.h"

/// Taking the mass of soft parts from the links that carry them.
namespace pneuma::flesh::internal {

/// Second moments of a body about its frame's origin: sum of m x x^T.
inline Mat3 secondMoments(const RigidInertia& I) {
  const Mat3 about = 0.5 * I.inertia.trace() * Mat3::Identity() - I.inertia;
  return about + I.mass * I.center * I.center.transpose();
}

/// What is left of a link without a part of this mass, first moment and second moments.
inline RigidInertia without(const RigidInertia& I, double mass, const Vec3& first,
                            const Mat3& second) {
  RigidInertia left;
  left.mass = I.mass - mass;
  left.center = (I.mass * I.center - first) / left.mass;
  const Mat3 about = secondMoments(I) - second - left.mass * left.center * left.center.transpose();
  left.inertia = about.trace() * Mat3::Identity() - about;
  return left;
}

/// A link may not become thinner than this part of what it was along any direction.
inline constexpr double kThinnest = 0.1;

/// Whether what is left is still a body: its second moments are positive, as those of any body are.
bool isBody(const RigidInertia& left, const RigidInertia& whole);

}  // namespace pneuma::flesh::internal
