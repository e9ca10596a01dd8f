#include "pneuma/io/gltf_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/gltf_buffer.h"
#include "pneuma/core/check.h"
#include "pneuma/io/atomic_file.h"

namespace pneuma::io {
namespace {

using Json = nlohmann::ordered_json;

Json jsonVector(const auto& v) {
  Json list = Json::array();
  for (Eigen::Index i = 0; i < v.size(); ++i) list.push_back(static_cast<float>(v[i]));
  return list;
}

/// Turns a scene into the two chunks of a GLB.
class GlbWriter {
 public:
  explicit GlbWriter(const GltfScene& scene) : scene_(scene) {}

  std::string write() {
    Json root = {{"asset", {{"version", "2.0"}, {"generator", "Pneuma"}}}, {"scene", 0}};
    addNodes(root);
    if (!scene_.materials.empty()) root["materials"] = materials();
    if (!scene_.meshes.empty()) root["meshes"] = meshes();
    addAnimations(root);
    if (!buffer_.accessors().empty()) {
      root["accessors"] = buffer_.accessors();
      root["bufferViews"] = buffer_.views();
      root["buffers"] = Json::array({{{"byteLength", buffer_.bytes().size()}}});
    }
    return pack(root.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

 private:
  /// glTF lists children, we store parents.
  void addNodes(Json& root) {
    Json list = Json::array(), roots = Json::array();
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      const GltfNode& node = scene_.nodes[i];
      PNEUMA_CHECK(node.parent < static_cast<int>(i), "node '{}' comes before its parent",
                   node.name);
      list.push_back(jsonNode(node));
      if (node.parent < 0)
        roots.push_back(i);
      else
        list[static_cast<std::size_t>(node.parent)]["children"].push_back(i);
    }
    root["scenes"] = Json::array({Json::object()});
    if (roots.empty()) return;
    root["scenes"][0]["nodes"] = std::move(roots);
    root["nodes"] = std::move(list);
  }

  static Json jsonNode(const GltfNode& node) {
    Json json = {{"name", node.name}};
    const Quat q = Quat(node.pose.rotation).normalized();
    if (node.pose.position != Vec3::Zero()) json["translation"] = jsonVector(node.pose.position);
    if (node.pose.rotation != Mat3::Identity())
      json["rotation"] = jsonVector(q.coeffs());  // x y z w
    if (node.scale != Vec3::Ones()) json["scale"] = jsonVector(node.scale);
    if (node.mesh >= 0) json["mesh"] = node.mesh;
    return json;
  }

  Json materials() const {
    Json list = Json::array();
    for (const GltfMaterial& m : scene_.materials) {
      Vec4 color;
      color << m.color, m.opacity;
      Json json = {{"name", m.name},
                   {"pbrMetallicRoughness",
                    {{"baseColorFactor", jsonVector(color)},
                     {"metallicFactor", m.metallic},
                     {"roughnessFactor", m.roughness}}}};
      if (m.opacity < 1) json["alphaMode"] = "BLEND";
      if (m.doubleSided) json["doubleSided"] = true;
      list.push_back(std::move(json));
    }
    return list;
  }

  Json meshes() {
    Json list = Json::array();
    for (std::size_t i = 0; i < scene_.meshes.size(); ++i) {
      const GltfMesh& mesh = scene_.meshes[i];
      Json json = {{"name", mesh.name}, {"primitives", Json::array({primitive(mesh)})}};
      if (!mesh.targets.empty()) {
        json["weights"] = restWeights(static_cast<int>(i));
        for (const MorphTarget& t : mesh.targets) json["extras"]["targetNames"].push_back(t.name);
      }
      list.push_back(std::move(json));
    }
    return list;
  }

  Json primitive(const GltfMesh& mesh) {
    const std::size_t count = mesh.positions.size();
    const bool isSurface = !mesh.triangles.empty();
    PNEUMA_CHECK(isSurface != !mesh.segments.empty(), "mesh '{}' needs triangles or segments",
                 mesh.name);
    const auto indices = isSurface ? std::span<const std::int32_t>(mesh.triangles.front().data(),
                                                                   3 * mesh.triangles.size())
                                   : std::span<const std::int32_t>(mesh.segments.front().data(),
                                                                   2 * mesh.segments.size());
    // First, because it checks the indices that the normals rely on.
    const int indexAccessor = buffer_.addIndices(indices, count);
    Json attributes = {{"POSITION", buffer_.addVectors(mesh.positions)}};
    if (isSurface) attributes["NORMAL"] = buffer_.addUnitVectors(normalsOf(mesh));
    if (!mesh.colors.empty()) {
      PNEUMA_CHECK(mesh.colors.size() == count, "mesh '{}': {} colours", mesh.name,
                   mesh.colors.size());
      attributes["COLOR_0"] = buffer_.addColors(mesh.colors);
    }
    Json json = {{"attributes", std::move(attributes)}, {"indices", indexAccessor}};
    if (!isSurface) json["mode"] = 1;
    if (mesh.material >= 0) json["material"] = mesh.material;
    for (const MorphTarget& t : mesh.targets) json["targets"].push_back(target(mesh, t, isSurface));
    return json;
  }

  static std::vector<Vec3> normalsOf(const GltfMesh& mesh) {
    if (!mesh.normals.empty()) {
      PNEUMA_CHECK(mesh.normals.size() == mesh.positions.size(), "mesh '{}': {} normals", mesh.name,
                   mesh.normals.size());
      return mesh.normals;
    }
    return vertexNormals({mesh.positions, mesh.triangles});
  }

  Json target(const GltfMesh& mesh, const MorphTarget& t, bool withNormals) {
    PNEUMA_CHECK(t.offsets.size() == mesh.positions.size(), "target '{}' of mesh '{}'", t.name,
                 mesh.name);
    Json json = {{"POSITION", buffer_.addMostlyZero(t.offsets)}};
    // Every target of a primitive must have the same attributes.
    if (withNormals && !mesh.targets.front().normalOffsets.empty()) {
      PNEUMA_CHECK(t.normalOffsets.size() == mesh.positions.size(), "normals of target '{}'",
                   t.name);
      json["NORMAL"] = buffer_.addMostlyZero(t.normalOffsets);
    }
    return json;
  }

  /// Weights shown by a viewer that does not play: those of the first key.
  Json restWeights(int mesh) const {
    const std::size_t count = scene_.meshes[static_cast<std::size_t>(mesh)].targets.size();
    std::vector<float> weights(count, 0.0f);
    for (const GltfNode& node : scene_.nodes)
      if (node.mesh == mesh && node.animation.weights.size() >= count)
        weights.assign(node.animation.weights.begin(),
                       node.animation.weights.begin() + static_cast<long>(count));
    return weights;
  }

  /// One animation with a channel for everything that moves, so that viewers play it together.
  void addAnimations(Json& root) {
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      const GltfNode& node = scene_.nodes[i];
      const NodeAnimation& a = node.animation;
      if (a.times.empty()) continue;
      if (!a.translations.empty())
        addChannel(i, "translation", a.times, floats(a.translations), "VEC3", 3);
      if (!a.rotations.empty()) addChannel(i, "rotation", a.times, floats(a.rotations), "VEC4", 4);
      if (!a.scales.empty()) addChannel(i, "scale", a.times, floats(a.scales), "VEC3", 3);
      if (!a.weights.empty()) {
        PNEUMA_CHECK(node.mesh >= 0, "node '{}' has weights but no mesh", node.name);
        const std::size_t targets =
            scene_.meshes[static_cast<std::size_t>(node.mesh)].targets.size();
        const std::vector<float> keys(a.weights.begin(), a.weights.end());
        addChannel(i, "weights", a.times, keys, "SCALAR", 1, targets);
      }
    }
    if (channels_.empty()) return;
    root["animations"] = Json::array(
        {{{"name", scene_.animationName}, {"channels", channels_}, {"samplers", samplers_}}});
  }

  void addChannel(std::size_t node, const char* path, const std::vector<double>& times,
                  const std::vector<float>& keys, const char* type, std::size_t components,
                  std::size_t perTime = 1) {
    PNEUMA_CHECK(keys.size() == times.size() * components * perTime,
                 "{} keys of node '{}': {} for {} times", path, scene_.nodes[node].name,
                 keys.size(), times.size());
    samplers_.push_back({{"input", buffer_.addTimes(times)},
                         {"output", buffer_.addKeys(keys, type, components)},
                         {"interpolation", "LINEAR"}});
    channels_.push_back(
        {{"sampler", samplers_.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  static std::vector<float> floats(const std::vector<Vec3>& vectors) {
    std::vector<float> list;
    for (const Vec3& v : vectors)
      for (int i = 0; i < 3; ++i) list.push_back(static_cast<float>(v[i]));
    return list;
  }

  static std::vector<float> floats(const std::vector<Quat>& rotations) {
    std::vector<float> list;
    Quat last = Quat::Identity();
    for (Quat q : rotations) {
      q.normalize();
      // q and -q are one rotation; the near one makes viewers turn the short way.
      if (q.dot(last) < 0) q.coeffs() *= -1;
      last = q;
      for (int i = 0; i < 4; ++i) list.push_back(static_cast<float>(q.coeffs()[i]));
    }
    return list;
  }

  std::string pack(std::string json) const {
    json.resize((json.size() + 3) / 4 * 4, ' ');
    const std::string& binary = buffer_.bytes();
    const std::size_t total = 12 + 8 + json.size() + (binary.empty() ? 0 : 8 + binary.size());
    PNEUMA_CHECK(total < (std::size_t{1} << 32), "a GLB of {} bytes exceeds 4 GB", total);
    std::string out;
    out.reserve(total);
    const auto put = [&](std::uint32_t word) {
      out.append(reinterpret_cast<const char*>(&word), 4);
    };
    put(0x46546C67);  // "glTF"
    put(2);
    put(static_cast<std::uint32_t>(total));
    put(static_cast<std::uint32_t>(json.size()));
    put(0x4E4F534A);  // "JSON"
    out += json;
    if (binary.empty()) return out;
    put(static_cast<std::uint32_t>(binary.size()));
    put(0x004E4942);  // "BIN"
    return out += binary;
  }

  const GltfScene& scene_;
  internal::GltfBuffer buffer_;
  Json channels_ = Json::array(), samplers_ = Json::array();
};

}  // namespace

int GltfScene::addMaterial(GltfMaterial material) {
  materials.push_back(std::move(material));
  return static_cast<int>(materials.size()) - 1;
}

int GltfScene::addMesh(GltfMesh mesh) {
  meshes.push_back(std::move(mesh));
  return static_cast<int>(meshes.size()) - 1;
}

int GltfScene::addNode(GltfNode node) {
  nodes.push_back(std::move(node));
  return static_cast<int>(nodes.size()) - 1;
}

int GltfScene::addNodeFor(int mesh, int parent) {
  return addNode(
      {.name = meshes[static_cast<std::size_t>(mesh)].name, .mesh = mesh, .parent = parent});
}

NodeAnimation rigidAnimation(std::vector<double> times, std::span<const Pose> poses) {
  NodeAnimation animation{.times = std::move(times)};
  for (const Pose& pose : poses) {
    animation.translations.push_back(pose.position);
    animation.rotations.emplace_back(pose.rotation);
  }
  return animation;
}

Vec3 linearColor(std::uint32_t srgb) {
  Vec3 color;
  for (int i = 0; i < 3; ++i) {
    const double c = ((srgb >> (16 - 8 * i)) & 0xff) / 255.0;
    color[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  }
  return color;
}

std::string toGlb(const GltfScene& scene) {
  return GlbWriter(scene).write();
}

void writeGlb(const std::filesystem::path& path, const GltfScene& scene) {
  writeFile(path, toGlb(scene));
}

}  // namespace pneuma::io
