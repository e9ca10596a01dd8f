#pragma once

#include <string>
#include <string_view>

#include "pneuma/io/mesh_file.h"

/// One reader per format, from bytes in memory. `file` stands in messages.
namespace pneuma::io::internal {

Result<NamedMeshes> parseObj(std::string_view content, const std::string& file);
Result<NamedMeshes> parsePly(std::string_view content, const std::string& file);
Result<NamedMeshes> parseStl(std::string_view content, const std::string& file);
/// .gltf or .glb; buffers in other files are looked up beside `file`.
Result<NamedMeshes> parseGltf(std::string_view content, const std::string& file);

/// "folder/rib.ply" -> "rib"
std::string stemOf(const std::string& file);

/// A mesh reduced to the vertices it uses, in their order.
NamedMesh keepUsed(std::string name, const std::vector<Vec3>& positions,
                   std::vector<Triangle> triangles);

}  // namespace pneuma::io::internal
