#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::skin {

/// Vertices of a quadrilateral, in order.
using Quad = std::array<std::int32_t, 4>;

/// A net of quadrilaterals, counter-clockwise seen from outside. It may have a boundary.
struct QuadNet {
  std::int32_t vertexCount = 0;
  std::vector<Quad> quads;
};

/// Points of a cubic B-spline surface over a net of control points. [Nedel00, Sec. 5]
///
///   s = S c     S: one sparse row of weights per surface point, c: control points
///
/// Each level halves the knots of the bicubic uniform B-spline: where four quads meet at a vertex
/// the rows are exactly those of the tensor product (1/8 6/8 1/8, 1/2 1/2 in either direction); on
/// a boundary those of the cubic curve.
///
/// Departure: the paper triangulates each patch and stitches the meshes. Here the rules of Catmull
/// and Clark (1978) continue the same spline over the few vertices where other than four quads meet
/// (shoulder, crotch), so that the pieces join with a continuous tangent and without seams
/// (subdivision_test, IsTheBicubicSplineOnARegularNet).
class SplineSurface {
 public:
  /// Throws InputError for indices out of range, a non-manifold net, or levels outside [0, 4].
  SplineSurface(const QuadNet& control, int levels);

  const QuadNet& net() const { return net_; }
  int levels() const { return levels_; }
  /// Two triangles for each quad.
  std::vector<Triangle> triangles() const;
  /// Vertices of the surface on the boundary that starts at control vertex `vertex`, in the order
  /// of the net's boundary edges. Control vertex i keeps its index in the surface.
  std::vector<std::int32_t> boundaryFrom(std::int32_t vertex) const;

  /// Surface points of control points; `surface` is sized by the first call.
  void evaluate(std::span<const Vec3> control, std::vector<Vec3>& surface) const;

 private:
  QuadNet net_;
  int levels_;
  std::int32_t controlCount_;
  std::vector<std::int32_t> rowBegin_, column_;
  std::vector<double> weight_;
};

}  // namespace pneuma::skin
