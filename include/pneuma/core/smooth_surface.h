#pragma once

#include <span>
#include <utility>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma {

/// A coarse triangle mesh as the smooth surface that it controls: Loop's subdivision [Loop87]. The
/// topology is worked out once; after that any positions of the coarse vertices are refined.
///
/// With n neighbours p_k of vertex p, and an edge (a, b) between opposite corners c and d, a level
/// gives
///
///   p' = (1 - n B) p + B sum p_k     B = (5/8 - (3/8 + cos(2 pi / n) / 4)^2) / n
///   e' = 3/8 (a + b) + 1/8 (c + d)
///
/// and on boundaries p' = 3/4 p + 1/8 (p_1 + p_2), e' = (a + b) / 2, so that a boundary is a cubic
/// spline of its own points.
class SmoothSurface {
 public:
  /// `levels` cuts each triangle into 4^levels. Every vertex must be used, every edge by one or two
  /// triangles.
  SmoothSurface(std::span<const Triangle> triangles, std::size_t vertexCount, int levels);

  const std::vector<Triangle>& triangles() const { return triangles_; }
  std::vector<Vec3> refine(std::vector<Vec3> points) const;

 private:
  /// New vertices as weighted sums of those of the level before.
  struct Level {
    std::vector<std::size_t> begin{0};
    std::vector<std::pair<std::int32_t, double>> terms;
  };
  void subdivide(std::size_t vertexCount);

  std::vector<Level> levels_;
  std::vector<Triangle> triangles_;
};

}  // namespace pneuma
