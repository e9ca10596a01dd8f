#include "stage/asset_skin.h"

#include <algorithm>
#include <numeric>

#include "pneuma/core/mesh_simplify.h"

namespace pneuma::stage::internal {
namespace {

/// Values per vertex as values per render vertex.
template <class T>
std::vector<T> spread(const std::vector<T>& values, std::span<const std::int32_t> vertexOf) {
  std::vector<T> result;
  result.reserve(vertexOf.size());
  for (const std::int32_t v : vertexOf) result.push_back(values[static_cast<std::size_t>(v)]);
  return result;
}

}  // namespace

std::vector<Vec4> tangentsOf(std::span<const Vec3> positions, std::span<const Vec3> normals,
                             std::span<const Vec2> uvs, std::span<const Triangle> triangles) {
  std::vector<Vec3> alongU(positions.size(), Vec3::Zero()), alongV = alongU;
  for (const Triangle& t : triangles) {
    const auto a = static_cast<std::size_t>(t[0]), b = static_cast<std::size_t>(t[1]),
               c = static_cast<std::size_t>(t[2]);
    const Vec3 p = positions[b] - positions[a], q = positions[c] - positions[a];
    const Vec2 s = uvs[b] - uvs[a], r = uvs[c] - uvs[a];
    const double area = s.x() * r.y() - r.x() * s.y();
    if (area == 0) continue;
    // Weighted by the triangle's area in space, so that slivers of the atlas do not decide.
    const double weight = p.cross(q).norm() / area;
    for (const std::size_t v : {a, b, c}) {
      alongU[v] += weight * (r.y() * p - s.y() * q);
      alongV[v] += weight * (s.x() * q - r.x() * p);
    }
  }
  std::vector<Vec4> tangents;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const Vec3& n = normals[v];
    Vec3 t = alongU[v] - n * n.dot(alongU[v]);
    // A vertex without texture area takes any direction in the surface.
    if (!(t.norm() > 1e-12)) t = n.unitOrthogonal();
    t.normalize();
    tangents.emplace_back(t.x(), t.y(), t.z(), n.cross(t).dot(alongV[v]) < 0 ? -1 : 1);
  }
  return tangents;
}

io::GltfMesh skinMesh(const AssetInput& input, const AssetConfig& config) {
  const AssetSkin& skin = input.skin;
  std::vector<std::int32_t> vertexOf = skin.vertexOf;
  if (vertexOf.empty()) {
    vertexOf.resize(skin.mesh.vertexCount());
    std::iota(vertexOf.begin(), vertexOf.end(), 0);
  }
  io::GltfMesh mesh{.name = "skin"};
  mesh.triangles = skin.vertexOf.empty() ? skin.mesh.triangles : skin.renderTriangles;
  // With a breath layer its base is the rest shape: weights of 0 are the end of a breath out.
  const std::vector<Vec3>& rest = input.breath ? input.breath->base : skin.mesh.positions;
  mesh.positions = spread(rest, vertexOf);
  // Normals of the whole surface, so that seams of the atlas do not show.
  mesh.normals = spread(vertexNormals({rest, skin.mesh.triangles}), vertexOf);
  mesh.jointWeights = spread(skin.weights, vertexOf);
  if (!skin.uvs.empty()) {
    mesh.tangents = tangentsOf(mesh.positions, mesh.normals, skin.uvs, mesh.triangles);
    for (const Vec2& uv : skin.uvs) mesh.uvs.emplace_back(uv.x(), 1 - uv.y());
  }
  if (input.breath)
    for (const io::MorphTarget& t : input.breath->targets)
      mesh.targets.push_back(
          {t.name, spread(t.offsets, vertexOf),
           t.normalOffsets.empty() ? std::vector<Vec3>{} : spread(t.normalOffsets, vertexOf)});
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
