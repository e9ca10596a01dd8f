#pragma once

#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::fit {

/// Distances along a surface, through its edges and across them: from a vertex to its neighbours,
/// and to the far corner of each triangle beyond an edge, both unfolded into one plane. Some
/// percent longer than the true shortest ways, alike in all directions, whatever the triangulation.
class SurfaceGraph {
 public:
  explicit SurfaceGraph(const TriangleMesh& mesh);

  std::size_t size() const { return first_.size() - 1; }
  /// Distance of every vertex from the nearest of `sources` [m]; infinity beyond `most` and on
  /// other pieces.
  std::vector<double> distances(std::span<const std::int32_t> sources, double most = 1e300) const;
  std::vector<double> distances(std::int32_t source) const { return distances({&source, 1}); }
  /// Neighbours of a vertex, by edge and across.
  std::span<const std::int32_t> neighbours(std::int32_t v) const;

 private:
  std::vector<std::size_t> first_;
  std::vector<std::int32_t> to_;
  std::vector<double> length_;
};

}  // namespace pneuma::fit
