#pragma once

#include "pneuma/anatomy/person_map.h"

namespace pneuma::anatomy::internal {

/// A shape carried by the map: points follow it, ellipsoids and directions its derivative at their
/// centre, radii of sweeps and contours and thicknesses the cube root of its determinant. `right`:
/// the mirror image of what the left side would become, to the last bit.
BoneShape fitShape(const BoneShape& shape, const PersonMap& map, MapBranch branch, bool right);

/// One part by itself.
ShapePart fitPart(const ShapePart& part, const PersonMap& map, MapBranch branch);

}  // namespace pneuma::anatomy::internal
