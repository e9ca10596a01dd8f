#include "flesh/grid_stencil.h"

#include <cmath>

namespace pneuma::flesh {
namespace {

using V = Lane3<Float8>;
using Read = Components<const float>;
using Write = Components<float>;

/// A block times a vector, and its transpose times another.
PNEUMA_INLINE void multiplyBoth(const float* const values, std::size_t stride, const V& there,
                                const V& here, V& y, V& back) {
  const Float8 a00 = loadLane(values), a01 = loadLane(values + stride),
               a02 = loadLane(values + 2 * stride);
  y.x += a00 * there.x + a01 * there.y + a02 * there.z;
  back = V{a00, a01, a02} * here.x;
  const Float8 a10 = loadLane(values + 3 * stride), a11 = loadLane(values + 4 * stride),
               a12 = loadLane(values + 5 * stride);
  y.y += a10 * there.x + a11 * there.y + a12 * there.z;
  back += V{a10, a11, a12} * here.y;
  const Float8 a20 = loadLane(values + 6 * stride), a21 = loadLane(values + 7 * stride),
               a22 = loadLane(values + 8 * stride);
  y.z += a20 * there.x + a21 * there.y + a22 * there.z;
  back += V{a20, a21, a22} * here.z;
}

PNEUMA_INLINE V multiplySymmetric(const float* const values, std::size_t stride, const V& x) {
  const Float8 xx = loadLane(values), xy = loadLane(values + stride),
               xz = loadLane(values + 2 * stride), yy = loadLane(values + 3 * stride),
               yz = loadLane(values + 4 * stride), zz = loadLane(values + 5 * stride);
  return {xx * x.x + xy * x.y + xz * x.z, xy * x.x + yy * x.y + yz * x.z,
          xz * x.x + yz * x.y + zz * x.z};
}

/// What goes to neighbours one before or one after along axis 3 is summed apart (`before`,
/// `after`, in the place of the neighbour between them), see addTerms of the lattice.
PNEUMA_WIDE void multiplyStencil(int nodes, const float* values, std::size_t stride,
                                 const int* offsets, const Read& x, const Write& y,
                                 const Write& before, const Write& after) {
  for (int at = 0; at < nodes; at += 8) {
    // Every second time a new cache line of each component begins: ask for the one after.
    if (at % 16 == 0)
      for (int c = 0; c < GridStencil::kComponents; ++c)
        __builtin_prefetch(values + stride * static_cast<std::size_t>(c) + at + 32);
    const V here = loadLanes(x, at);
    V sum = multiplySymmetric(values + at, stride, here);
    for (int u = 0; u < GridStencil::kNeighbours; ++u) {
      V back;
      multiplyBoth(values + stride * static_cast<std::size_t>(GridStencil::block(u)) + at, stride,
                   loadLanes(x, at + offsets[u]), here, sum, back);
      const int k = GridStencil::kSteps[u].k, to = at + offsets[u] - k;
      addLanes(k < 0 ? before : k > 0 ? after : y, to, back);
    }
    addLanes(y, at, sum);
  }
}

/// Adds up the three parts; returns x . y. Partial sums of 512 nodes stay in single precision.
PNEUMA_WIDE double gatherSides(int nodes, const Read& x, const Read& before, const Read& after,
                               const Write& y) {
  double total = 0;
  for (int start = 0; start < nodes; start += 512) {
    Float8 sum{};
    for (int at = start; at < std::min(nodes, start + 512); at += 8) {
      const V value = loadLanes(Read{y.x, y.y, y.z}, at) + loadLanes(before, at + 1) +
                      loadLanes(after, at - 1);
      storeLanes(y, at, value);
      sum += dot(loadLanes(x, at), value);
    }
    total += static_cast<double>(sumLanes(sum));
  }
  return total;
}

}  // namespace

GridStencil::GridStencil(const GridSize& size) : size_(size), values_(size, kComponents) {
  for (int u = 0; u < kNeighbours; ++u)
    offset_[u] = (kSteps[u].i * size.n + kSteps[u].j) * size.o + kSteps[u].k;
}

void GridStencil::isolate(int node) {
  for (int c = 0; c < kBlocks; ++c) values_[c][node] = 0;
  for (int u = 0; u < kNeighbours; ++u)
    for (int c = block(u); c < block(u) + 9; ++c) {
      values_[c][node] = 0;
      if (node >= offset_[u]) values_[c][node - offset_[u]] = 0;
    }
  addDiagonal(node, 1);
}

double GridStencil::multiply(const GridField<float>& x, GridField<float>& sides,
                             GridField<float>& y) const {
  y.clear(), sides.clear();
  const Write out = y.vectors(), before = sides.vectors(), after{sides[3], sides[4], sides[5]};
  multiplyStencil(size_.nodeCount(), values_[0], values_.stride(), offset_, x.vectors(), out,
                  before, after);
  return gatherSides(size_.nodeCount(), x.vectors(), {before.x, before.y, before.z},
                     {after.x, after.y, after.z}, out);
}

}  // namespace pneuma::flesh
