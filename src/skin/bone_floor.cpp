#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "pneuma/core/index.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/skin/volume_law.h"

namespace pneuma::skin {
namespace {

constexpr double kFall = 0.020;      // over which a push falls to 0 beyond the next vertices [m]
constexpr double kSlack = 0.003;     // over which skin above a bone stiffens [m]
constexpr double kDeepest = 0.040;   // samples further down at rest cannot come near [m]
constexpr double kSlide = 0.050;     // farthest that skin slides over a bone [m]
constexpr double kNear = 0.004;      // depth in excess below which the triangles are looked at [m]
constexpr double kMost = 0.015;      // of a push [m]
constexpr double kRounding = 1e-12;  // [m]

using Front = std::priority_queue<std::pair<double, std::int32_t>,
                                  std::vector<std::pair<double, std::int32_t>>, std::greater<>>;

}  // namespace

BoneFloor::BoneFloor(const TriangleMesh& rest, const std::vector<bool>& over,
                     const std::vector<BoneSample>& samples, double depth)
    : triangles_(rest.triangles),
      push_(rest.vertexCount(), Vec3::Zero()),
      held_(rest.vertexCount(), 0) {
  touched_.reserve(rest.vertexCount());
  std::vector<std::vector<std::int32_t>> next(rest.vertexCount()), faces(rest.vertexCount());
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t v = triangles_[t][k], n = triangles_[t][(k + 1) % 3];
      if (over[at(v)] && over[at(n)]) next[at(v)].push_back(n);
      faces[at(triangles_[t][k])].push_back(static_cast<std::int32_t>(t));
    }
  const auto pack = [](const std::vector<std::vector<std::int32_t>>& lists, Rows& rows) {
    for (const auto& list : lists) {
      rows.item.insert(rows.item.end(), list.begin(), list.end());
      rows.begin.push_back(static_cast<std::int32_t>(rows.item.size()));
    }
  };
  pack(next, neighbours_);
  pack(faces, around_);

  // Each sample under its vertex; how far the skin may slide from there.
  const SurfaceQuery skin(rest);
  Front front;
  for (const BoneSample& s : samples) {
    const SurfaceQuery::Hit hit = skin.closest(s.place);
    const Triangle& above = triangles_[at(hit.triangle)];
    const auto first = std::ranges::find_if(above, [&](std::int32_t v) { return over[at(v)]; });
    if (hit.distance > kDeepest || first == above.end()) continue;
    const std::int32_t start = walk(*first, s.place, rest.positions);
    const double own = depthAt(start, s.place, normalAt(start, rest.positions), rest.positions, 1);
    samples_.push_back({s.bone, s.place, start, std::min(depth, own)});
    front.emplace(0, start);
  }
  std::vector<bool> near(rest.vertexCount(), false);
  while (!front.empty()) {
    const auto [way, v] = front.top();
    front.pop();
    if (near[at(v)]) continue;
    near[at(v)] = true;
    for (const std::int32_t n : neighbours_[v])
      if (const double far = way + (rest.positions[at(n)] - rest.positions[at(v)]).norm();
          far < kSlide)
        front.emplace(far, n);
  }
  for (std::size_t v = 0; v < near.size(); ++v) {
    if (near[v]) addReach(rest, static_cast<std::int32_t>(v));
    reach_.begin.push_back(static_cast<std::int32_t>(reach_.item.size()));
  }
}

/// The vertices that a push at `vertex` moves along, by the shortest way over edges.
void BoneFloor::addReach(const TriangleMesh& rest, std::int32_t vertex) {
  double flat = 0;
  for (const std::int32_t n : neighbours_[vertex])
    flat = std::max(flat, (rest.positions[at(n)] - rest.positions[at(vertex)]).norm());
  Front front;
  std::map<std::int32_t, double> reached;
  front.emplace(0, vertex);
  while (!front.empty()) {
    const auto [way, v] = front.top();
    front.pop();
    if (!reached.emplace(v, way).second) continue;
    const double x = std::max(0.0, way - flat) / kFall;
    reach_.item.push_back(v);
    kernel_.push_back((1 - x * x) * (1 - x * x));
    for (const std::int32_t n : neighbours_[v])
      if (const double far = way + (rest.positions[at(n)] - rest.positions[at(v)]).norm();
          far < flat + kFall)
        front.emplace(far, n);
  }
}

std::int32_t BoneFloor::walk(std::int32_t from, const Vec3& p, std::span<const Vec3> x) const {
  double best = (x[at(from)] - p).squaredNorm();
  for (std::int32_t next = from;; from = next) {
    // The nearest of all neighbours: the order of triangles must not decide.
    for (const std::int32_t n : neighbours_[from])
      if (const double d = (x[at(n)] - p).squaredNorm(); d < best) best = d, next = n;
    if (next == from) return from;
  }
}

Vec3 BoneFloor::normalAt(std::int32_t vertex, std::span<const Vec3> x) const {
  Vec3 sum = Vec3::Zero();
  for (const std::int32_t t : around_[vertex]) {
    const Triangle& f = triangles_[at(t)];
    sum += (x[at(f[1])] - x[at(f[0])]).cross(x[at(f[2])] - x[at(f[0])]);
  }
  return sum.normalized();
}

double BoneFloor::depthAt(std::int32_t vertex, const Vec3& p, const Vec3& normal,
                          std::span<const Vec3> x, double enough) const {
  const double plane = (x[at(vertex)] - p).dot(normal);
  if (plane > enough) return plane;
  double best = 1e300;
  Vec3 nearest = x[at(vertex)];
  for (const std::int32_t t : around_[vertex]) {
    const Triangle& f = triangles_[at(t)];
    const Vec3 q = closestPointOnTriangle(p, x[at(f[0])], x[at(f[1])], x[at(f[2])]);
    if (const double d = (q - p).squaredNorm(); d < best) best = d, nearest = q;
  }
  return (nearest - p).dot(normal) >= 0 ? std::sqrt(best) : -std::sqrt(best);
}

double BoneFloor::apply(std::span<const Pose> bones, std::span<Vec3> x) {
  double largest = 0;
  touched_.clear();
  std::ranges::fill(held_, 0.0);
  for (const Sample& s : samples_) {
    const Vec3 p = bones[at(s.bone)] * s.place;
    const std::int32_t v = walk(s.start, p, x);
    const Vec3 n = normalAt(v, x);
    const double lacking = s.least - depthAt(v, p, n, x, s.least + kNear);
    const double hold = 1 - std::max(0.0, -lacking) / kSlack;
    if (hold <= 0) continue;
    largest = std::max(largest, lacking > kRounding ? lacking : 0.0);
    for (auto k = at(reach_.begin[at(v)]); k < at(reach_.begin[at(v) + 1]); ++k) {
      const std::size_t moved = at(reach_.item[k]);
      held_[moved] = std::max(held_[moved], kernel_[k] * hold);
      const double wanted = kernel_[k] * std::min(lacking, kMost);
      if (lacking <= kRounding || wanted <= push_[moved].norm()) continue;
      if (push_[moved].isZero(0)) touched_.push_back(reach_.item[k]);
      push_[moved] = wanted * n;
    }
  }
  for (const std::int32_t v : touched_) {
    x[at(v)] += push_[at(v)];
    push_[at(v)].setZero();
  }
  return largest;
}

}  // namespace pneuma::skin
