#pragma once

#include "pneuma/core/types.h"

namespace pneuma::test {

/// Largest difference of two vectors over the largest entry of the expected one.
inline double relativeError(const VecX& found, const VecX& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

}  // namespace pneuma::test
