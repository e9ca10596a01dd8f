#include "pneuma/skin/under_skin.h"

#include <algorithm>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/interpolate.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::skin {
namespace {

constexpr double kDepth = 0.03;    ///< nothing deeper follows [m]
constexpr double kKept = 1.0 / 3;  ///< of the depth at rest

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
      const Vec3 &a = x[at(t[0])], &b = x[at(t[1])], &c = x[at(t[2])];
      ties_[i] = {i, t, barycentric(hit.point, a, b, c), 1 - smoothStep(hit.distance / kDepth),
                  kKept * (b - a).cross(c - a).normalized().dot(hit.point - points[i])};
    }
  });
  std::erase_if(ties_, [](const Tie& tie) { return tie.share == 0; });
}

void UnderSkin::follow(std::span<const Vec3> skin, std::span<const Vec3> moves,
                       std::span<Vec3> points) const {
  PNEUMA_CHECK(points.size() == count_, "{} points, tied were {}", points.size(), count_);
  const auto mean = [](const Tie& tie, std::span<const Vec3> of) {
    return Vec3(tie.weights[0] * of[at(tie.corners[0])] + tie.weights[1] * of[at(tie.corners[1])] +
                tie.weights[2] * of[at(tie.corners[2])]);
  };
  for (const Tie& tie : ties_) {
    Vec3& p = points[tie.point];
    if (!moves.empty()) p += tie.share * mean(tie, moves);
    const Vec3 &a = skin[at(tie.corners[0])], &b = skin[at(tie.corners[1])],
               &c = skin[at(tie.corners[2])];
    const Vec3 normal = (b - a).cross(c - a).normalized();
    const double missing = tie.depth - normal.dot(mean(tie, skin) - p);
    if (missing > 0) p -= missing * normal;
  }
}

}  // namespace pneuma::skin
