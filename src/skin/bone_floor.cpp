#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "pneuma/core/index.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/skin/volume_law.h"

namespace pneuma::skin {
namespace {

constexpr double kFall = 0.030;      // over which a push falls to 0 beyond the next vertices [m]
constexpr double kSlack = 0.003;     // over which skin above a bone stiffens [m]
constexpr double kDeepest = 0.040;   // samples further down at rest cannot come near [m]
constexpr double kSlide = 0.050;     // farthest that skin slides over a bone [m]
constexpr double kNear = 0.004;      // depth in excess below which the triangles are looked at [m]
constexpr double kMost = 0.015;      // of a push [m]
constexpr double kFacingOut = 0.3;   // cosine between skin and the outward direction of its sample
constexpr double kRounding = 1e-12;  // [m]

using Front = std::priority_queue<std::pair<double, std::int32_t>,
                                  std::vector<std::pair<double, std::int32_t>>, std::greater<>>;

}  // namespace

BoneFloor::BoneFloor(const TriangleMesh& rest, const std::vector<bool>& over,
                     const std::vector<BoneSample>& samples, double depth)
    : triangles_(rest.triangles),
      normals_(rest.vertexCount(), Vec3::Zero()),
      contacts_(rest.vertexCount()),
      size_(rest.vertexCount(), 0),
      held_(rest.vertexCount(), 0),
      direction_(rest.vertexCount(), Vec3::Zero()) {
  touched_.reserve(rest.vertexCount());
  pushed_.reserve(rest.vertexCount());
  std::vector<std::vector<std::int32_t>> next(rest.vertexCount()), faces(rest.vertexCount());
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      next[at(triangles_[t][k])].push_back(triangles_[t][(k + 1) % 3]);
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
  bind(rest, over, samples, depth);
}

/// Each sample under its vertex; how far the skin may slide from there, and whom a push there
/// moves.
void BoneFloor::bind(const TriangleMesh& rest, const std::vector<bool>& over,
                     const std::vector<BoneSample>& samples, double depth) {
  constexpr double kClear = 1e-3;  // from the skin, for a direction towards it [m]
  for (std::size_t v = 0; v < rest.vertexCount(); ++v)
    near_.push_back(static_cast<std::int32_t>(v));
  updateNormals(rest.positions);
  const SurfaceQuery skin(rest);
  Front front;
  for (const BoneSample& s : samples) {
    const SurfaceQuery::Hit hit = skin.closest(s.place);
    const Triangle& above = triangles_[at(hit.triangle)];
    const auto first = std::ranges::find_if(above, [&](std::int32_t v) { return over[at(v)]; });
    if (hit.distance > kDeepest || first == above.end()) continue;
    const Vec3 way = hit.point - s.place;
    const Vec3 outward = hit.distance > kClear && way.dot(normals_[at(*first)]) > 0
                             ? Vec3(way / hit.distance)
                             : normals_[at(*first)];
    const std::int32_t start = walk(*first, s.place, outward, rest.positions);
    const double own = depthAt(start, s.place, rest.positions, 1);
    samples_.push_back({s.bone, s.place, outward, start, std::min(depth, own)});
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
  // Normals are wanted where a sample may lie or a push reach; elsewhere skin faces nobody and a
  // walk ends before it.
  std::vector<bool> wanted = near;
  for (const std::int32_t v : reach_.item) wanted[at(v)] = true;
  std::erase_if(near_, [&](std::int32_t v) { return !wanted[at(v)]; });
  for (std::size_t v = 0; v < wanted.size(); ++v)
    if (!wanted[v]) normals_[v].setZero();
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

std::int32_t BoneFloor::walk(std::int32_t from, const Vec3& p, const Vec3& outward,
                             std::span<const Vec3> x) const {
  double best = (x[at(from)] - p).squaredNorm();
  for (std::int32_t next = from;; from = next) {
    // The nearest of all neighbours: the order of triangles must not decide.
    for (const std::int32_t n : neighbours_[from]) {
      if (normals_[at(n)].dot(outward) < kFacingOut) continue;
      if (const double d = (x[at(n)] - p).squaredNorm(); d < best) best = d, next = n;
    }
    if (next == from) return from;
  }
}

void BoneFloor::updateNormals(std::span<const Vec3> x) {
  for (const std::int32_t v : near_) {
    Vec3 sum = Vec3::Zero();
    for (const std::int32_t t : around_[v]) {
      const Triangle& f = triangles_[at(t)];
      sum += (x[at(f[1])] - x[at(f[0])]).cross(x[at(f[2])] - x[at(f[0])]);
    }
    normals_[at(v)] = sum.normalized();
  }
}

double BoneFloor::depthAt(std::int32_t vertex, const Vec3& p, std::span<const Vec3> x,
                          double enough) const {
  const Vec3& normal = normals_[at(vertex)];
  const double plane = (x[at(vertex)] - p).dot(normal);
  if (plane > enough) return plane;
  double best = 1e300;
  Vec3 nearest = x[at(vertex)];
  for (const std::int32_t t : around_[vertex]) {
    const Triangle& f = triangles_[at(t)];
    const Vec3 q = closestPointOnTriangle(p, x[at(f[0])], x[at(f[1])], x[at(f[2])]);
    if (const double d = (q - p).squaredNorm(); d < best) best = d, nearest = q;
  }
  // In a crease the nearest skin may lie beside the sample, not above it: no bone comes through
  // there.
  const double distance = std::sqrt(best), height = (nearest - p).dot(normal);
  return height >= -kFacingOut * distance ? distance : -distance;
}

/// What a sample asks of the vertex above it.
void BoneFloor::touch(const Sample& s, const Pose& bone, std::span<const Vec3> x) {
  const Vec3 p = bone * s.place, outward = bone.rotation * s.outward;
  const std::int32_t v = walk(s.start, p, outward, x);
  if (normals_[at(v)].dot(outward) < kFacingOut) return;  // a crease: no skin faces the sample
  const double lacking = s.least - depthAt(v, p, x, s.least + kNear);
  const double hold = 1 - std::max(0.0, -lacking) / kSlack;
  if (hold <= 0) return;
  Contact& c = contacts_[at(v)];
  if (c.hold == 0) touched_.push_back(v);
  c.hold = std::max(c.hold, hold);
  if (lacking <= kRounding) return;
  c.lacking = std::max(c.lacking, std::min(lacking, kMost));
  c.outward += std::min(lacking, kMost) * outward;
}

double BoneFloor::apply(std::span<const Pose> bones, std::span<Vec3> x) {
  std::ranges::fill(held_, 0.0);
  updateNormals(x);
  for (const Sample& s : samples_) touch(s, bones[at(s.bone)], x);
  double largest = 0;
  for (const std::int32_t v : touched_) {
    Contact& c = contacts_[at(v)];
    largest = std::max(largest, c.lacking);
    for (auto k = at(reach_.begin[at(v)]); k < at(reach_.begin[at(v) + 1]); ++k) {
      const std::size_t u = at(reach_.item[k]);
      held_[u] = std::max(held_[u], kernel_[k] * c.hold);
      if (c.lacking == 0) continue;
      if (size_[u] == 0) pushed_.push_back(reach_.item[k]);
      size_[u] = std::max(size_[u], kernel_[k] * c.lacking);
      direction_[u] += kernel_[k] * c.outward;
    }
    c = {};
  }
  for (const std::int32_t u : pushed_) {
    const Vec3 way = direction_[at(u)].normalized();
    // Skin across a crease, as the inner side of an arm, is not pushed along.
    const double facing = std::clamp(normals_[at(u)].dot(way) / kFacingOut, 0.0, 1.0);
    x[at(u)] += size_[at(u)] * facing * way;
    size_[at(u)] = 0;
    direction_[at(u)].setZero();
  }
  touched_.clear();
  pushed_.clear();
  return largest;
}

}  // namespace pneuma::skin
