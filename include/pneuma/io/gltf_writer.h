#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/core/types.h"

/// glTF 2.0 binary (GLB) out: named surfaces and lines with materials, a tree of nodes, animated
/// rigid parts, and morph targets with animated weights. Metres, +Y up: the axes of the body frame
/// are those of glTF.
namespace pneuma::io {

/// Colours are linear RGB in [0, 1], as glTF wants them; see linearColor for sRGB values.
struct GltfMaterial {
  std::string name;
  Vec3 color = Vec3::Constant(0.8);
  double opacity = 1;  ///< [-], 0..1; below 1 the surface is blended
  double metallic = 0;
  double roughness = 0.7;
  bool doubleSided = false;
};

/// A deformation: an offset per vertex, scaled by a weight.
struct MorphTarget {
  std::string name;
  std::vector<Vec3> offsets;        ///< [m], one per vertex
  std::vector<Vec3> normalOffsets;  ///< change of the unit normal, one per vertex, or empty
};

/// The two vertices of a line.
using Segment = std::array<std::int32_t, 2>;

/// A surface (triangles) or a set of lines (segments), never both.
struct GltfMesh {
  std::string name;
  std::vector<Vec3> positions;  ///< [m]
  std::vector<Triangle> triangles;
  std::vector<Segment> segments;
  std::vector<Vec3> normals;  ///< empty: computed for a surface
  std::vector<Vec4> colors;   ///< linear RGBA per vertex, multiplies the material's; may be empty
  int material = -1;          ///< index in the scene, -1: the viewer's default
  std::vector<MorphTarget> targets;
};

/// Key frames of a node, linear in between. Each list is empty (not animated) or as long as `times`
/// (`weights`: times x targets of the node's mesh, key by key).
struct NodeAnimation {
  std::vector<double> times;  ///< [s], rising
  std::vector<Vec3> translations;
  std::vector<Quat> rotations;
  std::vector<Vec3> scales;
  std::vector<double> weights;
};

/// A place in the tree of a scene, with what it shows and how it moves.
struct GltfNode {
  std::string name;
  Pose pose;  ///< in the parent's frame
  Vec3 scale = Vec3::Ones();
  int mesh = -1;
  int parent = -1;  ///< must come before its children in the list
  NodeAnimation animation;
};

/// All that one GLB file holds.
struct GltfScene {
  std::vector<GltfMaterial> materials;
  std::vector<GltfMesh> meshes;
  std::vector<GltfNode> nodes;
  std::string animationName = "motion";

  // Each returns the index of what it added.
  int addMaterial(GltfMaterial material);
  int addMesh(GltfMesh mesh);
  int addNode(GltfNode node);
  /// A node of the mesh's name that shows it, at rest.
  int addNodeFor(int mesh, int parent = -1);
};

/// Translation and rotation keys of a rigid part.
NodeAnimation rigidAnimation(std::vector<double> times, std::span<const Pose> poses);

/// Linear colour of an sRGB one such as 0xE0AC69.
Vec3 linearColor(std::uint32_t srgb);

/// The bytes of a GLB file. Morph offsets that are mostly zero are stored sparsely.
std::string toGlb(const GltfScene& scene);
/// Writes it atomically.
void writeGlb(const std::filesystem::path& path, const GltfScene& scene);

}  // namespace pneuma::io
