#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::flesh::embedded {

/// Normals of single vertices of a surface that moves, as `vertexNormals` has them of all: contact
/// asks for those of the skin that moved, and of the skin near a bone.
class VertexNormals {
 public:
  explicit VertexNormals(const TriangleMesh& mesh);

  /// Of unit length, for the places that the vertices have now; zero where all triangles are flat.
  Vec3 normal(std::size_t vertex, std::span<const Vec3> positions) const;

 private:
  std::vector<Triangle> triangles_;
  std::vector<std::int32_t> start_, around_;  ///< three times the triangle plus the corner
};

}  // namespace pneuma::flesh::embedded
