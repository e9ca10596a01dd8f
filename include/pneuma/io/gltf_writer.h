#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pneuma/core/triangle_mesh.h"
#include "pneuma/core/types.h"

/// glTF 2.0 binary (GLB) out: named surfaces and lines with materials, a tree of nodes, rigid
/// parts, skins that joints carry, morph targets, levels of detail, and any number of named
/// animations. Metres, +Y up: the axes of the body frame are those of glTF.
namespace pneuma::io {

/// Colours are linear RGB in [0, 1], as glTF wants them; see linearColor for sRGB values.
struct GltfMaterial {
  std::string name;
  Vec3 color = Vec3::Constant(0.8);
  double opacity = 1;  ///< [-], 0..1; below 1 the surface is blended
  double metallic = 0;
  double roughness = 0.7;
  bool doubleSided = false;
  int colorImage = -1;   ///< sRGB picture that multiplies the colour, index in the scene; -1: none
  int normalImage = -1;  ///< directions in tangent space, y up; -1: none
};

/// A picture that materials show, inside the file.
struct GltfImage {
  std::string name;
  std::string mimeType;  ///< "image/png" or "image/jpeg"
  std::string bytes;     ///< of the encoded picture
};

/// A deformation: an offset per vertex, scaled by a weight.
struct MorphTarget {
  std::string name;
  std::vector<Vec3> offsets;        ///< [m], one per vertex
  std::vector<Vec3> normalOffsets;  ///< change of the unit normal, one per vertex, or empty
};

/// The two vertices of a line.
using Segment = std::array<std::int32_t, 2>;

/// One of the lines of a mesh: its vertices begin at `first` and end where the next one's begin.
struct NamedLine {
  std::string name;
  std::int32_t first = 0;
};

/// The joints that carry a vertex (indices into GltfSkin::joints) and how much each of them does.
struct JointWeights {
  std::array<std::int32_t, 4> joints = {0, 0, 0, 0};
  std::array<double, 4> weights = {1, 0, 0, 0};  ///< [-], >= 0; any sum > 0, the file's sum is 1
};

/// A surface (triangles) or a set of lines (segments), never both.
struct GltfMesh {
  std::string name;
  std::vector<Vec3> positions;  ///< [m]
  std::vector<Triangle> triangles;
  std::vector<Segment> segments;
  std::vector<NamedLine> lines;  ///< names of sets of segments, `extras.lines` of the mesh
  std::vector<Vec3> normals;     ///< empty: computed for a surface
  std::vector<Vec4> colors;  ///< linear RGBA per vertex, multiplies the material's; may be empty
  std::vector<Vec2> uvs;     ///< texture coordinates, v down as in glTF; may be empty
  /// Unit, along growing u; w = 1 or -1, the sign of cross(normal, tangent), which points up in the
  /// image. Needs uvs; may be empty.
  std::vector<Vec4> tangents;
  std::vector<JointWeights> jointWeights;  ///< of a mesh that a skin carries, else empty
  int material = -1;                       ///< index in the scene, -1: the viewer's default
  std::vector<MorphTarget> targets;
  /// Levels of detail: fewer and fewer triangles over the same vertices, which the file holds once.
  /// A node that shows the mesh offers them as nodes `<node>_LOD1`, ... outside the scene
  /// (extension MSFT_lod): a viewer that does not know it shows the finest.
  std::vector<std::vector<Triangle>> levels;
};

/// The joints of an armature and where each of them was when the mesh was made.
struct GltfSkin {
  std::string name;
  int root = -1;            ///< node above all joints
  std::vector<int> joints;  ///< nodes
  std::vector<Pose> X_WJ;   ///< of each joint at rest, in the frame of the mesh's vertices
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
  /// Skin that carries the mesh, which then follows the joints alone: glTF wants such a node at the
  /// top, without a pose of its own.
  int skin = -1;
  NodeAnimation animation;  ///< in the animation GltfScene::animationName
};

/// What a node does in an animation.
struct GltfTrack {
  int node = -1;
  NodeAnimation keys;
};

/// A named animation of its own: engines play several at a time, each with its own weight and
/// speed.
struct GltfAnimation {
  std::string name;
  std::vector<GltfTrack> tracks;
};

/// All that one GLB file holds.
struct GltfScene {
  std::vector<GltfMaterial> materials;
  std::vector<GltfImage> images;
  std::vector<GltfMesh> meshes;
  std::vector<GltfNode> nodes;
  std::string animationName = "motion";  ///< of the keys that nodes carry themselves
  std::vector<GltfSkin> skins;
  std::vector<GltfAnimation> animations;  ///< further ones
  std::string copyright;
  /// Smaller numbers: normals, tangents, UVs, joint weights, rotation keys and morph offsets as
  /// whole numbers (offsets in steps of 1/32767 m = 0.03 mm). Needs KHR_mesh_quantization, which
  /// three.js, Babylon.js, Blender, Godot and Unity's glTFast have. Positions stay 32-bit floats.
  bool quantised = false;

  // Each returns the index of what it added.
  int addMaterial(GltfMaterial material);
  int addImage(GltfImage image);
  int addMesh(GltfMesh mesh);
  int addNode(GltfNode node);
  /// A node of the mesh's name that shows it, at rest.
  int addNodeFor(int mesh, int parent = -1);
};

/// Translation and rotation keys of a rigid part.
NodeAnimation rigidAnimation(std::vector<double> times, std::span<const Pose> poses);

/// Linear colour of an sRGB one such as 0xE0AC69.
Vec3 linearColor(std::uint32_t srgb);

/// Bytes of one part of a file: "skin: vertices", "animation breath", "description"...
struct GlbPart {
  std::string name;
  std::size_t bytes = 0;
};

/// The bytes of a GLB file. Morph offsets that are mostly zero are stored sparsely; indices have 16
/// bits where they fit. Throws InputError that lists everything wrong with the scene (lists of
/// unequal length, indices out of range, numbers that are not finite, a part moved twice by one
/// animation...), and then writes nothing. `parts`, if given, receives the sizes in the file's
/// order; they add up to the whole.
std::string toGlb(const GltfScene& scene, std::vector<GlbPart>* parts = nullptr);
/// Writes it atomically.
void writeGlb(const std::filesystem::path& path, const GltfScene& scene);

}  // namespace pneuma::io
