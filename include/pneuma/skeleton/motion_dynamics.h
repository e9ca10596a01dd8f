#pragma once

#include <span>
#include <vector>

#include "pneuma/skeleton/model.h"

namespace pneuma::skeleton {

/// A point of a body through which the floor may push.
struct FloorPoint {
  int foot = 0;               ///< which foot it belongs to, from 0
  int link = 0;               ///< that carries it
  Vec3 local = Vec3::Zero();  ///< in the link's frame [m]; on the floor, y = 0, when it stands
};

/// Settings of the inverse dynamics of a motion.
struct MotionDynamicsConfig {
  double smoothing = 0.03;         ///< standard deviation of the Gaussian over time [s], >= 0
  std::vector<FloorPoint> points;  ///< corners of the soles; none: nothing holds the body
  double friction = 0.8;           ///< of the soles on the floor [-], > 0
  double arm = 0.3;                ///< weighs a missing moment against a missing force [m], > 0
  double contactHeight = 0.03;     ///< a point this much higher hardly stands [m], > 0
  double contactSpeed = 0.6;       ///< a point this fast hardly stands [m/s], > 0
};

/// Forces behind a motion.
struct MotionDynamics {
  std::vector<VecX> velocity, acceleration;
  /// Of every degree of freedom [N m] or [N]; those of the root are what nothing explains.
  std::vector<VecX> torque;
  std::vector<Vec3> groundForce;             ///< from the floor on the body [N]
  std::vector<std::vector<Vec3>> footForce;  ///< by frame and foot [N]
  std::vector<std::vector<Vec3>> pressure;   ///< centre of pressure by frame and foot [m]
  std::vector<Vec3> residualForce;           ///< that the root would need beside the floor [N]
  std::vector<Vec3> residualMoment;          ///< about the root [N m]
  std::vector<bool> flight;                  ///< no point stands
};

/// Joint torques of a recorded motion by inverse dynamics [Featherstone08, Table 5.1].
///
/// Configurations are smoothed over time, velocities and accelerations are central differences. The
/// wrench w that the free root would need is what the surroundings give the body. The floor gives
/// it through points of the soles: each pushes upwards with a force inside its friction pyramid, so
/// the centre of pressure of a foot never leaves its sole and no foot pulls. Of these forces f >= 0
/// (along the pyramids' edges, A their wrenches) those are taken that leave least of
///
///   |D (A f - w)|^2 + sum_i (e / s_i)^2 (|f_i across|^2 + 0.09 |f_i along|^2),   D = diag(1/arm,
///   1),
///
/// s_i being how low and still a point is, e = 0.01, along and across the line from the point to a
/// pivot 0.3 m above the root: the force on a foot of people who walk or run points to a place
/// above the centre of mass (Maus et al. 2010, Nature Communications 1:70; recalled). With both
/// feet down that keeps each hip from holding up what the other presses down. What is left stays at
/// the root and is reported: a recording whose masses, places or contacts are a little wrong cannot
/// be explained without, and hiding it in an ankle would be no better. In flight all of it is left.
/// With both feet down the share remains a choice, not a measurement; whatever else carries the
/// body (a chair) is part of what is left.
///
/// `model` has a free root as its first link; at least 3 frames, evenly spaced by `dt` [s].
MotionDynamics computeMotionDynamics(const Model& model, std::span<const VecX> q, double dt,
                                     const MotionDynamicsConfig& config);

/// Corners of the soles of a body with hindfoot, midfoot and toes: heel, ball and tip of the toes,
/// each inside and outside, on the floor in the neutral pose. Foot 0 is the left one.
std::vector<FloorPoint> soleCorners(const Model& model);

/// A motion smoothed over time by a Gaussian; quaternions stay normalised. Half of the power is
/// gone at 0.1325 / deviation [Hz]: noise of a millimetre at a frequency of 30 Hz is an
/// acceleration of 36 m/s^2 and must not reach anything heavy.
std::vector<VecX> smoothedMotion(const Model& model, std::span<const VecX> q, double dt,
                                 double deviation);

}  // namespace pneuma::skeleton
