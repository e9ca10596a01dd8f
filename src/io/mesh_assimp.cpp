#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <fmt/format.h>

#include <assimp/Importer.hpp>

#include "io/mesh_formats.h"
#include "pneuma/io/file.h"

namespace pneuma::io::internal {
namespace {

void addMeshes(const aiScene& scene, const aiNode& node, const aiMatrix4x4& parent,
               NamedMeshes& out) {
  const aiMatrix4x4 world = parent * node.mTransformation;
  for (unsigned m = 0; m < node.mNumMeshes; ++m) {
    const aiMesh& source = *scene.mMeshes[node.mMeshes[m]];
    NamedMesh mesh{.name = source.mName.length > 0 ? source.mName.C_Str() : node.mName.C_Str()};
    for (unsigned i = 0; i < source.mNumVertices; ++i) {
      const aiVector3D p = world * source.mVertices[i];
      mesh.mesh.positions.emplace_back(p.x, p.y, p.z);
    }
    for (unsigned f = 0; f < source.mNumFaces; ++f) {
      const aiFace& face = source.mFaces[f];
      if (face.mNumIndices == 3)
        mesh.mesh.triangles.push_back({static_cast<std::int32_t>(face.mIndices[0]),
                                       static_cast<std::int32_t>(face.mIndices[1]),
                                       static_cast<std::int32_t>(face.mIndices[2])});
    }
    if (!mesh.mesh.empty()) out.push_back(std::move(mesh));
  }
  for (unsigned c = 0; c < node.mNumChildren; ++c) addMeshes(scene, *node.mChildren[c], world, out);
}

}  // namespace

Result<NamedMeshes> parseWithAssimp(std::string_view content, const std::string& file,
                                    const std::string& ending) {
  Assimp::Importer importer;
  const aiScene* scene = nullptr;
  try {
    scene = importer.ReadFileFromMemory(
        content.data(), content.size(),
        aiProcess_Triangulate | aiProcess_JoinIdenticalVertices | aiProcess_ValidateDataStructure,
        ending.c_str() + 1);
  } catch (const std::exception& e) {
    return fileError(file, fmt::format("cannot be read: {}", e.what()));
  }
  if (!scene || !scene->mRootNode)
    return fileError(file, fmt::format("cannot be read: {}", importer.GetErrorString()));
  NamedMeshes meshes;
  addMeshes(*scene, *scene->mRootNode, aiMatrix4x4(), meshes);
  if (meshes.empty()) return fileError(file, "has no triangles");
  for (const NamedMesh& m : meshes) {
    const auto count = static_cast<std::int32_t>(m.mesh.vertexCount());
    for (const Vec3& p : m.mesh.positions)
      if (!p.allFinite())
        return fileError(file, fmt::format("mesh '{}' has a non-finite vertex", m.name));
    for (const Triangle& t : m.mesh.triangles)
      for (const std::int32_t i : t)
        if (i < 0 || i >= count)
          return fileError(file,
                           fmt::format("mesh '{}' uses a vertex that does not exist", m.name));
  }
  return meshes;
}

}  // namespace pneuma::io::internal
