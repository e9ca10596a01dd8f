#include "flesh/embedded/lattice_tree.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "flesh/embedded/column_raster.h"
#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

using bcc::Int3;

/// The surface in integer units, in a box of whole largest cubes with one cube of room on every
/// side. The middle of x lies between cubes, so a body that is symmetric to it gets a symmetric
/// lattice; y and z are moved by odd parts of a unit, so that no column meets a vertex on purpose.
struct Placed {
  std::vector<Vec3> vertices;
  std::array<int, 3> cells{};
};

Placed place(const TriangleMesh& surface, LatticeTree& tree) {
  const Box box = boundingBox(surface.positions);
  const double top = tree.unit * tree.topSpacing;
  Placed placed;
  const int half = static_cast<int>(std::ceil(0.5 * box.size().x() / top)) + 1;
  placed.cells = {2 * half, static_cast<int>(std::ceil(box.size().y() / top)) + 2,
                  static_cast<int>(std::ceil(box.size().z() / top)) + 2};
  constexpr double kOddY = 0.3819660112501051, kOddZ = 0.2360679774997896;  // golden section
  tree.origin = {box.center().x() - half * top, box.min.y() - top - kOddY * tree.unit,
                 box.min.z() - top - kOddZ * tree.unit};
  placed.vertices.reserve(surface.positions.size());
  for (const Vec3& p : surface.positions) placed.vertices.push_back((p - tree.origin) / tree.unit);
  return placed;
}

/// What tells material from nothing.
struct Samples {
  ColumnRaster columns;
  TouchedCubes cubes;

  bool insideAt(const bcc::Corners& c) const {
    // The centroid of a cell of at least the finest size lies on integers.
    const Int3 s = c[0] + c[1] + c[2] + c[3];
    return columns.inside({s.x / 4, s.y / 4, s.z / 4});
  }
  std::uint64_t material(const bcc::Corners& c) const {
    std::uint64_t mask = 0;
    const auto& centroid = bcc::microTables().centroid;
    for (std::size_t m = 0; m < 64; ++m) {
      Int3 sum = c[0] * centroid[m][0];
      for (std::size_t k = 1; k < 4; ++k) sum = sum + c[k] * centroid[m][k];
      if (columns.inside({sum.x / 16, sum.y / 16, sum.z / 16})) mask |= std::uint64_t{1} << m;
    }
    return mask;
  }
};

void addChildren(std::vector<TreeNode>& below, TreeNode& node, std::int32_t self) {
  node.child = static_cast<std::int32_t>(below.size());
  const bcc::Points points = bcc::pointsOf(node.corners);
  for (int k = 0; k < 8; ++k) {
    TreeNode child{bcc::childOf(points, k), self};
    child.childSlot = static_cast<std::uint8_t>(k);
    child.full = node.full;
    below.push_back(child);
  }
}

/// What a cell is, before it is refined: sets `material` of leaves; true: it needs children.
bool needsChildren(TreeNode& node, const Samples& samples, bool finest, bool mayBeLeaf) {
  if (!node.full && samples.cubes.touches(node.corners)) {
    if (!finest) return true;
    node.material = samples.material(node.corners);
    node.full = node.material == kFullPiece;
    return false;
  }
  if (!node.full && !samples.insideAt(node.corners)) return false;
  node.full = true;
  if (!finest && !mayBeLeaf) return true;
  node.material = kFullPiece;
  return false;
}

void refineLevel(LatticeTree& tree, int level, const Samples& samples, bool mayBeLeaf) {
  std::vector<TreeNode>& cells = tree.levels[static_cast<std::size_t>(level)];
  const bool finest = level == tree.finest();
  std::vector<std::uint8_t> refine(cells.size());
  parallelFor(cells.size(), 2048, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      refine[i] = needsChildren(cells[i], samples, finest, mayBeLeaf);
  });
  if (finest) return;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (refine[i])
      addChildren(tree.levels[static_cast<std::size_t>(level + 1)], cells[i],
                  static_cast<std::int32_t>(i));
}

/// Whether a cell two levels below has a node on one of this leaf's faces: quarter points of its
/// edges, and midpoints of the inner edges of its refined faces.
bool isTooLarge(const bcc::Corners& corners, const std::unordered_set<std::uint64_t>& nodes) {
  const bcc::Points p = bcc::pointsOf(corners);
  const auto between = [&](int a, int b) {
    const Int3 s = p[static_cast<std::size_t>(a)] + p[static_cast<std::size_t>(b)];
    return nodes.contains(bcc::pack({s.x / 2, s.y / 2, s.z / 2}));
  };
  for (const auto& edge : bcc::kEdges) {
    const int m = bcc::midpoint(edge[0], edge[1]);
    if (between(edge[0], m) || between(m, edge[1])) return true;
  }
  for (const auto& f : bcc::kFaces) {
    const int a = bcc::midpoint(f[0], f[1]), b = bcc::midpoint(f[1], f[2]),
              c = bcc::midpoint(f[0], f[2]);
    if (between(a, b) || between(b, c) || between(a, c)) return true;
  }
  return false;
}

std::unordered_set<std::uint64_t> leafNodes(const LatticeTree& tree, int fromLevel) {
  std::unordered_set<std::uint64_t> nodes;
  for (int l = fromLevel; l <= tree.finest(); ++l)
    for (const TreeNode& n : tree.levels[static_cast<std::size_t>(l)])
      if (n.leaf())
        for (const Int3& c : n.corners) nodes.insert(bcc::pack(c));
  return nodes;
}

/// Refines leaves that have a neighbour of less than half their size. Returns how many.
std::size_t balanceLevel(LatticeTree& tree, int level) {
  const auto nodes = leafNodes(tree, level + 2);
  std::vector<TreeNode>& cells = tree.levels[static_cast<std::size_t>(level)];
  std::vector<TreeNode>& below = tree.levels[static_cast<std::size_t>(level + 1)];
  std::size_t count = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].leaf() || !isTooLarge(cells[i].corners, nodes)) continue;
    const std::size_t first = below.size();
    addChildren(below, cells[i], static_cast<std::int32_t>(i));
    for (std::size_t k = first; k < below.size(); ++k) below[k].material = kFullPiece;
    cells[i].material = 0;
    ++count;
  }
  return count;
}

void balance(LatticeTree& tree, int firstLeafLevel) {
  for (std::size_t changed = 1; changed > 0;) {
    changed = 0;
    for (int l = tree.finest() - 2; l >= firstLeafLevel; --l) changed += balanceLevel(tree, l);
  }
}

/// Levels above the leaves serve the multigrid: as many as leave a few hundred nodes.
int levelsAbove(const TriangleMesh& surface, const LatticeConfig& config) {
  const double volume = std::abs(enclosedVolume(surface));
  double spacing = config.spacing * std::pow(2.0, config.leafLevels - 1);
  int above = 0;
  // Two nodes a cube, and about as many again at the surface once the cubes are as thick as limbs.
  while (4 * volume / (spacing * spacing * spacing) > config.coarsestNodes && above < 6)
    spacing *= 2, ++above;
  return above;
}

}  // namespace

LatticeTree makeTree(const TriangleMesh& surface, const LatticeConfig& config) {
  LatticeTree tree;
  const int above = levelsAbove(surface, config);
  tree.unit = config.spacing / bcc::kFine;
  tree.topSpacing = bcc::kFine << (config.leafLevels - 1 + above);
  tree.levels.resize(static_cast<std::size_t>(config.leafLevels + above));
  const Placed placed = place(surface, tree);
  tree.topCells = placed.cells;
  const std::array<std::int32_t, 3> extent{placed.cells[0] * tree.topSpacing,
                                           placed.cells[1] * tree.topSpacing,
                                           placed.cells[2] * tree.topSpacing};
  PNEUMA_CHECK(std::max({extent[0], extent[1], extent[2]}) < (1 << 20), "lattice of {} units",
               extent[1]);
  const Samples samples{ColumnRaster(placed.vertices, surface.triangles, extent[1], extent[2]),
                        TouchedCubes(placed.vertices, surface.triangles, extent)};
  for (int k = 0; k < placed.cells[2]; ++k)
    for (int j = 0; j < placed.cells[1]; ++j)
      for (int i = 0; i < placed.cells[0]; ++i)
        for (int t = 0; t < 12; ++t)
          tree.levels[0].push_back(
              TreeNode{bcc::topCell(Int3{i, j, k} * tree.topSpacing, tree.topSpacing, t)});
  for (int l = 0; l <= tree.finest(); ++l) refineLevel(tree, l, samples, l >= above);
  balance(tree, above);
  return tree;
}

std::uint64_t mortonCode(const Int3& p) {
  const auto spread = [](std::uint64_t v) {
    v &= 0x1fffff;
    v = (v | v << 32) & 0x1f00000000ffff;
    v = (v | v << 16) & 0x1f0000ff0000ff;
    v = (v | v << 8) & 0x100f00f00f00f00f;
    v = (v | v << 4) & 0x10c30c30c30c30c3;
    return (v | v << 2) & 0x1249249249249249;
  };
  return spread(static_cast<std::uint64_t>(p.y)) << 2 |
         spread(static_cast<std::uint64_t>(p.x)) << 1 | spread(static_cast<std::uint64_t>(p.z));
}

}  // namespace pneuma::flesh::embedded
