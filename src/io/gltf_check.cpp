#include "io/gltf_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pneuma/core/error.h"

namespace pneuma::io::internal {
namespace {

/// Walks a scene and gathers what is wrong with it; one finding for each list.
class SceneCheck {
 public:
  explicit SceneCheck(const GltfScene& scene) : scene_(scene) {}

  void run() {
    for (const GltfMaterial& m : scene_.materials) checkMaterial(m);
    for (const GltfImage& i : scene_.images)
      if (i.bytes.empty() || (i.mimeType != "image/png" && i.mimeType != "image/jpeg"))
        add("image '" + i.name + "'", "mimeType",
            fmt::format("'{}' of {} bytes", i.mimeType, i.bytes.size()), "a PNG or a JPEG");
    for (const GltfMesh& m : scene_.meshes) checkMesh(m);
    for (const GltfSkin& s : scene_.skins) checkSkin(s);
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) checkNode(scene_.nodes[i], i);
    checkAnimations();
    if (!found_.empty()) throw InputError(std::move(found_));
  }

 private:
  void add(const std::string& subject, const std::string& field, const std::string& message,
           const std::string& expected) {
    found_.push_back(
        {.subject = subject, .field = field, .message = message, .expected = expected});
  }

  template <class List>
  void checkSize(const std::string& subject, const char* field, const List& list,
                 std::size_t count) {
    if (!list.empty() && list.size() != count)
      add(subject, field, fmt::format("has {} entries", list.size()),
          fmt::format("one for each of the {} vertices", count));
  }

  template <class Vector>
  void checkFinite(const std::string& subject, const char* field,
                   const std::vector<Vector>& values) {
    const auto bad = std::ranges::find_if(values, [](const Vector& v) {
      if constexpr (std::is_arithmetic_v<Vector>)
        return !std::isfinite(v);
      else
        return !v.allFinite();
    });
    if (bad != values.end())
      add(subject, field, fmt::format("entry {} is not finite", bad - values.begin()),
          "finite numbers");
  }

  void checkIndex(const std::string& subject, const char* field, int index, std::size_t count,
                  bool mayBeNone) {
    if ((mayBeNone && index == -1) || (index >= 0 && static_cast<std::size_t>(index) < count))
      return;
    add(subject, field, fmt::format("is {}", index),
        fmt::format("0 to {}", static_cast<long>(count) - 1));
  }

  void checkMaterial(const GltfMaterial& m) {
    const auto inside = [](double v) { return v >= 0 && v <= 1; };
    if (!inside(m.opacity) || !inside(m.metallic) || !inside(m.roughness) || !m.color.allFinite() ||
        m.color.minCoeff() < 0 || m.color.maxCoeff() > 1)
      add("material '" + m.name + "'", "", "has a value out of range",
          "colour, opacity, metallic and roughness in [0, 1]");
    checkIndex("material '" + m.name + "'", "colorImage", m.colorImage, scene_.images.size(), true);
    checkIndex("material '" + m.name + "'", "normalImage", m.normalImage, scene_.images.size(),
               true);
  }

  template <std::size_t N>
  void checkCorners(const std::string& subject, const std::string& field,
                    const std::vector<std::array<std::int32_t, N>>& list, std::size_t count) {
    for (std::size_t i = 0; i < list.size(); ++i)
      for (const std::int32_t v : list[i])
        if (v < 0 || static_cast<std::size_t>(v) >= count)
          return add(subject, field, fmt::format("entry {} names vertex {}", i, v),
                     fmt::format("0 to {}", static_cast<long>(count) - 1));
  }

  void checkMesh(const GltfMesh& mesh) {
    const std::string subject = "mesh '" + mesh.name + "'";
    const std::size_t count = mesh.positions.size();
    if (mesh.triangles.empty() == mesh.segments.empty())
      add(subject, "", "has both triangles and segments, or neither", "one of them");
    checkCorners(subject, "triangles", mesh.triangles, count);
    checkCorners(subject, "segments", mesh.segments, count);
    for (std::size_t k = 0; k < mesh.levels.size(); ++k) {
      if (mesh.levels[k].empty()) add(subject, "levels", "a level has no triangles", "one or more");
      checkCorners(subject, fmt::format("levels[{}]", k), mesh.levels[k], count);
    }
    checkFinite(subject, "positions", mesh.positions);
    checkSize(subject, "normals", mesh.normals, count);
    checkFinite(subject, "normals", mesh.normals);
    checkSize(subject, "colors", mesh.colors, count);
    checkFinite(subject, "colors", mesh.colors);
    checkSize(subject, "uvs", mesh.uvs, count);
    checkFinite(subject, "uvs", mesh.uvs);
    checkSize(subject, "tangents", mesh.tangents, count);
    checkFinite(subject, "tangents", mesh.tangents);
    if (!mesh.tangents.empty() && mesh.uvs.empty())
      add(subject, "tangents", "stand without uvs", "uvs, which they belong to");
    checkSize(subject, "jointWeights", mesh.jointWeights, count);
    checkWeights(subject, mesh);
    checkIndex(subject, "material", mesh.material, scene_.materials.size(), true);
    for (const MorphTarget& t : mesh.targets) checkTarget(subject, mesh, t);
  }

  void checkWeights(const std::string& subject, const GltfMesh& mesh) {
    for (std::size_t i = 0; i < mesh.jointWeights.size(); ++i) {
      double sum = 0;
      bool good = true;
      for (const double w : mesh.jointWeights[i].weights) {
        good = good && w >= 0 && std::isfinite(w);
        sum += w;
      }
      if (good && sum > 0) continue;
      return add(subject, "jointWeights", fmt::format("those of vertex {} cannot be used", i),
                 "finite numbers >= 0 with a sum > 0");
    }
  }

  void checkTarget(const std::string& mesh, const GltfMesh& of, const MorphTarget& t) {
    const std::string subject = mesh + ", target '" + t.name + "'";
    if (t.offsets.size() != of.positions.size())
      add(subject, "offsets", fmt::format("has {} entries", t.offsets.size()),
          fmt::format("one for each of the {} vertices", of.positions.size()));
    checkSize(subject, "normalOffsets", t.normalOffsets, of.positions.size());
    // Every target of a primitive must have the same attributes.
    if (t.normalOffsets.empty() != of.targets.front().normalOffsets.empty())
      add(subject, "normalOffsets", "are there for some targets only", "for all or none");
    checkFinite(subject, "offsets", t.offsets);
    checkFinite(subject, "normalOffsets", t.normalOffsets);
  }

  void checkSkin(const GltfSkin& skin) {
    const std::string subject = "skin '" + skin.name + "'";
    if (skin.joints.empty() || skin.joints.size() != skin.X_WJ.size())
      add(subject, "joints",
          fmt::format("{} joints with {} poses", skin.joints.size(), skin.X_WJ.size()),
          "as many poses as joints, one or more");
    checkIndex(subject, "root", skin.root, scene_.nodes.size(), true);
    std::set<int> seen;
    for (const int joint : skin.joints) {
      checkIndex(subject, "joints", joint, scene_.nodes.size(), false);
      if (!seen.insert(joint).second)
        add(subject, "joints", fmt::format("names node {} twice", joint), "each once");
    }
    for (const Pose& X : skin.X_WJ)
      if (!X.rotation.allFinite() || !X.position.allFinite())
        return add(subject, "X_WJ", "a pose is not finite", "finite numbers");
  }

  void checkNode(const GltfNode& node, std::size_t place) {
    const std::string subject = "node '" + node.name + "'";
    if (node.parent < -1 || node.parent >= static_cast<int>(place))
      add(subject, "parent", fmt::format("is {}", node.parent), "a node before it, or -1");
    if (!node.pose.rotation.allFinite() || !node.pose.position.allFinite() ||
        !node.scale.allFinite())
      add(subject, "pose", "is not finite", "finite numbers");
    checkIndex(subject, "mesh", node.mesh, scene_.meshes.size(), true);
    checkIndex(subject, "skin", node.skin, scene_.skins.size(), true);
    if (node.skin >= 0) checkSkinned(subject, node);
  }

  void checkSkinned(const std::string& subject, const GltfNode& node) {
    if (node.mesh < 0 || static_cast<std::size_t>(node.mesh) >= scene_.meshes.size() ||
        static_cast<std::size_t>(node.skin) >= scene_.skins.size())
      return add(subject, "skin", "has no mesh to carry", "a mesh with jointWeights");
    if (node.parent >= 0 || node.pose.position != Vec3::Zero() ||
        node.pose.rotation != Mat3::Identity() || node.scale != Vec3::Ones())
      add(subject, "skin", "the node has a parent or a pose, which a skinned mesh does not follow",
          "a node at the top without a pose");
    const auto& weights = scene_.meshes[static_cast<std::size_t>(node.mesh)].jointWeights;
    if (weights.empty())
      return add(subject, "skin", "its mesh has no jointWeights", "one for each vertex");
    const auto count =
        static_cast<int>(scene_.skins[static_cast<std::size_t>(node.skin)].joints.size());
    for (std::size_t i = 0; i < weights.size(); ++i)
      for (const std::int32_t j : weights[i].joints)
        if (j < 0 || j >= count)
          return add(subject, "skin", fmt::format("vertex {} names joint {}", i, j),
                     fmt::format("0 to {}", count - 1));
  }

  void checkAnimations() {
    for (const GltfNode& node : scene_.nodes)
      checkKeys("animation of node '" + node.name + "'", node.animation, node.mesh);
    std::set<std::string> names;
    for (const GltfAnimation& a : scene_.animations) {
      const std::string subject = "animation '" + a.name + "'";
      if (!names.insert(a.name).second) add(subject, "name", "is used twice", "a name of its own");
      std::set<std::pair<int, const char*>> moved;
      for (const GltfTrack& t : a.tracks) {
        checkIndex(subject, "tracks", t.node, scene_.nodes.size(), false);
        if (t.node < 0 || static_cast<std::size_t>(t.node) >= scene_.nodes.size()) continue;
        const GltfNode& node = scene_.nodes[static_cast<std::size_t>(t.node)];
        checkKeys(subject + ", node '" + node.name + "'", t.keys, node.mesh);
        const auto once = [&](const auto& list, const char* path) {
          if (!list.empty() && !moved.insert({t.node, path}).second)
            add(subject, path, "of node '" + node.name + "' has keys twice", "one track for each");
        };
        once(t.keys.translations, "translation");
        once(t.keys.rotations, "rotation");
        once(t.keys.scales, "scale");
        once(t.keys.weights, "weights");
      }
    }
  }

  void checkKeys(const std::string& subject, const NodeAnimation& keys, int mesh) {
    checkFinite(subject, "times", keys.times);
    for (std::size_t i = 0; i < keys.times.size(); ++i)
      // As the file holds them: two times may fall together when rounded.
      if (static_cast<float>(keys.times[i]) < 0 ||
          (i > 0 && static_cast<float>(keys.times[i]) <= static_cast<float>(keys.times[i - 1]))) {
        add(subject, "times", fmt::format("key {} is at {} s", i, keys.times[i]),
            "times >= 0 that rise");
        break;
      }
    const std::size_t count = keys.times.size();
    const auto sized = [&](const auto& list, const char* field, std::size_t perKey) {
      if (!list.empty() && list.size() != count * perKey)
        add(subject, field, fmt::format("{} values for {} keys", list.size(), count),
            fmt::format("{} for each key", perKey));
    };
    sized(keys.translations, "translations", 1);
    sized(keys.rotations, "rotations", 1);
    sized(keys.scales, "scales", 1);
    checkFinite(subject, "translations", keys.translations);
    checkFinite(subject, "scales", keys.scales);
    checkFinite(subject, "weights", keys.weights);
    if (std::ranges::any_of(keys.rotations, [](const Quat& q) { return !(q.norm() > 1e-6); }))
      add(subject, "rotations", "a quaternion has no length or is not finite", "a rotation");
    if (keys.weights.empty()) return;
    const bool known = mesh >= 0 && static_cast<std::size_t>(mesh) < scene_.meshes.size();
    const std::size_t targets =
        known ? scene_.meshes[static_cast<std::size_t>(mesh)].targets.size() : 0;
    if (targets == 0) return add(subject, "weights", "the node has no targets", "a mesh with some");
    sized(keys.weights, "weights", targets);
  }

  const GltfScene& scene_;
  std::vector<Diagnostic> found_;
};

}  // namespace

void checkScene(const GltfScene& scene) {
  SceneCheck(scene).run();
}

}  // namespace pneuma::io::internal
