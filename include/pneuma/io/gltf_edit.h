#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/error.h"
#include "pneuma/core/triangle_mesh.h"
#include "pneuma/io/gltf_writer.h"

/// A glTF file of somebody else that gains morph targets and a looping animation and keeps all it
/// had: unknown extensions, extras, materials, textures, armatures, animations, targets, the order
/// of everything.
namespace pneuma::io {

/// Triangles (or lines, points) of one material within a mesh.
struct GltfPrimitive {
  std::string material;                          ///< its name; may be empty
  std::size_t firstVertex = 0, vertexCount = 0;  ///< in GltfObject::surface
};

/// A joint of the armature that carries an object, where it was when the mesh was made.
struct GltfJoint {
  std::string name;
  int parent = -1;               ///< in the list of joints, -1: none of them
  Vec3 position = Vec3::Zero();  ///< in the world
};

/// A mesh as a node of the default scene shows it.
struct GltfObject {
  std::string name;  ///< of the node, else of the mesh
  int node = -1, mesh = -1, skin = -1;
  /// Vertices of all primitives one after another and the triangles among them, in the mesh's own
  /// frame, with targets at the weights they have while nothing plays.
  TriangleMesh surface;
  std::vector<Vec3> normals;  ///< one per vertex; zero where the file has none
  std::vector<GltfPrimitive> primitives;
  /// Takes the surface to the world. A skinned mesh is placed where its armature's rest pose puts
  /// it: world(j) inverseBind(j) of the joint j that carries most of it, since morph targets act
  /// before the joints and so in the rest pose.
  Eigen::Affine3d toWorld = Eigen::Affine3d::Identity();
  bool posed = false;             ///< the file's joints are not in the rest pose
  std::vector<GltfJoint> joints;  ///< of a skinned mesh
};

/// Weights of added targets over time, to be played again and again.
struct GltfLoop {
  std::string name = "breath";
  std::vector<double> times;    ///< of the keys [s], rising from 0; the last key closes the loop
  std::vector<double> weights;  ///< keys x targets
  /// Also write every animation of the file together with the loop, as `<animation>+<name>`, for
  /// viewers that play one at a time. Both come to a common length: the shorter one is repeated,
  /// and the loop runs a little slower or faster (at most by a fifth).
  bool merged = true;
};

/// The file taken apart, what is added to it, and the file put together again.
///
/// - Bytes of existing buffers stay as they are. New data follow them: in a GLB at the end of its
///   binary chunk, beside a .gltf in `<name>_breath.bin`, or as a data URI where the file has no
///   other file either.
/// - One animation channel drives all targets of a mesh: existing `weights` channels of a mesh that
///   gains targets get a wider sampler, zero for the new ones (the old values stay in the file).
/// - Views with meshopt compression are decoded to be read and stay compressed. Draco compression
///   is refused by name: its decoder chooses the order of vertices.
class GltfEdit {
 public:
  /// Errors name file and place in the JSON (`meshes[0].primitives[1]...`).
  static Result<GltfEdit> read(const std::filesystem::path& path);
  /// The same from memory; `file` stands in messages, and other files are looked for beside it.
  static Result<GltfEdit> parse(std::string content, const std::string& file);
  ~GltfEdit();
  GltfEdit(GltfEdit&&) noexcept;
  GltfEdit& operator=(GltfEdit&&) noexcept;

  const std::vector<GltfObject>& objects() const;
  /// Names of the animations, in the file's order.
  std::vector<std::string> animations() const;

  /// Gives a mesh targets, offsets in the frame of the mesh over the vertices of
  /// GltfObject::surface. Once per mesh, and as many for every mesh. Throws InputError when the
  /// mesh has a target of that name already: the file then breathes.
  void addTargets(int mesh, std::span<const MorphTarget> targets);
  /// The animation that drives them, after the last addTargets.
  void addLoop(const GltfLoop& loop);

  /// The bytes of a file as edited; only for a GLB.
  std::string toGlb() const;
  /// Writes the file, and for a .gltf the files it names, atomically each and the file itself last.
  /// The ending must be that of the input.
  void write(const std::filesystem::path& path) const;

 private:
  struct Impl;
  explicit GltfEdit(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace pneuma::io
