#include "pneuma/core/smooth_surface.h"

#include <cmath>
#include <map>

#include "pneuma/core/check.h"

namespace pneuma {
namespace {

struct EdgeNeighbours {
  std::int32_t vertex = -1;             ///< the new one, in the middle
  std::vector<std::int32_t> opposites;  ///< one on a boundary, else two
};
using Edges = std::map<std::pair<std::int32_t, std::int32_t>, EdgeNeighbours>;

Edges edgesOf(std::span<const Triangle> triangles) {
  Edges edges;
  for (const Triangle& t : triangles)
    for (std::size_t k = 0; k < 3; ++k)
      edges[std::minmax(t[k], t[(k + 1) % 3])].opposites.push_back(t[(k + 2) % 3]);
  for (const auto& [ends, e] : edges)
    PNEUMA_CHECK(e.opposites.size() <= 2, "edge {} - {} has {} triangles", ends.first, ends.second,
                 e.opposites.size());
  return edges;
}

double loopWeight(std::size_t n) {
  const double c = 0.375 + 0.25 * std::cos(2 * kPi / static_cast<double>(n));
  return (0.625 - c * c) / static_cast<double>(n);
}

}  // namespace

SmoothSurface::SmoothSurface(std::span<const Triangle> triangles, std::size_t vertexCount,
                             int levels)
    : triangles_(triangles.begin(), triangles.end()) {
  for (int k = 0; k < levels; ++k) {
    subdivide(vertexCount);
    vertexCount = levels_.back().begin.size() - 1;
  }
}

/// One level of Loop's scheme as sums over the level before: old vertices are drawn towards their
/// neighbours, edges get a vertex each. A rim is a curve of its own, smoothed along itself alone,
/// so that two surfaces with one rim stay joined.
void SmoothSurface::subdivide(std::size_t vertexCount) {
  Edges edges = edgesOf(triangles_);
  std::vector<std::vector<std::int32_t>> around(vertexCount), rim(vertexCount);
  for (const auto& [ends, e] : edges)
    for (const auto& [from, to] : {ends, std::pair(ends.second, ends.first)}) {
      around[static_cast<std::size_t>(from)].push_back(to);
      if (e.opposites.size() == 1) rim[static_cast<std::size_t>(from)].push_back(to);
    }
  Level level;
  const auto close = [&] { level.begin.push_back(level.terms.size()); };
  for (std::size_t v = 0; v < vertexCount; ++v) {
    const bool boundary = rim[v].size() == 2;
    PNEUMA_CHECK(!around[v].empty(), "vertex {} is used by no triangle", v);
    const std::vector<std::int32_t>& others = boundary ? rim[v] : around[v];
    const double weight = boundary ? 0.125 : loopWeight(others.size());
    level.terms.emplace_back(static_cast<std::int32_t>(v),
                             1 - weight * static_cast<double>(others.size()));
    for (const std::int32_t o : others) level.terms.emplace_back(o, weight);
    close();
  }
  auto next = static_cast<std::int32_t>(vertexCount);
  for (auto& [ends, e] : edges) {
    e.vertex = next++;
    const bool boundary = e.opposites.size() == 1;
    for (const std::int32_t end : {ends.first, ends.second})
      level.terms.emplace_back(end, boundary ? 0.5 : 0.375);
    if (!boundary)
      for (const std::int32_t o : e.opposites) level.terms.emplace_back(o, 0.125);
    close();
  }
  std::vector<Triangle> finer;
  for (const Triangle& t : triangles_) {
    std::array<std::int32_t, 3> middle;
    for (std::size_t k = 0; k < 3; ++k)
      middle[k] = edges.at(std::minmax(t[k], t[(k + 1) % 3])).vertex;
    for (std::size_t k = 0; k < 3; ++k) finer.push_back({t[k], middle[k], middle[(k + 2) % 3]});
    finer.push_back(middle);
  }
  triangles_ = std::move(finer);
  levels_.push_back(std::move(level));
}

std::vector<Vec3> SmoothSurface::refine(std::vector<Vec3> points) const {
  for (const Level& level : levels_) {
    std::vector<Vec3> finer(level.begin.size() - 1, Vec3::Zero());
    for (std::size_t v = 0; v < finer.size(); ++v)
      for (std::size_t k = level.begin[v]; k < level.begin[v + 1]; ++k)
        finer[v] += level.terms[k].second * points[static_cast<std::size_t>(level.terms[k].first)];
    points = std::move(finer);
  }
  return points;
}

}  // namespace pneuma
