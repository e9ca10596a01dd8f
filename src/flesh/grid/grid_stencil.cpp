#include "flesh/grid/grid_stencil.h"

#include <cmath>

namespace pneuma::flesh {
namespace {

using V = Lane3<Float8>;
using Read = Components<const float>;
using Write = Components<float>;

/// A block times a vector, and its transpose times another.
PNEUMA_INLINE void multiplyBoth(const float* const values, const V& there, const V& here, V& y,
                                V& back) {
  const Float8 a00 = loadLane(values), a01 = loadLane(values + 8), a02 = loadLane(values + 16);
  y.x += a00 * there.x + a01 * there.y + a02 * there.z;
  back = V{a00, a01, a02} * here.x;
  const Float8 a10 = loadLane(values + 24), a11 = loadLane(values + 32),
               a12 = loadLane(values + 40);
  y.y += a10 * there.x + a11 * there.y + a12 * there.z;
  back += V{a10, a11, a12} * here.y;
  const Float8 a20 = loadLane(values + 48), a21 = loadLane(values + 56),
               a22 = loadLane(values + 64);
  y.z += a20 * there.x + a21 * there.y + a22 * there.z;
  back += V{a20, a21, a22} * here.z;
}

PNEUMA_INLINE V multiplySymmetric(const float* const values, const V& x) {
  const Float8 xx = loadLane(values), xy = loadLane(values + 8), xz = loadLane(values + 16),
               yy = loadLane(values + 24), yz = loadLane(values + 32), zz = loadLane(values + 40);
  return {xx * x.x + xy * x.y + xz * x.z, xy * x.x + yy * x.y + yz * x.z,
          xz * x.x + yz * x.y + zz * x.z};
}

/// What goes to neighbours one before or one after along axis 3 is summed apart (`before`,
/// `after`, in the place of the neighbour between them), see addTerms of the lattice.
PNEUMA_CLONED void multiplyStencil(int nodes, const float* packed, const int* offsets,
                                   const Read& x, const Write& y, const Write& before,
                                   const Write& after) {
  for (int at = 0; at < nodes; at += 8, packed += 8 * GridStencil::kComponents) {
    const V here = loadLanes(x, at);
    V sum = multiplySymmetric(packed, here);
    for (int u = 0; u < GridStencil::kNeighbours; ++u) {
      V back;
      multiplyBoth(packed + 8 * GridStencil::block(u), loadLanes(x, at + offsets[u]), here, sum,
                   back);
      const int k = GridStencil::kSteps[u].k, to = at + offsets[u] - k;
      addLanes(k < 0 ? before : k > 0 ? after : y, to, back);
    }
    addLanes(y, at, sum);
  }
}

/// Adds up the three parts; returns x . y. Partial sums of 512 nodes stay in single precision.
PNEUMA_CLONED double gatherSides(int nodes, const Read& x, const Read& before, const Read& after,
                                 const Write& y) {
  double total = 0;
  for (int start = 0; start < nodes; start += 512) {
    Float8 sum{};
    for (int at = start; at < std::min(nodes, start + 512); at += 8) {
      const V value =
          loadLanes(Read{y.x, y.y, y.z}, at) + loadLanes(before, at + 1) + loadLanes(after, at - 1);
      storeLanes(y, at, value);
      sum += dot(loadLanes(x, at), value);
    }
    total += static_cast<double>(sumLanes(sum));
  }
  return total;
}

}  // namespace

GridStencil::GridStencil(const GridSize& size) : size_(size), values_(size, kComponents) {
  packed_.resize(static_cast<std::size_t>((size.nodeCount() + 7) / 8 * 8 * kComponents));
  for (int u = 0; u < kNeighbours; ++u)
    offset_[u] = (kSteps[u].i * size.n + kSteps[u].j) * size.o + kSteps[u].k;
}

void GridStencil::pack() {
  float* to = packed_.data();
  for (int at = 0; at < size_.nodeCount(); at += 8)
    for (int c = 0; c < kComponents; ++c, to += 8) std::copy_n(values_[c] + at, 8, to);
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
  multiplyStencil(size_.nodeCount(), packed_.data(), offset_, x.vectors(), out, before, after);
  return gatherSides(size_.nodeCount(), x.vectors(), {before.x, before.y, before.z},
                     {after.x, after.y, after.z}, out);
}

}  // namespace pneuma::flesh
