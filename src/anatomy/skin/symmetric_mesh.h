#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pneuma/core/index.h"
#include "pneuma/core/triangle_mesh.h"

namespace pneuma::anatomy::internal {

/// A closed surface that is its own mirror image in x = 0. No triangle crosses the mid-plane: the
/// first half of the list lies in x >= 0, the second half are their images.
struct SymmetricMesh {
  TriangleMesh mesh;
  std::vector<std::int32_t> mirror;  ///< image of each vertex; itself in the mid-plane
  std::vector<std::int32_t> left;    ///< vertices of the half x >= 0, ascending

  bool inPlane(std::int32_t v) const { return mirror[at(v)] == v; }
  std::size_t halfTriangles() const { return mesh.triangles.size() / 2; }
  /// Gives the right half the image of the left one; mid-plane vertices get x = 0.
  void mirrorPositions();
};

/// A half (x >= 0, vertices of the cut at x = 0 exactly) and its image, joined along the mid-plane.
SymmetricMesh joinedHalves(const TriangleMesh& half);

/// Every triangle cut into four by the middles of its edges: triangle t becomes 4 t .. 4 t + 3 (its
/// corners' in order, then the inner one). Old vertices keep their numbers, new ones follow in the
/// order in which their edges first occur.
SymmetricMesh subdivided(const SymmetricMesh& coarse);

/// Ends of the edges that the new vertices of `subdivided` cut, in their order.
std::vector<std::pair<std::int32_t, std::int32_t>> cutEdges(std::span<const Triangle> triangles);

/// The neighbours of every vertex of a closed surface, counter-clockwise.
class VertexRings {
 public:
  explicit VertexRings(const TriangleMesh& mesh);
  std::span<const std::int32_t> operator[](std::int32_t v) const {
    return {ring_.data() + first_[at(v)], ring_.data() + first_[at(v) + 1]};
  }
  /// Place of the first neighbour in lists as long as all rings together.
  std::size_t first(std::int32_t v) const { return first_[at(v)]; }
  std::size_t size() const { return ring_.size(); }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::int32_t> ring_;
};

}  // namespace pneuma::anatomy::internal
