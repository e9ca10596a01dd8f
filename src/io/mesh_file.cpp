#include "pneuma/io/mesh_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "io/mesh_formats.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"

namespace pneuma::io {
namespace fs = std::filesystem;

namespace internal {

std::string stemOf(const std::string& file) {
  return fs::path(file).stem().string();
}

NamedMesh keepUsed(std::string name, const std::vector<Vec3>& positions,
                   std::vector<Triangle> triangles) {
  NamedMesh result{.name = std::move(name)};
  // Sorting the used indices keeps the cost in proportion to the part, not to the file.
  std::vector<std::int32_t> used;
  used.reserve(triangles.size() * 3);
  for (const Triangle& t : triangles) used.insert(used.end(), t.begin(), t.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (const std::int32_t i : used)
    result.mesh.positions.push_back(positions[static_cast<std::size_t>(i)]);
  for (Triangle& t : triangles)
    for (std::int32_t& i : t)
      i = static_cast<std::int32_t>(std::lower_bound(used.begin(), used.end(), i) - used.begin());
  result.mesh.triangles = std::move(triangles);
  result.fileVertices = std::move(used);
  return result;
}

}  // namespace internal

namespace {

std::string lowerEnding(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

Diagnostic unknownEnding(const std::string& file, const std::string& ending,
                         std::span<const std::string> known) {
  Diagnostic d = fileError(file,
                           ending.empty() ? "has no ending that tells its format"
                                          : "unknown mesh format " + quotedWord(ending),
                           fmt::format("{}", fmt::join(known, " ")));
  d.nearest = nearestName(ending, known);
  return d;
}

std::string toObj(std::span<const NamedMesh> meshes, const std::string& library) {
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  if (!library.empty()) fmt::format_to(to, "mtllib {}\n", library);
  std::int64_t first = 1, firstPlace = 1;
  for (const NamedMesh& m : meshes) {
    const bool textured = !m.uv.empty() && m.uvTriangles.size() == m.mesh.triangles.size();
    fmt::format_to(to, "o {}\n", m.name);
    for (const Vec3& p : m.mesh.positions) fmt::format_to(to, "v {} {} {}\n", p.x(), p.y(), p.z());
    for (const Vec2& p : m.uv)
      if (textured) fmt::format_to(to, "vt {} {}\n", p.x(), p.y());
    if (!m.material.empty()) fmt::format_to(to, "usemtl {}\n", m.material);
    // What is painted is a smooth surface: without a group Blender shades its facets.
    if (textured) fmt::format_to(to, "s 1\n");
    for (std::size_t t = 0; t < m.mesh.triangles.size(); ++t) {
      fmt::format_to(to, "f");
      for (std::size_t k = 0; k < 3; ++k) {
        fmt::format_to(to, " {}", first + m.mesh.triangles[t][k]);
        if (textured) fmt::format_to(to, "/{}", firstPlace + m.uvTriangles[t][k]);
      }
      fmt::format_to(to, "\n");
    }
    first += static_cast<std::int64_t>(m.mesh.vertexCount());
    if (textured) firstPlace += static_cast<std::int64_t>(m.uv.size());
  }
  return fmt::to_string(out);
}

std::string toPly(const TriangleMesh& mesh) {
  std::string out = fmt::format(
      "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double "
      "y\nproperty double z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
      mesh.vertexCount(), mesh.triangleCount());
  for (const Vec3& p : mesh.positions)
    out.append(reinterpret_cast<const char*>(p.data()), 3 * sizeof(double));
  for (const Triangle& t : mesh.triangles) {
    out += '\3';
    out.append(reinterpret_cast<const char*>(t.data()), sizeof t);
  }
  return out;
}

TriangleMesh joined(std::span<const NamedMesh> meshes) {
  TriangleMesh all;
  for (const NamedMesh& m : meshes) append(all, m.mesh);
  return all;
}

}  // namespace

const std::vector<std::string>& meshEndings() {
  static const std::vector<std::string> endings{".obj", ".ply", ".stl", ".gltf", ".glb"};
  return endings;
}

Result<NamedMeshes> parseMeshes(std::string_view content, const std::string& file,
                                const std::string& ending) {
  if (content.empty()) return fileError(file, "is empty");
  if (ending == ".obj") return internal::parseObj(content, file);
  if (ending == ".ply") return internal::parsePly(content, file);
  if (ending == ".stl") return internal::parseStl(content, file);
  if (ending == ".gltf" || ending == ".glb") return internal::parseGltf(content, file);
  return unknownEnding(file, ending, meshEndings());
}

Result<NamedMeshes> readMeshes(const fs::path& path) {
  const std::string ending = lowerEnding(path);
  const auto& known = meshEndings();
  if (std::find(known.begin(), known.end(), ending) == known.end())
    return unknownEnding(path.string(), ending, known);
  Result<std::string> content = readFile(path);
  if (!content) return content.diagnostics();
  return parseMeshes(*content, path.string(), ending);
}

TriangleMesh readMesh(const fs::path& path) {
  NamedMeshes meshes = readMeshes(path).valueOrThrow();
  if (meshes.size() == 1) return std::move(meshes.front().mesh);
  return joined(meshes);
}

void writeMeshes(const fs::path& path, std::span<const NamedMesh> meshes,
                 const std::string& library) {
  const std::string ending = lowerEnding(path);
  if (ending == ".obj") return writeFile(path, toObj(meshes, library));
  if (ending == ".ply") return writeFile(path, toPly(joined(meshes)));
  const std::vector<std::string> known{".obj", ".ply"};
  throw InputError(unknownEnding(path.string(), ending, known));
}

void writeMesh(const fs::path& path, const TriangleMesh& mesh) {
  const NamedMesh named{.name = internal::stemOf(path.string()), .mesh = mesh};
  writeMeshes(path, {&named, 1});
}

}  // namespace pneuma::io
