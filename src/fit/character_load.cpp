#include <algorithm>
#include <cctype>
#include <numeric>

#include "fit/character_parts.h"
#include "pneuma/core/index.h"
#include "pneuma/io/fbx.h"
#include "pneuma/io/file.h"
#include "pneuma/io/mesh_file.h"

namespace pneuma::fit::internal {
namespace {

std::string lowerEnding(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return ending;
}

std::int32_t materialId(const std::string& name, std::vector<std::string>& names) {
  if (name.empty()) return -1;
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return static_cast<std::int32_t>(it - names.begin());
  names.push_back(name);
  return static_cast<std::int32_t>(names.size()) - 1;
}

/// An object of the last triangles of the surface, with vertices from `first` on.
void addObject(const std::string& name, std::int32_t first, std::size_t count, Character& out) {
  CharacterObject object{.name = name};
  object.vertices.resize(count);
  std::iota(object.vertices.begin(), object.vertices.end(), first);
  out.triangleObject.resize(out.surface.triangleCount(),
                            static_cast<std::int32_t>(out.objects.size()));
  out.triangleMaterial.resize(out.surface.triangleCount(), -1);
  out.objects.push_back(std::move(object));
}

void addGltfObject(const io::GltfObject& object, int index, Character& out) {
  TriangleMesh placed = object.surface;
  for (Vec3& p : placed.positions) p = object.toWorld * p;
  if (object.toWorld.linear().determinant() < 0) flipOrientation(placed);
  const std::size_t first = out.surface.triangleCount();
  const std::int32_t base = append(out.surface, placed);
  addObject(object.name, base, placed.vertexCount(), out);
  out.objects.back().gltfObject = index;
  for (std::size_t t = first; t < out.surface.triangleCount(); ++t) {
    const std::size_t v = at(out.surface.triangles[t][0] - base);
    for (const io::GltfPrimitive& p : object.primitives)
      if (v >= p.firstVertex && v < p.firstVertex + p.vertexCount)
        out.triangleMaterial[t] = materialId(p.material, out.materials);
  }
}

void loadGltf(const std::filesystem::path& path, Character& out) {
  out.gltf = std::make_shared<io::GltfEdit>(io::GltfEdit::read(path).valueOrThrow());
  const auto& objects = out.gltf->objects();
  for (std::size_t i = 0; i < objects.size(); ++i) {
    addGltfObject(objects[i], static_cast<int>(i), out);
    if (objects[i].posed)
      out.notes.push_back("'" + objects[i].name +
                          "' is shown in a pose: the rest pose of its armature is used");
  }
}

/// Formats without nodes. Objects of an OBJ share the file's vertices and keep its numbers.
void loadMeshes(const io::NamedMeshes& meshes, Character& out) {
  for (const io::NamedMesh& m : meshes) {
    if (m.fileVertices.empty()) {
      const std::int32_t base = append(out.surface, m.mesh);
      addObject(m.name, base, m.mesh.vertexCount(), out);
    } else {
      for (std::size_t v = 0; v < m.fileVertices.size(); ++v) {
        const std::size_t place = at(m.fileVertices[v]);
        if (place >= out.surface.vertexCount())
          out.surface.positions.resize(place + 1, m.mesh.positions[v]);
        out.surface.positions[place] = m.mesh.positions[v];
      }
      for (const Triangle& t : m.mesh.triangles)
        out.surface.triangles.push_back(
            {m.fileVertices[at(t[0])], m.fileVertices[at(t[1])], m.fileVertices[at(t[2])]});
      addObject(m.name, 0, 0, out);
      out.objects.back().vertices = m.fileVertices;
    }
    if (m.fans.empty())
      out.fans.insert(out.fans.end(), m.mesh.triangleCount(), 1);
    else
      out.fans.insert(out.fans.end(), m.fans.begin(), m.fans.end());
  }
}

}  // namespace

Character loadCharacter(const std::filesystem::path& path) {
  Character out{.file = path};
  const std::string ending = lowerEnding(path);
  const auto& known = characterEndings();
  if (std::find(known.begin(), known.end(), ending) == known.end()) {
    Diagnostic d = io::fileError(path.string(), "has no ending of a character's file");
    for (const std::string& e : known) d.expected += (d.expected.empty() ? "" : " ") + e;
    d.nearest = nearestName(ending, known);
    throw InputError(std::move(d));
  }
  if (ending == ".glb" || ending == ".gltf")
    loadGltf(path, out);
  else if (ending == ".fbx")
    loadMeshes(io::readFbx(path).valueOrThrow(), out);
  else
    loadMeshes(io::readMeshes(path).valueOrThrow(), out);
  if (out.surface.empty()) refuseCharacter(out, "has no triangles");
  if (out.surface.triangleCount() > kMostTriangles)
    refuseCharacter(out, std::to_string(out.surface.triangleCount()) + " triangles are too many",
                    "at most 4 million; a decimated copy breathes as well");
  return out;
}

}  // namespace pneuma::fit::internal
