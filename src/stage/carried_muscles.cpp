#include "stage/carried_muscles.h"

#include <algorithm>

#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::stage::internal {
namespace {

constexpr int kPasses = 30;        // some 2 cm along the surface of a muscle
constexpr double kUnder = 0.0015;  // skin over a muscle [m]

/// Means over neighbours, of all vertices at once.
void evenOut(const std::vector<Triangle>& triangles, std::vector<Vec3>& values) {
  std::vector<Vec3> sum(values.size());
  std::vector<double> count(values.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    std::ranges::fill(sum, Vec3::Zero());
    std::ranges::fill(count, 0.0);
    for (const Triangle& t : triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        sum[at(t[k])] += values[at(t[(k + 1) % 3])] + values[at(t[(k + 2) % 3])];
        count[at(t[k])] += 2;
      }
    for (std::size_t v = 0; v < values.size(); ++v)
      if (count[v] > 0) values[v] = 0.5 * (values[v] + sum[v] / count[v]);
  }
}

/// The place, or the nearest one that lies so far under the skin.
Vec3 under(const SurfaceQuery& skin, const Vec3& p) {
  const SurfaceQuery::Hit hit = skin.closest(p);
  const Triangle& t = skin.mesh().triangles[at(hit.triangle)];
  const std::vector<Vec3>& x = skin.mesh().positions;
  const Vec3 n = (x[at(t[1])] - x[at(t[0])]).cross(x[at(t[2])] - x[at(t[0])]).normalized();
  return (p - hit.point).dot(n) > -kUnder ? Vec3(hit.point - kUnder * n) : p;
}

}  // namespace

std::vector<Vec3> carriedWithin(const SurfaceQuery& skin, const SurfaceQuery& posed,
                                std::span<const Pose> motions, const TriangleMesh& solid) {
  const TriangleMesh& rest = skin.mesh();
  std::vector<Vec3> moved(solid.positions.size());
  parallelFor(moved.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const Vec3& p = solid.positions[v];
      const SurfaceQuery::Hit hit = skin.closest(p);
      const Triangle& t = rest.triangles[at(hit.triangle)];
      const auto corner = [&](std::size_t k) -> const Vec3& { return rest.positions[at(t[k])]; };
      const Vec3 areas(triangleArea(hit.point, corner(1), corner(2)),
                       triangleArea(hit.point, corner(2), corner(0)),
                       triangleArea(hit.point, corner(0), corner(1)));
      moved[v] = -p;
      for (std::size_t k = 0; k < 3; ++k)
        moved[v] += areas[static_cast<Eigen::Index>(k)] / areas.sum() * (motions[at(t[k])] * p);
    }
  });
  evenOut(solid.triangles, moved);
  parallelFor(moved.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      moved[v] = under(posed, moved[v] + solid.positions[v]);
  });
  return moved;
}

}  // namespace pneuma::stage::internal
