#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pneuma/io/gltf_writer.h"
#include "pneuma/stage/breath_layer.h"

/// A body as a game wants it: one small GLB with an opaque, textured skin on an armature, a layer
/// of breath on top, bones in few meshes, and levels of detail.
namespace pneuma::stage {

/// A joint of the armature.
struct AssetJoint {
  std::string name;
  int parent = -1;  ///< before this one; -1 for the first joint alone
  Pose X_WJ;        ///< at rest; its origin is the pivot: a rib's is where it meets the spine
};

/// The skin at rest.
struct AssetSkin {
  TriangleMesh mesh;
  std::vector<io::JointWeights> weights;  ///< one per vertex, joints of the asset
  /// Texture places: render vertex i is vertex vertexOf[i] at uvs[i] (v up, as in OBJ);
  /// `renderTriangles` name render vertices, one for each triangle of the mesh. All empty: no UVs.
  std::vector<std::int32_t> vertexOf;
  std::vector<Vec2> uvs;
  std::vector<Triangle> renderTriangles;
};

/// A bone, carried by one joint.
struct AssetBone {
  std::string name;
  TriangleMesh mesh;  ///< at rest in the world
  int joint = 0;
  bool cartilage = false;
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
  std::optional<BreathLayer> breath;  ///< over the vertices of the skin's mesh
  AssetKeys motion;                   ///< animation `motion`
  AssetKeys breathJoints;             ///< ribs, sternum...: animation `breath`, with the targets
  std::string copyright;              ///< whose measurements are inside, and their licence
};

/// Choices of the writer.
struct AssetConfig {
  /// Triangles of each coarser skin as a share of the skin's, falling, in (0, 1).
  std::vector<double> levels = {0.4, 0.12};
  double boneTolerance = 5e-4;  ///< how far lighter bones may be off [m]; 0: as given
  bool quantised = true;        ///< see io::GltfScene
};

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
///   skin, bones, cartilage skinned to it; glTF wants skinned meshes beside the armature, whose
///                          joints alone move them
///
/// and two animations whose channels never meet: `motion` turns and moves joints; `breath` plays
/// the weights of the breath targets and the joints of the cage. Parts that do not move have no
/// keys. Base and rest weights are the end of a quiet breath out, so `breath` at weight 0 is no
/// breath.
///
/// Throws InputError when lists do not fit together, or when a joint moves in both animations.
io::GltfScene assetScene(const AssetInput& input, const AssetConfig& config = {});

/// Writes the scene as a GLB, complete or not at all.
AssetReport writeAsset(const std::filesystem::path& path, const AssetInput& input,
                       const AssetConfig& config = {});

}  // namespace pneuma::stage
