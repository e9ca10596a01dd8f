#include "skin/extremity.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "pneuma/anatomy/points.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::skin::internal {
namespace {

using Index = std::int32_t;

/// What lies beyond the plane; triangles that straddle it are cut.
TriangleMesh clipped(const TriangleMesh& surface, const Vec3& point, const Vec3& normal) {
  constexpr double kOnPlane = 1e-7;  // [m]
  std::vector<double> height;
  for (const Vec3& p : surface.positions) {
    const double h = (p - point).dot(normal);
    height.push_back(std::abs(h) < kOnPlane ? kOnPlane : h);
  }
  TriangleMesh piece{surface.positions, {}};
  std::map<std::pair<Index, Index>, Index> cuts;
  const auto cut = [&](Index a, Index b) {
    const auto [it, fresh] =
        cuts.emplace(std::minmax(a, b), static_cast<Index>(piece.positions.size()));
    if (fresh) {
      const auto [i, j] = it->first;
      const double t = height[at(i)] / (height[at(i)] - height[at(j)]);
      piece.positions.push_back((1 - t) * surface.positions[at(i)] + t * surface.positions[at(j)]);
    }
    return it->second;
  };
  for (const Triangle& t : surface.triangles) {
    int beyond = 0;
    for (const Index v : t) beyond += height[at(v)] > 0;
    if (beyond == 3) piece.triangles.push_back(t);
    if (beyond == 0 || beyond == 3) continue;
    // Turn so that the odd corner comes first.
    std::size_t k = 0;
    while ((height[at(t[k])] > 0) != (beyond == 1)) ++k;
    const Index a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
    const Index ab = cut(a, b), ca = cut(c, a);
    if (beyond == 1) {
      piece.triangles.push_back({a, ab, ca});
    } else {
      piece.triangles.push_back({ab, b, c});
      piece.triangles.push_back({ab, c, ca});
    }
  }
  return piece;
}

/// Keeps the connected part with the vertex nearest to a place.
void keepPartAt(TriangleMesh& mesh, const Vec3& place) {
  std::vector<Index> parent(mesh.positions.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](Index i) {
    while (parent[at(i)] != i) i = parent[at(i)] = parent[at(parent[at(i)])];
    return i;
  };
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 1; k < 3; ++k) parent[at(root(t[k]))] = root(t[0]);
  Index nearest = -1;
  for (const Triangle& t : mesh.triangles)
    if (nearest < 0 || (mesh.positions[at(t[0])] - place).squaredNorm() <
                           (mesh.positions[at(nearest)] - place).squaredNorm())
      nearest = t[0];
  if (nearest < 0) return;
  const Index kept = root(nearest);
  std::erase_if(mesh.triangles, [&](const Triangle& t) { return root(t[0]) != kept; });
  removeUnusedVertices(mesh);
}

/// The single boundary loop, or empty.
std::vector<Index> singleRim(const TriangleMesh& mesh) {
  std::map<std::pair<Index, Index>, int> directed;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++directed[{t[k], t[(k + 1) % 3]}];
  std::map<Index, Index> next;
  for (const auto& [edge, count] : directed)
    if (!directed.contains({edge.second, edge.first}) && !next.emplace(edge).second) return {};
  if (next.empty()) return {};
  std::vector<Index> rim{next.begin()->first};
  while (rim.size() <= next.size()) {
    const auto it = next.find(rim.back());
    if (it == next.end()) return {};
    if (it->second == rim.front()) break;
    rim.push_back(it->second);
  }
  return rim.size() == next.size() ? rim : std::vector<Index>{};
}

}  // namespace

CutPiece cutBeyond(const TriangleMesh& surface, const Vec3& point, const Vec3& normal,
                   const Vec3& inside) {
  CutPiece piece{clipped(surface, point, normal.normalized()), {}};
  keepPartAt(piece.mesh, inside);
  piece.rim = singleRim(piece.mesh);
  if (piece.rim.empty()) throw InputError("the plane cuts off no piece with a single rim");
  return piece;
}

std::vector<Triangle> stitchRims(const std::vector<std::int32_t>& a,
                                 const std::vector<std::int32_t>& b,
                                 const std::vector<Vec3>& positions) {
  // Both surfaces lie to the left of their own rims, so the rims run against each other.
  std::vector<Index> other(b.rbegin(), b.rend());
  const auto distance = [&](Index i, Index j) {
    return (positions[at(i)] - positions[at(j)]).norm();
  };
  const auto start =
      std::ranges::min_element(other, {}, [&](Index j) { return distance(a[0], j); });
  std::rotate(other.begin(), start, other.end());
  const std::size_t n = a.size(), m = other.size();
  std::vector<Triangle> strip;
  for (std::size_t i = 0, j = 0; i < n || j < m;) {
    const Index ai = a[i % n], an = a[(i + 1) % n], bj = other[j % m], bn = other[(j + 1) % m];
    const bool along = j == m || (i < n && distance(an, bj) <= distance(ai, bn));
    if (along) {
      strip.push_back({an, ai, bj});
      ++i;
    } else {
      strip.push_back({bj, bn, ai});
      ++j;
    }
  }
  return strip;
}

Shares extremityShares(const Shares& rim, const anatomy::SkinExtremity& extremity,
                       const anatomy::PointTable& points, const BoneLinks& links,
                       const Vec3& place) {
  Shares shares = rim;
  constexpr double kRimWidth = 0.012;  // [m] beside the rim all moves with it
  const Vec3 cut = points.resolve(extremity.center).valueOrThrow().position;
  const double height =
      (place - cut).dot(points.resolve(extremity.normal).valueOrThrow()) / kRimWidth;
  const double away = std::clamp(height, 0.0, 1.0);
  for (const Turn& turn : makeTurns(extremity.turns, points, links))
    passShares(shares, turn.link, turn.passed(place) * away * away * (3 - 2 * away));
  return shares;
}

}  // namespace pneuma::skin::internal
