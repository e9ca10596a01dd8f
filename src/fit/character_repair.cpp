#include <algorithm>
#include <map>
#include <unordered_map>

#include "fit/character_parts.h"
#include "pneuma/core/index.h"

namespace pneuma::fit::internal {
namespace {

std::uint64_t edgeKey(std::int32_t a, std::int32_t b) {
  const auto [low, high] = std::minmax(a, b);
  return (static_cast<std::uint64_t>(low) << 32) | static_cast<std::uint32_t>(high);
}

/// Triangles of every edge, in rising order of edges.
struct EdgeTriangles {
  explicit EdgeTriangles(const std::vector<Triangle>& triangles) {
    for (std::size_t t = 0; t < triangles.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k)
        entries.emplace_back(edgeKey(triangles[t][k], triangles[t][(k + 1) % 3]),
                             static_cast<std::int32_t>(t));
    std::sort(entries.begin(), entries.end());
  }
  /// Calls body(first, last) with the entries of each edge.
  template <class Body>
  void forEach(Body&& body) const {
    for (auto first = entries.begin(); first != entries.end();) {
      auto last = first;
      while (last != entries.end() && last->first == first->first) ++last;
      body(first, last);
      first = last;
    }
  }
  std::vector<std::pair<std::uint64_t, std::int32_t>> entries;
};

std::size_t dropRepeated(std::vector<Triangle>& triangles) {
  std::vector<std::pair<Triangle, std::size_t>> sorted;
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    Triangle key = triangles[t];
    std::sort(key.begin(), key.end());
    sorted.emplace_back(key, t);
  }
  std::sort(sorted.begin(), sorted.end());
  std::vector<bool> drop(triangles.size(), false);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].first == sorted[i - 1].first) drop[sorted[i].second] = true;
  std::size_t kept = 0;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    if (!drop[t]) triangles[kept++] = triangles[t];
  const std::size_t dropped = triangles.size() - kept;
  triangles.resize(kept);
  return dropped;
}

bool runsAlong(const Triangle& t, std::int32_t a, std::int32_t b) {
  for (std::size_t k = 0; k < 3; ++k)
    if (t[k] == a && t[(k + 1) % 3] == b) return true;
  return false;
}

/// Turns triangles until neighbours run along their common edge in opposite directions, spreading
/// from the first triangle of each patch over edges of two triangles. Returns which were turned.
std::vector<bool> alignTriangles(std::vector<Triangle>& triangles, const EdgeTriangles& edges) {
  std::vector<std::array<std::int32_t, 3>> neighbours(triangles.size(), {-1, -1, -1});
  std::vector<std::uint8_t> degree(triangles.size(), 0);
  edges.forEach([&](auto first, auto last) {
    if (last - first != 2) return;
    const std::int32_t s = first->second, t = (first + 1)->second;
    if (degree[at(s)] < 3) neighbours[at(s)][degree[at(s)]++] = t;
    if (degree[at(t)] < 3) neighbours[at(t)][degree[at(t)]++] = s;
  });
  std::vector<bool> turned(triangles.size(), false), seen(triangles.size(), false);
  std::vector<std::int32_t> queue;
  for (std::size_t start = 0; start < triangles.size(); ++start) {
    if (seen[start]) continue;
    seen[start] = true;
    queue.assign(1, static_cast<std::int32_t>(start));
    while (!queue.empty()) {
      const std::int32_t t = queue.back();
      queue.pop_back();
      for (const std::int32_t n : neighbours[at(t)]) {
        if (n < 0 || seen[at(n)]) continue;
        seen[at(n)] = true;
        const Triangle& self = triangles[at(t)];
        bool same = false;
        for (std::size_t k = 0; k < 3; ++k)
          same |= runsAlong(triangles[at(n)], self[k], self[(k + 1) % 3]);
        if (same) {
          std::swap(triangles[at(n)][1], triangles[at(n)][2]);
          turned[at(n)] = true;
        }
        queue.push_back(n);
      }
    }
  }
  return turned;
}

}  // namespace

std::vector<std::vector<std::int32_t>> boundaryLoops(const std::vector<Triangle>& triangles) {
  // Edges without a partner, followed against their direction so that a fan over the loop faces as
  // its neighbours do.
  std::multimap<std::int32_t, std::int32_t> next;
  EdgeTriangles(triangles).forEach([&](auto first, auto last) {
    if (last - first != 1) return;
    const Triangle& t = triangles[at(first->second)];
    for (std::size_t k = 0; k < 3; ++k)
      if (edgeKey(t[k], t[(k + 1) % 3]) == first->first) next.emplace(t[(k + 1) % 3], t[k]);
  });
  std::vector<std::vector<std::int32_t>> loops;
  while (!next.empty()) {
    std::vector<std::int32_t> loop;
    auto it = next.begin();
    while (it != next.end()) {
      loop.push_back(it->first);
      const std::int32_t to = it->second;
      next.erase(it);
      it = to == loop.front() ? next.end() : next.find(to);
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

double loopArea(const std::vector<Vec3>& positions, const std::vector<std::int32_t>& loop) {
  Vec3 middle = Vec3::Zero();
  for (const std::int32_t v : loop) middle += positions[at(v)] / static_cast<double>(loop.size());
  double area = 0;
  for (std::size_t i = 0; i < loop.size(); ++i)
    area +=
        triangleArea(middle, positions[at(loop[i])], positions[at(loop[(i + 1) % loop.size()])]);
  return area;
}

RepairCounts repairSurface(TriangleMesh& mesh) {
  RepairCounts counts;
  counts.repeated = dropRepeated(mesh.triangles);
  const EdgeTriangles edges(mesh.triangles);
  edges.forEach([&](auto first, auto last) {
    ++counts.edges;
    counts.branchEdges += last - first > 2 ? 1 : 0;
  });
  std::vector<bool> turned = alignTriangles(mesh.triangles, edges);
  for (const std::vector<std::int32_t>& loop : boundaryLoops(mesh.triangles)) {
    if (loop.size() < 3) continue;
    Vec3 middle = Vec3::Zero();
    for (const std::int32_t v : loop)
      middle += mesh.positions[at(v)] / static_cast<double>(loop.size());
    const auto centre = static_cast<std::int32_t>(mesh.vertexCount());
    mesh.positions.push_back(middle);
    for (std::size_t i = 0; i < loop.size(); ++i)
      mesh.triangles.push_back({loop[i], loop[(i + 1) % loop.size()], centre});
    ++counts.holes;
  }
  // What the first triangle of the file calls outside may be inside.
  if (enclosedVolume(mesh) < 0) {
    flipOrientation(mesh);
    turned.flip();
  }
  counts.turned = static_cast<std::size_t>(std::count(turned.begin(), turned.end(), true));
  return counts;
}

}  // namespace pneuma::fit::internal
