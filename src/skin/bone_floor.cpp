#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "pneuma/core/surface_query.h"
#include "pneuma/skin/volume_law.h"

namespace pneuma::skin {
namespace {

constexpr double kReach = 0.020;     // a, of a push along the skin [m]
constexpr double kSlack = 0.003;     // over which skin above a bone stiffens [m]
constexpr double kRounding = 1e-12;  // [m]
constexpr double kDeepest = 0.030;   // samples further down at rest cannot come near [m]

std::size_t at(std::int32_t i) {
  return static_cast<std::size_t>(i);
}

std::vector<std::vector<std::int32_t>> neighboursOf(const TriangleMesh& mesh) {
  std::vector<std::vector<std::int32_t>> neighbours(mesh.vertexCount());
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) neighbours[at(t[k])].push_back(t[(k + 1) % 3]);
  return neighbours;
}

Vec3 barycentricOf(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = (b - a).cross(c - a);
  const double area = n.squaredNorm();
  if (area == 0) return {1, 0, 0};
  const double u = (c - b).cross(p - b).dot(n) / area, v = (a - c).cross(p - c).dot(n) / area;
  return {u, v, 1 - u - v};
}

}  // namespace

BoneFloor::BoneFloor(const TriangleMesh& rest, const std::vector<BoneSample>& samples, double depth)
    : push_(rest.vertexCount(), Vec3::Zero()), held_(rest.vertexCount(), 0) {
  touched_.reserve(rest.vertexCount());
  const SurfaceQuery skin(rest);
  const auto neighbours = neighboursOf(rest);
  for (const BoneSample& s : samples) {
    const SurfaceQuery::Hit hit = skin.closest(s.place);
    if (hit.distance > kDeepest) continue;
    Sample bound;
    bound.bone = s.bone;
    bound.place = s.place;
    bound.triangle = rest.triangles[at(hit.triangle)];
    const Vec3 &a = rest.positions[at(bound.triangle[0])],
               &b = rest.positions[at(bound.triangle[1])],
               &c = rest.positions[at(bound.triangle[2])];
    bound.barycentric = barycentricOf(hit.point, a, b, c);
    const Vec3 normal = (b - a).cross(c - a).normalized();
    bound.least = std::min(depth, (hit.point - s.place).dot(normal));
    addReach(rest, neighbours, bound);
    samples_.push_back(bound);
  }
}

/// The vertices around a sample's place on the skin, by the shortest way along edges.
void BoneFloor::addReach(const TriangleMesh& rest,
                         const std::vector<std::vector<std::int32_t>>& neighbours, Sample& sample) {
  Vec3 s = Vec3::Zero();
  for (int k = 0; k < 3; ++k)
    s += sample.barycentric[k] * rest.positions[at(sample.triangle[static_cast<std::size_t>(k)])];
  using Entry = std::pair<double, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> front;
  std::map<std::int32_t, double> reached;
  for (const std::int32_t v : sample.triangle) front.emplace((rest.positions[at(v)] - s).norm(), v);
  sample.begin = vertex_.size();
  while (!front.empty()) {
    const auto [way, v] = front.top();
    front.pop();
    if (!reached.emplace(v, way).second) continue;
    vertex_.push_back(v);
    // The triangle's own vertices move fully: else the point between them would lag behind.
    const bool own = std::ranges::find(sample.triangle, v) != sample.triangle.end();
    const double x = 1 - way * way / (kReach * kReach);
    kernel_.push_back(own ? 1.0 : x * x);
    for (const std::int32_t n : neighbours[at(v)])
      if (const double next = way + (rest.positions[at(n)] - rest.positions[at(v)]).norm();
          next < kReach)
        front.emplace(next, n);
  }
  sample.end = vertex_.size();
}

double BoneFloor::apply(std::span<const Pose> bones, std::span<Vec3> x) {
  double largest = 0;
  touched_.clear();
  std::ranges::fill(held_, 0.0);
  for (const Sample& s : samples_) {
    const Vec3 &a = x[at(s.triangle[0])], &b = x[at(s.triangle[1])], &c = x[at(s.triangle[2])];
    const Vec3 n = (b - a).cross(c - a).normalized();
    const Vec3 skin = s.barycentric[0] * a + s.barycentric[1] * b + s.barycentric[2] * c;
    const double lacking = s.least - (skin - bones[at(s.bone)] * s.place).dot(n);
    if (const double hold = 1 - std::max(0.0, -lacking) / kSlack; hold > 0)
      for (std::size_t k = s.begin; k < s.end; ++k)
        held_[at(vertex_[k])] = std::max(held_[at(vertex_[k])], kernel_[k] * hold);
    if (lacking <= kRounding) continue;
    largest = std::max(largest, lacking);
    for (std::size_t k = s.begin; k < s.end; ++k) {
      Vec3& push = push_[at(vertex_[k])];
      const double wanted = kernel_[k] * lacking;
      if (push.isZero(0)) touched_.push_back(vertex_[k]);
      if (wanted > push.norm()) push = wanted * n;
    }
  }
  for (const std::int32_t v : touched_) {
    x[at(v)] += push_[at(v)];
    push_[at(v)].setZero();
  }
  return largest;
}

}  // namespace pneuma::skin
