#include "anatomy/skin/skin_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "anatomy/skin/head_join.h"
#include "anatomy/skin/mesh_collapse.h"
#include "anatomy/skin/mesh_flip.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr int kEvenRounds = 10;
constexpr double kEvenReach = 0.008;     ///< a relaxed vertex is drawn back by at most this [m]
constexpr double kTemplateAspect = 2.2;  ///< wanted of every triangle
/// Edges at navel and nipple against others; within this of a mark, and how fast they grow from
/// there [heights of the body].
constexpr double kMarkLength = 0.3, kMarkReach = 0.01, kMarkFades = 0.06;
constexpr double kNeckHeight = 0.8;  ///< of the body's: no head lies lower

using EdgeCounts = std::map<std::pair<std::int32_t, std::int32_t>, int>;

EdgeCounts countEdges(const TriangleMesh& mesh) {
  EdgeCounts counts;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++counts[std::minmax(t[k], t[(k + 1) % 3])];
  return counts;
}

/// Inner edges between two vertices of the mid-plane would belong to four triangles once mirrored:
/// a new vertex in their middle, off the plane, parts them.
void splitBridges(TriangleMesh& half, double offset) {
  const auto onPlane = [&](std::int32_t v) {
    return half.positions[static_cast<std::size_t>(v)].x() == 0;
  };
  for (const auto& [edge, count] : countEdges(half)) {
    if (count != 2 || !onPlane(edge.first) || !onPlane(edge.second)) continue;
    const auto middle = static_cast<std::int32_t>(half.positions.size());
    half.positions.push_back(0.5 * (half.positions[static_cast<std::size_t>(edge.first)] +
                                    half.positions[static_cast<std::size_t>(edge.second)]) +
                             Vec3(offset, 0, 0));
    const std::size_t before = half.triangles.size();
    for (std::size_t i = 0; i < before; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const Triangle t = half.triangles[i];
        if (std::pair<std::int32_t, std::int32_t>(std::minmax(t[k], t[(k + 1) % 3])) != edge)
          continue;
        half.triangles[i][(k + 1) % 3] = middle;
        half.triangles.push_back({middle, t[(k + 1) % 3], t[(k + 2) % 3]});
        break;
      }
  }
}

/// The half x >= 0 of a surface, its cut edge drawn onto the mid-plane.
TriangleMesh leftHalf(const TriangleMesh& mesh, double cell) {
  const auto x = [&](const TriangleMesh& m, std::int32_t v) {
    return m.positions[static_cast<std::size_t>(v)].x();
  };
  TriangleMesh half{mesh.positions, {}};
  for (const Triangle& t : mesh.triangles)
    if (x(mesh, t[0]) > 0 && x(mesh, t[1]) > 0 && x(mesh, t[2]) > 0) half.triangles.push_back(t);
  removeUnusedVertices(half);
  for (const auto& [edge, count] : countEdges(half))
    if (count == 1)
      for (std::int32_t v : {edge.first, edge.second})
        half.positions[static_cast<std::size_t>(v)].x() = 0;
  // Triangles that fell into the plane would meet their own image.
  std::erase_if(half.triangles, [&](const Triangle& t) {
    return x(half, t[0]) == 0 && x(half, t[1]) == 0 && x(half, t[2]) == 0;
  });
  removeUnusedVertices(half);
  splitBridges(half, 0.3 * cell);
  return half;
}

/// Face, hands and feet get shorter edges.
double wantedLength(const Vec3& p, double height) {
  const double y = p.y() / height;
  const bool ear = std::abs(p.x()) > 0.041 * height && y > 0.88;
  if (y > 0.86 && (ear || p.z() > 0.05 * height)) return 0.45;  // face
  if (y > 0.82) return 0.8;
  if (std::abs(p.x()) > 0.125 * height && y < 0.53) return 0.5;  // hand
  if (y < 0.06) return 0.6;
  // Navel and nipple, where the skin's marks are; from there on ever longer.
  const Vec3 left(std::abs(p.x()), p.y(), p.z());
  double nearest = 1;
  for (const Vec3& mark : {Vec3(0, 0.593, 0.123), Vec3(0.064, 0.743, 0.125)})
    nearest = std::min(nearest, (left / height - mark).norm());
  return std::min(1.0, kMarkLength + std::max(0.0, nearest - kMarkReach) / kMarkFades);
}

/// Alternates flips and relaxation, then mends what is still badly shaped.
SymmetricMesh evenedOut(TriangleMesh half, const Draw& draw,
                        const std::function<double(const Vec3&)>& wanted) {
  SymmetricMesh whole = joinedHalves(half);
  std::vector<Vec3> normals = vertexNormals(whole.mesh);
  for (int round = 0; round < kEvenRounds; ++round) {
    half.positions.assign(
        whole.mesh.positions.begin(),
        whole.mesh.positions.begin() + static_cast<std::ptrdiff_t>(half.vertexCount()));
    flipToDelaunay(half);
    SymmetricMesh next = joinedHalves(half);
    const VertexRings rings(next.mesh);
    const RingRest rest = evenWeights(next, rings, wanted);
    for (int pass = 0; pass < 2; ++pass) relax(next, rings, rest, 0.5, draw, kEvenReach, normals);
    whole = std::move(next);
  }
  const VertexRings rings(whole.mesh);
  const std::vector<char> all(whole.mesh.vertexCount(), 1);
  mend(whole, rings, all, {.goal = kTemplateAspect, .acceptable = kTemplateAspect + 1}, draw);
  return whole;
}

}  // namespace

SymmetricMesh meshSkin(const SkinField& field, int triangles, double height,
                       const HeadSurface* head) {
  // A dual mesh of cell h has about two triangles per h^2. Ears, lips and fingers need a cell of 3
  // to 4 mm however coarse the whole is to become.
  const double area = 0.6 * height * height;
  const double cell = std::sqrt(2 * area / (2.0 * triangles + 130000));
  Box box = field.bounds();
  box.min.x() = -2 * cell;
  TriangleMesh fine = meshField(field.blocks(), box, cell);
  dropCrumbs(fine, 1e-3);  // the skin is one piece
  TriangleMesh half = leftHalf(fine, cell);
  Draw draw = [&](const Vec3& p, double most) { return field.draw(p, most); };
  for (Vec3& p : half.positions)
    if (p.x() == 0) p = draw(p, cell).point;
  if (head) {
    half = withMeasuredHead(std::move(half), *head);
    draw = drawWithHead(*head, draw);
  }
  const auto redraw = [&](const Vec3& p) {
    const Vec3 q = draw(p, cell).point;
    return p.x() > 0 && q.x() <= 0 ? p : q;  // what is not of the mid-plane stays off it
  };
  const auto wanted = [&](const Vec3& p) {
    if (!head || p.y() < kNeckHeight * height) return wantedLength(p, height);
    const HeadSurface::Place found = head->closest(p);
    const double s = found.share;
    return s * head->wantedLength(found) + (1 - s) * wantedLength(p, height);
  };
  half = collapsed(half, {static_cast<std::size_t>(triangles / 2), wanted, redraw});
  return evenedOut(std::move(half), draw, wanted);
}

}  // namespace pneuma::anatomy::internal
