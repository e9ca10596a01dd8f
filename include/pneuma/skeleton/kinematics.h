#pragma once

#include <vector>

#include "pneuma/skeleton/model.h"

namespace pneuma::skeleton {

/// One row per component, so that a product with many axes runs over contiguous memory.
using AxisComponents = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor>;

/// Poses, velocities and joint axes of one state. Spatial vectors have world axes and are taken
/// about `origin`, a point that stands still in the world and is chosen near the body at every
/// evaluation: far away numbers would cancel.
struct Kinematics {
  explicit Kinematics(const Model& model);

  Vec3 origin = Vec3::Zero();          ///< reference point of all spatial vectors [m]
  std::vector<Pose> X_WL;              ///< link poses
  std::vector<Vec6> velocity;          ///< of each link: (omega, velocity of the point at origin)
  std::vector<Vec6> biasAcceleration;  ///< of each link at zero joint acceleration, no gravity
  std::vector<Vec6> axis;              ///< S_j of each degree of freedom
  std::vector<Vec6> axisRate;          ///< velocity of the link before the motion, crossed with S_j
  AxisComponents axisComponents;       ///< the same S_j, row by component
  VecX jointVelocity;                  ///< v of the state
};

/// Poses only (and axes): velocities are left as they were.
void computePoses(const Model& model, const VecX& q, Kinematics& kinematics);
/// Poses, axes, velocities and bias accelerations.
void computeKinematics(const Model& model, const VecX& q, const VecX& v, Kinematics& kinematics);

/// World velocity of the point of `link` that is at world position `p` now [m/s].
inline Vec3 pointVelocity(const Kinematics& k, int link, const Vec3& p) {
  const Vec6& V = k.velocity[link];
  return V.tail<3>() + V.head<3>().cross(p - k.origin);
}

/// A force at a world point as a spatial force about the origin.
inline Vec6 wrenchAt(const Kinematics& k, const Vec3& p, const Vec3& force) {
  return spatial((p - k.origin).cross(force), force);
}

}  // namespace pneuma::skeleton
