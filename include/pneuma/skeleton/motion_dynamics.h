#pragma once

#include <span>
#include <vector>

#include "pneuma/skeleton/model.h"

namespace pneuma::skeleton {

/// Settings of the inverse dynamics of a motion.
struct MotionDynamicsConfig {
  double smoothing = 0.04;  ///< standard deviation of the Gaussian over time [s], >= 0
  std::vector<int> feet;    ///< links that may stand on the floor; none: nothing holds the body
  std::vector<Vec3> soles;  ///< middle of each sole, in the foot's frame [m]; on the floor, y = 0,
                            ///< when the foot stands
  double arm = 0.03;        ///< weighs forces against couples when two feet stand [m], > 0
  double contactHeight = 0.04;  ///< a foot this much higher stands no more [m], > 0
  double contactSpeed = 0.8;    ///< a foot this fast stands no more [m/s], > 0
};

/// Forces behind a motion.
struct MotionDynamics {
  std::vector<VecX> velocity, acceleration;
  std::vector<VecX> torque;                  ///< of every degree of freedom [N m] or [N]
  std::vector<Vec3> groundForce;             ///< from the floor on the body [N]
  std::vector<std::vector<Vec3>> footForce;  ///< by frame and foot [N]
  std::vector<double> unsupported;           ///< root force without a standing foot [N]
};

/// Joint torques of a recorded motion by inverse dynamics [Featherstone08, Table 5.1].
///
/// Configurations are smoothed over time, velocities and accelerations are central differences.
/// The wrench that the free root would need is what the surroundings give the body; it is put on
/// the standing feet, so that the root itself needs none: each sole takes a force and a couple,
/// chosen so that the sum of |couple|^2 + (arm |force|)^2, each over how low and still its foot is,
/// is least. A force along the line to the root, the pelvis, costs a hundredth of one across it:
/// that is how legs push, ahead braking and behind driving. Couples stay small, so the weight moves
/// from foot to foot as the centre of pressure does. In flight (no foot stands) it stays at the
/// root and is reported as `unsupported`; for an exact motion it would be zero there. With both
/// feet down the share is a choice, not a measurement, and whatever else carries the body (a chair)
/// is counted as floor.
///
/// `model` has a free root as its first link; at least 3 frames, evenly spaced by `dt` [s].
MotionDynamics computeMotionDynamics(const Model& model, std::span<const VecX> q, double dt,
                                     const MotionDynamicsConfig& config);

/// A motion smoothed over time by a Gaussian; quaternions stay normalised.
std::vector<VecX> smoothedMotion(const Model& model, std::span<const VecX> q, double dt,
                                 double deviation);

}  // namespace pneuma::skeleton
