#pragma once

#include <string>
#include <vector>

#include "pneuma/muscle/driven_body.h"

namespace pneuma::reproduce::lee2009 {

struct Reproduction;

/// A pose that is held with some tension.
struct TensePose {
  std::string label;
  VecX q, activation;
};

/// What the last pose's tension adds to the shape of the first one's.
struct Bulge {
  double outwards = 0, inwards = 0;  ///< farthest that skin moves along its normal [m]
  double volume = 0;                 ///< relative change of all that the skin holds
  std::string where;                 ///< link nearest to the farthest of it
};

/// Fleshes the poses out, puts pictures of them into the report as `name` and compares the last
/// with the first. Leaves the body in the last pose.
Bulge measureBulge(Reproduction& r, muscle::DrivenBody& body, const std::vector<TensePose>& poses,
                   const std::string& name);

}  // namespace pneuma::reproduce::lee2009
