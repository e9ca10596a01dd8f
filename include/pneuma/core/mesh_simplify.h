#pragma once

#include "pneuma/core/triangle_mesh.h"

namespace pneuma {

/// A lighter surface: corners go, flattest places first, until the quadric error reaches
/// `tolerance` [m]; that is a mean over planes, single points may lie up to twice as far off. A
/// closed manifold stays one. Corners that remain keep their place. Deterministic.
TriangleMesh simplified(const TriangleMesh& mesh, double tolerance);

/// The same for looks alone: a closed manifold need not stay one, so that thin places cannot keep
/// it from becoming lighter.
TriangleMesh lightened(const TriangleMesh& mesh, double tolerance);

/// About `count` triangles for the same surface, in the corners of `mesh`: a level of detail that
/// shares its vertices, so that whatever they carry (texture places, joints, morph offsets) goes
/// with them. Corners that lie in the same place count as a seam, which stays closed. More
/// triangles where fewer would be off by more than 2 % of the surface's size. Deterministic.
std::vector<Triangle> coarserTriangles(const TriangleMesh& mesh, std::size_t count);

}  // namespace pneuma
