#include "anatomy/skin/skin_topology.h"

#include "pneuma/core/hash.h"

namespace pneuma::anatomy::internal {
namespace {

std::uint64_t identity(const SkinTopology& topology) {
  Hash64 hash;
  hash.value(kSkinTopologyVersion).value(topology.level);
  hash.bytes(topology.triangles.data(), topology.triangles.size() * sizeof(Triangle));
  hash.bytes(topology.parts.data(), topology.parts.size() * sizeof(SkinPart));
  hash.bytes(topology.atlas.triangles.data(), topology.atlas.triangles.size() * sizeof(Triangle));
  hash.bytes(topology.atlas.uv.data(), topology.atlas.uv.size() * sizeof(Vec2));
  return hash.digest();
}

}  // namespace

SymmetricMesh templateAtLevel(const SymmetricMesh& coarsest, int level) {
  SymmetricMesh mesh = coarsest;
  for (int k = 0; k < level; ++k) mesh = subdivided(mesh);
  return mesh;
}

SkinTopology topologyAtLevel(const SymmetricMesh& coarsest, const SkinEnvelope& envelope, int level,
                             const GeometryCache& cache) {
  static_cast<void>(cache);
  SymmetricMesh mesh = templateAtLevel(coarsest, level);
  SkinTopology topology;
  topology.level = level;
  topology.parts = skinLabels(mesh, envelope);
  topology.triangles = std::move(mesh.mesh.triangles);
  topology.mirror = std::move(mesh.mirror);
  topology.id = identity(topology);
  return topology;
}

}  // namespace pneuma::anatomy::internal
