#pragma once

#include <span>
#include <vector>

namespace pneuma::muscle::internal {

/// What one fully active muscle gives: torque in the wanted direction and about up to two other
/// axes of the joint [N m].
struct MuscleTorque {
  double wanted = 0;
  double other[2] = {0, 0};
};

struct BalancedTorque {
  double torque = 0;              ///< [N m]
  std::vector<char> fullyActive;  ///< by muscle
};

/// Largest torque that leaves none about the other axes:
///
///   max  sum a_i w_i   with   sum a_i o_ik = 0,   0 <= a_i <= 1
///
/// solved through its dual, min over lambda of sum max(0, w_i - lambda . o_i): convex and piecewise
/// linear in one or two unknowns, the inner one minimised exactly over its breakpoints, the outer
/// one by golden section. Always feasible (a = 0), so the dual has no gap.
BalancedTorque balancedTorque(std::span<const MuscleTorque> muscles, int others);

}  // namespace pneuma::muscle::internal
