#pragma once

#include <span>

#include "pneuma/skeleton/kinematics.h"

namespace pneuma::skeleton {

/// A matrix whose rows are contiguous.
using RowMatX = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Which combination of derivatives the elements add to Loads::matrix:
///   matrix += -(velocity * dF/dv + position * dF/dq)
/// A step of size h of the linearly implicit Euler method wants {h, h^2}; {0, 1} gives the
/// stiffness matrix alone, {1, 0} the damping matrix alone, {0, 0} forces only.
struct LoadWeights {
  double velocity = 0;
  double position = 0;
  bool derivatives() const { return velocity != 0 || position != 0; }
  static LoadWeights implicitStep(double h) { return {h, h * h}; }
};

/// Sum of everything attached to the skeleton, as generalised forces with their derivatives. Every
/// force element (muscles, springs, bushings, limits, ...) adds itself:
///
///   force        += F(q, v)
///   dampingForce += (dF/dv) v                      only if weights.derivatives()
///   matrix       += -(wv dF/dv + wq dF/dq)         "
///
/// Symmetric contributions may go to the lower triangle of `symmetric` instead of both triangles of
/// `matrix` (half the work); the solver adds both. Gravity and inertia are not loads.
struct Loads {
  explicit Loads(const Model& model);

  /// Zeroes everything and sets the weights.
  void clear(const LoadWeights& weights = {});

  LoadWeights weights;
  VecX force;         ///< F [N m] or [N]
  VecX dampingForce;  ///< (dF/dv) v
  RowMatX matrix;     ///< general part
  RowMatX symmetric;  ///< lower triangle of the symmetric part, the rest is ignored

  /// The whole matrix, for tests and inspection.
  MatX denseMatrix() const;
};

/// force_j += S_j . wrench for every degree of freedom that moves `link`; the wrench is taken about
/// kinematics.origin.
void addWrench(const Model& model, const Kinematics& kinematics, int link, const Vec6& wrench,
               VecX& force);

/// Joint damping, joint springs and soft limits, with their derivatives.
void addJointResistance(const Model& model, const State& state, Loads& loads);

/// Energy stored in joint springs and limits [J].
double jointResistanceEnergy(const Model& model, const VecX& q);

}  // namespace pneuma::skeleton
