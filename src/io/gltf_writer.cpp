#include "pneuma/io/gltf_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "io/gltf_buffer.h"
#include "io/gltf_check.h"
#include "io/gltf_meshes.h"
#include "pneuma/core/check.h"
#include "pneuma/io/atomic_file.h"

namespace pneuma::io {
namespace {

using Json = nlohmann::ordered_json;
using internal::Number;

// Share of the screen that a mesh covers when its next level of detail would do as well.
constexpr double kFullDetailCoverage = 0.3;

Json jsonVector(const auto& v) {
  Json list = Json::array();
  for (Eigen::Index i = 0; i < v.size(); ++i) list.push_back(static_cast<float>(v[i]));
  return list;
}

/// Turns a scene into the two chunks of a GLB.
class GlbWriter {
 public:
  GlbWriter(const GltfScene& scene, std::vector<GlbPart>* parts) : scene_(scene), parts_(parts) {}

  std::string write() {
    internal::checkScene(scene_);
    Json root = {{"asset", {{"version", "2.0"}, {"generator", "Pneuma"}}}, {"scene", 0}};
    if (!scene_.copyright.empty()) root["asset"]["copyright"] = scene_.copyright;
    addExtensions(root);
    addNodes(root);
    if (!scene_.materials.empty()) root["materials"] = materials();
    if (!scene_.meshes.empty())
      root["meshes"] =
          internal::writeMeshes(scene_, buffer_, [this](const std::string& n) { count(n); });
    if (!scene_.skins.empty()) root["skins"] = skins();
    addAnimations(root);
    addImages(root);
    if (!buffer_.views().empty()) {
      if (!buffer_.accessors().empty()) root["accessors"] = buffer_.accessors();
      root["bufferViews"] = buffer_.views();
      root["buffers"] = Json::array({{{"byteLength", buffer_.bytes().size()}}});
    }
    return pack(root.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

 private:
  /// Names what was added to the buffer since the last call.
  void count(const std::string& name) {
    if (parts_ != nullptr && buffer_.bytes().size() > counted_)
      parts_->push_back({name, buffer_.bytes().size() - counted_});
    counted_ = buffer_.bytes().size();
  }

  void addExtensions(Json& root) const {
    Json used = Json::array();
    if (scene_.quantised) used.push_back("KHR_mesh_quantization");
    if (scene_.quantised) root["extensionsRequired"] = used;
    if (std::ranges::any_of(scene_.meshes, [](const GltfMesh& m) { return !m.levels.empty(); }))
      used.push_back("MSFT_lod");
    if (!used.empty()) root["extensionsUsed"] = std::move(used);
  }

  /// glTF lists children, we store parents.
  void addNodes(Json& root) {
    Json list = Json::array(), roots = Json::array();
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) {
      const GltfNode& node = scene_.nodes[i];
      list.push_back(jsonNode(node));
      if (node.parent < 0)
        roots.push_back(i);
      else
        list[static_cast<std::size_t>(node.parent)]["children"].push_back(i);
    }
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i) addLevels(i, list);
    root["scenes"] = Json::array({Json::object()});
    if (roots.empty()) return;
    root["scenes"][0]["nodes"] = std::move(roots);
    root["nodes"] = std::move(list);
  }

  /// Coarser nodes stand in for a node and are no part of the scene themselves.
  void addLevels(std::size_t i, Json& list) const {
    const GltfNode& node = scene_.nodes[i];
    if (node.mesh < 0) return;
    const GltfMesh& mesh = scene_.meshes[static_cast<std::size_t>(node.mesh)];
    if (mesh.levels.empty()) return;
    Json ids = Json::array(), coverage = Json::array();
    for (std::size_t k = 0; k < mesh.levels.size(); ++k) {
      Json level = jsonNode(node);
      level["name"] = node.name + "_LOD" + std::to_string(k + 1);
      level["mesh"] = internal::levelMesh(scene_, node.mesh, k);
      ids.push_back(list.size());
      list.push_back(std::move(level));
      // A triangle keeps its size on the screen when their number goes with the covered area.
      coverage.push_back(kFullDetailCoverage * static_cast<double>(mesh.levels[k].size()) /
                         static_cast<double>(mesh.triangles.size()));
    }
    coverage.push_back(0.0);
    list[i]["extensions"]["MSFT_lod"]["ids"] = std::move(ids);
    list[i]["extras"]["MSFT_screencoverage"] = std::move(coverage);
  }

  static Json jsonNode(const GltfNode& node) {
    Json json = {{"name", node.name}};
    const Quat q = Quat(node.pose.rotation).normalized();
    if (node.pose.position != Vec3::Zero()) json["translation"] = jsonVector(node.pose.position);
    if (node.pose.rotation != Mat3::Identity())
      json["rotation"] = jsonVector(q.coeffs());  // x y z w
    if (node.scale != Vec3::Ones()) json["scale"] = jsonVector(node.scale);
    if (node.mesh >= 0) json["mesh"] = node.mesh;
    if (node.skin >= 0) json["skin"] = node.skin;
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
      if (m.colorImage >= 0)
        json["pbrMetallicRoughness"]["baseColorTexture"] = {{"index", m.colorImage}};
      if (m.normalImage >= 0) json["normalTexture"] = {{"index", m.normalImage}};
      list.push_back(std::move(json));
    }
    return list;
  }

  /// A texture for each picture, of the same index, with the viewer's own filters.
  void addImages(Json& root) {
    for (const GltfImage& image : scene_.images) {
      root["textures"].push_back({{"source", root.contains("images") ? root["images"].size() : 0}});
      root["images"].push_back({{"name", image.name},
                                {"mimeType", image.mimeType},
                                {"bufferView", buffer_.addBytes(image.bytes)}});
      count("image " + image.name);
    }
  }

  Json skins() {
    Json list = Json::array();
    for (const GltfSkin& s : scene_.skins) {
      Json json = {{"name", s.name}, {"inverseBindMatrices", buffer_.addInverses(s.X_WJ)}};
      if (s.root >= 0) json["skeleton"] = s.root;
      json["joints"] = s.joints;
      list.push_back(std::move(json));
    }
    count("armature");
    return list;
  }

  void addAnimations(Json& root) {
    // What nodes carry themselves is one animation, so that viewers play it together.
    GltfAnimation own{.name = scene_.animationName};
    for (std::size_t i = 0; i < scene_.nodes.size(); ++i)
      if (!scene_.nodes[i].animation.times.empty())
        own.tracks.push_back({static_cast<int>(i), scene_.nodes[i].animation});
    Json list = Json::array();
    addAnimation(own, list);
    for (const GltfAnimation& a : scene_.animations) addAnimation(a, list);
    if (!list.empty()) root["animations"] = std::move(list);
  }

  void addAnimation(const GltfAnimation& animation, Json& list) {
    Json channels = Json::array(), samplers = Json::array();
    const Number rotation = scene_.quantised ? Number::Signed16 : Number::Float;
    for (const GltfTrack& t : animation.tracks) {
      const NodeAnimation& a = t.keys;
      const auto add = [&](const char* path, const std::vector<double>& keys,
                           std::size_t components, Number number) {
        if (keys.empty()) return;
        samplers.push_back({{"input", buffer_.addTimes(a.times)},
                            {"output", buffer_.addKeys(keys, components, number)},
                            {"interpolation", "LINEAR"}});
        channels.push_back(
            {{"sampler", samplers.size() - 1}, {"target", {{"node", t.node}, {"path", path}}}});
      };
      add("translation", flat(a.translations), 3, Number::Float);
      add("rotation", flat(a.rotations), 4, rotation);
      add("scale", flat(a.scales), 3, Number::Float);
      add("weights", a.weights, 1, Number::Float);
    }
    count("animation " + animation.name);
    if (!channels.empty())
      list.push_back({{"name", animation.name},
                      {"channels", std::move(channels)},
                      {"samplers", std::move(samplers)}});
  }

  static std::vector<double> flat(const std::vector<Vec3>& vectors) {
    std::vector<double> list;
    for (const Vec3& v : vectors) list.insert(list.end(), v.begin(), v.end());
    return list;
  }

  static std::vector<double> flat(const std::vector<Quat>& rotations) {
    std::vector<double> list;
    Quat last = Quat::Identity();
    for (Quat q : rotations) {
      q.normalize();
      // q and -q are one rotation; the near one makes viewers turn the short way.
      if (q.dot(last) < 0) q.coeffs() *= -1;
      last = q;
      list.insert(list.end(), q.coeffs().begin(), q.coeffs().end());
    }
    return list;
  }

  std::string pack(std::string json) const {
    json.resize((json.size() + 3) / 4 * 4, ' ');
    const std::string& binary = buffer_.bytes();
    const std::size_t total = 12 + 8 + json.size() + (binary.empty() ? 0 : 8 + binary.size());
    PNEUMA_CHECK(total < (std::uint64_t{1} << 32), "a GLB of {} bytes exceeds 4 GB", total);
    if (parts_ != nullptr) parts_->push_back({"description", total - binary.size()});
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
  std::vector<GlbPart>* parts_;
  internal::GltfBuffer buffer_;
  std::size_t counted_ = 0;
};

}  // namespace

int GltfScene::addMaterial(GltfMaterial material) {
  materials.push_back(std::move(material));
  return static_cast<int>(materials.size()) - 1;
}

int GltfScene::addImage(GltfImage image) {
  images.push_back(std::move(image));
  return static_cast<int>(images.size()) - 1;
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

std::string toGlb(const GltfScene& scene, std::vector<GlbPart>* parts) {
  return GlbWriter(scene, parts).write();
}

void writeGlb(const std::filesystem::path& path, const GltfScene& scene) {
  writeFile(path, toGlb(scene));
}

}  // namespace pneuma::io
