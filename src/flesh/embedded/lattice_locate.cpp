#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "flesh/embedded/bcc.h"
#include "pneuma/core/check.h"
#include "pneuma/flesh/embedded/lattice.h"

namespace pneuma::flesh::embedded {
namespace {

using bcc::Corners;
using bcc::Int3;

/// Barycentric coordinates of p in a cell, in lattice units.
Vec4 barycentric(const Corners& c, const Vec3& p) {
  Mat3 edges;
  for (int k = 0; k < 3; ++k) edges.col(k) = (c[static_cast<std::size_t>(k) + 1] - c[0]).real();
  const Vec3 r = p - c[0].real();
  const Vec3 c23 = edges.col(1).cross(edges.col(2)), c31 = edges.col(2).cross(edges.col(0)),
             c12 = edges.col(0).cross(edges.col(1));
  const Vec3 w = Vec3(r.dot(c23), r.dot(c31), r.dot(c12)) / edges.col(0).dot(c23);
  return {1 - w.sum(), w[0], w[1], w[2]};
}

/// The child that holds the point, or nearly so.
int childAt(const Corners& parent, const Vec3& p) {
  const bcc::Points points = bcc::pointsOf(parent);
  int best = 0;
  double most = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < 8; ++k) {
    const double least = barycentric(bcc::childOf(points, k), p).minCoeff();
    if (least > most) most = least, best = k;
  }
  return best;
}

/// A tree cell and its corners.
struct Found {
  std::int32_t cell = -1;
  Corners corners;
};

/// The largest cell at a point: one of the twelve of its cube or of three neighbours'.
Found topCellAt(const Lattice& lattice, const Vec3& p) {
  Found found;
  double most = -1e-6;
  const auto look = [&](const Int3& cube, int first, int count) {
    const auto& n = lattice.topCells;
    if (cube.x < 0 || cube.y < 0 || cube.z < 0 || cube.x >= n[0] || cube.y >= n[1] ||
        cube.z >= n[2])
      return;
    for (int t = first; t < first + count; ++t) {
      const Corners c = bcc::topCell(cube * lattice.topSpacing, lattice.topSpacing, t);
      const double least = barycentric(c, p).minCoeff();
      if (least <= most) continue;
      most = least;
      found = {((cube.z * n[1] + cube.y) * n[0] + cube.x) * 12 + t, c};
    }
  };
  const double s = lattice.topSpacing;
  const Int3 cube{static_cast<int>(std::floor(p.x() / s)), static_cast<int>(std::floor(p.y() / s)),
                  static_cast<int>(std::floor(p.z() / s))};
  look(cube, 0, 12);
  look(cube - Int3{1, 0, 0}, 0, 4);
  look(cube - Int3{0, 1, 0}, 4, 4);
  look(cube - Int3{0, 0, 1}, 8, 4);
  return found;
}

/// The leaf at a point; `cell` is -1 where the lattice has none.
Found leafAt(const Lattice& lattice, const Vec3& p) {
  Found found = topCellAt(lattice, p);
  if (found.cell < 0) return found;
  while (lattice.tree[static_cast<std::size_t>(found.cell)].child >= 0) {
    const int k = childAt(found.corners, p);
    found.corners = bcc::childOf(bcc::pointsOf(found.corners), k);
    found.cell = lattice.tree[static_cast<std::size_t>(found.cell)].child + k;
  }
  if (lattice.tree[static_cast<std::size_t>(found.cell)].tetCount == 0) found.cell = -1;
  return found;
}

/// Squared distance from p to the nearest small tetrahedron of a piece, by centroids; 0 when p lies
/// in one of them.
double distanceToPiece(const Corners& c, std::uint64_t piece, const Vec3& p) {
  const int outer = childAt(c, p);
  const int micro = 8 * outer + childAt(bcc::childOf(bcc::pointsOf(c), outer), p);
  if (piece >> micro & 1) return 0;
  const auto& centroid = bcc::microTables().centroid;
  double least = std::numeric_limits<double>::infinity();
  for (std::uint64_t rest = piece; rest; rest &= rest - 1) {
    const auto m = static_cast<std::size_t>(std::countr_zero(rest));
    Vec3 at = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) at += centroid[m][k] / 16.0 * c[k].real();
    least = std::min(least, (at - p).squaredNorm());
  }
  return least;
}

/// The leaf nearest to a point outside: looked for on spheres of growing radius.
Found nearestLeaf(const Lattice& lattice, const Vec3& p) {
  for (double radius = bcc::kFine / 4.0; radius <= 64 * bcc::kFine; radius *= 1.5)
    for (int z = -1; z <= 1; ++z)
      for (int y = -1; y <= 1; ++y)
        for (int x = -1; x <= 1; ++x) {
          if (x == 0 && y == 0 && z == 0) continue;
          const Vec3 d = Vec3(x, y, z).normalized();
          const Found found = leafAt(lattice, p + radius * d);
          if (found.cell >= 0) return found;
        }
  return {};
}

}  // namespace

LatticePlace Lattice::locate(const Vec3& point, const Vec3& inward) const {
  const double unit = config.spacing / bcc::kFine;
  const Vec3 p = (point - origin) / unit;
  // Half a small cell into the body: there the piece that a surface bounds is found.
  const Vec3 within = p + inward * (bcc::kFine / 8.0);
  Found found = leafAt(*this, p);
  for (double depth = bcc::kFine / 8.0; found.cell < 0 && depth <= 2 * bcc::kFine; depth *= 2)
    if (!inward.isZero())
      found = leafAt(*this, p + inward * depth);
    else
      break;
  if (found.cell < 0) found = nearestLeaf(*this, p);
  PNEUMA_CHECK(found.cell >= 0, "point ({}, {}, {}) is far from the lattice", point.x(), point.y(),
               point.z());
  const TreeCell& leaf = tree[static_cast<std::size_t>(found.cell)];
  LatticePlace place{leaf.firstTet, barycentric(found.corners, p)};
  double least = std::numeric_limits<double>::infinity();
  for (std::int32_t t = leaf.firstTet; t < leaf.firstTet + leaf.tetCount && leaf.tetCount > 1;
       ++t) {
    const double d = distanceToPiece(found.corners, piece[static_cast<std::size_t>(t)], within);
    if (d < least) least = d, place.tet = t;
  }
  return place;
}

}  // namespace pneuma::flesh::embedded
