#pragma once

#include <span>
#include <vector>

#include "pneuma/skeleton/model.h"

namespace pneuma::skeleton {

/// Settings of the inverse dynamics of a motion.
struct MotionDynamicsConfig {
  double smoothing = 0.04;  ///< standard deviation of the Gaussian over time [s], >= 0
  std::vector<int> feet;    ///< links that may stand on the floor; none: nothing holds the body
  std::vector<double> restHeights;  ///< of the feet's frames when they stand [m]
  double contactHeight = 0.04;      ///< a foot this much higher stands no more [m], > 0
  double contactSpeed = 0.8;        ///< a foot this fast stands no more [m/s], > 0
};

/// Forces behind a motion.
struct MotionDynamics {
  std::vector<VecX> velocity, acceleration;
  std::vector<VecX> torque;                    ///< of every degree of freedom [N m] or [N]
  std::vector<Vec3> groundForce;               ///< from the floor on the body [N]
  std::vector<std::vector<double>> footShare;  ///< by frame and foot, 0 to 1
  std::vector<double> unsupported;             ///< root force without a standing foot [N]
};

/// Joint torques of a recorded motion by inverse dynamics [Featherstone08, Table 5.1].
///
/// Configurations are smoothed over time, velocities and accelerations are central differences.
/// The wrench that the free root would need is what the surroundings give the body; it is put on
/// the standing feet in proportion to how low and how still they are, so that the root itself
/// needs none. In flight (no foot stands) it stays at the root and is reported as `unsupported`;
/// for an exact motion it would be zero there. With both feet down the share is a choice, not a
/// measurement, and whatever else carries the body (a chair) is counted as floor.
///
/// `model` has a free root as its first link; at least 3 frames, evenly spaced by `dt` [s].
MotionDynamics computeMotionDynamics(const Model& model, std::span<const VecX> q, double dt,
                                     const MotionDynamicsConfig& config);

/// A motion smoothed over time by a Gaussian; quaternions stay normalised.
std::vector<VecX> smoothedMotion(const Model& model, std::span<const VecX> q, double dt,
                                 double deviation);

}  // namespace pneuma::skeleton
