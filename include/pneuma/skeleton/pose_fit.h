#pragma once

#include <span>
#include <vector>

#include "pneuma/skeleton/jacobian.h"
#include "pneuma/skeleton/model.h"

namespace pneuma::skeleton {

/// A point of a link and where it should be.
struct PointTarget {
  int link = 0;
  Vec3 local = Vec3::Zero();     ///< in the link's frame [m]
  Vec3 position = Vec3::Zero();  ///< in the world [m]
  double weight = 1;             ///< [-], >= 0
};

/// The orientation a link should have.
struct OrientationTarget {
  int link = 0;
  Mat3 rotation = Mat3::Identity();
  double weight = 0.05;  ///< how many metres a radian counts for [m/rad], >= 0
};

/// Finds the configuration that meets points and orientations best, within the joints' ranges:
///
///   min_q  sum_i (w_i |p_i(q) - t_i|)^2 + sum_k (w_k |log(R_k R(q)^T)|)^2 + sum_j (r_j (q_j -
///   n_j))^2
///
/// by Gauss-Newton steps with Levenberg damping; a freedom that meets its limit while the step
/// pushes on is held there for that step (projected, so the result never leaves a range). The last
/// sum keeps what the targets leave open near a preferred pose n.
class PoseFit {
 public:
  /// `resting` [m/rad]: r_j of every hinge and slide; a free root has none.
  PoseFit(const Model& model, double resting);

  VecX preferred;  ///< n, a configuration; the neutral one at first
  VecX resting;    ///< r_j per degree of freedom

  /// Improves q; returns the number of steps taken.
  int solve(std::span<const PointTarget> points, std::span<const OrientationTarget> orientations,
            VecX& q, int mostSteps = 30);
  /// Poses of the last solution.
  const Kinematics& kinematics() const { return kinematics_; }
  /// Whether a degree of freedom stands at one of its limits in q.
  bool atLimit(const VecX& q, int dof) const;

 private:
  double assemble(std::span<const PointTarget> points,
                  std::span<const OrientationTarget> orientations, const VecX& q);
  double cost(std::span<const PointTarget> points, std::span<const OrientationTarget> orientations,
              const VecX& q);
  void releaseOrHold(const VecX& q);
  void clamp(VecX& q) const;

  const Model& model_;
  std::vector<int> position_;  // of each hinge or slide in q, -1: a ball
  Kinematics kinematics_;
  MatX normal_;
  VecX gradient_, step_, trial_;
  Matrix3X pointJacobian_;
  Matrix6X linkJacobian_;
  std::vector<bool> held_;
};

/// Rotation vector of a rotation, of length in [0, pi].
Vec3 rotationVector(const Mat3& rotation);

}  // namespace pneuma::skeleton
