#pragma once

#include "anatomy/skin/skin_field.h"

namespace pneuma::anatomy::internal {

/// Meshes the skin at a fine resolution, coarsens its left half to even triangles (finer on face,
/// hands and feet) and joins it with its mirror image. `height` of the person [m].
TriangleMesh meshSkin(const SkinField& field, int triangles, double height);

}  // namespace pneuma::anatomy::internal
