#pragma once

#include <span>
#include <vector>

#include "pneuma/muscle/path_set.h"
#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skeleton/loads.h"

namespace pneuma::muscle {

/// Lengths and moment arms of all muscles in one state; scratch of the functions below.
struct PathKinematics {
  explicit PathKinematics(const PathSet& paths);

  VecX length;               ///< [m]
  VecX lengthRate;           ///< lengthening velocity [m/s]
  std::vector<double> arms;  ///< d(length)/dq, rows by PathSet::ranges [m] or [-]

  std::vector<Vec3> point;      ///< of every path point, from Kinematics::origin [m]
  std::vector<Vec3> direction;  ///< of every segment, unit
  std::vector<double> segmentLength;
  std::vector<WrapPath> wrap;     ///< of every wrap, in the surface's frame
  std::vector<Pose> surfacePose;  ///< of every wrap's surface, from Kinematics::origin
  int insideCount = 0;            ///< wraps with an end inside their surface in the last evaluation
  int unconvergedCount = 0;       ///< wraps whose geodesic was not found to full accuracy

  std::vector<double> scratch;
};

/// Lengths and moment arms. Allocates nothing. Needs computePoses or computeKinematics before.
/// `withHessian` also prepares the wraps for addPathStiffness.
void computePaths(const PathSet& paths, const skeleton::Kinematics& kinematics, PathKinematics& k,
                  bool withHessian = false);

/// Lengthening velocities: P^T v. Needs computePaths.
void computeLengthRates(const PathSet& paths, const VecX& v, PathKinematics& k);

/// force -= P f: the generalised force of tensions f.
void addTension(const PathSet& paths, const PathKinematics& k, const VecX& tension, VecX& force);

/// One row of the moment-arm matrix, dense, for tests and reports.
VecX momentArms(const PathSet& paths, const PathKinematics& k, int muscle, int dofCount);

/// Adds to the lower triangle of `symmetric` (and the rotation terms of balls to `matrix`):
///
///   sum over muscles m of   material_m p_m p_m^T  +  geometric_m d2(length_m)/dq2
///
/// With material = wv df/dl' + wq df/dl and geometric = wq f this is the muscles' whole share in
/// Loads::matrix. `generalizedForce` is the tensions' own (-P f); balls need it because the order
/// of two turns matters. wq is the position weight.
void addPathStiffness(const skeleton::Model& model, const PathSet& paths,
                      const skeleton::Kinematics& kinematics, PathKinematics& k,
                      const VecX& material, const VecX& geometric, const VecX& generalizedForce,
                      double wq, skeleton::Loads& loads);

}  // namespace pneuma::muscle
