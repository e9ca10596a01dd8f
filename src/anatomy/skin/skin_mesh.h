#pragma once

#include "anatomy/skin/head_surface.h"
#include "anatomy/skin/skin_field.h"

namespace pneuma::anatomy::internal {

/// Meshes the skin at a fine resolution, coarsens its left half to at most `triangles` / 2 even
/// triangles (finer on face, hands and feet), joins it with its mirror image, and evens it out:
/// Delaunay flips, relaxation along the level set, repair of the worst triangles. `height` of the
/// person [m]. With a measured head (may be null) that one is put in the place of the field's.
SymmetricMesh meshSkin(const SkinField& field, int triangles, double height,
                       const HeadSurface* head);

}  // namespace pneuma::anatomy::internal
