#include "anatomy/skin/skin_topology.h"

#include "anatomy/skin/skin_atlas.h"
#include "pneuma/core/hash.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr int kPartsRoom = 16;
static_assert(kSkinParts <= kPartsRoom);

std::uint64_t identity(const SkinTopology& topology) {
  Hash64 hash;
  hash.value(kSkinTopologyVersion).value(topology.level);
  hash.bytes(topology.triangles.data(), topology.triangles.size() * sizeof(Triangle));
  hash.bytes(topology.parts.data(), topology.parts.size() * sizeof(SkinPart));
  hash.bytes(topology.atlas.triangles.data(), topology.atlas.triangles.size() * sizeof(Triangle));
  hash.bytes(topology.atlas.uv.data(), topology.atlas.uv.size() * sizeof(Vec2));
  return hash.digest();
}

/// Labels and atlas as a flat surface for the cache: (u, v, part + 16 chart) per render vertex.
TriangleMesh flatSurface(const SkinAtlas& atlas, const std::vector<SkinPart>& parts) {
  TriangleMesh flat;
  std::vector<int> chart(atlas.uv.size(), 0);
  for (std::size_t t = 0; t < atlas.triangles.size(); ++t)
    for (const std::int32_t r : atlas.triangles[t]) chart[at(r)] = atlas.charts[t];
  for (std::size_t r = 0; r < atlas.uv.size(); ++r)
    flat.positions.emplace_back(
        atlas.uv[r].x(), atlas.uv[r].y(),
        static_cast<int>(parts[at(atlas.vertexOf[r])]) + kPartsRoom * chart[r]);
  flat.triangles = atlas.triangles;
  return flat;
}

/// The same back: `triangles` are the surface's own.
void readFlatSurface(const TriangleMesh& flat, std::size_t vertices,
                     std::span<const Triangle> triangles, SkinTopology& topology) {
  SkinAtlas& atlas = topology.atlas;
  atlas.chartNames = atlasChartNames();
  atlas.triangles = flat.triangles;
  atlas.vertexOf.assign(flat.vertexCount(), -1);
  topology.parts.resize(vertices);
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) atlas.vertexOf[at(flat.triangles[t][k])] = triangles[t][k];
  for (std::size_t r = 0; r < flat.vertexCount(); ++r) {
    const int code = static_cast<int>(flat.positions[r].z());
    atlas.uv.emplace_back(flat.positions[r].x(), flat.positions[r].y());
    topology.parts[at(atlas.vertexOf[r])] = static_cast<SkinPart>(code % kPartsRoom);
  }
  for (const Triangle& t : flat.triangles)
    atlas.charts.push_back(
        static_cast<std::uint8_t>(static_cast<int>(flat.positions[at(t[0])].z()) / kPartsRoom));
}

TriangleMesh makeFlatSurface(const SymmetricMesh& coarsest, const SkinEnvelope& envelope,
                             int level) {
  SymmetricMesh mesh = coarsest;
  SkinAtlas atlas = makeAtlas(mesh, skinLabels(mesh, envelope));
  for (int k = 0; k < level; ++k) {
    atlas = subdivided(atlas, mesh.mesh.vertexCount(), mesh.mesh.triangles);
    mesh = subdivided(mesh);
  }
  return flatSurface(atlas, skinLabels(mesh, envelope));
}

}  // namespace

SymmetricMesh templateAtLevel(const SymmetricMesh& coarsest, int level) {
  SymmetricMesh mesh = coarsest;
  for (int k = 0; k < level; ++k) mesh = subdivided(mesh);
  return mesh;
}

SkinTopology topologyAtLevel(const SymmetricMesh& coarsest, const SkinEnvelope& envelope, int level,
                             const GeometryCache& cache) {
  SymmetricMesh mesh = templateAtLevel(coarsest, level);
  SkinTopology topology;
  topology.level = level;
  Hash64 key;
  key.text("skin atlas").value(kSkinTopologyVersion).value(level);
  key.bytes(coarsest.mesh.positions.data(), coarsest.mesh.positions.size() * sizeof(Vec3));
  key.bytes(coarsest.mesh.triangles.data(), coarsest.mesh.triangles.size() * sizeof(Triangle));
  for (const auto& [name, shape] : envelope) key.value(contentHash(shape));
  readFlatSurface(
      cache.get(key.digest(), [&] { return makeFlatSurface(coarsest, envelope, level); }),
      mesh.mesh.vertexCount(), mesh.mesh.triangles, topology);
  topology.triangles = std::move(mesh.mesh.triangles);
  topology.mirror = std::move(mesh.mirror);
  topology.places = std::move(mesh.mesh.positions);
  topology.id = identity(topology);
  return topology;
}

}  // namespace pneuma::anatomy::internal
