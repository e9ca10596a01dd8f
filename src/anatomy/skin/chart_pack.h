#pragma once

#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::anatomy::internal {

/// A flat chart to be placed. Sizes in any unit common to all.
struct FlatChart {
  std::vector<Vec2> points;
  std::vector<Triangle> triangles;
  /// Half of a symmetric chart: its side u = 0 goes to the left edge.
  bool atWall = false;
};

/// Where charts go: point p of chart c lies at scale * p + offset[c].
struct ChartLayout {
  double scale = 0;
  std::vector<Vec2> offset;
};

/// Places charts without overlap, with a gap, in [0, 1/2] x [0, 1] (the other half is the mirror
/// image), as large as they go: their outlines on a grid, largest first, each at the lowest and
/// then leftmost free place; the scale by bisection.
ChartLayout packed(const std::vector<FlatChart>& charts);

}  // namespace pneuma::anatomy::internal
