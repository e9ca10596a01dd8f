#include "pneuma/flesh/embedded/carriers.h"

#include <algorithm>
#include <limits>
#include <queue>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

constexpr int kRounds = 8;  // of evening out, each about a cell wide

/// Neighbours of every node along edges, and of T-junctions the free nodes they hang between. Each
/// row is sorted by itself: all pairs in one list were the most that making a driver ever held.
SparseRows edgesOf(const Lattice& l) {
  const auto eachPair = [&](auto&& join) {
    for (const Tet& t : l.tets)
      for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
          if (i != j) join(t[i], t[j]);
    for (std::int32_t n = l.freeCount; n < static_cast<std::int32_t>(l.nodeCount()); ++n)
      for (std::int32_t k = l.bindings.start[at(n)]; k < l.bindings.start[at(n) + 1]; ++k)
        join(n, l.bindings.column[at(k)]), join(l.bindings.column[at(k)], n);
  };
  SparseRows rows;
  rows.start.assign(l.nodeCount() + 1, 0);
  eachPair([&](std::int32_t a, std::int32_t) { ++rows.start[at(a) + 1]; });
  for (std::size_t n = 0; n < l.nodeCount(); ++n) rows.start[n + 1] += rows.start[n];
  rows.column.resize(at(rows.start.back()));
  std::vector<std::int32_t> next(rows.start.begin(), rows.start.end() - 1);
  eachPair([&](std::int32_t a, std::int32_t b) { rows.column[at(next[at(a)]++)] = b; });
  auto end = rows.column.begin();
  for (std::size_t n = 0; n < l.nodeCount(); ++n) {
    const auto first = rows.column.begin() + rows.start[n],
               last = rows.column.begin() + rows.start[n + 1];
    std::sort(first, last);
    rows.start[n] = static_cast<std::int32_t>(end - rows.column.begin());
    end = std::copy(first, std::unique(first, last), end);
  }
  rows.start.back() = static_cast<std::int32_t>(end - rows.column.begin());
  rows.column.erase(end, rows.column.end());
  return rows;
}

/// The bone nearest to each node along edges (Dijkstra from the anchors).
std::vector<std::int32_t> nearestBones(const BodyFlesh& flesh, const SparseRows& edges) {
  const Lattice& l = *flesh.model.lattice;
  std::vector<double> distance(l.nodeCount(), std::numeric_limits<double>::infinity());
  std::vector<std::int32_t> bone(l.nodeCount(), -1);
  using Entry = std::pair<double, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> front;
  const auto reach = [&](std::int32_t node, double d, std::int32_t from) {
    if (d >= distance[at(node)]) return;
    distance[at(node)] = d, bone[at(node)] = from;
    front.push({d, node});
  };
  for (std::size_t a = 0; a < flesh.boneAnchors.size(); ++a)
    for (const std::int32_t n : l.tets[at(flesh.model.anchors[a].place.tet)])
      reach(n, (l.nodes[at(n)] - flesh.boneAnchors[a].rest).norm(), flesh.boneAnchors[a].bone);
  while (!front.empty()) {
    const auto [d, n] = front.top();
    front.pop();
    if (d > distance[at(n)]) continue;
    for (std::int32_t k = edges.start[at(n)]; k < edges.start[at(n) + 1]; ++k) {
      const std::int32_t other = edges.column[at(k)];
      reach(other, d + (l.nodes[at(other)] - l.nodes[at(n)]).norm(), bone[at(n)]);
    }
  }
  return bone;
}

/// Half of a node's own weights and half of its neighbours' mean; the four largest stay.
NodeCarriers::Node evened(const std::vector<NodeCarriers::Node>& all, const SparseRows& edges,
                          std::size_t node, std::vector<std::pair<float, std::int32_t>>& sum) {
  sum.clear();
  const auto add = [&](const NodeCarriers::Node& n, float factor) {
    for (std::size_t k = 0; k < NodeCarriers::kMost && n.weight[k] > 0; ++k) {
      const auto known = std::ranges::find(sum, n.bone[k], &std::pair<float, std::int32_t>::second);
      if (known == sum.end())
        sum.push_back({factor * n.weight[k], n.bone[k]});
      else
        known->first += factor * n.weight[k];
    }
  };
  const auto count = static_cast<float>(edges.start[node + 1] - edges.start[node]);
  add(all[node], 0.5F);
  for (std::int32_t k = edges.start[node]; k < edges.start[node + 1]; ++k)
    add(all[at(edges.column[at(k)])], 0.5F / count);
  std::ranges::sort(sum, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  NodeCarriers::Node result;
  float total = 0;
  const std::size_t kept = std::min(sum.size(), NodeCarriers::kMost);
  for (std::size_t k = 0; k < kept; ++k) total += sum[k].first;
  for (std::size_t k = 0; k < kept; ++k)
    result.bone[k] = sum[k].second, result.weight[k] = sum[k].first / total;
  return result;
}

}  // namespace

NodeCarriers makeCarriers(const BodyFlesh& flesh) {
  const Lattice& l = *flesh.model.lattice;
  const SparseRows edges = edgesOf(l);
  const std::vector<std::int32_t> bone = nearestBones(flesh, edges);
  std::vector<NodeCarriers::Node> now(l.nodeCount()), next(l.nodeCount());
  for (std::size_t n = 0; n < now.size(); ++n) {
    now[n].bone[0] = std::max(0, bone[n]);
    now[n].weight[0] = 1;
  }
  for (int round = 0; round < kRounds; ++round) {
    parallelFor(now.size(), 4096, [&](std::size_t begin, std::size_t end) {
      std::vector<std::pair<float, std::int32_t>> sum;
      for (std::size_t n = begin; n < end; ++n) next[n] = evened(now, edges, n, sum);
    });
    std::swap(now, next);
  }
  now.resize(at(l.freeCount));
  return {std::move(now)};
}

}  // namespace pneuma::flesh::embedded
