#pragma once

#include <span>
#include <utility>
#include <vector>

#include "pneuma/flesh/grid_shape.h"

namespace pneuma::flesh {

/// A smooth triangle surface over a grid: the outer nodes interpolated by cubics (Catmull-Rom),
/// `refinement` pieces per lattice edge. The topology is fixed; positions follow the nodes.
class GridSkin {
 public:
  explicit GridSkin(const GridSize& size, int refinement = 3);

  const std::vector<Triangle>& triangles() const { return triangles_; }
  std::size_t vertexCount() const { return first_.size() - 1; }
  /// Vertex positions for the given nodes (x, y, z of each).
  std::vector<Vec3> positions(const VecX& q) const;

 private:
  std::vector<Triangle> triangles_;
  std::vector<std::size_t> first_;               ///< weights of vertex i: first_[i] .. first_[i+1]
  std::vector<std::pair<int, double>> weights_;  ///< node and its share
};

}  // namespace pneuma::flesh
