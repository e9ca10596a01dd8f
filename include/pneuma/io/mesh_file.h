#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/error.h"
#include "pneuma/core/triangle_mesh.h"

/// Triangle surfaces in files: OBJ, PLY, STL and glTF in; OBJ and PLY out.
///
/// The readers are our own, because a reader must survive any bytes: assimp, the usual choice,
/// leaks or fails on broken files. It is the judge of our files in tests instead.
namespace pneuma::io {

/// A surface and the name it has in its file (the file's own name when it has none).
struct NamedMesh {
  std::string name;
  TriangleMesh mesh;
  std::vector<Vec2> uv = {};               ///< places in a texture, written to OBJ; or empty
  std::vector<Triangle> uvTriangles = {};  ///< places of the corners, one per triangle of the mesh
  std::string material = {};               ///< of the OBJ's library, written as `usemtl`; or empty
  /// How many triangles of the mesh each polygon of the file became, in order: 2 is a quad. Empty
  /// where the format knows triangles only.
  std::vector<std::int32_t> fans = {};
  /// Which vertex of the file each vertex is; empty: all of them, in order.
  std::vector<std::int32_t> fileVertices = {};
};
using NamedMeshes = std::vector<NamedMesh>;

/// Reads all surfaces of a file. The ending says the format: .obj .ply .stl .gltf .glb.
///
/// - Polygons become triangles around their first corner, whatever the geometry, so that bodies of
///   equal topology get equal triangles.
/// - A file with one surface keeps its vertices and their order, used or not. With several, each
///   surface keeps the vertices it uses, in file order.
/// - OBJ is split by `o`, else by `g`. STL corners with equal coordinates are joined. glTF meshes
/// are
///   placed by their nodes.
/// - Coordinates are taken as they are; the caller knows their unit and axes.
///
/// Errors (never a crash, never memory beyond a small multiple of the file): missing, empty,
/// truncated, counts larger than the file can hold, non-finite positions, indices out of range,
/// only lines or points, unknown ending (with the nearest known one).
Result<NamedMeshes> readMeshes(const std::filesystem::path& path);

/// All surfaces of a file as one. Throws InputError.
TriangleMesh readMesh(const std::filesystem::path& path);

/// The same from bytes in memory; `file` stands in messages, `ending` (".ply") chooses the format.
Result<NamedMeshes> parseMeshes(std::string_view content, const std::string& file,
                                const std::string& ending);

/// Endings that readMeshes understands.
const std::vector<std::string>& meshEndings();

/// Writes .obj (text, full precision, one `o` per surface, texture places as `vt`) or .ply (binary
/// little-endian, doubles; surfaces are joined). `library` names an OBJ's file of materials. Throws
/// InputError for other endings.
void writeMeshes(const std::filesystem::path& path, std::span<const NamedMesh> meshes,
                 const std::string& library = "");
void writeMesh(const std::filesystem::path& path, const TriangleMesh& mesh);

}  // namespace pneuma::io
