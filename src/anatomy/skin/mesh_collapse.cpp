#include "anatomy/skin/mesh_collapse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>

#include "pneuma/core/index.h"

namespace pneuma::anatomy::internal {
namespace {

using Index = std::int32_t;

class Collapser {
 public:
  Collapser(const TriangleMesh& mesh, const CollapseRules& rules)
      : rules_(rules),
        mesh_(mesh),
        alive_(mesh.triangleCount(), 1),
        version_(mesh.vertexCount(), 0),
        boundary_(mesh.vertexCount(), 0),
        around_(mesh.vertexCount()),
        count_(mesh.triangleCount()) {
    for (std::size_t t = 0; t < mesh_.triangleCount(); ++t)
      for (Index v : mesh_.triangles[t]) around_[at(v)].push_back(static_cast<Index>(t));
    for (std::size_t v = 0; v < mesh_.vertexCount(); ++v)
      for (Index n : neighbours(static_cast<Index>(v)))
        if (shared(static_cast<Index>(v), n).size() == 1) boundary_[v] = 1;
  }

  TriangleMesh run() {
    for (const Triangle& t : mesh_.triangles)
      for (std::size_t k = 0; k < 3; ++k)
        if (t[k] < t[(k + 1) % 3] || boundaryEdge(t[k], t[(k + 1) % 3])) push(t[k], t[(k + 1) % 3]);
    while (count_ > rules_.target && !queue_.empty()) {
      const Edge e = queue_.top();
      queue_.pop();
      if (version_[at(e.a)] != e.versionA || version_[at(e.b)] != e.versionB) continue;
      if (around_[at(e.a)].empty() || around_[at(e.b)].empty()) continue;
      collapse(e.a, e.b);
    }
    TriangleMesh out{mesh_.positions, {}};
    for (std::size_t t = 0; t < alive_.size(); ++t)
      if (alive_[t]) out.triangles.push_back(mesh_.triangles[t]);
    removeUnusedVertices(out);
    return out;
  }

 private:
  struct Edge {
    double length;
    Index a, b;
    int versionA, versionB;
    bool operator<(const Edge& o) const {
      // Shortest first; ties by index keep the order fixed.
      if (length != o.length) return length > o.length;
      return std::pair(a, b) > std::pair(o.a, o.b);
    }
  };

  void push(Index a, Index b) {
    const Vec3 pa = mesh_.positions[at(a)], pb = mesh_.positions[at(b)];
    // Busy vertices wait: even triangles have six neighbours.
    const double valence = static_cast<double>(around_[at(a)].size() + around_[at(b)].size());
    const double crowd = 1 + 0.05 * std::max(0.0, valence - 12);
    const double length = (pa - pb).norm() / rules_.wanted(0.5 * (pa + pb)) * crowd;
    queue_.push({length, a, b, version_[at(a)], version_[at(b)]});
  }

  std::vector<Index> neighbours(Index v) const {
    std::vector<Index> list;
    for (Index t : around_[at(v)])
      for (Index w : mesh_.triangles[at(t)])
        if (w != v) list.push_back(w);
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
  }

  std::vector<Index> shared(Index a, Index b) const {
    std::vector<Index> list;
    for (Index t : around_[at(a)]) {
      const Triangle& c = mesh_.triangles[at(t)];
      if (c[0] == b || c[1] == b || c[2] == b) list.push_back(t);
    }
    return list;
  }

  bool boundaryEdge(Index a, Index b) const {
    return boundary_[at(a)] && boundary_[at(b)] && shared(a, b).size() == 1;
  }

  /// Where the joined vertex goes, or nothing when the edge must stay.
  bool place(Index a, Index b, Vec3& p) const {
    const bool ba = boundary_[at(a)], bb = boundary_[at(b)];
    if (ba && bb && !boundaryEdge(a, b)) return false;
    p = ba == bb ? Vec3(0.5 * (mesh_.positions[at(a)] + mesh_.positions[at(b)]))
                 : mesh_.positions[at(ba ? a : b)];
    if (ba == bb) p = rules_.redraw(p);
    return p.allFinite();
  }

  bool linkCondition(Index a, Index b) const {
    const std::vector<Index> na = neighbours(a), nb = neighbours(b);
    std::vector<Index> common;
    std::set_intersection(na.begin(), na.end(), nb.begin(), nb.end(), std::back_inserter(common));
    return common.size() == shared(a, b).size() && na.size() + nb.size() > 7;
  }

  /// An inner vertex drawn onto the boundary must not tie two boundary vertices together across the
  /// inside: mirrored, that edge would belong to four triangles.
  bool keepsBoundarySimple(Index a, Index b) const {
    if (boundary_[at(a)] == boundary_[at(b)]) return true;
    const Index edge = boundary_[at(a)] ? a : b, inner = edge == a ? b : a;
    const std::vector<Index> known = neighbours(edge);
    for (Index n : neighbours(inner))
      if (n != edge && boundary_[at(n)] && !std::binary_search(known.begin(), known.end(), n))
        return false;
    return true;
  }

  /// No triangle that stays turns over or becomes a sliver.
  bool staysProper(Index v, Index other, const Vec3& p) const {
    for (Index t : around_[at(v)]) {
      const Triangle& c = mesh_.triangles[at(t)];
      if (c[0] == other || c[1] == other || c[2] == other) continue;
      std::array<Vec3, 3> q;
      for (std::size_t k = 0; k < 3; ++k) q[k] = mesh_.positions[at(c[k])];
      const Vec3 before = (q[1] - q[0]).cross(q[2] - q[0]);
      for (std::size_t k = 0; k < 3; ++k)
        if (c[k] == v) q[k] = p;
      const Vec3 after = (q[1] - q[0]).cross(q[2] - q[0]);
      if (after.dot(before) < 0.35 * after.norm() * before.norm()) return false;
      const double longest = std::max(
          {(q[1] - q[0]).squaredNorm(), (q[2] - q[1]).squaredNorm(), (q[0] - q[2]).squaredNorm()});
      if (after.norm() < 0.12 * longest) return false;
    }
    return true;
  }

  void collapse(Index a, Index b) {
    Vec3 p;
    if (!place(a, b, p) || !linkCondition(a, b) || !keepsBoundarySimple(a, b)) return;
    if (!staysProper(a, b, p) || !staysProper(b, a, p)) return;
    for (Index t : shared(a, b)) {
      alive_[at(t)] = 0;
      --count_;
      for (Index v : mesh_.triangles[at(t)]) std::erase(around_[at(v)], t);
    }
    for (Index t : around_[at(b)]) {
      for (Index& v : mesh_.triangles[at(t)])
        if (v == b) v = a;
      around_[at(a)].push_back(t);
    }
    around_[at(b)].clear();
    boundary_[at(a)] = boundary_[at(a)] || boundary_[at(b)];
    mesh_.positions[at(a)] = p;
    ++version_[at(a)];
    ++version_[at(b)];
    for (Index n : neighbours(a)) push(std::min(a, n), std::max(a, n));
  }

  const CollapseRules& rules_;
  TriangleMesh mesh_;
  std::vector<char> alive_;
  std::vector<int> version_;
  std::vector<char> boundary_;
  std::vector<std::vector<Index>> around_;
  std::size_t count_;
  std::priority_queue<Edge> queue_;
};

}  // namespace

TriangleMesh collapsed(const TriangleMesh& mesh, const CollapseRules& rules) {
  return Collapser(mesh, rules).run();
}

}  // namespace pneuma::anatomy::internal
