#pragma once

#include <vector>

#include "pneuma/core/triangle_mesh.h"

/// Surfaces of polygons, as artists model them: what heads are measured from.
namespace pneuma::survey::internal {

using Polygon = std::vector<std::int32_t>;

/// A surface of polygons, counter-clockwise seen from outside.
struct PolygonMesh {
  std::vector<Vec3> positions;  ///< [m]
  std::vector<Polygon> faces;
};

/// The polygons as fans of triangles.
TriangleMesh triangulated(const PolygonMesh& mesh);

/// The half x >= 0 (faces with no vertex beyond the mid-plane) and its mirror image, joined in the
/// mid-plane. Vertices within `tolerance` [m] of the plane are put into it.
PolygonMesh madeSymmetric(const PolygonMesh& mesh, double tolerance);

/// Which faces are seen from outside: those from whose middle more than `share` of a hemisphere of
/// directions leads away without meeting the surface again.
std::vector<char> seenFromOutside(const PolygonMesh& mesh, double share);

/// Keeps the faces with `wanted` set: the largest piece of them that is joined by edges, without
/// vertices where two boundaries touch.
void keepFaces(PolygonMesh& mesh, const std::vector<char>& wanted);

/// Closes every boundary but the longest, joining across it what lies nearest: a slit is closed
/// like a zip.
void closeHoles(PolygonMesh& mesh);

/// One step of Catmull and Clark's subdivision; boundaries become cubic splines.
PolygonMesh catmullClark(const PolygonMesh& mesh);

}  // namespace pneuma::survey::internal
