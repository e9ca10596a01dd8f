#include "pneuma/stage/glb.h"

#include <algorithm>
#include <map>

#include "pneuma/core/check.h"
#include "pneuma/io/morph_compression.h"
#include "pneuma/stage/palette.h"

namespace pneuma::stage {
namespace {

/// Builds the scene part by part.
class SceneBuilder {
 public:
  SceneBuilder(const Cast& cast, const Clip& clip, const GlbOptions& options)
      : cast_(cast), clip_(clip), options_(options), times_(clip.times()) {
    PNEUMA_CHECK(clip.size() > 0, "a scene of no frame");
  }

  io::GltfScene build() {
    scene_.animationName = options_.animation;
    scene_.copyright = options_.copyright;
    if (!options_.root.empty()) root_ = scene_.addNode({.name = options_.root});
    addLinks();
    for (const RigidPart& part : cast_.rigid) addRigid(part);
    for (const SoftPart& part : cast_.soft) addSoft(part);
    for (const LinePart& part : cast_.lines)
      if (part.inFiles) addLines(part);
    return std::move(scene_);
  }

 private:
  /// A material once per tissue and opacity.
  int material(body::Tissue tissue, double opacity) {
    const auto [at, isNew] = materials_.try_emplace({tissue, opacity}, 0);
    if (isNew) at->second = scene_.addMaterial(gltfMaterial(tissue, opacity));
    return at->second;
  }

  int iron() {
    if (iron_ < 0) iron_ = scene_.addMaterial(heldGltfMaterial());
    return iron_;
  }

  int nodeOf(int link) const { return link < 0 ? root_ : links_[static_cast<std::size_t>(link)]; }

  /// Links stand in their parents' frames, so that a viewer can turn a joint by hand.
  void addLinks() {
    const body::FrameLayout& layout = clip_.layout();
    std::vector<std::vector<Pose>> poses(layout.links.size());
    const auto inParent = [&](std::size_t l, const auto& poseOfLink) {
      const int parent = layout.links[l].parent;
      return parent < 0 ? poseOfLink(l)
                        : poseOfLink(static_cast<std::size_t>(parent)).inverse() * poseOfLink(l);
    };
    for (std::size_t k = 0; k < clip_.size(); ++k) {
      const body::Frame frame = clip_[k];
      for (std::size_t l = 0; l < poses.size(); ++l)
        poses[l].push_back(inParent(l, [&](std::size_t i) { return frame.X_WL[i]; }));
    }
    for (std::size_t l = 0; l < poses.size(); ++l) {
      io::GltfNode node{.name = options_.linkPrefix + layout.links[l].name,
                        .parent = nodeOf(layout.links[l].parent)};
      node.pose = clip_.size() > 1
                      ? inParent(l, [&](std::size_t i) { return layout.links[i].X_WL_rest; })
                      : poses[l].front();
      if (clip_.size() > 1) node.animation = io::rigidAnimation(times_, poses[l]);
      links_.push_back(scene_.addNode(std::move(node)));
    }
  }

  void addRigid(const RigidPart& part) {
    scene_.addNodeFor(scene_.addMesh({.name = part.name,
                                      .positions = part.mesh.positions,
                                      .triangles = part.mesh.triangles,
                                      .material = material(part.tissue, 1)}),
                      nodeOf(part.link));
  }

  /// Shapes are compressed as their carrier sees them: there they change least.
  template <class Part>
  std::vector<std::vector<Vec3>> shapes(const Part& part, int carrier) const {
    std::vector<std::vector<Vec3>> list;
    for (std::size_t k = 0; k < clip_.size(); ++k) {
      const body::Frame frame = clip_[k];
      std::vector<Vec3>& points = list.emplace_back(part.positions(frame));
      if (carrier < 0) continue;
      const Pose X_LW = frame.X_WL[static_cast<std::size_t>(carrier)].inverse();
      for (Vec3& p : points) p = X_LW * p;
    }
    return list;
  }

  void addSoft(const SoftPart& part) {
    const io::MorphSequence sequence = io::compressFrames(
        shapes(part, part.carrier), part.triangles,
        {.tolerance = part.morphs.tolerance, .mostTargets = part.morphs.mostTargets});
    const int node = io::addSequence(scene_, part.name, sequence, part.triangles, times_,
                                     part.held ? iron() : material(part.tissue, part.fileOpacity));
    scene_.nodes[static_cast<std::size_t>(node)].parent = nodeOf(part.carrier);
  }

  /// The colour of each line's greatest load: glTF cannot animate colours.
  std::vector<Vec4> lineColors(const LinePart& part) const {
    if (!part.load) return {};
    std::vector<double> peak(part.lineCount(), 0.0);
    for (std::size_t k = 0; k < clip_.size(); ++k) {
      const std::vector<double> load = part.load(clip_[k]);
      for (std::size_t i = 0; i < peak.size(); ++i) peak[i] = std::max(peak[i], load[i]);
    }
    std::vector<Vec4> colors;
    for (const render::Color& c : part.shade(peak)) colors.push_back(linearRgba(c));
    return colors;
  }

  void addLines(const LinePart& part) {
    const io::MorphSequence sequence = io::compressFrames(shapes(part, -1), {},
                                                          {.tolerance = part.morphs.tolerance,
                                                           .mostTargets = part.morphs.mostTargets,
                                                           .normals = false});
    io::GltfMesh mesh{.name = part.name, .positions = sequence.base};
    const std::vector<Vec4> colors = lineColors(part);
    for (std::size_t i = 0; i < part.lineCount(); ++i)
      for (std::int32_t p = part.begin[i]; p < part.begin[i + 1]; ++p) {
        if (!colors.empty()) mesh.colors.push_back(colors[i]);
        if (p > part.begin[i]) mesh.segments.push_back({p - 1, p});
      }
    mesh.targets = sequence.targets;
    for (std::size_t i = 0; i < part.names.size(); ++i)
      mesh.lines.push_back({part.names[i], part.begin[i]});
    // Vertex colours multiply the material's, which is white beneath them.
    mesh.material = colors.empty() ? material(part.tissue, 1)
                                   : scene_.addMaterial({.name = part.name, .color = Vec3::Ones()});
    const int node = scene_.addNodeFor(scene_.addMesh(std::move(mesh)), root_);
    if (sequence.targets.empty()) return;
    scene_.nodes[static_cast<std::size_t>(node)].animation.times = times_;
    scene_.nodes[static_cast<std::size_t>(node)].animation.weights = sequence.weights;
  }

  const Cast& cast_;
  const Clip& clip_;
  const GlbOptions& options_;
  std::vector<double> times_;
  io::GltfScene scene_;
  int root_ = -1;
  int iron_ = -1;           // material of what is held
  std::vector<int> links_;  // node of each link
  std::map<std::pair<body::Tissue, double>, int> materials_;
};

}  // namespace

io::GltfScene castScene(const Cast& cast, const Clip& clip, const GlbOptions& options) {
  return SceneBuilder(cast, clip, options).build();
}

void writeGlb(const std::filesystem::path& path, const Cast& cast, const Clip& clip,
              const GlbOptions& options) {
  io::writeGlb(path, castScene(cast, clip, options));
}

}  // namespace pneuma::stage
