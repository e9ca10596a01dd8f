#include "pneuma/fit/surface_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>

#include "pneuma/core/index.h"

namespace pneuma::fit {
namespace {

struct Way {
  std::int32_t from, to;
  double length;
};

/// Distance between the corners c and d on both sides of the edge a b, both triangles laid flat.
double unfolded(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 e = b - a;
  const double length = e.norm();
  if (!(length > 0)) return (c - d).norm();
  const auto flat = [&](const Vec3& p) {
    const double along = (p - a).dot(e) / length;
    return Vec2(along, std::sqrt(std::max(0.0, (p - a).squaredNorm() - along * along)));
  };
  const Vec2 p = flat(c), q = flat(d);
  return std::hypot(p.x() - q.x(), p.y() + q.y());
}

/// Ways along edges and across them, each in both directions.
std::vector<Way> waysOf(const TriangleMesh& mesh) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> opposite;
  std::vector<Way> ways;
  const auto both = [&](std::int32_t i, std::int32_t j, double length) {
    ways.push_back({i, j, length});
    ways.push_back({j, i, length});
  };
  const auto& x = mesh.positions;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t i = t[(k + 1) % 3], j = t[(k + 2) % 3], c = t[k];
      const auto [found, fresh] = opposite.try_emplace(std::minmax(i, j), c);
      if (fresh)
        both(i, j, (x[at(i)] - x[at(j)]).norm());
      else if (found->second != c)
        both(found->second, c, unfolded(x[at(i)], x[at(j)], x[at(found->second)], x[at(c)]));
    }
  return ways;
}

}  // namespace

SurfaceGraph::SurfaceGraph(const TriangleMesh& mesh) : first_(mesh.vertexCount() + 1, 0) {
  std::vector<Way> ways = waysOf(mesh);
  std::ranges::sort(ways, {}, [](const Way& w) { return std::pair(w.from, w.to); });
  for (const Way& w : ways) {
    ++first_[at(w.from) + 1];
    to_.push_back(w.to);
    length_.push_back(w.length);
  }
  for (std::size_t v = 0; v + 1 < first_.size(); ++v) first_[v + 1] += first_[v];
}

std::vector<double> SurfaceGraph::distances(std::span<const std::int32_t> sources,
                                            double most) const {
  std::vector<double> distance(size(), std::numeric_limits<double>::infinity());
  using Entry = std::pair<double, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (const std::int32_t s : sources) distance[at(s)] = 0, queue.emplace(0, s);
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (d > distance[at(v)]) continue;
    for (std::size_t k = first_[at(v)]; k < first_[at(v) + 1]; ++k) {
      const double next = d + length_[k];
      if (next >= distance[at(to_[k])] || next > most) continue;
      distance[at(to_[k])] = next;
      queue.emplace(next, to_[k]);
    }
  }
  return distance;
}

std::span<const std::int32_t> SurfaceGraph::neighbours(std::int32_t v) const {
  return {to_.data() + first_[at(v)], first_[at(v) + 1] - first_[at(v)]};
}

}  // namespace pneuma::fit
