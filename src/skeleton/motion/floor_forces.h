#pragma once

#include <span>
#include <vector>

#include "pneuma/core/spatial.h"

namespace pneuma::skeleton::internal {

/// Least |M x - b|^2 over x >= 0 by active sets [Lawson & Hanson 1974, ch. 23]. The columns of M
/// are independent.
VecX solveNonNegative(const MatX& M, const VecX& b);

/// Force of the floor at each point, see computeMotionDynamics.
struct FloorProblem {
  std::span<const Vec3> points;      ///< from the origin of the wrench [m]
  std::span<const double> firmness;  ///< of each, 0 to 1
  Vec6 needed;                       ///< moment about the origin, force
  Vec3 root;                         ///< about which missing moments count
  double friction, arm;
};
std::vector<Vec3> solveFloorForces(const FloorProblem& problem);

}  // namespace pneuma::skeleton::internal
