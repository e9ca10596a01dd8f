#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace pneuma::breath::internal {

/// A rise of a signal from a trough to the peak behind it.
struct Rise {
  double height = 0;
  std::size_t peak = 0;  ///< sample with the highest value
};

/// The breaths in a volume: rises between troughs and peaks that differ by more than `band`. One
/// whose peak the signal has not left by `band` does not count yet.
std::vector<Rise> findRises(std::span<const double> signal, double band);

}  // namespace pneuma::breath::internal
