#include "pneuma/fit/bone_check.h"

#include <algorithm>

#include "fit/skin_depth.h"
#include "pneuma/core/parallel.h"

namespace pneuma::fit {

std::vector<BoneOutside> bonesOutside(const FigureTemplate& figure, const CarriedAnatomy& inside,
                                      const TriangleMesh& surface, const TriangleMesh& registered,
                                      const anatomy::GeometryCache& cache) {
  const internal::SkinDepth body(surface, registered), hand(surface);
  std::vector<BoneOutside> result;
  for (const anatomy::Shape& s : figure.body->shapes) {
    if (!internal::isHeldInside(s.bone)) continue;
    const internal::SkinDepth& skin = isOfHand(s.bone) ? hand : body;
    const std::vector<Vec3> points = carriedMesh(inside, s, cache).positions;
    if (points.empty()) continue;
    std::vector<double> off(points.size(), 0);
    parallelFor(points.size(), 64, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        if (skin.outside(points[i])) off[i] = skin.distance(points[i]);
    });
    BoneOutside& found = result.emplace_back(BoneOutside{s.bone, points.size()});
    for (const double d : off) {
      found.outside += d > 0;
      found.worst = std::max(found.worst, d);
    }
  }
  return result;
}

bool isOfHand(const std::string& bone) {
  return anatomy::fittedPartOf(bone) == anatomy::FittedPart::Hand;
}

BoneOutside summed(std::span<const BoneOutside> bones, bool (*counts)(const std::string&)) {
  BoneOutside sum;
  for (const BoneOutside& b : bones) {
    if (counts && !counts(b.bone)) continue;
    sum.vertices += b.vertices;
    sum.outside += b.outside;
    if (b.worst > sum.worst) sum.worst = b.worst, sum.bone = b.bone;
  }
  return sum;
}

}  // namespace pneuma::fit
