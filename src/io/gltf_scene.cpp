#include "io/gltf_scene.h"

#include <fmt/format.h>

namespace pneuma::io::internal {
namespace {

using SceneJson = GltfDocument::Json;

constexpr int kDeepestNode = 256;

std::vector<double> numberList(const SceneJson& node, const char* key, std::size_t size) {
  std::vector<double> list;
  const auto it = node.find(key);
  if (it == node.end()) return list;
  if (it->is_array())
    for (const SceneJson& entry : *it)
      if (entry.is_number()) list.push_back(entry.get<double>());
  if (list.size() != size)
    throw GltfProblem{fmt::format("a node's '{}' is not {} numbers", key, size)};
  return list;
}

GltfTransform localTransform(const SceneJson& node) {
  GltfTransform t = GltfTransform::Identity();
  if (const auto m = numberList(node, "matrix", 16); !m.empty()) {
    t.matrix() = Eigen::Map<const Eigen::Matrix4d>(m.data());  // both column by column
    return t;
  }
  if (const auto p = numberList(node, "translation", 3); !p.empty())
    t.translate(Vec3(p[0], p[1], p[2]));
  if (const auto q = numberList(node, "rotation", 4); !q.empty())
    t.rotate(Quat(q[3], q[0], q[1], q[2]).normalized());
  if (const auto s = numberList(node, "scale", 3); !s.empty()) t.scale(Vec3(s[0], s[1], s[2]));
  return t;
}

std::vector<std::size_t> rootsOf(const GltfDocument& document) {
  if (document.count("scenes") > 0) {
    const std::size_t scene = GltfDocument::index(document.json(), "scene").value_or(0);
    return gltfIndices(document.at("scenes", scene), "nodes");
  }
  std::vector<bool> isChild(document.count("nodes"), false);
  for (std::size_t i = 0; i < isChild.size(); ++i)
    for (const std::size_t child : gltfIndices(document.at("nodes", i), "children"))
      if (child < isChild.size()) isChild[child] = true;
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < isChild.size(); ++i)
    if (!isChild[i]) result.push_back(i);
  return result;
}

void place(const GltfDocument& document, std::size_t node, int parent, int depth,
           std::vector<GltfPlacedNode>& out) {
  // A tree visits each node once; more means that nodes form a ring.
  if (depth > kDeepestNode || out.size() >= document.count("nodes"))
    throw GltfProblem{"its nodes are not a tree"};
  const SceneJson& json = document.at("nodes", node);
  GltfTransform world = localTransform(json);
  if (parent >= 0) world = out[static_cast<std::size_t>(parent)].world * world;
  const int self = static_cast<int>(out.size());
  out.push_back({node, parent, world});
  for (const std::size_t child : gltfIndices(json, "children"))
    place(document, child, self, depth + 1, out);
}

void addTriangles(const std::vector<std::size_t>& corners, std::size_t mode, std::size_t first,
                  TriangleMesh& mesh) {
  const std::size_t n = corners.size();
  const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
    mesh.triangles.push_back({static_cast<std::int32_t>(first + corners[a]),
                              static_cast<std::int32_t>(first + corners[b]),
                              static_cast<std::int32_t>(first + corners[c])});
  };
  if (mode == 4)
    for (std::size_t i = 0; i + 2 < n; i += 3) add(i, i + 1, i + 2);
  if (mode == 5)
    for (std::size_t i = 0; i + 2 < n; ++i) add(i, i + 1 + i % 2, i + 2 - i % 2);
  if (mode == 6)
    for (std::size_t i = 1; i + 1 < n; ++i) add(0, i, i + 1);
}

}  // namespace

std::string gltfText(const SceneJson& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::vector<std::size_t> gltfIndices(const SceneJson& object, const char* key) {
  std::vector<std::size_t> list;
  const auto it = object.find(key);
  if (it == object.end()) return list;
  if (!it->is_array()) throw GltfProblem{fmt::format("'{}' is no array", key)};
  for (const SceneJson& entry : *it) {
    if (!entry.is_number_unsigned())
      throw GltfProblem{fmt::format("'{}' holds something else than indices", key)};
    list.push_back(entry.get<std::size_t>());
  }
  return list;
}

std::vector<GltfPlacedNode> placedNodes(const GltfDocument& document) {
  std::vector<GltfPlacedNode> nodes;
  if (document.count("nodes") == 0) return nodes;
  for (const std::size_t root : rootsOf(document)) place(document, root, -1, 0, nodes);
  return nodes;
}

bool GltfTriangles::append(const SceneJson& primitive, const std::string& path,
                           TriangleMesh& mesh) {
  if (!primitive.is_object()) throw GltfProblem{path + " is no object"};
  const std::size_t mode = GltfDocument::index(primitive, "mode").value_or(4);
  if (mode < 4 || mode > 6) return false;
  const auto attributes = primitive.find("attributes");
  if (attributes == primitive.end() || !attributes->is_object())
    throw GltfProblem{path + " has no attributes"};
  const auto accessor = GltfDocument::index(*attributes, "POSITION");
  if (!accessor) throw GltfProblem{path + " has no positions"};
  const std::size_t first = mesh.positions.size();
  addPositions(*accessor, mesh);
  addTriangles(corners(primitive, mesh.positions.size() - first), mode, first, mesh);
  return true;
}

std::vector<std::size_t> GltfTriangles::corners(const SceneJson& primitive, std::size_t count) {
  std::vector<std::size_t> list;
  const auto indices = GltfDocument::index(primitive, "indices");
  if (!indices) {
    for (std::size_t i = 0; i < count; ++i) list.push_back(i);
    return list;
  }
  charge(document_.accessorCount(*indices));
  for (const double v : document_.numbers(*indices, 1)) {
    if (!(v >= 0 && v < static_cast<double>(count)))
      throw GltfProblem{
          fmt::format("an index {} is out of range; the primitive has {} vertices", v, count)};
    list.push_back(static_cast<std::size_t>(v));
  }
  return list;
}

void GltfTriangles::addPositions(std::size_t accessor, TriangleMesh& mesh) {
  charge(document_.accessorCount(accessor));
  const std::vector<double> xyz = document_.numbers(accessor, 3);
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) {
    const Vec3 p(xyz[i], xyz[i + 1], xyz[i + 2]);
    if (!p.allFinite())
      throw GltfProblem{fmt::format("vertex {} of accessors[{}] is not finite", i / 3, accessor)};
    mesh.positions.push_back(p);
  }
}

void GltfTriangles::charge(std::size_t elements) {
  spent_ += elements;
  if (spent_ > document_.largestCount())
    throw GltfProblem{fmt::format("shows more than {} vertices, too many for a file of {} bytes",
                                  document_.largestCount(), document_.totalBytes())};
}

}  // namespace pneuma::io::internal
