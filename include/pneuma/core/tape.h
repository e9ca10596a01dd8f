#pragma once

#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

/// Girths, as a tape measures them.
namespace pneuma {

/// Length of a tape around points of a plane: the perimeter of their convex hull.
double tapeLength(std::vector<Vec2> points);

/// What a tape around a closed surface measures.
struct Tape {
  double length = 0;          ///< [m]; 0: the plane does not cut the surface around the point
  std::vector<Vec3> outline;  ///< of the cut, in order [m]
};
/// A tape around a point, in the plane through it with that unit normal. Of all outlines of the cut
/// it is laid around the one that goes around the point, the shortest if several do: around an arm
/// and not around the trunk beside it.
Tape tapeAround(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                const Vec3& point, const Vec3& normal);

}  // namespace pneuma
