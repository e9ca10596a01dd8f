#pragma once

#include "survey/polygon_mesh.h"

namespace pneuma::survey::internal {

/// Closes the lids of the left eye of a face: seen from the middle of the eyeball, both lids turn
/// towards one line of sight per azimuth, the upper one most of the way, and the skin above and
/// below follows less and less. The opening is found by rays from `eye` that leave the face.
void closeLids(PolygonMesh& face, const Vec3& eye);

}  // namespace pneuma::survey::internal
