#pragma once

#include "pneuma/stage/asset.h"

namespace pneuma::stage::internal {

/// The skin as a mesh of render vertices, with tangents, breath targets and levels of detail.
io::GltfMesh skinMesh(const AssetInput& input, const AssetConfig& config);

/// Unit tangents along growing u, orthogonal to the normals; w is the sign of the bitangent, which
/// points along growing v (up in the image) [Lengyel, "Computing Tangent Space Basis Vectors"].
std::vector<Vec4> tangentsOf(std::span<const Vec3> positions, std::span<const Vec3> normals,
                             std::span<const Vec2> uvs, std::span<const Triangle> triangles);

}  // namespace pneuma::stage::internal
