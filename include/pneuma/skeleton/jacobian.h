#pragma once

#include "pneuma/skeleton/kinematics.h"

/// Jacobians: how joint velocities move links and points. All take kinematics that are up to date,
/// write n columns and leave those of joints that do not move the link at zero.
namespace pneuma::skeleton {

/// A column per degree of freedom.
using Matrix3X = Eigen::Matrix<double, 3, Eigen::Dynamic>;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

/// Velocity of the point of `link` at world position `p`: pDot = J v.
void computePointJacobian(const Model& model, const Kinematics& kinematics, int link, const Vec3& p,
                          Matrix3X& J);

/// Angular velocity and velocity of the link's own origin, world axes: (omega, pDot) = J v.
void computeLinkJacobian(const Model& model, const Kinematics& kinematics, int link, Matrix6X& J);

/// Velocity of the whole body's centre of mass: cDot = J v.
void computeCenterOfMassJacobian(const Model& model, const Kinematics& kinematics, Matrix3X& J);

}  // namespace pneuma::skeleton
