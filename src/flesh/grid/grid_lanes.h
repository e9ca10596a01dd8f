#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "pneuma/flesh/grid_shape.h"

/// Kernels that do the same to many nodes at once.
///
/// Nodal quantities are kept component by component over the linear index of the nodes. The
/// neighbour one step along an axis is then a fixed distance away in memory for every node, so a
/// loop over the nodes takes whole lanes without gathering; terms that would leave the grid have
/// coefficient zero. Lanes are GCC's and clang's portable vectors.
///
/// A kernel marked PNEUMA_CLONED is compiled twice, for the baseline and for AVX2, and the loader
/// picks. Each lane does the same operations in the same order without contraction, so both give
/// the same bits.
#if defined(__x86_64__) && defined(__ELF__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define PNEUMA_CLONED __attribute__((target_clones("avx2", "default")))
#else
#define PNEUMA_CLONED
#endif
#define PNEUMA_INLINE inline __attribute__((always_inline))
#define PNEUMA_LAMBDA __attribute__((always_inline))
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"  // lanes are never passed between translation units
#endif

namespace pneuma::flesh {

using Float8 = float __attribute__((vector_size(32)));
using Double4 = double __attribute__((vector_size(32)));

template <class Scalar>
struct LaneOf;
template <>
struct LaneOf<float> {
  using Type = Float8;
  static constexpr int kCount = 8;
};
template <>
struct LaneOf<double> {
  using Type = Double4;
  static constexpr int kCount = 4;
};

/// The type of one lane; a plain number is its own lane.
template <class Lane>
struct ScalarOf {
  using Type = double;
};
template <>
struct ScalarOf<Float8> {
  using Type = float;
};

template <class Scalar>
PNEUMA_INLINE typename LaneOf<Scalar>::Type loadLane(const Scalar* from) {
  typename LaneOf<Scalar>::Type lane;
  std::memcpy(&lane, from, sizeof lane);
  return lane;
}
template <class Lane, class Scalar>
PNEUMA_INLINE void storeLane(Scalar* to, const Lane& lane) {
  std::memcpy(to, &lane, sizeof lane);
}
template <class Lane, class Scalar>
PNEUMA_INLINE void addLane(Scalar* to, const Lane& lane) {
  storeLane(to, loadLane(to) + lane);
}
template <class Lane>
PNEUMA_INLINE Lane positivePart(const Lane& x) {
  return x > 0 ? x : x - x;
}
template <class Lane>
PNEUMA_INLINE Lane absolute(const Lane& x) {
  return x < 0 ? -x : x;
}
PNEUMA_INLINE float sumLanes(const Float8& x) {
  return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

/// A vector per lane.
template <class Lane>
struct Lane3 {
  Lane x, y, z;

  PNEUMA_INLINE Lane3 operator+(const Lane3& b) const { return {x + b.x, y + b.y, z + b.z}; }
  PNEUMA_INLINE Lane3 operator-(const Lane3& b) const { return {x - b.x, y - b.y, z - b.z}; }
  PNEUMA_INLINE Lane3 operator*(const Lane& s) const { return {x * s, y * s, z * s}; }
  PNEUMA_INLINE void operator+=(const Lane3& b) { x += b.x, y += b.y, z += b.z; }
  PNEUMA_INLINE void operator-=(const Lane3& b) { x -= b.x, y -= b.y, z -= b.z; }
};
template <class Lane>
PNEUMA_INLINE Lane dot(const Lane3<Lane>& a, const Lane3<Lane>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Lane>
PNEUMA_INLINE Lane3<Lane> cross(const Lane3<Lane>& a, const Lane3<Lane>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Distances in the linear index to the eight corners of the cell above a node; corners numbered
/// as in GridCell.
struct CornerOffsets {
  explicit CornerOffsets(const GridSize& s) {
    for (int c = 0; c < 8; ++c) at[c] = (c >> 2) * s.n * s.o + ((c >> 1) & 1) * s.o + (c & 1);
  }
  int at[8];
};

/// The first three components of a field.
template <class Scalar>
struct Components {
  Scalar *x, *y, *z;
};

/// Components over the nodes of a grid, with room around each so that lanes and neighbours may
/// reach beyond the grid; what lies there is zero.
template <class Scalar>
class GridField {
 public:
  GridField() = default;
  GridField(const GridSize& size, int components) {
    const int reach = size.n * size.o + size.o + 1;
    constexpr int kLine = 64 / static_cast<int>(sizeof(Scalar));
    // An odd number of cache lines between components spreads them over the sets of the cache.
    int lines = (2 * kLead + size.nodeCount() + reach + kLine - 1) / kLine;
    lines += 1 - lines % 2;
    stride_ = static_cast<std::size_t>(lines) * kLine;
    data_.assign(stride_ * static_cast<std::size_t>(components), Scalar(0));
  }

  Scalar* operator[](int component) {
    return data_.data() + stride_ * static_cast<std::size_t>(component) + kLead;
  }
  const Scalar* operator[](int component) const {
    return data_.data() + stride_ * static_cast<std::size_t>(component) + kLead;
  }
  Components<Scalar> vectors() { return {(*this)[0], (*this)[1], (*this)[2]}; }
  Components<const Scalar> vectors() const { return {(*this)[0], (*this)[1], (*this)[2]}; }
  /// Distance between components in memory.
  std::size_t stride() const { return stride_; }
  void clear() { std::fill(data_.begin(), data_.end(), Scalar(0)); }
  void swap(GridField& other) { data_.swap(other.data_); }

 private:
  static constexpr int kLead = 16;
  std::size_t stride_ = 0;
  std::vector<Scalar> data_;
};

template <class Scalar>
PNEUMA_INLINE Lane3<typename LaneOf<Scalar>::Type> loadLanes(const Components<const Scalar>& from,
                                                             int at) {
  return {loadLane(from.x + at), loadLane(from.y + at), loadLane(from.z + at)};
}
template <class Scalar, class Lane>
PNEUMA_INLINE void storeLanes(const Components<Scalar>& to, int at, const Lane3<Lane>& value) {
  storeLane(to.x + at, value.x), storeLane(to.y + at, value.y), storeLane(to.z + at, value.z);
}
template <class Scalar, class Lane>
PNEUMA_INLINE void addLanes(const Components<Scalar>& to, int at, const Lane3<Lane>& value) {
  addLane(to.x + at, value.x), addLane(to.y + at, value.y), addLane(to.z + at, value.z);
}

/// Volume of cells with bilinear faces, and its gradient to the corners.
///
/// With x = sum of modes times 1, u, v, w, uv, vw, wu, uvw over [-1, 1]^3 the volume is
///   V = 8 (a_u . a_v x a_w + (a_u . a_uv x a_wu + a_uv . a_v x a_vw + a_wu . a_vw x a_w) / 3)
/// in which the mean and the uvw mode have no part.
template <class Lane>
PNEUMA_INLINE Lane cellVolume(const Lane3<Lane> (&p)[8], Lane3<Lane> (&gradient)[8]) {
  using V = Lane3<Lane>;
  // Sums and differences along axis 3 (w), then 2 (v), then 1 (u): eight times the modes.
  const V s0 = p[0] + p[1], d0 = p[1] - p[0], s1 = p[2] + p[3], d1 = p[3] - p[2];
  const V s2 = p[4] + p[5], d2 = p[5] - p[4], s3 = p[6] + p[7], d3 = p[7] - p[6];
  const V ss0 = s0 + s1, sd0 = s1 - s0, ds0 = d0 + d1, dd0 = d1 - d0;
  const V ss1 = s2 + s3, sd1 = s3 - s2, ds1 = d2 + d3, dd1 = d3 - d2;
  const V u = ss1 - ss0, v = sd0 + sd1, w = ds0 + ds1;
  const V uv = sd1 - sd0, vw = dd0 + dd1, wu = ds1 - ds0;
  using Scalar = typename ScalarOf<Lane>::Type;
  const Lane third = Lane{} + Scalar(1) / 3;
  const V gu = cross(v, w) + cross(uv, wu) * third;
  const V gv = cross(w, u) + cross(vw, uv) * third;
  const V gw = cross(u, v) + cross(wu, vw) * third;
  const V guv = (cross(wu, u) + cross(v, vw)) * third;
  const V gvw = (cross(uv, v) + cross(w, wu)) * third;
  const V gwu = (cross(u, uv) + cross(vw, w)) * third;
  const Lane curved = dot(u, cross(uv, wu)) + dot(uv, cross(v, vw)) + dot(wu, cross(vw, w));
  const Lane volume = (dot(u, cross(v, w)) + third * curved) / 64;
  // The transposed sums and differences.
  const Lane scale = Lane{} + Scalar(1) / 64;
  const V su = gu * scale, sv = gv * scale, sw = gw * scale;
  const V suv = guv * scale, svw = gvw * scale, swu = gwu * scale;
  for (int c = 0; c < 8; ++c) {
    const bool hu = c & 4, hv = c & 2, hw = c & 1;
    V g = hu ? su : su * (Lane{} - 1);
    if (hv)
      g += sv;
    else
      g -= sv;
    if (hw)
      g += sw;
    else
      g -= sw;
    if (hu == hv)
      g += suv;
    else
      g -= suv;
    if (hv == hw)
      g += svw;
    else
      g -= svw;
    if (hw == hu)
      g += swu;
    else
      g -= swu;
    gradient[c] = g;
  }
  return volume;
}

}  // namespace pneuma::flesh
