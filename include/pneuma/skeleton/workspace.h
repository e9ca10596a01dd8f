#pragma once

#include <cstdint>
#include <vector>

#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skeleton/model.h"

namespace pneuma::skeleton {

/// Inertia of a rigid body, or of several moving as one, in world axes about Kinematics::origin:
///
///   I = [ J    h x ]      J  rotational inertia about the origin [kg m^2]
///       [ -h x  m  ]      h  mass times centre of mass [kg m],  m  mass [kg]
struct WorldInertia {
  Mat3 J = Mat3::Zero();
  Vec3 h = Vec3::Zero();
  double m = 0;

  /// Spatial momentum or inertial force: I * motion.
  Vec6 operator*(const Vec6& motion) const {
    const Vec3 w = motion.head<3>(), v = motion.tail<3>();
    return spatial(J * w + h.cross(v), m * v - h.cross(w));
  }
  WorldInertia& operator+=(const WorldInertia& other) {
    J += other.J;
    h += other.h;
    m += other.m;
    return *this;
  }
};

/// Scratch of the dynamics algorithms, sized once per model. One thread uses one workspace.
struct Workspace {
  explicit Workspace(const Model& model);

  Kinematics kinematics;

  // Per link.
  std::vector<WorldInertia> inertia;    ///< of the link, set by updateDynamics
  std::vector<WorldInertia> composite;  ///< of the link and everything it carries
  std::vector<Vec6> acceleration;       ///< spatial, gravity as an upward acceleration of the world
  std::vector<Vec6> force;              ///< what the joint transmits, or articulated bias force
  std::vector<Mat6> articulated;        ///< articulated-body inertia
  std::vector<Mat3> inertiaRate;  ///< N of [SinghRussellWensing22]: dJ/dt - [angular momentum]
  std::vector<Vec3> momentum;     ///< linear momentum

  // Per degree of freedom.
  std::vector<Vec6> U;                 ///< articulated inertia times axis
  std::vector<Vec6> axisAcceleration;  ///< Psi'' of derivatives.h
  std::vector<Vec6> axisRateSum;       ///< Psi' + S' of derivatives.h
  VecX inverseD;                       ///< 1 / (S . U)
  VecX u;                              ///< what is left of the joint force
  AxisComponents rowsA, rowsB;         ///< component-major helpers of the derivative algorithms
};

/// Kinematics and world inertias of a state: what every dynamics algorithm starts from. The
/// algorithms below it take the workspace and work at the state of its last update.
void updateDynamics(const Model& model, const VecX& q, const VecX& v, Workspace& workspace);
inline void updateDynamics(const Model& model, const State& state, Workspace& workspace) {
  updateDynamics(model, state.q, state.v, workspace);
}

}  // namespace pneuma::skeleton
