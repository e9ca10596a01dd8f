#include <fmt/format.h>

#include "pneuma/io/fbx.h"
#include "pneuma/io/file.h"

#ifdef PNEUMA_HAVE_ASSIMP
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <array>
#include <assimp/Importer.hpp>
#include <map>
#endif

namespace pneuma::io {

#ifndef PNEUMA_HAVE_ASSIMP

bool readsFbx() {
  return false;
}

Result<NamedMeshes> readFbx(const std::filesystem::path& path) {
  return fileError(path.string(), "FBX is read through assimp, which this build was made without",
                   "a build with libassimp-dev, or the character as .glb");
}

#else

bool readsFbx() {
  return true;
}

namespace {

/// Assimp splits a polygon's corners from its neighbours'; equal places become one vertex again.
class FbxMeshes {
 public:
  explicit FbxMeshes(const aiScene& scene) : scene_(scene) {}

  NamedMeshes gather() {
    visit(*scene_.mRootNode, aiMatrix4x4());
    return std::move(meshes_);
  }

 private:
  void visit(const aiNode& node, const aiMatrix4x4& parent) {
    const aiMatrix4x4 world = parent * node.mTransformation;
    NamedMesh out{.name = node.mName.C_Str()};
    joined_.clear();
    for (unsigned i = 0; i < node.mNumMeshes; ++i)
      add(*scene_.mMeshes[node.mMeshes[i]], world, out);
    if (world.Determinant() < 0) flipOrientation(out.mesh);
    if (!out.mesh.empty()) meshes_.push_back(std::move(out));
    for (unsigned i = 0; i < node.mNumChildren; ++i) visit(*node.mChildren[i], world);
  }

  void add(const aiMesh& mesh, const aiMatrix4x4& world, NamedMesh& out) {
    std::vector<std::int32_t> vertex(mesh.mNumVertices);
    for (unsigned v = 0; v < mesh.mNumVertices; ++v) {
      const aiVector3D& p = mesh.mVertices[v];
      const auto [it, fresh] = joined_.try_emplace(
          {p.x, p.y, p.z}, static_cast<std::int32_t>(out.mesh.positions.size()));
      vertex[v] = it->second;
      const aiVector3D q = world * p;
      if (fresh) out.mesh.positions.emplace_back(q.x, q.y, q.z);
    }
    for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
      const aiFace& face = mesh.mFaces[f];
      if (face.mNumIndices < 3) continue;
      for (unsigned k = 1; k + 1 < face.mNumIndices; ++k)
        out.mesh.triangles.push_back(
            {vertex[face.mIndices[0]], vertex[face.mIndices[k]], vertex[face.mIndices[k + 1]]});
      out.fans.push_back(static_cast<std::int32_t>(face.mNumIndices) - 2);
    }
  }

  const aiScene& scene_;
  NamedMeshes meshes_;
  std::map<std::array<float, 3>, std::int32_t> joined_;
};

}  // namespace

Result<NamedMeshes> readFbx(const std::filesystem::path& path) {
  const Result<std::string> content = readFile(path);
  if (!content) return content.diagnostics();
  Assimp::Importer importer;
  importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
  const aiScene* scene = importer.ReadFileFromMemory(content->data(), content->size(),
                                                     aiProcess_ValidateDataStructure, "fbx");
  if (!scene || !scene->mRootNode)
    return fileError(path.string(),
                     fmt::format("cannot be read as FBX: {}", importer.GetErrorString()));
  NamedMeshes meshes = FbxMeshes(*scene).gather();
  if (meshes.empty()) return fileError(path.string(), "has no polygons");
  for (const NamedMesh& m : meshes)
    for (std::size_t v = 0; v < m.mesh.vertexCount(); ++v)
      if (!m.mesh.positions[v].allFinite())
        return fileError(path.string(), fmt::format("vertex {} of '{}' is not finite", v, m.name));
  return meshes;
}

#endif

}  // namespace pneuma::io
