#include "flesh/grid/grid_stencil.h"

namespace pneuma::flesh {
namespace {

using V = Lane3<Float8>;
using Read = Components<const float>;
using Write = Components<float>;

/// Rows of a 3x3 block.
struct Block {
  V x, y, z;
};
PNEUMA_INLINE Block loadBlock(const float* values, std::size_t stride) {
  const auto row = [&](std::size_t first) PNEUMA_LAMBDA {
    return V{loadLane(values + first * stride), loadLane(values + (first + 1) * stride),
             loadLane(values + (first + 2) * stride)};
  };
  return {row(0), row(3), row(6)};
}
PNEUMA_INLINE Block loadSymmetric(const float* values, std::size_t stride) {
  const Float8 xx = loadLane(values), xy = loadLane(values + stride),
               xz = loadLane(values + 2 * stride), yy = loadLane(values + 3 * stride),
               yz = loadLane(values + 4 * stride), zz = loadLane(values + 5 * stride);
  return {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
}
PNEUMA_INLINE V times(const Block& a, const V& x) {
  return {dot(a.x, x), dot(a.y, x), dot(a.z, x)};
}
PNEUMA_INLINE V transposedTimes(const Block& a, const V& x) {
  return a.x * x.x + a.y * x.y + a.z * x.z;
}

/// Pivots plane by plane: D_i - L_i U_(i-1) with L_i = U_(i-1)^T D_(i-1)^-1. The last lanes of a
/// plane reach into the next one; what they leave there is overwritten in its turn.
PNEUMA_CLONED void factorLines(const GridSize& size, const float* values, std::size_t stride,
                               float* pivots, float* lower, std::size_t ours) {
  const int plane = size.n * size.o;
  for (int i = 0; i < size.m; ++i)
    for (int at = i * plane; at < (i + 1) * plane; at += 8) {
      Block d = loadSymmetric(values + at, stride);
      if (i > 0) {
        const Block u = loadBlock(
            values +
                stride * static_cast<std::size_t>(GridStencil::block(GridStencil::kNextPlane)) +
                at - plane,
            stride);
        const Block inverse = loadSymmetric(pivots + at - plane, ours);
        // L = U^T D^-1: its rows are D^-1 times the columns of U.
        const Block l{times(inverse, {u.x.x, u.y.x, u.z.x}), times(inverse, {u.x.y, u.y.y, u.z.y}),
                      times(inverse, {u.x.z, u.y.z, u.z.z})};
        d.x -= transposedTimes(u, l.x);
        d.y -= transposedTimes(u, l.y);
        d.z -= transposedTimes(u, l.z);
        const V* const rows[3]{&l.x, &l.y, &l.z};
        for (int r = 0; r < 3; ++r) {
          float* const to = lower + static_cast<std::size_t>(3 * r) * ours + at;
          storeLane(to, rows[r]->x), storeLane(to + ours, rows[r]->y);
          storeLane(to + 2 * ours, rows[r]->z);
        }
      }
      // Inverse by cofactors; lanes without a node divide by one.
      const V cx = cross(d.y, d.z), cy = cross(d.z, d.x), cz = cross(d.x, d.y);
      const Float8 determinant = dot(d.x, cx);
      const Float8 scale = 1 / (determinant == 0 ? determinant + 1 : determinant);
      float* const to = pivots + at;
      storeLane(to, cx.x * scale), storeLane(to + ours, cx.y * scale);
      storeLane(to + 2 * ours, cx.z * scale), storeLane(to + 3 * ours, cy.y * scale);
      storeLane(to + 4 * ours, cy.z * scale), storeLane(to + 5 * ours, cz.z * scale);
    }
}

PNEUMA_CLONED void solveLines(const GridSize& size, const float* pivots, const float* lower,
                              std::size_t stride, const Read& r, const Write& half,
                              const Write& z) {
  const int plane = size.n * size.o;
  const Read down{half.x, half.y, half.z}, up{z.x, z.y, z.z};
  // Down the lines, all lines of a plane before the next plane, and up again.
  for (int i = 0; i < size.m; ++i)
    for (int at = i * plane; at < (i + 1) * plane; at += 8) {
      V y = loadLanes(r, at);
      if (i > 0) y -= times(loadBlock(lower + at, stride), loadLanes(down, at - plane));
      storeLanes(half, at, y);
    }
  for (int i = size.m - 1; i >= 0; --i)
    for (int at = i * plane; at < (i + 1) * plane; at += 8) {
      V x = times(loadSymmetric(pivots + at, stride), loadLanes(down, at));
      if (i + 1 < size.m)
        x -= transposedTimes(loadBlock(lower + at + plane, stride), loadLanes(up, at + plane));
      storeLanes(z, at, x);
    }
}

}  // namespace

LinePreconditioner::LinePreconditioner(const GridSize& size)
    : size_(size), pivot_(size, 6), lower_(size, 9), half_(size, 3) {}

void LinePreconditioner::factor(const GridStencil& matrix) {
  factorLines(size_, matrix.component(0), matrix.stride(), pivot_[0], lower_[0], pivot_.stride());
}

void LinePreconditioner::apply(const GridField<float>& r, GridField<float>& z) {
  solveLines(size_, pivot_[0], lower_[0], pivot_.stride(), r.vectors(), half_.vectors(),
             z.vectors());
}

}  // namespace pneuma::flesh
