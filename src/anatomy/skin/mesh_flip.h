#pragma once

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::anatomy::internal {

/// Flips inner edges of a half (x >= 0, boundary in x = 0) until every one is Delaunay: the angles
/// opposite to it add up to at most 180 degrees. The surface keeps its shape: only edges between
/// nearly level triangles turn. No edge is made twice, and none between two vertices of the
/// mid-plane.
void flipToDelaunay(TriangleMesh& half);

}  // namespace pneuma::anatomy::internal
