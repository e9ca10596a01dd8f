#pragma once

#include "pneuma/core/types.h"

namespace pneuma::skin::internal {

/// A rigid motion as a unit dual quaternion.
struct DualQuaternion {
  Vec4 real = Vec4(0, 0, 0, 1);  ///< x, y, z, w
  Vec4 dual = Vec4::Zero();
};

inline DualQuaternion dualQuaternionOf(const Pose& motion) {
  const Quat q(motion.rotation);
  const Quat t(0, motion.position.x(), motion.position.y(), motion.position.z());
  return {q.coeffs(), 0.5 * (t * q).coeffs()};
}

/// The motion of a weighted sum of dual quaternions, normalised.
inline Pose motionOf(Vec4 real, Vec4 dual) {
  const double norm = real.norm();
  real /= norm;
  dual /= norm;
  const Quat r(real[3], real[0], real[1], real[2]), d(dual[3], dual[0], dual[1], dual[2]);
  return {r.toRotationMatrix(), 2 * (d * r.conjugate()).vec()};
}

}  // namespace pneuma::skin::internal
