#include "anatomy/skin/head_join.h"

#include <algorithm>
#include <map>

#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr double kNeckGap = 0.004;  ///< between the rims that are joined [m]

using NextOnRim = std::map<std::int32_t, std::vector<std::int32_t>>;

/// Directed edges without a reverse that do not lie in the mid-plane.
NextOnRim rimEdges(const TriangleMesh& half) {
  std::map<std::pair<std::int32_t, std::int32_t>, int> edges;
  for (const Triangle& t : half.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  NextOnRim next;
  for (const auto& [edge, count] : edges) {
    const bool inPlane =
        half.positions[at(edge.first)].x() == 0 && half.positions[at(edge.second)].x() == 0;
    if (!inPlane && !edges.contains({edge.second, edge.first}))
      next[edge.first].push_back(edge.second);
  }
  return next;
}

/// Keeps what hangs together with the lowest vertex, without vertices in which rims touch.
void keepBody(TriangleMesh& half) {
  for (bool clean = false; !clean;) {
    std::vector<std::vector<std::size_t>> around(half.vertexCount());
    for (std::size_t t = 0; t < half.triangleCount(); ++t)
      for (const std::int32_t v : half.triangles[t]) around[at(v)].push_back(t);
    std::vector<char> kept(half.triangleCount(), 0);
    const auto lowest =
        std::ranges::min_element(half.positions, {}, [](const Vec3& p) { return p.y(); });
    std::vector<std::size_t> open =
        around[static_cast<std::size_t>(lowest - half.positions.begin())];
    for (const std::size_t t : open) kept[t] = 1;
    while (!open.empty()) {
      const Triangle t = half.triangles[open.back()];
      open.pop_back();
      for (const std::int32_t v : t)
        for (const std::size_t u : around[at(v)])
          if (!kept[u]) kept[u] = 1, open.push_back(u);
    }
    std::vector<Triangle> triangles;
    for (std::size_t t = 0; t < kept.size(); ++t)
      if (kept[t]) triangles.push_back(half.triangles[t]);
    half.triangles = std::move(triangles);
    std::vector<char> touching(half.vertexCount(), 0);
    clean = true;
    for (const auto& [v, ends] : rimEdges(half))
      if (ends.size() > 1) touching[at(v)] = 1, clean = false;
    std::erase_if(half.triangles, [&](const Triangle& t) {
      return touching[at(t[0])] || touching[at(t[1])] || touching[at(t[2])];
    });
    removeUnusedVertices(half);
  }
}

/// The rim at the neck from front to back. Triangles lie below, so edges run that way.
std::vector<std::int32_t> neckRim(const TriangleMesh& half) {
  const NextOnRim next = rimEdges(half);
  std::vector<std::int32_t> rim;
  for (const auto& [v, ends] : next)
    if (half.positions[at(v)].x() == 0) rim = {v};
  PNEUMA_CHECK(!rim.empty(), "skin: the body must end in one rim at the neck");
  while (rim.size() <= next.size() && next.contains(rim.back()))
    rim.push_back(next.at(rim.back()).front());
  PNEUMA_CHECK(rim.size() == next.size() + 1, "skin: the neck's rim must be one line");
  if (half.positions[at(rim.front())].z() < half.positions[at(rim.back())].z())
    std::ranges::reverse(rim);
  return rim;
}

/// Triangles between two lines that run side by side, `lower` and `upper`, from front to back.
void zipRims(TriangleMesh& half, std::span<const std::int32_t> lower,
             std::span<const std::int32_t> upper) {
  const auto distance = [&](std::int32_t a, std::int32_t b) {
    return (half.positions[at(a)] - half.positions[at(b)]).squaredNorm();
  };
  std::size_t i = 0, j = 0;
  while (i + 1 < lower.size() || j + 1 < upper.size()) {
    const bool below = j + 1 == upper.size() ||
                       (i + 1 < lower.size() &&
                        distance(lower[i + 1], upper[j]) < distance(lower[i], upper[j + 1]));
    if (below) {
      half.triangles.push_back({lower[i], lower[i + 1], upper[j]});
      ++i;
    } else {
      half.triangles.push_back({lower[i], upper[j + 1], upper[j]});
      ++j;
    }
  }
}

}  // namespace

TriangleMesh withMeasuredHead(TriangleMesh half, const HeadSurface& head) {
  std::vector<char> covered(half.vertexCount(), 0);
  parallelFor(half.vertexCount(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) covered[v] = head.covers(half.positions[v], kNeckGap);
  });
  std::erase_if(half.triangles, [&](const Triangle& t) {
    return covered[at(t[0])] || covered[at(t[1])] || covered[at(t[2])];
  });
  removeUnusedVertices(half);
  keepBody(half);
  const std::vector<std::int32_t> lower = neckRim(half);
  const std::int32_t first = append(half, head.mesh());
  std::vector<std::int32_t> upper;
  for (int i = 0; i < head.table().size(); ++i) upper.push_back(first + i);
  zipRims(half, lower, upper);
  return half;
}

Draw drawWithHead(const HeadSurface& head, Draw body) {
  return [&head, body = std::move(body)](const Vec3& p, double most) -> Drawn {
    const HeadSurface::Place found = head.closest(p);
    const bool near = found.share > 0 && found.distance <= most;
    if (near && found.share >= 1) return {found.point, found.normal};
    const Drawn other = body(p, most);
    if (!near) return other;
    const double s = found.share;
    const Vec3 normal = s * found.normal + (1 - s) * other.normal;
    return {s * found.point + (1 - s) * other.point, normal.normalized()};
  };
}

HeadPlaces headPlaces(const SymmetricMesh& mesh, const HeadSurface& head) {
  HeadPlaces all;
  all.place.resize(mesh.mesh.vertexCount(), Vec2::Zero());
  all.share.resize(mesh.mesh.vertexCount(), 0);
  for (const std::int32_t v : mesh.left) {
    const HeadSurface::Place found = head.closest(mesh.mesh.positions[at(v)]);
    const std::size_t image = at(mesh.mirror[at(v)]);
    all.place[at(v)] = all.place[image] = found.place;
    all.share[at(v)] = all.share[image] = found.share;
  }
  return all;
}

HeadPlaces subdivided(const HeadPlaces& coarse, std::span<const Triangle> triangles) {
  HeadPlaces fine = coarse;
  for (const auto& [a, b] : cutEdges(triangles)) {
    const double u = coarse.share[at(a)], v = coarse.share[at(b)];
    fine.place.push_back(0.5 * (coarse.place[at(a)] + coarse.place[at(b)]));
    fine.share.push_back(u > 0 && v > 0 ? 0.5 * (u + v) : 0.0);
  }
  return fine;
}

void holdHead(SymmetricMesh& mesh, const HeadPlaces& places, const SkinField& field) {
  if (places.empty()) return;
  parallelFor(mesh.left.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t v = mesh.left[i];
      const double s = places.share[at(v)];
      if (s <= 0) continue;
      Vec3& p = mesh.mesh.positions[at(v)];
      const Vec3 there = field.onHead(places.place[at(v)]);
      p = s >= 1 ? there : Vec3(p + s * (there - p));
      if (mesh.inPlane(v)) p.x() = 0;
    }
  });
  mesh.mirrorPositions();
}

}  // namespace pneuma::anatomy::internal
