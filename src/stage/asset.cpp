#include "pneuma/stage/asset.h"

#include <algorithm>
#include <map>

#include "pneuma/core/mesh_simplify.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/stage/palette.h"
#include "stage/asset_check.h"
#include "stage/asset_skin.h"

namespace pneuma::stage {
namespace {

/// Builds the scene part by part.
class AssetBuilder {
 public:
  AssetBuilder(const AssetInput& input, const AssetConfig& config) : in_(input), config_(config) {}

  io::GltfScene build() {
    internal::checkAsset(in_, config_);
    scene_.copyright = in_.copyright;
    scene_.quantised = config_.quantised;
    addArmature();
    if (!in_.skin.mesh.empty()) addSkin();
    if (config_.bonesApart) {
      for (const AssetBone& bone : in_.bones) addBoneApart(bone);
    } else {
      addBones("bones", false);
      addBones("cartilage", true);
    }
    for (const AssetShape& shape : in_.shapes) addShape(shape);
    addAnimations();
    return std::move(scene_);
  }

 private:
  Pose restInParent(std::size_t j) const {
    const AssetJoint& joint = in_.joints[j];
    return joint.parent < 0
               ? joint.X_WJ
               : in_.joints[static_cast<std::size_t>(joint.parent)].X_WJ.inverse() * joint.X_WJ;
  }

  int nodeOf(int joint) const {
    return joint < 0 ? root_ : nodes_[static_cast<std::size_t>(joint)];
  }

  /// A material once per tissue and opacity.
  int material(body::Tissue tissue, double opacity = 1) {
    const auto [at, isNew] = materials_.try_emplace({tissue, opacity}, 0);
    if (isNew) at->second = scene_.addMaterial(gltfMaterial(tissue, opacity));
    return at->second;
  }
  static body::Tissue tissueOf(bool cartilage) {
    return cartilage ? body::Tissue::Cartilage : body::Tissue::Bone;
  }

  void addArmature() {
    root_ = scene_.addNode({.name = in_.name});
    io::GltfSkin skin{.name = in_.name, .root = root_};
    for (std::size_t j = 0; j < in_.joints.size(); ++j) {
      const int parent = in_.joints[j].parent;
      nodes_.push_back(scene_.addNode(
          {.name = in_.joints[j].name, .pose = restInParent(j), .parent = nodeOf(parent)}));
      skin.joints.push_back(nodes_.back());
      skin.X_WJ.push_back(in_.joints[j].X_WJ);
    }
    scene_.skins.push_back(std::move(skin));
  }

  int addSkinned(io::GltfMesh mesh) {
    const std::string name = mesh.name;
    return scene_.addNode({.name = name, .mesh = scene_.addMesh(std::move(mesh)), .skin = 0});
  }

  void addSkin() {
    io::GltfMesh mesh = internal::skinMesh(in_, config_);
    mesh.material = material(body::Tissue::Skin, config_.skinOpacity);
    if (in_.skin.maps)
      scene_.materials[static_cast<std::size_t>(mesh.material)] = paintedMaterial(
          *in_.skin.maps, gltfMaterial(body::Tissue::Skin, config_.skinOpacity), scene_);
    skinNode_ = addSkinned(std::move(mesh));
  }

  TriangleMesh lighter(const AssetBone& bone) const {
    return config_.boneTolerance > 0 ? lightened(bone.mesh, config_.boneTolerance) : bone.mesh;
  }

  /// All bones of a kind as one mesh: one draw call, each vertex carried by its bone's joint.
  void addBones(const char* name, bool cartilage) {
    io::GltfMesh all{.name = name};
    for (const AssetBone& bone : in_.bones) {
      if (bone.cartilage != cartilage || bone.mesh.empty()) continue;
      const TriangleMesh mesh = lighter(bone);
      const auto first = static_cast<std::int32_t>(all.positions.size());
      all.positions.insert(all.positions.end(), mesh.positions.begin(), mesh.positions.end());
      for (const Triangle& t : mesh.triangles)
        all.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      all.jointWeights.resize(all.positions.size(), {.joints = {bone.joint, 0, 0, 0}});
    }
    if (all.triangles.empty()) return;
    all.material = material(tissueOf(cartilage));
    addSkinned(std::move(all));
  }

  /// A bone as a rigid mesh below its joint.
  void addBoneApart(const AssetBone& bone) {
    if (bone.mesh.empty()) return;
    const Pose X_JW = in_.joints[static_cast<std::size_t>(bone.joint)].X_WJ.inverse();
    TriangleMesh light = lighter(bone);
    io::GltfMesh mesh{.name = bone.name + "_mesh",
                      .positions = std::move(light.positions),
                      .triangles = std::move(light.triangles),
                      .material = material(tissueOf(bone.cartilage))};
    for (Vec3& p : mesh.positions) p = X_JW * p;
    scene_.addNodeFor(scene_.addMesh(std::move(mesh)), nodeOf(bone.joint));
  }

  void addShape(const AssetShape& shape) {
    io::GltfMesh mesh{.name = shape.name,
                      .positions = shape.keys.base,
                      .triangles = shape.triangles,
                      .segments = shape.segments,
                      .normals = shape.keys.baseNormals,
                      .colors = shape.colors,
                      .targets = shape.keys.targets};
    // Colours of vertices multiply the material's, which is white beneath them.
    mesh.material = shape.colors.empty()
                        ? material(shape.tissue, shape.opacity)
                        : scene_.addMaterial({.name = shape.name, .color = Vec3::Ones()});
    const int node = scene_.addNodeFor(scene_.addMesh(std::move(mesh)), nodeOf(shape.joint));
    if (!shape.keys.targets.empty())
      shapeTracks_.push_back({node, {.times = shape.times, .weights = shape.keys.weights}});
  }

  void addAnimations() {
    io::GltfAnimation motion{.name = "motion"}, breath{.name = "breath"};
    addKeys(in_.motion, motion);
    if (skinNode_ >= 0 && in_.breath && !in_.breath->targets.empty())
      breath.tracks.push_back(
          {skinNode_, {.times = in_.breath->times, .weights = in_.breath->weights}});
    breath.tracks.insert(breath.tracks.end(), shapeTracks_.begin(), shapeTracks_.end());
    addKeys(in_.breathJoints, breath);
    for (io::GltfAnimation* a : {&motion, &breath})
      if (!a->tracks.empty()) scene_.animations.push_back(std::move(*a));
  }

  /// Keys for what moves; the rest stays as the armature has it.
  void addKeys(const AssetKeys& keys, io::GltfAnimation& animation) const {
    for (std::size_t i = 0; i < keys.joints.size(); ++i) {
      const auto j = static_cast<std::size_t>(keys.joints[i]);
      const Pose rest = restInParent(j);
      io::NodeAnimation track = io::rigidAnimation(keys.times, keys.poses[i]);
      if (!internal::moves(keys.poses[i], rest, false)) track.translations.clear();
      if (!internal::moves(keys.poses[i], rest, true)) track.rotations.clear();
      if (!track.translations.empty() || !track.rotations.empty())
        animation.tracks.push_back({nodes_[j], std::move(track)});
    }
  }

  const AssetInput& in_;
  const AssetConfig& config_;
  io::GltfScene scene_;
  std::vector<int> nodes_;  // of each joint
  std::vector<io::GltfTrack> shapeTracks_;
  std::map<std::pair<body::Tissue, double>, int> materials_;
  int root_ = -1, skinNode_ = -1;
};

}  // namespace

io::GltfScene assetScene(const AssetInput& input, const AssetConfig& config) {
  return AssetBuilder(input, config).build();
}

AssetReport writeAsset(const std::filesystem::path& path, const AssetInput& input,
                       const AssetConfig& config) {
  const io::GltfScene scene = assetScene(input, config);
  AssetReport report;
  const std::string glb = io::toGlb(scene, &report.parts);
  io::writeFile(path, glb);
  report.bytes = glb.size();
  report.drawCalls = scene.meshes.size();
  for (const io::GltfMesh& mesh : scene.meshes) {
    report.vertices += mesh.positions.size();
    if (mesh.name != "skin") {
      report.boneTriangles += mesh.triangles.size();
      continue;
    }
    report.skinTriangles.push_back(mesh.triangles.size());
    for (const auto& level : mesh.levels) report.skinTriangles.push_back(level.size());
  }
  return report;
}

}  // namespace pneuma::stage
