#include "anatomy/skin/symmetric_mesh.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "pneuma/core/check.h"

namespace pneuma::anatomy::internal {
namespace {

using Edge = std::pair<std::int32_t, std::int32_t>;

std::uint64_t edgeKey(std::int32_t a, std::int32_t b) {
  const auto [low, high] = std::minmax(a, b);
  return static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high);
}

}  // namespace

void SymmetricMesh::mirrorPositions() {
  for (const std::int32_t v : left) {
    Vec3& p = mesh.positions[at(v)];
    if (inPlane(v)) p.x() = 0;
    mesh.positions[at(mirror[at(v)])] = inPlane(v) ? p : Vec3(-p.x(), p.y(), p.z());
  }
}

SymmetricMesh joinedHalves(const TriangleMesh& half) {
  SymmetricMesh whole;
  whole.mesh = half;
  whole.mirror.resize(half.vertexCount());
  for (std::size_t i = 0; i < half.vertexCount(); ++i) {
    const Vec3& p = half.positions[i];
    const auto v = static_cast<std::int32_t>(i);
    whole.left.push_back(v);
    whole.mirror[i] = v;
    if (p.x() == 0) continue;
    whole.mirror[i] = static_cast<std::int32_t>(whole.mesh.positions.size());
    whole.mesh.positions.emplace_back(-p.x(), p.y(), p.z());
    whole.mirror.push_back(v);
  }
  for (const Triangle& t : half.triangles)
    whole.mesh.triangles.push_back(
        {whole.mirror[at(t[0])], whole.mirror[at(t[2])], whole.mirror[at(t[1])]});
  return whole;
}

std::vector<Edge> cutEdges(std::span<const Triangle> triangles) {
  std::vector<Edge> edges;
  std::unordered_map<std::uint64_t, char> seen;
  for (const Triangle& t : triangles)
    for (std::size_t k = 0; k < 3; ++k)
      if (seen.try_emplace(edgeKey(t[k], t[(k + 1) % 3])).second)
        edges.push_back(std::minmax(t[k], t[(k + 1) % 3]));
  return edges;
}

SymmetricMesh subdivided(const SymmetricMesh& coarse) {
  SymmetricMesh fine;
  const auto before = static_cast<std::int32_t>(coarse.mesh.vertexCount());
  const std::vector<Edge> edges = cutEdges(coarse.mesh.triangles);
  std::unordered_map<std::uint64_t, std::int32_t> middle;
  for (std::size_t e = 0; e < edges.size(); ++e)
    middle[edgeKey(edges[e].first, edges[e].second)] = before + static_cast<std::int32_t>(e);
  // A left triangle has only left vertices, so an edge is left when both its ends are.
  std::vector<char> isLeft(coarse.mesh.vertexCount(), 0);
  for (const std::int32_t v : coarse.left) isLeft[at(v)] = 1;
  fine.mesh.positions = coarse.mesh.positions;
  fine.mirror = coarse.mirror;
  fine.left = coarse.left;
  for (const auto& [a, b] : edges) {
    if (isLeft[at(a)] && isLeft[at(b)])
      fine.left.push_back(static_cast<std::int32_t>(fine.mesh.vertexCount()));
    fine.mesh.positions.push_back(0.5 *
                                  (coarse.mesh.positions[at(a)] + coarse.mesh.positions[at(b)]));
    fine.mirror.push_back(middle.at(edgeKey(coarse.mirror[at(a)], coarse.mirror[at(b)])));
  }
  for (const Triangle& t : coarse.mesh.triangles) {
    const std::int32_t ab = middle.at(edgeKey(t[0], t[1])), bc = middle.at(edgeKey(t[1], t[2])),
                       ca = middle.at(edgeKey(t[2], t[0]));
    fine.mesh.triangles.insert(fine.mesh.triangles.end(),
                               {{t[0], ab, ca}, {ab, t[1], bc}, {ca, bc, t[2]}, {ab, bc, ca}});
  }
  return fine;
}

VertexRings::VertexRings(const TriangleMesh& mesh) : first_(mesh.vertexCount() + 1, 0) {
  // Each triangle (v, a, b) says that b follows a around v.
  std::vector<std::vector<Edge>> follows(mesh.vertexCount());
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      follows[at(t[k])].emplace_back(t[(k + 1) % 3], t[(k + 2) % 3]);
  for (std::size_t v = 0; v < follows.size(); ++v) {
    std::vector<Edge>& list = follows[v];
    std::int32_t next = list.empty() ? 0 : list.front().first;
    for (std::size_t k = 0; k < list.size(); ++k) {
      ring_.push_back(next);
      const auto it =
          std::find_if(list.begin(), list.end(), [&](const Edge& e) { return e.first == next; });
      PNEUMA_CHECK(it != list.end(), "skin: the surface must be closed and manifold");
      next = it->second;
    }
    first_[v + 1] = ring_.size();
  }
}

}  // namespace pneuma::anatomy::internal
