#include <fmt/format.h>

#include <map>

#include "io/gltf_edit_impl.h"
#include "io/mesh_formats.h"

namespace pneuma::io::internal {
namespace {

using ObjectJson = GltfDocument::Json;

/// Joints are at rest when all of them place the mesh alike, up to this share of its size.
constexpr double kRestTolerance = 1e-3;

/// An armature: where its joints are, and where they were when the mesh was made.
struct Armature {
  std::vector<std::size_t> nodes;
  std::vector<GltfTransform> inverseBind;
};

class ObjectReader {
 public:
  ObjectReader(const GltfDocument& document, const std::string& file)
      : document_(document), file_(file), triangles_(document), placed_(placedNodes(document)) {
    for (std::size_t i = 0; i < placed_.size(); ++i) placeOf_[placed_[i].node] = i;
  }

  std::vector<GltfObject> read() {
    for (const GltfPlacedNode& placed : placed_) {
      const ObjectJson& node = document_.at("nodes", placed.node);
      const auto mesh = GltfDocument::index(node, "mesh");
      if (!mesh) continue;
      GltfObject object = readMesh(*mesh, node);
      object.node = static_cast<int>(placed.node);
      if (const std::string name = gltfText(node, "name"); !name.empty()) object.name = name;
      object.toWorld = placed.world;
      if (const auto skin = GltfDocument::index(node, "skin")) placeSkinned(*skin, object);
      objects_.push_back(std::move(object));
    }
    for (GltfObject& object : objects_)
      if (object.skin < 0) placeCarried(object);
    if (objects_.empty()) throw GltfProblem{"shows no mesh"};
    return std::move(objects_);
  }

 private:
  GltfObject readMesh(std::size_t index, const ObjectJson& node) {
    const ObjectJson& mesh = document_.at("meshes", index);
    GltfObject object{.name = gltfText(mesh, "name"), .mesh = static_cast<int>(index)};
    if (object.name.empty()) object.name = stemOf(file_);
    const ObjectJson& primitives = document_.primitives(index);
    for (std::size_t k = 0; k < primitives.size(); ++k)
      readPrimitive(primitives[k], fmt::format("meshes[{}].primitives[{}]", index, k), object);
    const ObjectJson& owner = node.contains("weights") ? node : mesh;
    if (const auto weights = owner.find("weights"); weights != owner.end())
      for (std::size_t k = 0; k < primitives.size(); ++k)
        addRestTargets(primitives[k], *weights, object.primitives[k], object.surface);
    return object;
  }

  /// Targets that shape the character while nothing plays: sliders of a body, baked in.
  void addRestTargets(const ObjectJson& primitive, const ObjectJson& weights,
                      const GltfPrimitive& part, TriangleMesh& mesh) const {
    const auto targets = primitive.find("targets");
    if (targets == primitive.end() || !weights.is_array()) return;
    for (std::size_t k = 0; k < std::min(targets->size(), weights.size()); ++k) {
      const double w = weights[k].get<double>();
      const auto accessor = GltfDocument::index((*targets)[k], "POSITION");
      if (w == 0 || !accessor) continue;
      const std::vector<double> xyz = document_.numbers(*accessor, 3);
      if (xyz.size() != 3 * part.vertexCount)
        throw GltfProblem{fmt::format("accessors[{}] has {} offsets for {} vertices", *accessor,
                                      xyz.size() / 3, part.vertexCount)};
      for (std::size_t v = 0; v < part.vertexCount; ++v)
        mesh.positions[part.firstVertex + v] +=
            w * Vec3(xyz[3 * v], xyz[3 * v + 1], xyz[3 * v + 2]);
    }
  }

  void readPrimitive(const ObjectJson& primitive, const std::string& path, GltfObject& object) {
    if (primitive.is_object() && primitive.contains("extensions") &&
        primitive["extensions"].contains("KHR_draco_mesh_compression"))
      throw GltfProblem{path +
                        " is compressed by KHR_draco_mesh_compression, which is not supported: "
                        "export without Draco compression"};
    GltfPrimitive part{.firstVertex = object.surface.vertexCount()};
    if (!triangles_.append(primitive, path, object.surface))
      addLooseVertices(primitive, path, object.surface);
    part.vertexCount = object.surface.vertexCount() - part.firstVertex;
    if (const auto material = GltfDocument::index(primitive, "material"))
      part.material = gltfText(document_.at("materials", *material), "name");
    addNormals(primitive, path, part, object);
    object.primitives.push_back(std::move(part));
  }

  /// Lines and points have vertices too, and targets must cover them.
  void addLooseVertices(const ObjectJson& primitive, const std::string& path,
                        TriangleMesh& mesh) const {
    const auto accessor = primitive.contains("attributes")
                              ? GltfDocument::index(primitive["attributes"], "POSITION")
                              : std::nullopt;
    if (!accessor) throw GltfProblem{path + ".attributes has no POSITION"};
    const std::vector<double> xyz = document_.numbers(*accessor, 3);
    for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
      mesh.positions.emplace_back(xyz[i], xyz[i + 1], xyz[i + 2]);
  }

  void addNormals(const ObjectJson& primitive, const std::string& path, const GltfPrimitive& part,
                  GltfObject& object) const {
    object.normals.resize(object.surface.vertexCount(), Vec3::Zero());
    const auto accessor = GltfDocument::index(primitive["attributes"], "NORMAL");
    if (!accessor) return;
    const std::vector<double> xyz = document_.numbers(*accessor, 3);
    if (xyz.size() != 3 * part.vertexCount)
      throw GltfProblem{fmt::format("{}.attributes.NORMAL has {} vectors for {} vertices", path,
                                    xyz.size() / 3, part.vertexCount)};
    for (std::size_t v = 0; v < part.vertexCount; ++v)
      object.normals[part.firstVertex + v] = Vec3(xyz[3 * v], xyz[3 * v + 1], xyz[3 * v + 2]);
  }

  const Armature& armature(std::size_t skin) {
    const auto known = armatures_.find(skin);
    if (known != armatures_.end()) return known->second;
    const ObjectJson& json = document_.at("skins", skin);
    Armature a{.nodes = gltfIndices(json, "joints")};
    a.inverseBind.assign(a.nodes.size(), GltfTransform::Identity());
    for (const std::size_t node : a.nodes)
      if (!placeOf_.contains(node))
        throw GltfProblem{
            fmt::format("skins[{}].joints: nodes[{}] is not in the scene", skin, node)};
    if (const auto accessor = GltfDocument::index(json, "inverseBindMatrices")) {
      const std::vector<double> m = document_.numbers(*accessor, 16);
      if (m.size() < 16 * a.nodes.size())
        throw GltfProblem{fmt::format("skins[{}].inverseBindMatrices holds {} of {} matrices", skin,
                                      m.size() / 16, a.nodes.size())};
      for (std::size_t j = 0; j < a.nodes.size(); ++j)
        a.inverseBind[j].matrix() = Eigen::Map<const Eigen::Matrix4d>(m.data() + 16 * j);
    }
    if (a.nodes.empty()) throw GltfProblem{fmt::format("skins[{}] has no joints", skin)};
    return armatures_.emplace(skin, std::move(a)).first->second;
  }

  const GltfTransform& worldOf(std::size_t node) const { return placed_[placeOf_.at(node)].world; }

  /// How much of the mesh each joint carries.
  std::vector<double> jointShares(const GltfObject& object, std::size_t joints) const {
    std::vector<double> shares(joints, 0.0);
    for (const ObjectJson& primitive : document_.primitives(static_cast<std::size_t>(object.mesh)))
      for (int set = 0; set < 8; ++set) {
        const ObjectJson& attributes = primitive["attributes"];
        const auto which = GltfDocument::index(attributes, fmt::format("JOINTS_{}", set).c_str());
        const auto weight = GltfDocument::index(attributes, fmt::format("WEIGHTS_{}", set).c_str());
        if (!which || !weight) break;
        const std::vector<double> j = document_.numbers(*which, 4);
        const std::vector<double> w = document_.numbers(*weight, 4);
        for (std::size_t i = 0; i < std::min(j.size(), w.size()); ++i)
          if (j[i] >= 0 && j[i] < static_cast<double>(joints))
            shares[static_cast<std::size_t>(j[i])] += w[i];
      }
    return shares;
  }

  void placeSkinned(std::size_t skin, GltfObject& object) {
    const Armature& a = armature(skin);
    object.skin = static_cast<int>(skin);
    const std::vector<double> shares = jointShares(object, a.nodes.size());
    const std::size_t most =
        static_cast<std::size_t>(std::max_element(shares.begin(), shares.end()) - shares.begin());
    object.toWorld = worldOf(a.nodes[most]) * a.inverseBind[most];
    const double size =
        object.toWorld.linear().norm() * boundingBox(object.surface.positions).size().norm();
    const Vec3 centre = boundingBox(object.surface.positions).center();
    for (std::size_t j = 0; j < a.nodes.size(); ++j) {
      const GltfTransform M = worldOf(a.nodes[j]) * a.inverseBind[j];
      const bool alike = (M * centre - object.toWorld * centre).norm() < kRestTolerance * size &&
                         (M.linear() - object.toWorld.linear()).norm() <
                             kRestTolerance * object.toWorld.linear().norm();
      object.posed |= shares[j] > 0 && !alike;
    }
    addJoints(a, object);
    restOf_.emplace(skin, object.toWorld);
  }

  void addJoints(const Armature& a, GltfObject& object) const {
    std::map<std::size_t, int> listed;
    for (std::size_t j = 0; j < a.nodes.size(); ++j) listed[a.nodes[j]] = static_cast<int>(j);
    for (std::size_t j = 0; j < a.nodes.size(); ++j) {
      GltfJoint joint{.name = gltfText(document_.at("nodes", a.nodes[j]), "name")};
      joint.position = object.toWorld * a.inverseBind[j].inverse().translation();
      for (int up = placed_[placeOf_.at(a.nodes[j])].parent; up >= 0 && joint.parent < 0;
           up = placed_[static_cast<std::size_t>(up)].parent)
        if (const auto it = listed.find(placed_[static_cast<std::size_t>(up)].node);
            it != listed.end())
          joint.parent = it->second;
      object.joints.push_back(std::move(joint));
    }
  }

  /// What hangs on a joint (eyes, a helmet) goes with it to the rest pose.
  void placeCarried(GltfObject& object) {
    const std::size_t self = placeOf_.at(static_cast<std::size_t>(object.node));
    for (int up = static_cast<int>(self); up >= 0;
         up = placed_[static_cast<std::size_t>(up)].parent)
      for (const auto& [skin, rest] : restOf_) {
        const Armature& a = armatures_.at(skin);
        for (std::size_t j = 0; j < a.nodes.size(); ++j) {
          if (a.nodes[j] != placed_[static_cast<std::size_t>(up)].node) continue;
          object.toWorld = rest * a.inverseBind[j].inverse() * worldOf(a.nodes[j]).inverse() *
                           placed_[self].world;
          return;
        }
      }
  }

  const GltfDocument& document_;
  const std::string& file_;
  GltfTriangles triangles_;
  std::vector<GltfPlacedNode> placed_;
  std::map<std::size_t, std::size_t> placeOf_;  ///< node to its place in placed_
  std::map<std::size_t, Armature> armatures_;
  std::map<std::size_t, GltfTransform> restOf_;  ///< skin to where it puts its mesh at rest
  std::vector<GltfObject> objects_;
};

}  // namespace

std::vector<GltfObject> gltfObjects(const GltfDocument& document, const std::string& file) {
  return ObjectReader(document, file).read();
}

}  // namespace pneuma::io::internal
