#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/io/gltf_edit.h"

namespace pneuma::fit {

/// What becomes of a part of a character when it breathes.
enum class PieceKind : std::uint8_t {
  Body,   ///< takes the breath of the skin
  Cloth,  ///< follows the nearest body surface and stays on top of it
  Still   ///< hair, eyes, teeth: gets nothing
};

/// A part of a character's file: a surface that hangs together, or all the small surfaces of one
/// object and material (the cards of a head of hair).
struct CharacterPiece {
  std::string name;  ///< object, `object:material` or `object.2`; unique in the file
  PieceKind kind = PieceKind::Cloth;
  std::vector<std::int32_t> triangles;  ///< in Character::surface, rising
  double area = 0;                      ///< [file units^2]
  double openShare = 0;                 ///< area of the holes over that of the surface
};

/// An object of the file: a node of glTF, an `o` of OBJ.
struct CharacterObject {
  std::string name;
  std::vector<std::int32_t> vertices;  ///< of Character::surface, in the file's order
  int gltfObject = -1;                 ///< in GltfEdit::objects()
};

/// What the user says about a file beforehand.
struct CharacterRequest {
  std::string bodyPiece;  ///< name of the piece that is the body; empty: found
};

/// A character as its file holds it, and the surface of its body made ready to be measured.
struct Character {
  std::filesystem::path file;
  /// All vertices and triangles, object by object, placed by nodes and armature at rest; in the
  /// file's own units and axes.
  TriangleMesh surface;
  std::vector<std::int32_t> fans;  ///< triangles of each polygon of the file; empty: triangles
  std::vector<CharacterObject> objects;
  std::vector<std::int32_t> triangleObject;    ///< of each triangle
  std::vector<std::string> materials;          ///< names
  std::vector<std::int32_t> triangleMaterial;  ///< of each triangle, -1: none
  /// The first vertex of the same object that lies in the same place, for each vertex: what a file
  /// splits for normals and textures is one again.
  std::vector<std::int32_t> joined;
  std::vector<CharacterPiece> pieces;
  std::size_t bodyPiece = 0;

  /// The body alone: equal corners joined, facing outwards, holes closed, no triangle twice.
  TriangleMesh body;
  /// Vertex of `body` at each vertex of `surface`; -1 for those of other pieces.
  std::vector<std::int32_t> bodyVertex;

  std::vector<io::GltfJoint> joints;   ///< of the armature that carries the body, or none
  std::shared_ptr<io::GltfEdit> gltf;  ///< of a glTF file: what gives it back
  std::vector<std::string> notes;      ///< choices and repairs, for the user to read
};

/// Endings that readCharacter understands: those of io::readMeshes and .fbx.
const std::vector<std::string>& characterEndings();

/// Reads a character and finds its body: the largest piece that is closed or nearly (holes of less
/// than kMostOpenShare of its surface) and at least kBodyShare as long as the whole file.
///
/// Repairs of `body`, each in a note: triangles that face the wrong way are turned, holes closed
/// with a fan around their centre, triangles that occur twice dropped. The file's own vertices and
/// triangles stay as they are.
///
/// Throws InputError with file and cause: unreadable, empty, not finite, compressed by Draco, fewer
/// than kFewestVertices vertices, more than kMostTriangles triangles, no closed surface, edges with
/// more than two triangles throughout, two bodies, an unknown piece.
Character readCharacter(const std::filesystem::path& path, const CharacterRequest& request = {});

inline constexpr std::size_t kFewestVertices = 100;       ///< of a body
inline constexpr std::size_t kMostTriangles = 4'000'000;  ///< of a file
inline constexpr double kMostOpenShare =
    0.06;  ///< a neck cut open is 0.01, a trunk cut at the waist 0.08
inline constexpr double kBodyShare = 0.6;

}  // namespace pneuma::fit
