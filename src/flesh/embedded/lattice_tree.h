#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flesh/embedded/bcc.h"
#include "pneuma/core/triangle_mesh.h"
#include "pneuma/flesh/embedded/lattice.h"

/// Steps of makeLattice: tree of cells, copies by pieces of material, nodes.
namespace pneuma::flesh::embedded {

inline constexpr std::uint64_t kFullPiece = ~std::uint64_t{0};

/// One cell of the refinement tree.
struct TreeNode {
  bcc::Corners corners;
  std::int32_t parent = -1;    ///< in the list above, -1 at the top
  std::int32_t child = -1;     ///< first of eight in the list below, -1: leaf or nothing
  std::uint64_t material = 0;  ///< of a leaf: its small tetrahedra; 0: nothing here
  std::uint8_t childSlot = 0;  ///< which child of its parent
  bool full = false;           ///< known to hold nothing but material
  bool leaf() const { return child < 0 && material != 0; }
};

/// Cells by level, level 0 the largest. The children of a cell stand together.
struct LatticeTree {
  Vec3 origin;
  double unit = 0;  ///< [m] per integer unit
  std::array<int, 3> topCells{};
  std::int32_t topSpacing = 0;
  std::vector<std::vector<TreeNode>> levels;

  int finest() const { return static_cast<int>(levels.size()) - 1; }
};

/// Cells that the surface runs through are refined to the end, others at least until they are as
/// small as a leaf may be; then leaves until neighbours differ by one level at most.
LatticeTree makeTree(const TriangleMesh& surface, const LatticeConfig& config);

/// A tetrahedron of a mesh that belongs to one tree cell.
struct MeshCell {
  std::int32_t level = 0, node = 0;  ///< of the tree
  std::uint64_t piece = kFullPiece;
};
/// Two cells whose material meets across a face.
struct Connection {
  std::int32_t a = 0, b = 0;  ///< cells; a is not the larger one
  std::int8_t faceA = 0, faceB = 0;
  auto operator<=>(const Connection&) const = default;
};

/// A mesh of cells and where they hang together; coarser ones are made of finer ones.
struct CellMesh {
  std::vector<MeshCell> cells;
  std::vector<Connection> connections;
};

/// The copies of every leaf and how they are connected; specks without neighbours that together
/// hold less than one finest cell of material are left out.
CellMesh makeCopies(const LatticeTree& tree);

/// The next coarser mesh: cells of level `deepest` become one of their parent for each connected
/// group; `groupOf` gives the new cell of each old one.
CellMesh coarsened(const LatticeTree& tree, const CellMesh& mesh, int deepest,
                   std::vector<std::int32_t>& groupOf);

/// Nodes of a mesh of cells: free ones first, each part in Morton order.
struct NodeNumbering {
  std::vector<Tet> corners;            ///< nodes of each cell
  std::vector<bcc::Int3> coordinates;  ///< of each node
  std::int32_t freeCount = 0;
  SparseRows bindings;  ///< nodes from free nodes
};
NodeNumbering numberNodes(const LatticeTree& tree, const CellMesh& mesh);

/// Bits of the coordinates interleaved.
std::uint64_t mortonCode(const bcc::Int3& p);

/// Sets that are joined; the smallest member stands for its set.
class UnionFind {
 public:
  explicit UnionFind(std::size_t count) : parent_(count) {
    for (std::size_t i = 0; i < count; ++i) parent_[i] = static_cast<std::int32_t>(i);
  }
  std::int32_t find(std::int32_t i) {
    while (parent_[static_cast<std::size_t>(i)] != i) {
      std::int32_t& p = parent_[static_cast<std::size_t>(i)];
      p = parent_[static_cast<std::size_t>(p)];
      i = p;
    }
    return i;
  }
  void join(std::int32_t a, std::int32_t b) {
    a = find(a), b = find(b);
    if (a < b) parent_[static_cast<std::size_t>(b)] = a;
    if (b < a) parent_[static_cast<std::size_t>(a)] = b;
  }

 private:
  std::vector<std::int32_t> parent_;
};

}  // namespace pneuma::flesh::embedded
