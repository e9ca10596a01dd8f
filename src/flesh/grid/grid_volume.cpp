#include <cmath>

#include "flesh/grid/grid_lanes.h"
#include "flesh/grid/grid_terms.h"

namespace pneuma::flesh {
namespace {

/// Corners relative to the first one: the sums below are free of large cancelling terms.
void relative(const std::array<Vec3, 8>& x, Lane3<double> (&p)[8]) {
  for (std::size_t c = 0; c < 8; ++c) {
    const Vec3 d = x[c] - x[0];
    p[c] = {d.x(), d.y(), d.z()};
  }
}

}  // namespace

double hexahedronVolume(const std::array<Vec3, 8>& x) {
  Lane3<double> p[8], unused[8];
  relative(x, p);
  return cellVolume(p, unused);
}

double hexahedronVolume(const std::array<Vec3, 8>& x, std::array<Vec3, 8>& gradient) {
  Lane3<double> p[8], g[8];
  relative(x, p);
  const double volume = cellVolume(p, g);
  for (std::size_t c = 0; c < 8; ++c) gradient[c] = {g[c].x, g[c].y, g[c].z};
  return volume;
}

double sumOfForwardVolumes(const GridSize& size, const VecX& q) {
  double sum = 0;
  for (int i = 0; i + 1 < size.m; ++i)
    for (int j = 0; j + 1 < size.n; ++j)
      for (int k = 0; k + 1 < size.o; ++k) {
        const Vec3 r = node(q, size.index(i, j, k));
        const Vec3 r1 = node(q, size.index(i + 1, j, k)) - r;
        const Vec3 r2 = node(q, size.index(i, j + 1, k)) - r;
        const Vec3 r3 = node(q, size.index(i, j, k + 1)) - r;
        sum += std::abs(r1.dot(r2.cross(r3)));  // Eq. 3
      }
  return sum;
}

}  // namespace pneuma::flesh
