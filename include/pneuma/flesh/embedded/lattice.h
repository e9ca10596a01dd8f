#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/core/types.h"

/// A lattice of tetrahedra that fills a closed surface [Lee09, Sec. 3.3.1].
///
/// Body-centred cubic: cubes of edge a with a node at every corner and centre; two centres across a
/// face and an edge of that face span a tetrahedron of volume a^3 / 12 with dihedrals of 60 and 90
/// degrees. Red refinement (midpoints of the edges; the octahedron cut along its shortest diagonal)
/// gives eight tetrahedra of the same shape and half the size, so the lattice of spacing a/2
/// refines that of spacing a.
///
/// *Cutting.* A finest tetrahedron is looked at as 64 small ones (two more refinements), each of
/// which is material when its centroid lies inside the surface. Every connected piece of material
/// gets a copy of the tetrahedron of its own; copies of neighbours share nodes only where their
/// pieces meet across the common face [Sifakis et al. 2007]. Arm and trunk, or two fingers, thus
/// stay apart when they run through one cell.
/// Reading: pieces are resolved to a/4; narrower gaps are glued.
///
/// *Coarsening.* Only tetrahedra that are full of material are larger than the finest size, by at
/// most two levels as in the paper. Departure: sizes of neighbours differ by one level at most, so
/// a hanging node (T-junction) is the midpoint of one coarse edge and never depends on two sizes.
///
/// *T-junctions* are no unknowns: node positions are x = S y with y of the free nodes alone.
namespace pneuma::flesh::embedded {

/// Rows of weights over a smaller set: row i is sum of weight[k] y[column[k]].
struct SparseRows {
  std::vector<std::int32_t> start{0};
  std::vector<std::int32_t> column;
  std::vector<float> weight;  ///< sums of powers of 1/2, exact

  std::size_t rows() const { return start.size() - 1; }
  void add(std::int32_t c, float w) { column.push_back(c), weight.push_back(w); }
  void endRow() { start.push_back(static_cast<std::int32_t>(column.size())); }
};

/// How finely flesh is cut.
enum class FleshLevel { Preview, Default, Fine };
std::string_view name(FleshLevel level);
std::optional<FleshLevel> fleshLevelOf(std::string_view name);

struct LatticeConfig {
  double spacing = 0.0115;  ///< a, edge of the finest cubes [m], > 0
  int leafLevels = 3;       ///< sizes of tetrahedra: a, 2 a, 4 a [-], 1 .. 4
  int coarsestNodes = 600;  ///< the multigrid stops at about so many nodes [-], >= 1

  static LatticeConfig of(FleshLevel level);
};

using Tet = std::array<std::int32_t, 4>;

/// A place in the lattice: a tetrahedron and barycentric coordinates.
struct LatticePlace {
  std::int32_t tet = -1;
  Vec4 weights = Vec4::Zero();
};

/// The cut lattice. Nodes [0, freeCount) are free, those after are T-junctions.
struct Lattice {
  LatticeConfig config;
  Vec3 origin = Vec3::Zero();  ///< place of the integer coordinates (0, 0, 0) [m]

  std::vector<Vec3> nodes;  ///< at rest [m]
  std::int32_t freeCount = 0;
  std::vector<Tet> tets;             ///< positive volume; the first two nodes span a long edge
  std::vector<float> share;          ///< of each tetrahedron that is material, 1/64 .. 1
  std::vector<std::uint8_t> size;    ///< 0 finest, 1, 2... each twice as large
  std::vector<std::uint64_t> piece;  ///< the small tetrahedra that are material, all ones: full
  SparseRows bindings;               ///< S: nodes from free nodes
  /// P_k: unknowns of multigrid level k (0: the free nodes) from those of level k + 1.
  std::vector<SparseRows> prolongations;

  std::size_t nodeCount() const { return nodes.size(); }
  std::size_t tetCount() const { return tets.size(); }
  double volume(std::size_t tet) const;  ///< of the tetrahedron, material or not [m^3]
  double materialVolume() const;         ///< sum of share times volume [m^3]

  /// The copy at `point` whose material is there or nearest to it; a point outside the lattice gets
  /// the nearest tetrahedron and weights outside [0, 1]. `inward` (unit length or zero) points from
  /// a surface into its body and decides between copies.
  LatticePlace locate(const Vec3& point, const Vec3& inward = Vec3::Zero()) const;

  /// What `locate` descends: children of a cell stand together; a leaf has its copies.
  struct TreeCell {
    std::int32_t child = -1;     ///< first of eight, or -1
    std::int32_t firstTet = -1;  ///< first copy of a leaf, the others follow; -1: nothing here
    std::int32_t tetCount = 0;
  };
  std::vector<TreeCell> tree;     ///< the first topCells.prod() * 12 are the largest
  std::array<int, 3> topCells{};  ///< cubes of the largest size along x, y, z
  std::int32_t topSpacing = 0;    ///< edge of the largest cubes in integer units
};

/// Fills a closed surface. Deterministic, same bits for any thread count; a mirrored, shifted or
/// scaled surface (with its spacing) gives the lattice so changed. Throws InputError for a surface
/// that is not watertight or a spacing out of range.
Lattice makeLattice(const TriangleMesh& surface, const LatticeConfig& config);

/// The same, kept in `folder` by content: safe to delete, a damaged file counts as absent.
Lattice cachedLattice(const TriangleMesh& surface, const LatticeConfig& config,
                      const std::filesystem::path& folder);

}  // namespace pneuma::flesh::embedded
