#include "pneuma/skin/skin_checks.h"

#include <cmath>

#include "pneuma/core/parallel.h"
#include "pneuma/core/surface_query.h"

namespace pneuma::skin {
namespace {

Vec3 areaVector(std::span<const Vec3> x, const Triangle& t) {
  const Vec3& a = x[static_cast<std::size_t>(t[0])];
  return (x[static_cast<std::size_t>(t[1])] - a).cross(x[static_cast<std::size_t>(t[2])] - a);
}

bool turned(const Vec3& before, const Vec3& after, double cosine) {
  return before.dot(after) < cosine * before.norm() * after.norm();
}

}  // namespace

std::size_t countTurnedTriangles(std::span<const Vec3> before, std::span<const Vec3> after,
                                 std::span<const Triangle> triangles, double degrees) {
  const double cosine = std::cos(degreesToRadians(degrees));
  std::size_t count = 0;
  for (const Triangle& t : triangles)
    count += turned(areaVector(before, t), areaVector(after, t), cosine);
  return count;
}

std::size_t countFoldedTriangles(std::span<const Vec3> rest, std::span<const Pose> motions,
                                 std::span<const Vec3> now, std::span<const Triangle> triangles,
                                 double degrees) {
  const double cosine = std::cos(degreesToRadians(degrees));
  std::size_t count = 0;
  for (const Triangle& t : triangles) {
    Mat3 turn = Mat3::Zero();
    for (const std::int32_t v : t) turn += motions[static_cast<std::size_t>(v)].rotation;
    count += turned(turn * areaVector(rest, t), areaVector(now, t), cosine);
  }
  return count;
}

BoneDepth leastBoneDepth(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                         std::span<const BoneSample> samples, std::span<const Pose> bones) {
  const SurfaceQuery skin(
      TriangleMesh{{positions.begin(), positions.end()}, {triangles.begin(), triangles.end()}});
  std::vector<double> depth(samples.size());
  parallelFor(samples.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      depth[i] =
          -skin.signedDistance(bones[static_cast<std::size_t>(samples[i].bone)] * samples[i].place);
  });
  BoneDepth found{1e9, -1, Vec3::Zero()};
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (depth[i] < found.least)
      found = {depth[i], samples[i].bone,
               bones[static_cast<std::size_t>(samples[i].bone)] * samples[i].place};
  return found;
}

}  // namespace pneuma::skin
