#include "pneuma/skin/skin_checks.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/index.h"
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

double windingNumber(const Vec3& p, std::span<const Vec3> x, std::span<const Triangle> triangles) {
  double sum = 0;
  for (const Triangle& t : triangles) {
    const Vec3 a = x[static_cast<std::size_t>(t[0])] - p, b = x[static_cast<std::size_t>(t[1])] - p,
               c = x[static_cast<std::size_t>(t[2])] - p;
    const double la = a.norm(), lb = b.norm(), lc = c.norm();
    sum +=
        std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
  }
  return sum / (2 * kPi);
}

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

std::vector<bool> overTheCage(const anatomy::SkinSurface& surface) {
  using anatomy::SkinPart;
  std::vector<bool> marked;
  for (const SkinPart p : surface.parts)
    marked.push_back(p == SkinPart::Chest || p == SkinPart::Back || p == SkinPart::Abdomen ||
                     p == SkinPart::Pelvis || p == SkinPart::Neck);
  return marked;
}

std::vector<Triangle> trianglesOf(std::span<const Triangle> triangles,
                                  const std::vector<bool>& marked) {
  std::vector<Triangle> chosen;
  for (const Triangle& t : triangles)
    if (marked[static_cast<std::size_t>(t[0])] && marked[static_cast<std::size_t>(t[1])] &&
        marked[static_cast<std::size_t>(t[2])])
      chosen.push_back(t);
  return chosen;
}

BoneDepth leastBoneDepth(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                         std::span<const BoneSample> samples, std::span<const Pose> bones) {
  const TriangleMesh mesh{{positions.begin(), positions.end()},
                          {triangles.begin(), triangles.end()}};
  const SurfaceQuery skin(mesh);
  const std::vector<Vec3> normals = vertexNormals(mesh);
  std::vector<double> depth(samples.size());
  parallelFor(samples.size(), 64, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3 p = bones[static_cast<std::size_t>(samples[i].bone)] * samples[i].place;
      const SurfaceQuery::Hit hit = skin.closest(p);
      // Normals of the corners: on an edge that of one triangle may face away.
      Vec3 normal = Vec3::Zero();
      for (const std::int32_t v : triangles[static_cast<std::size_t>(hit.triangle)])
        normal += normals[static_cast<std::size_t>(v)];
      // Far from its own skin, as under the shoulder blade, the nearest triangle is one at the
      // border of the part, which decides nothing: being surrounded does.
      constexpr double kSurrounded = 0.3;  // the part is open at neck, shoulders and hips
      const bool inside =
          (hit.point - p).dot(normal) >= 0 || windingNumber(p, positions, triangles) > kSurrounded;
      depth[i] = inside ? hit.distance : -hit.distance;
    }
  });
  BoneDepth found{1e9, -1, Vec3::Zero()};
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (depth[i] < found.least)
      found = {depth[i], samples[i].bone,
               bones[static_cast<std::size_t>(samples[i].bone)] * samples[i].place};
  return found;
}

namespace {

double angleBetween(const Vec3& a, const Vec3& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

}  // namespace

SkinCreases::SkinCreases(std::span<const Vec3> rest, std::span<const Triangle> triangles)
    : triangles_(triangles.begin(), triangles.end()) {
  const std::vector<Vec3> normals = triangleNormals({{rest.begin(), rest.end()}, triangles_});
  // Both triangles of an edge name it; sorted they follow one another.
  std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, std::int32_t>> sides;
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k)
      sides.push_back({std::minmax(triangles_[t][k], triangles_[t][(k + 1) % 3]),
                       static_cast<std::int32_t>(t)});
  std::sort(sides.begin(), sides.end());
  for (std::size_t i = 1; i < sides.size(); ++i) {
    const auto& [edge, second] = sides[i];
    if (sides[i - 1].first != edge) continue;
    const std::int32_t first = sides[i - 1].second;
    edges_.push_back({{first, second},
                      (rest[at(edge.first)] - rest[at(edge.second)]).norm(),
                      angleBetween(normals[at(first)], normals[at(second)])});
  }
}

double SkinCreases::measure(std::span<const Vec3> now) const {
  const std::vector<Vec3> normals = triangleNormals({{now.begin(), now.end()}, triangles_});
  double squares = 0, length = 0;
  for (const Edge& e : edges_) {
    const double angle = angleBetween(normals[at(e.triangle[0])], normals[at(e.triangle[1])]);
    const double grown = std::max(0.0, angle - e.angle);
    squares += e.length * grown * grown;
    length += e.length;
  }
  return std::sqrt(squares / std::max(length, 1e-300));
}

}  // namespace pneuma::skin
