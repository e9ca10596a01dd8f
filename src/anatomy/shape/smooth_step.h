#pragma once

#include <algorithm>

namespace pneuma::anatomy::internal {

/// 0 below `low`, 1 above `high`, a cubic with level ends between.
inline double smoothStep(double low, double high, double v) {
  const double s = std::clamp((v - low) / (high - low), 0.0, 1.0);
  return s * s * (3 - 2 * s);
}

}  // namespace pneuma::anatomy::internal
