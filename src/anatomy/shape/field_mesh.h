#pragma once

#include <functional>

#include "pneuma/core/triangle_mesh.h"

/// Meshing of any implicit field (bones, muscles, skin).
namespace pneuma::anatomy::internal {

/// Field value at a point: negative inside, distance-like near the surface [m].
using FieldFunction = std::function<double(const Vec3&)>;
/// The field restricted to a box grown by `reach` [m]: what is cheap to leave out there is left
/// out. An empty function: the box lies outside. Must be callable from several threads.
using BlockField = std::function<FieldFunction(const Box& box, double reach)>;

/// Closed surface of the zero level inside `box`: voxels of `cellSize` [m], dual mesh, vertices
/// evened out and drawn onto the level `relaxations` times.
TriangleMesh meshField(const BlockField& blocks, const Box& box, double cellSize,
                       int relaxations = 3);

/// Volume of what is inside the zero level and the box [m^3], by lattice points of `cellSize` [m],
/// those near the surface counted in part.
double fieldVolume(const BlockField& blocks, const Box& box, double cellSize);

/// Drops closed pieces below `smallest` [m^3].
void dropCrumbs(TriangleMesh& mesh, double smallest);

}  // namespace pneuma::anatomy::internal
