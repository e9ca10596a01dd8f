#include <map>

#include "pneuma/anatomy/scene.h"

namespace pneuma::anatomy {
namespace {

constexpr std::uint32_t kBoneColor = 0xE9DFC7, kCartilageColor = 0xBFD0D4, kMuscleColor = 0xA83232;

class SceneBuilder {
 public:
  SceneBuilder(const Body& body, const CompiledBody& compiled, const GeometryCache& cache,
               const SceneOptions& options)
      : body_(body), compiled_(compiled), cache_(cache), options_(options) {}

  io::GltfScene build() {
    scene_.animationName = "rest";
    bone_ = scene_.addMaterial({.name = "bone", .color = io::linearColor(kBoneColor)});
    cartilage_ =
        scene_.addMaterial({.name = "cartilage", .color = io::linearColor(kCartilageColor)});
    muscle_ = scene_.addMaterial({.name = "muscle", .color = io::linearColor(kMuscleColor)});
    const int root = scene_.addNode({.name = body_.name.empty() ? "body" : body_.name});
    addLinks(root);
    if (options_.bones) addBones();
    if (options_.muscles) addMuscles(root);
    return std::move(scene_);
  }

 private:
  void addLinks(int root) {
    for (const CompiledLink& link : compiled_.links) {
      io::GltfNode node{.name = link.name, .parent = root};
      node.pose.position = link.center;
      if (link.parent >= 0) {
        node.parent = nodes_[static_cast<std::size_t>(link.parent)];
        node.pose.position -= compiled_.links[static_cast<std::size_t>(link.parent)].center;
      }
      nodes_.push_back(scene_.addNode(std::move(node)));
    }
  }

  void addBones() {
    std::map<std::string, const BoneShape*> shapes;
    for (const Shape& s : body_.shapes) shapes[s.bone] = &s.shape;
    for (std::size_t i = 0; i < body_.bones.size(); ++i) {
      const int link = compiled_.boneLink[i];
      const auto it = shapes.find(body_.bones[i].name);
      if (link < 0 || it == shapes.end()) continue;
      const TriangleMesh surface = cache_.boneMesh(*it->second, options_.tolerance);
      const Vec3& center = compiled_.links[static_cast<std::size_t>(link)].center;
      io::GltfMesh mesh{.name = body_.bones[i].name};
      for (const Vec3& p : surface.positions) mesh.positions.push_back(p - center);
      mesh.triangles = surface.triangles;
      mesh.material = body_.bones[i].kind == BoneKind::Cartilage ? cartilage_ : bone_;
      scene_.addNodeFor(scene_.addMesh(std::move(mesh)), nodes_[static_cast<std::size_t>(link)]);
    }
  }

  void addMuscles(int root) {
    if (compiled_.muscles.empty()) return;
    const int all = scene_.addNode({.name = "muscles", .parent = root});
    for (const CompiledMuscle& m : compiled_.muscles) {
      io::GltfMesh mesh{.name = m.name};
      for (std::size_t i = 0; i < m.points.size(); ++i) {
        mesh.positions.push_back(m.points[i].position);
        if (i > 0) mesh.segments.push_back({static_cast<int>(i) - 1, static_cast<int>(i)});
      }
      mesh.material = muscle_;
      scene_.addNodeFor(scene_.addMesh(std::move(mesh)), all);
    }
  }

  const Body& body_;
  const CompiledBody& compiled_;
  const GeometryCache& cache_;
  SceneOptions options_;
  io::GltfScene scene_;
  std::vector<int> nodes_;  // of each link
  int bone_ = -1, cartilage_ = -1, muscle_ = -1;
};

}  // namespace

io::GltfScene bodyScene(const Body& body, const CompiledBody& compiled, const GeometryCache& cache,
                        const SceneOptions& options) {
  return SceneBuilder(body, compiled, cache, options).build();
}

}  // namespace pneuma::anatomy
