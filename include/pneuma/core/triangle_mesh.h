#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma {

/// Vertices of a triangle.
using Triangle = std::array<std::int32_t, 3>;

/// A triangle surface. Triangles are counter-clockwise seen from outside.
struct TriangleMesh {
  std::vector<Vec3> positions;  ///< [m]
  std::vector<Triangle> triangles;

  std::size_t vertexCount() const { return positions.size(); }
  std::size_t triangleCount() const { return triangles.size(); }
  bool empty() const { return triangles.empty(); }
};

/// What a surface is, by its edges. A directed edge that occurs twice means wrong orientation or a
/// non-manifold edge; one without its reverse lies on a boundary.
struct MeshTopology {
  std::size_t boundaryEdges = 0;        ///< directed edges without a reverse
  std::size_t nonManifoldEdges = 0;     ///< directed edges that occur more than once
  std::size_t degenerateTriangles = 0;  ///< with a repeated index
  std::size_t outOfRangeIndices = 0;
  std::size_t unusedVertices = 0;
  std::size_t components = 0;  ///< edge-connected
  long eulerNumber = 0;        ///< V - E + F over used vertices

  bool closed() const { return boundaryEdges == 0; }
  /// Closed, manifold edges, consistent orientation: volume and inside/outside mean something.
  bool watertight() const {
    return closed() && nonManifoldEdges == 0 && degenerateTriangles == 0 && outOfRangeIndices == 0;
  }
};

MeshTopology analyzeTopology(const TriangleMesh& mesh);

/// Axis-aligned box.
struct Box {
  Vec3 min = Vec3::Constant(1e300);
  Vec3 max = Vec3::Constant(-1e300);
  void add(const Vec3& p) {
    min = min.cwiseMin(p);
    max = max.cwiseMax(p);
  }
  void add(const Box& b) {
    min = min.cwiseMin(b.min);
    max = max.cwiseMax(b.max);
  }
  bool empty() const { return (min.array() > max.array()).any(); }
  Vec3 center() const { return 0.5 * (min + max); }
  Vec3 size() const { return max - min; }
};

Box boundingBox(std::span<const Vec3> points);

/// Unit normals per triangle (zero for a triangle without area).
std::vector<Vec3> triangleNormals(const TriangleMesh& mesh);
/// Unit normals per vertex, weighted by the corner angles of the triangles around it.
std::vector<Vec3> vertexNormals(const TriangleMesh& mesh);
double triangleArea(const Vec3& a, const Vec3& b, const Vec3& c);
double surfaceArea(const TriangleMesh& mesh);

/// Volume inside a closed surface by signed tetrahedra [m^3]; positive when triangles face
/// outwards.
double enclosedVolume(const TriangleMesh& mesh);
double enclosedVolume(std::span<const Vec3> positions, std::span<const Triangle> triangles);

/// Volume, centroid and inertia about the centroid at unit density [m^3, m, m^5], exact for the
/// polyhedron (integration over signed tetrahedra).
struct SolidProperties {
  double volume = 0;
  Vec3 centroid = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};
SolidProperties solidProperties(const TriangleMesh& mesh);

/// Appends `other`; returns the index of its first vertex.
std::int32_t append(TriangleMesh& mesh, const TriangleMesh& other);
/// Reverses every triangle.
void flipOrientation(TriangleMesh& mesh);
/// Joins vertices that lie within `tolerance` [m] of one another on a grid; drops collapsed
/// triangles.
TriangleMesh weld(const TriangleMesh& mesh, double tolerance);
/// Drops vertices that no triangle uses, keeping the order of the rest.
void removeUnusedVertices(TriangleMesh& mesh);

/// Simple closed surfaces for tests, scenes and pictures, outward orientation.
TriangleMesh makeBox(const Vec3& size, const Vec3& center = Vec3::Zero());
/// Geodesic sphere: 20 * 4^levels triangles.
TriangleMesh makeSphere(double radius, int levels, const Vec3& center = Vec3::Zero());
/// A tube of `sides` around a polyline with a radius per point, closed with flat caps.
TriangleMesh makeTube(std::span<const Vec3> line, std::span<const double> radii, int sides);

}  // namespace pneuma
