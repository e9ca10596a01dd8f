#pragma once

#include "pneuma/core/types.h"

/// Spatial (6-D) algebra, angular part first: motion (omega, v), force (torque, f).
/// v and torque are taken at the origin of the frame the vector is written in.
namespace pneuma {

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

/// A spatial vector from its parts, the angular one first.
inline Vec6 spatial(const Vec3& angular, const Vec3& linear) {
  Vec6 v;
  v << angular, linear;
  return v;
}

/// Motion cross motion: (w, v) x (w', v') = (w x w', w x v' + v x w').
inline Vec6 crossMotion(const Vec6& a, const Vec6& b) {
  const Vec3 w = a.head<3>(), v = a.tail<3>();
  return spatial(w.cross(b.head<3>()), w.cross(b.tail<3>()) + v.cross(b.head<3>()));
}

/// Motion cross force: (w, v) x* (n, f) = (w x n + v x f, w x f).
inline Vec6 crossForce(const Vec6& a, const Vec6& f) {
  const Vec3 w = a.head<3>(), v = a.tail<3>();
  return spatial(w.cross(f.head<3>()) + v.cross(f.tail<3>()), w.cross(f.tail<3>()));
}

/// Motion in frame B, written in A: X_AB applied.
inline Vec6 transformMotion(const Pose& X_AB, const Vec6& m) {
  const Vec3 w = X_AB.rotation * m.head<3>();
  return spatial(w, X_AB.rotation * m.tail<3>() + X_AB.position.cross(w));
}

/// Force in frame B, written in A.
inline Vec6 transformForce(const Pose& X_AB, const Vec6& f) {
  const Vec3 linear = X_AB.rotation * f.tail<3>();
  return spatial(X_AB.rotation * f.head<3>() + X_AB.position.cross(linear), linear);
}

/// Mass, centre of mass and rotational inertia about the centre of mass, in one frame.
struct RigidInertia {
  double mass = 0;              ///< [kg], >= 0
  Vec3 center = Vec3::Zero();   ///< centre of mass [m]
  Mat3 inertia = Mat3::Zero();  ///< about the centre of mass [kg m^2]

  /// The 6x6 spatial inertia about the frame's origin.
  Mat6 matrix() const;
  /// The same body written in frame A.
  RigidInertia transformed(const Pose& X_AB) const;
  /// Sum of two bodies in one frame (parallel-axis theorem).
  RigidInertia operator+(const RigidInertia& other) const;
};

}  // namespace pneuma
