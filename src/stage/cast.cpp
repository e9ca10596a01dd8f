#include "pneuma/stage/cast.h"

namespace pneuma::stage {

SoftPart softPart(const body::FrameLayout& layout, int set) {
  const body::FramePointSet& s = layout.pointSets[static_cast<std::size_t>(set)];
  SoftPart part{.name = s.name, .tissue = s.tissue, .carrier = s.carrier, .triangles = s.triangles};
  part.positions = [first = layout.pointOffset(set), count = s.count](const body::Frame& f) {
    const auto begin = f.points.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<Vec3>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  return part;
}

std::vector<Vec3> drawnPositions(const SoftPart& part, const body::Frame& frame) {
  return part.refine ? part.refine(part.positions(frame)) : part.positions(frame);
}

const std::vector<Triangle>& drawnTriangles(const SoftPart& part) {
  return part.refine ? part.fineTriangles : part.triangles;
}

Pose poseOf(const RigidPart& part, const body::Frame& frame) {
  return part.link < 0 ? Pose{} : frame.X_WL[static_cast<std::size_t>(part.link)];
}

}  // namespace pneuma::stage
