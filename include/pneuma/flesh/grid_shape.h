#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/core/types.h"

/// Rest shapes of finite-difference solids: M x N x O nodes over the parametric block [0, 1]^3.
namespace pneuma::flesh {

/// Number of nodes along the three parametric axes. Axis 1 is the fibre axis of a muscle. A surface
/// has o == 1.
struct GridSize {
  int m = 2;
  int n = 2;
  int o = 2;

  int nodeCount() const { return m * n * o; }
  /// Node (i, j, k); axis 1 runs slowest, so that a cross-section is contiguous.
  int index(int i, int j, int k) const { return (i * n + j) * o + k; }
  bool isSurface() const { return o == 1; }
  bool operator==(const GridSize&) const = default;
};

/// Reads "21x5x5" or, for a surface, "21x9". Throws InputError.
GridSize parseGridSize(const std::string& text);
std::string toString(const GridSize& size);

/// Node positions at rest.
struct GridShape {
  GridSize size;
  std::vector<Vec3> positions;  ///< [m], in the order of GridSize::index
};

/// Positions from any mapping of the parametric block, a in [0, 1]^3. Throws InputError for fewer
/// than two nodes along an axis (one is allowed along the third: a surface) and for positions that
/// are not finite.
GridShape makeGrid(const GridSize& size, const std::function<Vec3(const Vec3& a)>& mapping);

/// A rectangular block; axis 1 along +X, its first corner at `origin`.
GridShape makeBrickGrid(const GridSize& size, const Vec3& extent,
                        const Vec3& origin = Vec3::Zero());

/// One cross-section of a muscle: an ellipse in the plane spanned by `side1` and `side2`.
struct MuscleStation {
  Vec3 center = Vec3::Zero();  ///< [m]
  Vec3 side1 = Vec3::UnitY();  ///< half axis of the ellipse [m]
  Vec3 side2 = Vec3::UnitZ();  ///< half axis of the ellipse [m]
};

/// A muscle with elliptic cross-sections between stations (cubic along the axis). The square
/// cross-section of the grid is spread over the ellipse by x = u sqrt(1 - v^2 / 2), y likewise.
GridShape makeStationGrid(const GridSize& size, std::span<const MuscleStation> stations);

/// A spindle along +X from the origin, thickest in the middle; radii in metres.
GridShape makeFusiformGrid(const GridSize& size, double length, double bellyRadius,
                           double endRadius);

/// Resamples a closed surface (a real muscle): planes across its long axis, in each of them rays
/// from the centre of the section to the outline. `trim` is the part of the length left out at both
/// ends, where sections degenerate to points. Throws InputError when a plane misses the surface.
GridShape resampleMuscle(const TriangleMesh& mesh, const GridSize& size, double trim = 0.04);

/// The outer surface of the grid as closed triangles over the grid's nodes (open for a surface).
/// Vertices are the nodes themselves; interior nodes are simply not used.
std::vector<Triangle> gridSurface(const GridSize& size);

/// The biceps brachii of the left arm as stations in the body frame: centres and half axes measured
/// on both heads of the anatomy pack taken together (grid_biceps.cpp names the source).
std::span<const MuscleStation> bicepsStations();

}  // namespace pneuma::flesh
