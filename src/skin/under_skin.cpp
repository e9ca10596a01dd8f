#include "pneuma/skin/under_skin.h"

#include <algorithm>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::skin {
namespace {

constexpr double kDepth = 0.03;  ///< nothing deeper follows [m]

/// Of a point of a triangle, by the areas opposite its corners.
Vec3 barycentric(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 areas((b - p).cross(c - p).norm(), (c - p).cross(a - p).norm(),
                   (a - p).cross(b - p).norm());
  return areas / std::max(areas.sum(), 1e-300);
}

}  // namespace

UnderSkin::UnderSkin(const TriangleMesh& skin, std::span<const Vec3> points)
    : count_(points.size()), ties_(points.size()) {
  const SurfaceQuery query(skin);
  parallelFor(points.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const SurfaceQuery::Hit hit = query.closest(points[i]);
      const Triangle& t = skin.triangles[at(hit.triangle)];
      const auto& x = skin.positions;
      const double share = 1 - smoothStep(hit.distance / kDepth);
      ties_[i] = {i, t, share * barycentric(hit.point, x[at(t[0])], x[at(t[1])], x[at(t[2])])};
    }
  });
  std::erase_if(ties_, [](const Tie& tie) { return tie.weights.isZero(0); });
}

void UnderSkin::follow(std::span<const Vec3> moves, std::span<Vec3> points) const {
  PNEUMA_CHECK(points.size() == count_, "{} points, tied were {}", points.size(), count_);
  if (moves.empty()) return;
  for (const Tie& tie : ties_)
    for (std::size_t k = 0; k < 3; ++k)
      points[tie.point] += tie.weights[static_cast<Eigen::Index>(k)] * moves[at(tie.corners[k])];
}

}  // namespace pneuma::skin
