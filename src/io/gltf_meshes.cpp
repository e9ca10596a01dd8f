#include "io/gltf_meshes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pneuma::io::internal {
namespace {

using Json = GltfBuffer::Json;

/// The four weights of a vertex as the file wants them: sum 1 to the last bit of `one` steps (0:
/// plain numbers), unused places name joint 0.
JointWeights normalised(const JointWeights& given, double one) {
  JointWeights result;
  const double sum = std::accumulate(given.weights.begin(), given.weights.end(), 0.0);
  std::array<std::size_t, 4> order = {0, 1, 2, 3};
  std::ranges::stable_sort(
      order, [&](std::size_t a, std::size_t b) { return given.weights[a] > given.weights[b]; });
  double left = one;
  for (std::size_t k = 0; k < 4; ++k) {
    double w = given.weights[order[k]] / sum;
    if (one > 0) w = std::round(w * one);
    result.weights[k] = w;
    result.joints[k] = w > 0 ? given.joints[order[k]] : 0;
    left -= w;
  }
  if (one > 0) {
    result.weights[0] += left;  // what rounding left over, at most two steps
    for (double& w : result.weights) w /= one;
  }
  return result;
}

/// Turns the meshes of a scene into primitives with accessors.
class MeshWriter {
 public:
  MeshWriter(const GltfScene& scene, GltfBuffer& buffer, const CountPart& count)
      : scene_(scene), buffer_(buffer), count_(count) {}

  Json write() {
    Json list = Json::array(), coarser = Json::array();
    for (std::size_t i = 0; i < scene_.meshes.size(); ++i) {
      const GltfMesh& mesh = scene_.meshes[i];
      const Json first = primitive(mesh);
      list.push_back(jsonMesh(mesh, mesh.name, first, i));
      for (std::size_t k = 0; k < mesh.levels.size(); ++k) {
        // Same vertices, other triangles: the accessors stand in the file once.
        Json level = first;
        level["indices"] = buffer_.addIndices(corners(mesh.levels[k]), mesh.positions.size());
        coarser.push_back(jsonMesh(mesh, mesh.name + "_LOD" + std::to_string(k + 1), level, i));
      }
      if (!mesh.levels.empty()) count_(mesh.name + ": levels of detail");
    }
    for (Json& level : coarser) list.push_back(std::move(level));
    return list;
  }

 private:
  template <std::size_t N>
  static std::span<const std::int32_t> corners(
      const std::vector<std::array<std::int32_t, N>>& list) {
    return {list.front().data(), N * list.size()};
  }

  Json jsonMesh(const GltfMesh& mesh, const std::string& name, const Json& primitive,
                std::size_t index) const {
    Json json = {{"name", name}, {"primitives", Json::array({primitive})}};
    for (const NamedLine& line : mesh.lines)
      json["extras"]["lines"].push_back({{"name", line.name}, {"first", line.first}});
    if (mesh.targets.empty()) return json;
    json["weights"] = restWeights(static_cast<int>(index));
    for (const MorphTarget& t : mesh.targets) json["extras"]["targetNames"].push_back(t.name);
    return json;
  }

  Json primitive(const GltfMesh& mesh) {
    const bool isSurface = !mesh.triangles.empty();
    const int indices = buffer_.addIndices(
        isSurface ? corners(mesh.triangles) : corners(mesh.segments), mesh.positions.size());
    count_(mesh.name + (isSurface ? ": triangles" : ": lines"));
    Json json = {{"attributes", attributes(mesh, isSurface)}, {"indices", indices}};
    count_(mesh.name + ": vertices");
    if (!isSurface) json["mode"] = 1;
    if (mesh.material >= 0) json["material"] = mesh.material;
    for (const MorphTarget& t : mesh.targets) json["targets"].push_back(target(t, isSurface));
    if (!mesh.targets.empty()) count_(mesh.name + ": targets");
    return json;
  }

  Json attributes(const GltfMesh& mesh, bool isSurface) {
    Json json = {{"POSITION", buffer_.addVectors(mesh.positions)}};
    if (isSurface)
      json["NORMAL"] = buffer_.addUnitVectors(
          mesh.normals.empty() ? vertexNormals({mesh.positions, mesh.triangles}) : mesh.normals,
          small(Number::Signed16));
    if (!mesh.tangents.empty()) json["TANGENT"] = tangents(mesh);
    if (!mesh.uvs.empty()) json["TEXCOORD_0"] = uvs(mesh);
    if (!mesh.colors.empty()) json["COLOR_0"] = buffer_.addColors(mesh.colors);
    if (!mesh.jointWeights.empty()) addJointWeights(mesh, json);
    return json;
  }

  Number small(Number number) const { return scene_.quantised ? number : Number::Float; }

  int tangents(const GltfMesh& mesh) {
    std::vector<double> values;
    for (const Vec4& t : mesh.tangents) {
      const double length = t.head<3>().norm();
      const Vec3 unit = length > 1e-12 ? Vec3(t.head<3>() / length) : Vec3(1, 0, 0);
      values.insert(values.end(), {unit.x(), unit.y(), unit.z(), t.w() < 0 ? -1.0 : 1.0});
    }
    return buffer_.addVertexValues(values, 4, small(Number::Signed8));
  }

  int uvs(const GltfMesh& mesh) {
    std::vector<double> values;
    bool inside = true;
    for (const Vec2& uv : mesh.uvs) {
      values.insert(values.end(), {uv.x(), uv.y()});
      inside = inside && uv.minCoeff() >= 0 && uv.maxCoeff() <= 1;
    }
    // Outside the unit square a texture repeats, which these whole numbers cannot say.
    return buffer_.addVertexValues(values, 2, inside ? small(Number::Unsigned16) : Number::Float);
  }

  void addJointWeights(const GltfMesh& mesh, Json& json) {
    constexpr double kOne = 65535;
    std::vector<double> joints, weights;
    int highest = 0;
    bool single = true;
    for (const JointWeights& given : mesh.jointWeights) {
      const JointWeights w = normalised(given, scene_.quantised ? kOne : 0);
      joints.insert(joints.end(), w.joints.begin(), w.joints.end());
      weights.insert(weights.end(), w.weights.begin(), w.weights.end());
      highest = std::max(highest, *std::ranges::max_element(w.joints));
      single = single && w.weights[0] == 1;
    }
    json["JOINTS_0"] =
        buffer_.addVertexValues(joints, 4, highest < 256 ? Number::Index8 : Number::Index16);
    // Eight bits would move a blend of two joints by half a millimetre, but hold a 1 exactly.
    json["WEIGHTS_0"] =
        buffer_.addVertexValues(weights, 4, small(single ? Number::Unsigned8 : Number::Unsigned16));
  }

  Json target(const MorphTarget& t, bool withNormals) {
    // The whole numbers reach one metre.
    const bool near =
        std::ranges::all_of(t.offsets, [](const Vec3& v) { return v.cwiseAbs().maxCoeff() <= 1; });
    Json json = {{"POSITION", buffer_.addMostlyZero(
                                  t.offsets, near ? small(Number::Signed16) : Number::Float)}};
    if (withNormals && !t.normalOffsets.empty()) json["NORMAL"] = normalOffsets(t);
    return json;
  }

  int normalOffsets(const MorphTarget& t) {
    // A normal that turns by more than 60 degrees changes by more than 1; the rest is far below.
    const bool near = std::ranges::all_of(
        t.normalOffsets, [](const Vec3& v) { return v.cwiseAbs().maxCoeff() <= 1; });
    return buffer_.addMostlyZero(t.normalOffsets, near ? small(Number::Signed8) : Number::Float);
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

  const GltfScene& scene_;
  GltfBuffer& buffer_;
  const CountPart& count_;
};

}  // namespace

Json writeMeshes(const GltfScene& scene, GltfBuffer& buffer, const CountPart& count) {
  return MeshWriter(scene, buffer, count).write();
}

std::size_t levelMesh(const GltfScene& scene, int mesh, std::size_t k) {
  std::size_t index = scene.meshes.size() + k;
  for (int i = 0; i < mesh; ++i) index += scene.meshes[static_cast<std::size_t>(i)].levels.size();
  return index;
}

}  // namespace pneuma::io::internal
