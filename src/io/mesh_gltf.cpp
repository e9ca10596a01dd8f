#include <fmt/format.h>

#include "io/gltf_scene.h"
#include "io/mesh_formats.h"
#include "pneuma/io/file.h"

namespace pneuma::io::internal {
namespace {

/// Gathers the triangle surfaces that the default scene shows, each placed by its node.
class GltfSurfaces {
 public:
  GltfSurfaces(const GltfDocument& document, const std::string& file)
      : document_(document), file_(file), triangles_(document) {}

  NamedMeshes gather() {
    document_.requireKnownExtensions();
    if (document_.count("nodes") == 0)
      for (std::size_t i = 0; i < document_.count("meshes"); ++i)
        add(i, "", GltfTransform::Identity());
    for (const GltfPlacedNode& placed : placedNodes(document_)) {
      const GltfDocument::Json& node = document_.at("nodes", placed.node);
      if (const auto mesh = GltfDocument::index(node, "mesh"))
        add(*mesh, gltfText(node, "name"), placed.world);
    }
    if (meshes_.empty())
      throw GltfProblem{
          otherPrimitives_ > 0
              ? fmt::format("has no triangles: {} primitives of lines or points", otherPrimitives_)
              : std::string("has no triangles")};
    return std::move(meshes_);
  }

 private:
  void add(std::size_t meshIndex, const std::string& nodeName, const GltfTransform& world) {
    const GltfDocument::Json& primitives = document_.primitives(meshIndex);
    NamedMesh result{.name = nodeName};
    if (result.name.empty()) result.name = gltfText(document_.at("meshes", meshIndex), "name");
    if (result.name.empty()) result.name = stemOf(file_);
    for (std::size_t k = 0; k < primitives.size(); ++k)
      if (!triangles_.append(primitives[k], fmt::format("meshes[{}].primitives[{}]", meshIndex, k),
                             result.mesh))
        ++otherPrimitives_;
    for (std::size_t v = 0; v < result.mesh.vertexCount(); ++v) {
      Vec3& p = result.mesh.positions[v];
      p = world * p;
      if (!p.allFinite())
        throw GltfProblem{fmt::format(
            "vertex {} of meshes[{}] is not finite where its node puts it", v, meshIndex)};
    }
    // A mirrored node turns its surface inside out.
    if (world.linear().determinant() < 0) flipOrientation(result.mesh);
    if (!result.mesh.empty()) meshes_.push_back(std::move(result));
  }

  const GltfDocument& document_;
  const std::string& file_;
  GltfTriangles triangles_;
  NamedMeshes meshes_;
  std::size_t otherPrimitives_ = 0;
};

}  // namespace

Result<NamedMeshes> parseGltf(std::string_view content, const std::string& file) {
  try {
    const GltfDocument document(content, file);
    return GltfSurfaces(document, file).gather();
  } catch (const GltfProblem& problem) {
    return fileError(file, problem.message);
  } catch (const GltfDocument::Json::exception& e) {
    return fileError(file, fmt::format("has a field of the wrong type ({})", e.what()));
  }
}

}  // namespace pneuma::io::internal
