#pragma once

#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::skin::internal {

/// Opens the few triangles that pushes and shapes have turned over: around each, skin takes up the
/// shape at rest again, turned with its surroundings.
///
///   a triangle is bad when     n . R n_0 < 0.2 |n| |n_0|      n, n_0 area vectors now and at rest
///   x_v <- sum_j w_vj (x_j + 1/2 (R_v + R_j) (p_v - p_j)) / sum_j w_vj     near bad triangles
///
///   R_v rotation of the vertex's motion (R of a triangle: their mean), w_vj cotangent weights
///
/// These are Jacobi steps of the sheet's equation (skin_tension.h) without its anchors, on a patch
/// whose border stays: two rings around each bad triangle at first, one more in each further round,
/// so that what is squeezed finds room. Costs one look at every triangle where nothing is bad.
class Untangler {
 public:
  explicit Untangler(const TriangleMesh& rest);

  /// Returns the number of bad triangles left.
  std::size_t apply(std::span<const Pose> motions, std::span<Vec3> positions);

 private:
  struct Edge {
    std::int32_t to = 0;
    double weight = 0;
  };
  bool isBad(std::size_t triangle, std::span<const Pose> motions,
             std::span<const Vec3> positions) const;
  void findBad(std::span<const Pose> motions, std::span<const Vec3> positions);
  /// Only triangles of the patch can have changed since.
  void findBadAgain(std::span<const Pose> motions, std::span<const Vec3> positions);
  void findPatch(int rings);
  void sweep(std::span<const Pose> motions, std::span<Vec3> positions);

  std::vector<Triangle> triangles_;
  std::vector<Vec3> rest_, areas_;  // of vertices; area vectors of triangles at rest
  std::vector<std::size_t> begin_;  // of each vertex's edges
  std::vector<Edge> edges_;
  std::vector<std::size_t> fanBegin_;  // of each vertex's triangles
  std::vector<std::int32_t> fan_;
  std::vector<std::uint8_t> isBad_, inPatch_;
  std::vector<std::int32_t> bad_, patch_;
  std::vector<Vec3> next_;
};

}  // namespace pneuma::skin::internal
