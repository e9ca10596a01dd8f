#pragma once

#include <vector>
#ifdef __SSE2__
#include <emmintrin.h>
#else
#include <cmath>
#endif

#include "pneuma/core/lanes.h"
#include "pneuma/core/spatial.h"

/// Points and forces as whole vector registers. Springs and faces fetch and add to their ends one
/// register at a time; with an array for each axis they would spend more on that than on
/// arithmetic.
namespace pneuma::breath::internal {

using pneuma::internal::inRegisters;
using pneuma::internal::LineAllocator;

/// A vector in the world; the fourth number stays 0.
struct alignas(32) Quad {
  double x = 0, y = 0, z = 0, rest = 0;

  Quad() = default;
  explicit Quad(const Vec3& v) : x(v.x()), y(v.y()), z(v.z()) {}
  Vec3 vector() const { return {x, y, z}; }
};
using Quads = std::vector<Quad, LineAllocator<Quad>>;

/// Four numbers in a register (or two), and the same anywhere in memory: copied before it is handed
/// on, for a reference to it would forget that.
using Four = double __attribute__((vector_size(32), aligned(32), may_alias));
using LooseFour = pneuma::internal::Lanes<4>;

PNEUMA_INTO_BOTH Four& four(Quad& q) {
  return reinterpret_cast<Four&>(q);
}
PNEUMA_INTO_BOTH const Four& four(const Quad& q) {
  return reinterpret_cast<const Four&>(q);
}
PNEUMA_INTO_BOTH const LooseFour& fourAt(const double* place) {
  return *reinterpret_cast<const LooseFour*>(place);
}
PNEUMA_INTO_BOTH void putFour(const Four& value, double* place) {
  *reinterpret_cast<LooseFour*>(place) = value;
}
PNEUMA_INTO_BOTH void load(const Vec3& v, Four& out) {
  out = Four{v.x(), v.y(), v.z(), 0};
}

/// A matrix by its columns.
struct Columns {
  PNEUMA_INLINED explicit Columns(const Mat3& m) {
    for (int c = 0; c < 3; ++c) load(m.col(c), column[c]);
  }
  /// out += matrix (x, y, z)
  PNEUMA_INLINED void addProduct(double x, double y, double z, Four& out) const {
    out += column[0] * x + column[1] * y + column[2] * z;
  }
  Four column[3];
};

/// Sums force and torque of many forces: torque is the skew part of sum r f^T.
struct WrenchSum {
  PNEUMA_INLINED void add(const Four& arm, const Four& f) {
    force += f;
    for (int i = 0; i < 3; ++i) moment[i] += arm[i] * f;
  }
  PNEUMA_INLINED void store(Vec6& out) const {
    out << moment[1][2] - moment[2][1], moment[2][0] - moment[0][2], moment[0][1] - moment[1][0],
        force[0], force[1], force[2];
  }
  Four force = {}, moment[3] = {};
};

/// Rows become columns.
PNEUMA_INTO_BOTH void transpose(const Four& a, const Four& b, const Four& c, const Four& d,
                                Four (&out)[4]) {
  const Four ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Four ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Four cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Four cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  out[0] = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  out[1] = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  out[2] = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  out[3] = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

/// (y, z, x, 0) of (x, y, z, 0).
PNEUMA_INTO_BOTH void rotateAxes(const Four& v, Four& out) {
  out = __builtin_shufflevector(v, v, 1, 2, 0, 3);
}

/// The sum of all four in each of them.
PNEUMA_INTO_BOTH void spreadSum(const Four& v, Four& out) {
  const Four pairs = v + __builtin_shufflevector(v, v, 1, 0, 3, 2);
  out = pairs + __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1);
}

/// Visits 0 to count - 1 from four places in turn. Neighbouring springs and faces share points: one
/// after the other they would wait for each sum to come back from memory.
template <class Visit>
PNEUMA_INTO_BOTH void inTurns(std::size_t count, const Visit& visit) {
  constexpr std::size_t kPlaces = 4;
  const std::size_t part = (count + kPlaces - 1) / kPlaces;
  for (std::size_t i = 0; i < part; ++i)
    for (std::size_t k = i; k < count; k += part) visit(k);
}

/// The library's function may set an error number, which keeps it out of vector registers.
PNEUMA_INTO_BOTH void takeRoot(Four& v) {
#ifdef __SSE2__
  const __m128d low = _mm_sqrt_pd(__builtin_shufflevector(v, v, 0, 1));
  const __m128d high = _mm_sqrt_pd(__builtin_shufflevector(v, v, 2, 3));
  v = __builtin_shufflevector(low, high, 0, 1, 2, 3);
#else
  for (int i = 0; i < 4; ++i) v[i] = std::sqrt(v[i]);
#endif
}

}  // namespace pneuma::breath::internal
