#pragma once

#include <span>

#include "pneuma/core/triangle_mesh.h"

/// Half a head laid out on a square, so that it can be stored as a table of points.
namespace pneuma::survey::internal {

/// Places in [0, 1]^2 of the vertices of a disc: a surface with one boundary, of which the part in
/// x = 0 (from its lowest point in front over the top to its lowest point behind) runs along the
/// sides u = 0, v = 1 and u = 1, and the rest along v = 0.
///
/// The layout is one of little stretch among convex combinations of neighbours (Yoshizawa, Belyaev
/// and Seidel 2004): weights start as mean values (Floater 2003) and are divided by the stretch
/// that each solution shows, which cannot turn a triangle over. `density` asks for more room: a
/// vertex with 2 gets twice the length.
std::vector<Vec2> squareChart(const TriangleMesh& disc, std::span<const double> density);

/// For every node of a size x size grid over the square, row by row (v from 0 to 1): the triangle
/// of the chart it lies in, and its weights there.
struct ChartNode {
  std::int32_t triangle = -1;
  Vec3 weights = Vec3::Zero();
};
std::vector<ChartNode> chartNodes(const TriangleMesh& disc, std::span<const Vec2> places, int size);

}  // namespace pneuma::survey::internal
