#pragma once

#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::anatomy::internal {

/// A disc of triangles laid flat, true to size [m] as far as possible.
///
///   start   least-squares conformal map: sum over triangles of |dU/dx + i dU/dy|^2 A  [Levy02, Eq.
///   3] then    as rigid as possible: rotations of the triangles and positions in turn  [Liu08,
///   Sec. 4]
///
/// Vertices with `onMirror` set stay at u = 0 (half of a symmetric chart). Orientation is kept:
/// seen from outside, v is left of u. The last step without a turned triangle is the result.
///
/// Where that turns triangles over or lies over itself (fingers and toes, whose halves are wider
/// than the way between them), the chart is grown apart instead (chart_grow.h).
std::vector<Vec2> flattened(const TriangleMesh& disc, const std::vector<char>& onMirror);

/// Singular values of each triangle's map to the plane: how much it is stretched along and across.
struct ChartStretch {
  double largest = 0, smallest = 0;
};
ChartStretch stretchOf(const Vec3& a, const Vec3& b, const Vec3& c, const Vec2& ua, const Vec2& ub,
                       const Vec2& uc);
/// Twice the signed area in the plane.
double signedArea2(const Vec2& a, const Vec2& b, const Vec2& c);

}  // namespace pneuma::anatomy::internal
