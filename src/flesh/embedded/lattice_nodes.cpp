#include <algorithm>
#include <numeric>
#include <utility>

#include "flesh/embedded/lattice_tree.h"
#include "pneuma/core/check.h"

namespace pneuma::flesh::embedded {
namespace {

using bcc::Int3;
using bcc::kPoints;

/// Places (four corners, six midpoints) of all cells; those at which cells hang together are one.
class PlaceSets {
 public:
  PlaceSets(const LatticeTree& tree, const CellMesh& mesh)
      : tree_(tree), mesh_(mesh), sets_(mesh.cells.size() * kPoints) {
    for (const Connection& c : mesh.connections) join(c);
  }

  std::int32_t find(std::size_t cell, int point) { return sets_.find(id(cell, point)); }
  static std::int32_t id(std::size_t cell, int point) {
    return static_cast<std::int32_t>(cell) * kPoints + point;
  }
  bcc::Points points(std::size_t cell) const {
    const MeshCell& c = mesh_.cells[cell];
    return bcc::pointsOf(
        tree_.levels[static_cast<std::size_t>(c.level)][static_cast<std::size_t>(c.node)].corners);
  }

 private:
  void join(const Connection& c) {
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    const bcc::Points pa = points(a), pb = points(b);
    const auto& f = bcc::kFaces[static_cast<std::size_t>(c.faceA)];
    const bool sameSize = mesh_.cells[a].level == mesh_.cells[b].level;
    const auto joinPlace = [&](int place) {
      const Int3& p = pa[static_cast<std::size_t>(place)];
      const auto q = std::find(pb.begin(), pb.end(), p);
      PNEUMA_CHECK(q != pb.end(), "cells {} and {} share no place", c.a, c.b);
      sets_.join(id(a, place), id(b, static_cast<int>(q - pb.begin())));
    };
    for (const int corner : f) joinPlace(corner);
    if (!sameSize) return;
    joinPlace(bcc::midpoint(f[0], f[1]));
    joinPlace(bcc::midpoint(f[1], f[2]));
    joinPlace(bcc::midpoint(f[0], f[2]));
  }

  const LatticeTree& tree_;
  const CellMesh& mesh_;
  UnionFind sets_;
};

/// A set of places that is a corner of some cell.
struct Draft {
  std::int32_t set = 0;
  Int3 at;
  /// Sets of the ends of the coarse edge in whose middle it lies, or -1: free.
  std::array<std::int32_t, 2> ends{-1, -1};
};

std::vector<Draft> draftNodes(PlaceSets& sets, const CellMesh& mesh,
                              std::vector<std::int32_t>& draftOf) {
  std::vector<Draft> drafts;
  draftOf.assign(mesh.cells.size() * kPoints, -1);
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    const bcc::Points p = sets.points(c);
    for (int k = 0; k < 4; ++k) {
      const std::int32_t set = sets.find(c, k);
      std::int32_t& draft = draftOf[static_cast<std::size_t>(set)];
      if (draft >= 0) continue;
      draft = static_cast<std::int32_t>(drafts.size());
      drafts.push_back({set, p[static_cast<std::size_t>(k)]});
    }
  }
  for (std::size_t c = 0; c < mesh.cells.size(); ++c)
    for (std::size_t e = 0; e < 6; ++e) {
      const std::int32_t draft =
          draftOf[static_cast<std::size_t>(sets.find(c, 4 + static_cast<int>(e)))];
      if (draft < 0) continue;
      auto& ends = drafts[static_cast<std::size_t>(draft)].ends;
      if (ends[0] < 0) ends = {sets.find(c, bcc::kEdges[e][0]), sets.find(c, bcc::kEdges[e][1])};
    }
  return drafts;
}

using Weights = std::vector<std::pair<std::int32_t, float>>;

/// Follows T-junctions up to free nodes.
void resolve(const std::vector<Draft>& drafts, const std::vector<std::int32_t>& draftOf,
             const std::vector<std::int32_t>& number, std::int32_t draft, float weight,
             Weights& out) {
  const Draft& d = drafts[static_cast<std::size_t>(draft)];
  if (d.ends[0] >= 0) {
    for (const std::int32_t end : d.ends)
      resolve(drafts, draftOf, number, draftOf[static_cast<std::size_t>(end)], 0.5F * weight, out);
    return;
  }
  const std::int32_t free = number[static_cast<std::size_t>(draft)];
  for (auto& [column, w] : out)
    if (column == free) {
      w += weight;
      return;
    }
  out.push_back({free, weight});
}

/// Free nodes before T-junctions, each part along the Morton curve; copies in order of their sets.
std::vector<std::int32_t> orderOf(const std::vector<Draft>& drafts) {
  std::vector<std::int32_t> order(drafts.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::uint64_t> code(drafts.size());
  for (std::size_t i = 0; i < drafts.size(); ++i) code[i] = mortonCode(drafts[i].at);
  const auto key = [&](std::int32_t i) {
    const auto k = static_cast<std::size_t>(i);
    return std::tuple(drafts[k].ends[0] >= 0, code[k], drafts[k].set);
  };
  std::sort(order.begin(), order.end(),
            [&](std::int32_t a, std::int32_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace

// Free nodes come first and hanging ones are written as weights of them, through other hanging
// ones where there are such.
NodeNumbering numberNodes(const LatticeTree& tree, const CellMesh& mesh) {
  PlaceSets sets(tree, mesh);
  std::vector<std::int32_t> draftOf;
  const std::vector<Draft> drafts = draftNodes(sets, mesh, draftOf);
  const std::vector<std::int32_t> order = orderOf(drafts);
  std::vector<std::int32_t> number(drafts.size());
  NodeNumbering result;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Draft& d = drafts[static_cast<std::size_t>(order[i])];
    number[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    result.coordinates.push_back(d.at);
    result.freeCount += d.ends[0] < 0;
  }
  Weights weights;
  for (const std::int32_t draft : order) {
    weights.clear();
    resolve(drafts, draftOf, number, draft, 1, weights);
    std::sort(weights.begin(), weights.end());
    for (const auto& [column, w] : weights) result.bindings.add(column, w);
    result.bindings.endRow();
  }
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    Tet tet;
    for (int k = 0; k < 4; ++k)
      tet[static_cast<std::size_t>(k)] =
          number[static_cast<std::size_t>(draftOf[static_cast<std::size_t>(sets.find(c, k))])];
    result.corners.push_back(tet);
  }
  return result;
}

}  // namespace pneuma::flesh::embedded
