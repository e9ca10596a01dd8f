#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace pneuma::internal {

/// Value below which a share (0 to 1) of the numbers lies; of two neighbours the lower. At least
/// one number.
inline double quantile(std::vector<double> values, double share) {
  const auto k = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + k, values.end());
  return values[static_cast<std::size_t>(k)];
}

}  // namespace pneuma::internal
