#include "pneuma/fit/bone_check.h"

#include <algorithm>

#include "pneuma/core/parallel.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/skin/skin_checks.h"

namespace pneuma::fit {
namespace {

constexpr double kInside = 0.5;  // winding number between 0 outside and 1 within

bool isChecked(const std::string& bone) {
  return !bone.starts_with("hand") && !bone.starts_with("skull") && !bone.starts_with("mandible");
}

}  // namespace

std::vector<BoneOutside> bonesOutside(const FigureTemplate& figure, const CarriedAnatomy& inside,
                                      const TriangleMesh& surface, const TriangleMesh& registered,
                                      const anatomy::GeometryCache& cache) {
  const SurfaceQuery skin(surface), ours(registered);
  std::vector<BoneOutside> result;
  for (const anatomy::Shape& s : figure.body->shapes) {
    if (!isChecked(s.bone)) continue;
    const std::vector<Vec3> points = carriedMesh(inside, s, cache).positions;
    if (points.empty()) continue;
    std::vector<double> off(points.size(), 0);
    // Rays are fast and nearly always right; where they say outside, the solid angles decide.
    parallelFor(points.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec3& p = points[i];
        if (skin.inside(p) || ours.inside(p)) continue;
        if (skin::windingNumber(p, surface.positions, surface.triangles) < kInside)
          off[i] = skin.closest(p).distance;
      }
    });
    BoneOutside& found = result.emplace_back(BoneOutside{s.bone, points.size()});
    for (const double d : off) {
      found.outside += d > 0;
      found.worst = std::max(found.worst, d);
    }
  }
  return result;
}

BoneOutside summed(std::span<const BoneOutside> bones) {
  BoneOutside sum;
  for (const BoneOutside& b : bones) {
    sum.vertices += b.vertices;
    sum.outside += b.outside;
    if (b.worst > sum.worst) sum.worst = b.worst, sum.bone = b.bone;
  }
  return sum;
}

}  // namespace pneuma::fit
