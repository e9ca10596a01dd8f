#pragma once

#include "pneuma/skeleton/link_element.h"

namespace pneuma::skeleton::internal {

/// Pose and velocity of a link, the world being link -1.
inline Pose linkPose(const Kinematics& k, int link) {
  return link < 0 ? Pose{} : k.X_WL[link];
}
inline Vec6 linkVelocity(const Kinematics& k, int link) {
  return link < 0 ? Vec6(Vec6::Zero()) : k.velocity[link];
}

/// The wrench of a force f at r (from the origin) with its derivatives Kx by the displacement and
/// Kv by the velocity of that point.
inline LinkWrench pointElement(const Vec3& r, const Vec3& f, const Mat3& Kx, const Mat3& Kv) {
  // A twist (a, b) displaces the point by b + a x r.
  Eigen::Matrix<double, 3, 6> E;
  E << -skew(r), Mat3::Identity();
  LinkWrench e;
  e.wrench = spatial(r.cross(f), f);
  e.position.topRows<3>() = (skew(r) * Kx - skew(f)) * E;
  e.position.bottomRows<3>() = Kx * E;
  e.velocity.topRows<3>() = skew(r) * Kv * E;
  e.velocity.bottomRows<3>() = Kv * E;
  return e;
}

}  // namespace pneuma::skeleton::internal
