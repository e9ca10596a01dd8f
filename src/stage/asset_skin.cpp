#include "stage/asset_skin.h"

#include <algorithm>
#include <numeric>

#include "pneuma/core/mesh_simplify.h"

namespace pneuma::stage::internal {

io::GltfMesh skinMesh(const AssetInput& input, const AssetConfig& config) {
  const AssetSkin& skin = input.skin;
  anatomy::SkinAtlas atlas = skin.atlas;
  if (atlas.vertexOf.empty()) {  // without a texture a render vertex is a vertex
    atlas.vertexOf.resize(skin.mesh.vertexCount());
    std::iota(atlas.vertexOf.begin(), atlas.vertexOf.end(), 0);
    atlas.triangles = skin.mesh.triangles;
  }
  const auto expanded = [&]<class T>(const std::vector<T>& values) {
    return atlas.expanded(std::span<const T>(values));
  };
  io::GltfMesh mesh{.name = "skin"};
  mesh.triangles = atlas.triangles;
  // With a breath layer its base is the rest shape: weights of 0 are the end of a breath out.
  const std::vector<Vec3>& rest = input.breath ? input.breath->base : skin.mesh.positions;
  mesh.positions = expanded(rest);
  // Normals of the whole surface, so that seams of the atlas do not show.
  mesh.normals = expanded(vertexNormals({rest, skin.mesh.triangles}));
  mesh.jointWeights = expanded(skin.weights);
  if (!atlas.uv.empty()) {
    mesh.tangents = anatomy::skinTangents(atlas, rest);
    for (const Vec2& uv : atlas.uv) mesh.uvs.emplace_back(uv.x(), 1 - uv.y());
  }
  if (input.breath)
    for (const io::MorphTarget& t : input.breath->targets)
      mesh.targets.push_back(
          {t.name, expanded(t.offsets),
           t.normalOffsets.empty() ? std::vector<Vec3>{} : expanded(t.normalOffsets)});
  for (const double share : config.levels) {
    const auto count = static_cast<std::size_t>(share * static_cast<double>(mesh.triangles.size()));
    std::vector<Triangle> level = coarserTriangles({mesh.positions, mesh.triangles}, count);
    // A surface that cannot be made coarser has no further level.
    if (level.empty() ||
        level.size() >= (mesh.levels.empty() ? mesh.triangles : mesh.levels.back()).size())
      break;
    mesh.levels.push_back(std::move(level));
  }
  return mesh;
}

}  // namespace pneuma::stage::internal
