#pragma once

#include <string>
#include <vector>

#include "io/gltf_document.h"
#include "pneuma/core/triangle_mesh.h"

/// What a glTF file shows: its tree of nodes and the triangles of its primitives. Everything throws
/// GltfProblem.
namespace pneuma::io::internal {

using GltfTransform = Eigen::Affine3d;

/// A node of the default scene and where it is.
struct GltfPlacedNode {
  std::size_t node = 0;  ///< index in the file
  int parent = -1;       ///< index in the list, -1 at the top
  GltfTransform world = GltfTransform::Identity();
};

/// The nodes of the default scene, parents before their children; without scenes, every node that
/// is nobody's child is a top.
std::vector<GltfPlacedNode> placedNodes(const GltfDocument& document);

/// Words and lists of a JSON object: empty when absent.
std::string gltfText(const GltfDocument::Json& object, const char* key);
std::vector<std::size_t> gltfIndices(const GltfDocument::Json& object, const char* key);

/// Triangles of primitives in the frame of their mesh. Many nodes may show one mesh: the sum of
/// what is read stays in proportion to the file.
class GltfTriangles {
 public:
  explicit GltfTriangles(const GltfDocument& document) : document_(document) {}

  /// Appends a primitive's vertices and triangles; false (and nothing added) for lines and points.
  /// `path` names the primitive in messages: "meshes[0].primitives[1]".
  bool append(const GltfDocument::Json& primitive, const std::string& path, TriangleMesh& mesh);

 private:
  void addPositions(std::size_t accessor, TriangleMesh& mesh);
  std::vector<std::size_t> corners(const GltfDocument::Json& primitive, std::size_t count);
  void charge(std::size_t elements);

  const GltfDocument& document_;
  std::size_t spent_ = 0;
};

}  // namespace pneuma::io::internal
