#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/body/frame.h"
#include "pneuma/io/gltf_writer.h"
#include "pneuma/io/morph_compression.h"
#include "pneuma/stage/breath_loop.h"
#include "pneuma/stage/skin_maps.h"

/// A body in layers: a skin on an armature that carries the motion, with breath on top. Small and
/// with levels of detail as a game wants it, or with every bone and organ to look at.
namespace pneuma::stage {

/// A joint of the armature.
struct AssetJoint {
  std::string name;
  int parent = -1;  ///< before this one; -1 for the first joint alone
  Pose X_WJ;        ///< at rest; its origin is the pivot: a rib's is where it meets the spine
};

/// The skin at rest; an empty mesh: none.
struct AssetSkin {
  TriangleMesh mesh;
  std::vector<io::JointWeights> weights;  ///< one per vertex, joints of the asset
  anatomy::SkinAtlas atlas;               ///< over the mesh's triangles; empty: no UVs
  std::shared_ptr<const SkinMaps> maps;   ///< what it is painted with; null: the tissue's colour
};

/// A bone, carried by one joint.
struct AssetBone {
  std::string name;
  TriangleMesh mesh;  ///< at rest in the world
  int joint = 0;
  bool cartilage = false;
};

/// What breath changes besides the skin: an organ (triangles) or a set of lines (segments).
struct AssetShape {
  std::string name;
  body::Tissue tissue = body::Tissue::Organ;
  double opacity = 1;
  int joint = -1;  ///< that carries it, whose frame the points are in; -1: the armature's root
  std::vector<Triangle> triangles;
  std::vector<io::Segment> segments;
  std::vector<Vec4> colors;   ///< of the points, linear RGBA; empty: the tissue's
  io::MorphSequence keys;     ///< its shape at each of `times`
  std::vector<double> times;  ///< [s], in the animation `breath`
};

/// What some joints do.
struct AssetKeys {
  std::vector<double> times;             ///< [s], from 0, rising
  std::vector<int> joints;               ///< that move
  std::vector<std::vector<Pose>> poses;  ///< of each of them in its parent's frame, one per time
};

/// All that goes into an asset.
struct AssetInput {
  std::string name = "body";       ///< of the armature
  std::vector<AssetJoint> joints;  ///< one root, parents first
  AssetSkin skin;
  std::vector<AssetBone> bones;
  std::vector<AssetShape> shapes;
  std::optional<BreathLoop> breath;  ///< over the vertices of the skin's mesh
  AssetKeys motion;                  ///< animation `motion`
  AssetKeys breathJoints;            ///< ribs, sternum...: animation `breath`, with the targets
  std::string copyright;             ///< whose measurements are inside, and their licence
};

/// Choices of the writer.
struct AssetConfig {
  /// Triangles of each coarser skin as a share of the skin's, falling, in (0, 1).
  std::vector<double> levels = {0.4, 0.12};
  double boneTolerance = 1e-3;  ///< how far lighter bones may be off [m]; 0: as given
  bool quantised = true;        ///< see io::GltfScene
  bool bonesApart = false;      ///< a mesh `<bone>_mesh` for each bone, below its joint
  double skinOpacity = 1;
};

/// As a game wants it: few draw calls, small numbers, levels of detail.
inline AssetConfig gameAsset() {
  return {};
}
/// Every bone by its name, numbers in full precision, one level.
inline AssetConfig openAsset() {
  return {.levels = {}, .boneTolerance = 3e-4, .quantised = false, .bonesApart = true};
}

/// What an asset costs.
struct AssetReport {
  std::vector<io::GlbPart> parts;  ///< in the file's order
  std::size_t bytes = 0;
  std::size_t drawCalls = 0;               ///< surfaces in the scene
  std::size_t vertices = 0;                ///< of all of them
  std::vector<std::size_t> skinTriangles;  ///< at each level of detail, finest first
  std::size_t boneTriangles = 0;
};

/// The asset as a scene:
///
///   <name>                 one root, the armature
///     <joints...>          pivots at their joints
///       <shapes>           organs and lines, and bones apart, below the joints that carry them
///   skin, bones, cartilage skinned to it; glTF wants skinned meshes beside the armature, whose
///                          joints alone move them
///
/// and two animations whose channels never meet: `motion` turns and moves joints; `breath` plays
/// the weights of the breath targets and shapes and the joints of the cage. Parts that do not move
/// have no keys. Base and rest weights are the end of a quiet breath out, so `breath` at weight 0
/// is no breath.
///
/// Throws InputError when lists do not fit together, or when a joint moves in both animations.
io::GltfScene assetScene(const AssetInput& input, const AssetConfig& config = {});

/// Writes the scene as a GLB, complete or not at all.
AssetReport writeAsset(const std::filesystem::path& path, const AssetInput& input,
                       const AssetConfig& config = {});

}  // namespace pneuma::stage
