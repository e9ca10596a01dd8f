#include "pneuma/flesh/embedded/lattice.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "flesh/embedded/lattice_tree.h"
#include "pneuma/core/error.h"

namespace pneuma::flesh::embedded {
namespace {

void require(const TriangleMesh& surface, const LatticeConfig& config) {
  const auto refuse = [](const std::string& field, const std::string& text) {
    throw InputError(Diagnostic{.subject = "flesh lattice", .field = field, .message = text});
  };
  if (!(config.spacing > 0) || !std::isfinite(config.spacing))
    refuse("spacing", fmt::format("is {} m, expected a number > 0", config.spacing));
  if (config.leafLevels < 1 || config.leafLevels > 4)
    refuse("leafLevels", fmt::format("is {}, expected 1 to 4", config.leafLevels));
  if (surface.empty() || !analyzeTopology(surface).watertight())
    refuse("surface", "is not closed, or its triangles do not agree in orientation");
  if (enclosedVolume(surface) <= 0) refuse("surface", "is turned inside out");
  // A lattice of more cubes than this is a wrong unit, not a wish.
  constexpr double kMostCubes = 3e6;
  const double cubes = enclosedVolume(surface) / std::pow(config.spacing, 3);
  const double extent = boundingBox(surface.positions).size().maxCoeff() / config.spacing;
  if (cubes > kMostCubes || extent > 2000)
    refuse("spacing", fmt::format("is {} m: {:.0f} cubes, expected at most {:.0f}", config.spacing,
                                  cubes, kMostCubes));
}

/// Weights of the finer mesh's free nodes over the coarser mesh's: a node of both, or the midpoint
/// of a coarse edge.
SparseRows prolongation(const LatticeTree& tree, const CellMesh& fine, const NodeNumbering& nodes,
                        const NodeNumbering& coarse, const std::vector<std::int32_t>& groupOf,
                        int deepest) {
  std::vector<std::array<std::int32_t, 2>> from(static_cast<std::size_t>(nodes.freeCount),
                                                {-1, -1});
  for (std::size_t c = 0; c < fine.cells.size(); ++c) {
    const MeshCell& cell = fine.cells[c];
    const Tet& parent = coarse.corners[static_cast<std::size_t>(groupOf[c])];
    const std::size_t slot =
        tree.levels[static_cast<std::size_t>(cell.level)][static_cast<std::size_t>(cell.node)]
            .childSlot;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::int32_t n = nodes.corners[c][k];
      if (n >= nodes.freeCount || from[static_cast<std::size_t>(n)][0] >= 0) continue;
      const int place = cell.level == deepest ? bcc::kChildren[slot][k] : static_cast<int>(k);
      const auto at = static_cast<std::size_t>(place);
      if (place < 4)
        from[static_cast<std::size_t>(n)] = {parent[at], parent[at]};
      else
        from[static_cast<std::size_t>(n)] = {
            parent[static_cast<std::size_t>(bcc::kEdges[at - 4][0])],
            parent[static_cast<std::size_t>(bcc::kEdges[at - 4][1])]};
    }
  }
  SparseRows rows;
  std::vector<std::pair<std::int32_t, float>> row;
  for (const auto& ends : from) {
    row.clear();
    for (const std::int32_t end : ends)
      for (std::int32_t k = coarse.bindings.start[static_cast<std::size_t>(end)];
           k < coarse.bindings.start[static_cast<std::size_t>(end) + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto known = std::find_if(row.begin(), row.end(), [&](const auto& entry) {
          return entry.first == coarse.bindings.column[at];
        });
        const float w = 0.5F * coarse.bindings.weight[at];
        if (known != row.end())
          known->second += w;
        else
          row.push_back({coarse.bindings.column[at], w});
      }
    std::sort(row.begin(), row.end());
    for (const auto& [column, w] : row) rows.add(column, w);
    rows.endRow();
  }
  return rows;
}

/// The coarser meshes of the multigrid, each of merged cells of the one before.
void addHierarchy(const LatticeTree& tree, CellMesh mesh, NodeNumbering nodes, Lattice& lattice) {
  std::vector<std::int32_t> groupOf;
  for (int deepest = tree.finest(); deepest > 0 && nodes.freeCount > lattice.config.coarsestNodes;
       --deepest) {
    CellMesh coarse = coarsened(tree, mesh, deepest, groupOf);
    NodeNumbering coarseNodes = numberNodes(tree, coarse);
    if (coarseNodes.freeCount < nodes.freeCount)
      lattice.prolongations.push_back(
          prolongation(tree, mesh, nodes, coarseNodes, groupOf, deepest));
    mesh = std::move(coarse);
    nodes = std::move(coarseNodes);
  }
}

/// The tree for `locate`: levels one after another, tetrahedra by leaf.
void addTree(const LatticeTree& tree, const CellMesh& mesh, Lattice& lattice) {
  std::vector<std::int32_t> first;
  std::int32_t count = 0;
  for (const auto& level : tree.levels) {
    first.push_back(count);
    count += static_cast<std::int32_t>(level.size());
  }
  lattice.tree.resize(static_cast<std::size_t>(count));
  for (std::size_t l = 0; l < tree.levels.size(); ++l)
    for (std::size_t i = 0; i < tree.levels[l].size(); ++i)
      if (tree.levels[l][i].child >= 0)
        lattice.tree[static_cast<std::size_t>(first[l]) + i].child =
            first[l + 1] + tree.levels[l][i].child;
  for (std::size_t c = 0; c < mesh.cells.size(); ++c) {
    const MeshCell& cell = mesh.cells[c];  // copies of a cell stand together
    Lattice::TreeCell& leaf = lattice.tree[static_cast<std::size_t>(
        first[static_cast<std::size_t>(cell.level)] + cell.node)];
    if (leaf.tetCount++ == 0) leaf.firstTet = static_cast<std::int32_t>(c);
  }
  lattice.topCells = tree.topCells;
  lattice.topSpacing = tree.topSpacing;
}

}  // namespace

std::string_view name(FleshLevel level) {
  switch (level) {
    case FleshLevel::Preview:
      return "preview";
    case FleshLevel::Fine:
      return "fine";
    case FleshLevel::Default:
      break;
  }
  return "default";
}

std::optional<FleshLevel> fleshLevelOf(std::string_view text) {
  for (const FleshLevel level : {FleshLevel::Preview, FleshLevel::Default, FleshLevel::Fine})
    if (text == name(level)) return level;
  return std::nullopt;
}

LatticeConfig LatticeConfig::of(FleshLevel level) {
  // The default man (72 l) has 29,690 tetrahedra at 34 mm and 434,407 at 11.5 mm, measured; scaled
  // by the surface's cells these give about 42,000, 434,000 and 1.4 million.
  LatticeConfig config;
  if (level == FleshLevel::Preview) config.spacing = 0.029;
  if (level == FleshLevel::Fine) config.spacing = 0.0066;
  return config;
}

double Lattice::volume(std::size_t t) const {
  const Vec3& first = nodes[static_cast<std::size_t>(tets[t][0])];
  const auto edge = [&](std::size_t k) -> Vec3 {
    return nodes[static_cast<std::size_t>(tets[t][k])] - first;
  };
  return edge(1).cross(edge(2)).dot(edge(3)) / 6;
}

double Lattice::materialVolume() const {
  double sum = 0;
  for (std::size_t t = 0; t < tets.size(); ++t) sum += static_cast<double>(share[t]) * volume(t);
  return sum;
}

Lattice makeLattice(const TriangleMesh& surface, const LatticeConfig& config) {
  require(surface, config);
  const LatticeTree tree = makeTree(surface, config);
  CellMesh mesh = makeCopies(tree);
  NodeNumbering nodes = numberNodes(tree, mesh);
  Lattice lattice;
  lattice.config = config;
  lattice.origin = tree.origin;
  for (const bcc::Int3& p : nodes.coordinates)
    lattice.nodes.push_back(tree.origin + tree.unit * p.real());
  lattice.freeCount = nodes.freeCount;
  lattice.tets = nodes.corners;
  for (const MeshCell& cell : mesh.cells) {
    lattice.piece.push_back(cell.piece);
    lattice.share.push_back(static_cast<float>(std::popcount(cell.piece)) / 64);
    lattice.size.push_back(static_cast<std::uint8_t>(tree.finest() - cell.level));
  }
  lattice.bindings = nodes.bindings;
  addTree(tree, mesh, lattice);
  addHierarchy(tree, std::move(mesh), std::move(nodes), lattice);
  return lattice;
}

}  // namespace pneuma::flesh::embedded
