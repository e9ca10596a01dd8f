#pragma once

#include <cstdint>
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
namespace pneuma::internal {

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
using LooseFour = Lanes<4>;

PNEUMA_INTO_BOTH Four& four(Quad& q) {
  return reinterpret_cast<Four&>(q);
}
PNEUMA_INTO_BOTH const Four& four(const Quad& q) {
  return reinterpret_cast<const Four&>(q);
}
/// The vector so many bytes behind the first: an index that needs no scaling.
PNEUMA_INTO_BOTH const Four& fourBehind(const Quad* first, std::int32_t bytes) {
  return *reinterpret_cast<const Four*>(reinterpret_cast<const char*>(first) + bytes);
}
PNEUMA_INTO_BOTH Four& fourBehind(Quad* first, std::int32_t bytes) {
  return *reinterpret_cast<Four*>(reinterpret_cast<char*>(first) + bytes);
}
inline std::int32_t bytesTo(int index) {
  return static_cast<std::int32_t>(sizeof(Quad)) * index;
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

/// (x, y, z, 0) of four numbers.
PNEUMA_INTO_BOTH void dropFourth(Four& v) {
  v = __builtin_shufflevector(v, Four{}, 0, 1, 2, 7);
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

/// The library's function may set an error number, which keeps it out of vector registers. In
/// WebAssembly single roots wait for one another: a seventh of the trunk's step, a fifth with arms.
PNEUMA_INTO_BOTH void takeRoot(Four& v) {
#ifdef __SSE2__
  const __m128d low = _mm_sqrt_pd(__builtin_shufflevector(v, v, 0, 1));
  const __m128d high = _mm_sqrt_pd(__builtin_shufflevector(v, v, 2, 3));
  v = __builtin_shufflevector(low, high, 0, 1, 2, 3);
#elif defined(__wasm_simd128__)
  const auto low = __builtin_wasm_sqrt_f64x2(__builtin_shufflevector(v, v, 0, 1));
  const auto high = __builtin_wasm_sqrt_f64x2(__builtin_shufflevector(v, v, 2, 3));
  v = __builtin_shufflevector(low, high, 0, 1, 2, 3);
#else
  for (int i = 0; i < 4; ++i) v[i] = std::sqrt(v[i]);
#endif
}

}  // namespace pneuma::internal
