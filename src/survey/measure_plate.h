#pragma once

#include "anatomy/shape/distance_volume.h"
#include "pneuma/anatomy/bone_shape.h"

namespace pneuma::survey::internal {

/// The thin plate of a bone (the blade of the scapula) as a grid of rows x columns points on its
/// middle surface: what is nowhere thicker than `thickness` [m]. Rows run along its longest
/// extent, columns from edge to edge. The stated thickness is at least `thinnest` [m].
anatomy::ShapePart measurePlate(const anatomy::internal::DistanceVolume& volume, int rows,
                                int columns, double thickness, double thinnest);

}  // namespace pneuma::survey::internal
