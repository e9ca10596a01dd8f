#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace pneuma::muscle::internal {

/// exp(x) without branches or calls: cheap in loops over many muscles, and with the same bits on
/// every platform's maths library. Relative error below 5e-16; x is clamped to [-700, 700].
inline double exponential(double x) {
  constexpr double kLog2e = 1.4426950408889634074;
  constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  constexpr double kRound = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  x = std::min(std::max(x, -700.0), 700.0);

  // x = n ln 2 + r with |r| <= ln 2 / 2; ln 2 in two parts keeps r exact.
  const double shifted = x * kLog2e + kRound;
  const double n = shifted - kRound;
  const double r = (x - n * kLn2High) - n * kLn2Low;

  // Taylor series to r^13: the next term is below 3e-17.
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;

  // Multiply by 2^n through the exponent bits; the low bits of `shifted` hold n.
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023u) << 52;
  return p * std::bit_cast<double>(exponent);
}

}  // namespace pneuma::muscle::internal
