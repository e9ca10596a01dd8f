#pragma once

#include <span>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/glide.h"
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

/// What a fit may move: one degree of freedom, or several that share a sum by fixed parts, as
/// vertebrae do. Freedoms in no coordinate stay where they are.
struct PoseCoordinate {
  std::vector<std::pair<int, double>> dofs;  ///< degree of freedom and its part; parts add up to 1
};

/// The coordinates that move some links: the body's sums (of two freedoms or more), and every other
/// degree of freedom between these links and the root by itself. Where a sum ends at one of the
/// links, as the neck does at the skull, its last two members are a coordinate of their own: heads
/// nod and turn on the first vertebrae, whatever the neck below does.
std::vector<PoseCoordinate> poseCoordinates(const anatomy::CompiledBody& body, const Model& model,
                                            std::span<const int> links);

/// Finds the configuration that meets points and orientations best, within the joints' ranges:
///
///   min_y  sum_i (w_i |p_i - t_i|)^2 + sum_k (w_k |log(R_k R^T)|)^2 + sum_c (r_c (y_c - n_c))^2
///
/// over coordinates y, by Gauss-Newton steps with Levenberg damping; a coordinate that meets its
/// limit while the step pushes on is held there for that step (projected, so the result never
/// leaves a range). The last sum keeps what the targets leave open near a preferred pose n.
/// Where bones glide over others, the distances of their contacts count as points do, and n follows
/// the limb as it is when a solution begins.
/// A sum may go as far as the first of its members allows. Balls move by integrateConfiguration and
/// have no limits here.
class PoseFit {
 public:
  /// Every degree of freedom by itself. `resting` [m/rad]: r of every joint; a free root has none.
  PoseFit(const Model& model, double resting);
  PoseFit(const Model& model, double resting, std::vector<PoseCoordinate> coordinates);

  VecX preferred;  ///< n, a configuration; the neutral one at first
  VecX resting;    ///< r per degree of freedom; of a sum: that of its first member
  std::vector<const Glide*> glides;  ///< bones that keep their distance; kept by the caller
  double glideWeight = 1;            ///< of these distances [-], >= 0

  /// Improves q; returns the number of steps taken.
  int solve(std::span<const PointTarget> points, std::span<const OrientationTarget> orientations,
            VecX& q, int mostSteps = 30);
  /// The sum of squares that the last solution left [m^2].
  double remaining() const { return remaining_; }
  /// Poses of the last solution.
  const Kinematics& kinematics() const { return kinematics_; }
  /// Whether a degree of freedom stands at one of its limits in q.
  bool atLimit(const VecX& q, int dof) const;

 private:
  double assemble(std::span<const PointTarget> points,
                  std::span<const OrientationTarget> orientations, const VecX& q);
  double cost(std::span<const PointTarget> points, std::span<const OrientationTarget> orientations,
              const VecX& q);
  template <class Jacobian>
  void addRows(const Jacobian& J, const Vec3& error, double weight);
  void addGlides();
  double valueOf(const PoseCoordinate& c, const VecX& q) const;
  void releaseOrHold(const VecX& q);
  void clamp(VecX& q) const;

  struct Limits {
    double lower, upper;
  };

  const Model& model_;
  std::vector<PoseCoordinate> coordinates_;
  std::vector<Limits> limits_;  // of each coordinate
  std::vector<int> position_;   // of each hinge or slide in q, -1: a ball
  double remaining_ = 0;
  Kinematics kinematics_;
  MatX normal_, damped_;
  VecX gradient_, step_, trial_, away_, dofStep_;
  Matrix3X pointJacobian_, carrierJacobian_, reduced_;
  Matrix6X linkJacobian_;
};

/// Rotation vector of a rotation, of length in [0, pi].
Vec3 rotationVector(const Mat3& rotation);

}  // namespace pneuma::skeleton
