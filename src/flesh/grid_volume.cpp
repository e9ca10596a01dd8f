#include <cmath>

#include "flesh/grid_terms.h"

namespace pneuma::flesh {
namespace {

/// Corners relative to the first one: the sums below are free of large cancelling terms.
std::array<Vec3, 8> relative(const std::array<Vec3, 8>& x) {
  std::array<Vec3, 8> p;
  for (std::size_t c = 0; c < 8; ++c) p[c] = x[c] - x[0];
  return p;
}

std::array<Vec3, 4> corners(const std::array<Vec3, 8>& p, const std::array<int, 4>& face) {
  return {p[static_cast<std::size_t>(face[0])], p[static_cast<std::size_t>(face[1])],
          p[static_cast<std::size_t>(face[2])], p[static_cast<std::size_t>(face[3])]};
}

}  // namespace

// Twelve times the signed volume below a bilinear face p0 p1 p2 p3 is the mean of its two ways of
// being cut into triangles:  p0.(p1 x p2) + p0.(p2 x p3) + p0.(p1 x p3) + p1.(p2 x p3).
double hexahedronVolume(const std::array<Vec3, 8>& x) {
  const std::array<Vec3, 8> p = relative(x);
  double sum = 0;
  for (const auto& face : kCellFaces) {
    const auto [p0, p1, p2, p3] = corners(p, face);
    const Vec3 c23 = p2.cross(p3);
    sum += p0.dot(p1.cross(p2 + p3) + c23) + p1.dot(c23);
  }
  return sum / 12;
}

double hexahedronVolume(const std::array<Vec3, 8>& x, std::array<Vec3, 8>& gradient) {
  const std::array<Vec3, 8> p = relative(x);
  for (Vec3& g : gradient) g.setZero();
  double sum = 0;
  for (const auto& face : kCellFaces) {
    const auto [p0, p1, p2, p3] = corners(p, face);
    const Vec3 c01 = p0.cross(p1), c12 = p1.cross(p2), c23 = p2.cross(p3), c30 = p3.cross(p0);
    const Vec3 c02 = p0.cross(p2), c13 = p1.cross(p3);
    sum += p0.dot(c12 + c23 + c13) + p1.dot(c23);
    gradient[static_cast<std::size_t>(face[0])] += c12 + c23 + c13;
    gradient[static_cast<std::size_t>(face[1])] += c23 + c30 - c02;
    gradient[static_cast<std::size_t>(face[2])] += c30 + c01 - c13;
    gradient[static_cast<std::size_t>(face[3])] += c01 + c12 + c02;
  }
  for (Vec3& g : gradient) g /= 12;
  return sum / 12;
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
