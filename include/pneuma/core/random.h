#pragma once

#include <cstdint>

namespace pneuma {

/// A small random generator (SplitMix64) whose numbers are the same with every compiler and
/// library, unlike the distributions of <random>. Its whole state is one number, so it fits in a
/// checkpoint.
class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Normal with mean 0 and deviation 1 (Box-Muller, one value per call).
  double normal();
  std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace pneuma
