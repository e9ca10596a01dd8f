#include "anatomy/skin/mesh_flip.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "anatomy/skin/symmetric_mesh.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr double kLevel = 0.8;   ///< cosine between neighbours that may exchange their edge
constexpr double kSlack = 0.02;  ///< beyond 180 degrees, so that flips end [rad]
constexpr int kSweeps = 20;

class Flipper {
 public:
  explicit Flipper(TriangleMesh& mesh) : mesh_(mesh) {
    for (std::size_t t = 0; t < mesh.triangleCount(); ++t) link(static_cast<std::int32_t>(t));
  }

  void run() {
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      bool flipped = false;
      for (std::size_t t = 0; t < mesh_.triangleCount(); ++t)
        for (std::size_t k = 0; k < 3; ++k)
          flipped = tryFlip(static_cast<std::int32_t>(t), k) || flipped;
      if (!flipped) return;
    }
  }

 private:
  static std::uint64_t key(std::int32_t a, std::int32_t b) {
    return static_cast<std::uint64_t>(a) << 32 | static_cast<std::uint32_t>(b);
  }
  const Vec3& p(std::int32_t v) const { return mesh_.positions[at(v)]; }
  void link(std::int32_t t) {
    const Triangle& c = mesh_.triangles[at(t)];
    for (std::size_t k = 0; k < 3; ++k) owner_[key(c[k], c[(k + 1) % 3])] = t;
  }
  void unlink(std::int32_t t) {
    const Triangle& c = mesh_.triangles[at(t)];
    for (std::size_t k = 0; k < 3; ++k) owner_.erase(key(c[k], c[(k + 1) % 3]));
  }
  Vec3 normal(std::int32_t a, std::int32_t b, std::int32_t c) const {
    return (p(b) - p(a)).cross(p(c) - p(a)).normalized();
  }
  double angleAt(std::int32_t apex, std::int32_t a, std::int32_t b) const {
    const Vec3 u = p(a) - p(apex), v = p(b) - p(apex);
    return std::atan2(u.cross(v).norm(), u.dot(v));
  }

  /// Edge a-b between (a, b, c) and (b, a, d) becomes c-d.
  bool tryFlip(std::int32_t t, std::size_t k) {
    const Triangle left = mesh_.triangles[at(t)];
    const std::int32_t a = left[k], b = left[(k + 1) % 3], c = left[(k + 2) % 3];
    const auto other = owner_.find(key(b, a));
    if (other == owner_.end()) return false;  // the mid-plane
    const std::int32_t u = other->second;
    std::int32_t d = -1;
    for (const std::int32_t v : mesh_.triangles[at(u)])
      if (v != a && v != b) d = v;
    if (angleAt(c, a, b) + angleAt(d, a, b) < kPi + kSlack) return false;
    if (owner_.contains(key(c, d)) || owner_.contains(key(d, c))) return false;
    if (p(c).x() == 0 && p(d).x() == 0) return false;
    const Vec3 before = normal(a, b, c) + normal(b, a, d);
    if (normal(a, b, c).dot(normal(b, a, d)) < kLevel) return false;
    const double need = kLevel * before.norm();
    if (normal(a, d, c).dot(before) < need || normal(d, b, c).dot(before) < need) return false;
    unlink(t);
    unlink(u);
    mesh_.triangles[at(t)] = {a, d, c};
    mesh_.triangles[at(u)] = {d, b, c};
    link(t);
    link(u);
    return true;
  }

  TriangleMesh& mesh_;
  std::unordered_map<std::uint64_t, std::int32_t> owner_;  ///< triangle of a directed edge
};

}  // namespace

void flipToDelaunay(TriangleMesh& half) {
  Flipper(half).run();
}

}  // namespace pneuma::anatomy::internal
