#pragma once

#include <array>
#include <cstdint>

#include "render/vec.h"

namespace pneuma::render::internal {

inline std::uint32_t mixBits(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

inline std::uint32_t hashPair(std::uint32_t a, std::uint32_t b) {
  return mixBits(a ^ (mixBits(b) + 0x9e3779b9u + (a << 6) + (a >> 2)));
}

inline std::uint32_t reverseBits(std::uint32_t x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0f0f0f0fu) | ((x & 0x0f0f0f0fu) << 4);
  x = ((x >> 8) & 0x00ff00ffu) | ((x & 0x00ff00ffu) << 8);
  return (x >> 16) | (x << 16);
}

/// Owen scrambling of the bits of x below each leading prefix (hash form, Burley 2020).
inline std::uint32_t scramble(std::uint32_t x, std::uint32_t seed) {
  x = reverseBits(x);
  x += seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  x ^= x * 0x8d22f6e6u;
  return reverseBits(x);
}

/// The numbers of one pixel: pairs from a (0,2)-sequence, shuffled and scrambled for each use so
/// that uses do not correlate. They depend only on pixel, sample and order of use.
class Sampler {
 public:
  Sampler(std::uint32_t x, std::uint32_t y) : seed_(hashPair(mixBits(x + 1), y)) {}

  void start(std::uint32_t sample) {
    sample_ = sample;
    use_ = 0;
  }

  std::array<float, 2> next2() {
    const std::uint32_t seed = hashPair(seed_, use_++);
    const std::uint32_t i = scramble(sample_, seed);
    return {toUnit(scramble(reverseBits(i), mixBits(seed + 1))),
            toUnit(scramble(secondDimension(i), mixBits(seed + 2)))};
  }

  /// A hash for decisions that must not depend on the order in which hits arrive.
  std::uint32_t decision() { return hashPair(hashPair(seed_, use_++), sample_); }

  static float toUnit(std::uint32_t x) { return static_cast<float>(x >> 8) * 0x1.0p-24f; }

 private:
  static std::uint32_t secondDimension(std::uint32_t i) {
    std::uint32_t r = 0;
    for (std::uint32_t v = 1u << 31; i != 0; i >>= 1, v ^= v >> 1)
      if (i & 1u) r ^= v;
    return r;
  }

  std::uint32_t seed_;
  std::uint32_t sample_ = 0;
  std::uint32_t use_ = 0;
};

/// Direction about n with density cos / pi.
inline Vec3f cosineDirection(const Vec3f& n, const std::array<float, 2>& u) {
  const float r = std::sqrt(u[0]), phi = 2 * static_cast<float>(kPi) * u[1];
  Vec3f t, b;
  makeBasis(n, t, b);
  return (r * std::cos(phi)) * t + (r * std::sin(phi)) * b + std::sqrt(1 - u[0]) * n;
}

/// Direction within a cone about an axis, even in solid angle.
inline Vec3f coneDirection(const Vec3f& axis, float cosAngle, const std::array<float, 2>& u) {
  const float c = 1 - u[0] * (1 - cosAngle), s = std::sqrt(std::max(0.0f, 1 - c * c));
  const float phi = 2 * static_cast<float>(kPi) * u[1];
  Vec3f t, b;
  makeBasis(axis, t, b);
  return (s * std::cos(phi)) * t + (s * std::sin(phi)) * b + c * axis;
}

}  // namespace pneuma::render::internal
