#include <fmt/format.h>

#include <algorithm>

#include "io/gltf_document.h"
#include "io/mesh_formats.h"
#include "pneuma/io/file.h"

namespace pneuma::io::internal {
namespace {

using ReadJson = GltfDocument::Json;
using Transform = Eigen::Affine3d;

constexpr int kDeepestNode = 256;

/// Gathers the triangle surfaces that the default scene shows, each placed by its node.
class GltfSurfaces {
 public:
  GltfSurfaces(const GltfDocument& document, const std::string& file)
      : document_(document), file_(file) {}

  NamedMeshes gather() {
    checkExtensions();
    if (document_.count("nodes") == 0) {
      for (std::size_t i = 0; i < document_.count("meshes"); ++i) add(i, "", Transform::Identity());
    } else {
      for (const std::size_t root : roots()) visit(root, Transform::Identity(), 0);
    }
    if (meshes_.empty())
      throw GltfProblem{
          otherPrimitives_ > 0
              ? fmt::format("has no triangles: {} primitives of lines or points", otherPrimitives_)
              : std::string("has no triangles")};
    return std::move(meshes_);
  }

 private:
  /// Extensions that change what the geometry means cannot be passed over.
  void checkExtensions() const {
    const auto required = document_.json().find("extensionsRequired");
    if (required == document_.json().end()) return;
    for (const ReadJson& name : *required) {
      const std::string text = name.is_string() ? name.get<std::string>() : "";
      const bool harmless = text.starts_with("KHR_materials_") ||
                            text.starts_with("KHR_texture_") || text == "KHR_mesh_quantization" ||
                            text == "KHR_lights_punctual";
      if (!harmless)
        throw GltfProblem{"needs the extension " + quotedWord(text) + ", which is not supported"};
    }
  }

  std::vector<std::size_t> roots() const {
    if (document_.count("scenes") > 0) {
      const std::size_t scene = GltfDocument::index(document_.json(), "scene").value_or(0);
      return indexList(document_.at("scenes", scene), "nodes");
    }
    // Without a scene: every node that is nobody's child.
    std::vector<bool> isChild(document_.count("nodes"), false);
    for (std::size_t i = 0; i < isChild.size(); ++i)
      for (const std::size_t child : indexList(document_.at("nodes", i), "children"))
        if (child < isChild.size()) isChild[child] = true;
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < isChild.size(); ++i)
      if (!isChild[i]) result.push_back(i);
    return result;
  }

  static std::vector<std::size_t> indexList(const ReadJson& object, const char* key) {
    std::vector<std::size_t> list;
    const auto it = object.find(key);
    if (it == object.end()) return list;
    if (!it->is_array()) throw GltfProblem{fmt::format("'{}' is no array", key)};
    for (const ReadJson& entry : *it) {
      if (!entry.is_number_unsigned())
        throw GltfProblem{fmt::format("'{}' holds something else than indices", key)};
      list.push_back(entry.get<std::size_t>());
    }
    return list;
  }

  static std::vector<double> numberList(const ReadJson& node, const char* key, std::size_t size) {
    std::vector<double> list;
    const auto it = node.find(key);
    if (it == node.end()) return list;
    if (it->is_array())
      for (const ReadJson& entry : *it)
        if (entry.is_number()) list.push_back(entry.get<double>());
    if (list.size() != size)
      throw GltfProblem{fmt::format("a node's '{}' is not {} numbers", key, size)};
    return list;
  }

  static Transform localTransform(const ReadJson& node) {
    Transform t = Transform::Identity();
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

  void visit(std::size_t i, const Transform& parent, int depth) {
    // A tree visits each node once; more means that nodes form a ring.
    if (depth > kDeepestNode || ++visits_ > document_.count("nodes"))
      throw GltfProblem{"its nodes are not a tree"};
    const ReadJson& node = document_.at("nodes", i);
    const Transform world = parent * localTransform(node);
    if (const auto mesh = GltfDocument::index(node, "mesh"))
      add(*mesh, textOf(node, "name"), world);
    for (const std::size_t child : indexList(node, "children")) visit(child, world, depth + 1);
  }

  static std::string textOf(const ReadJson& object, const char* key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
  }

  void add(std::size_t meshIndex, const std::string& nodeName, const Transform& world) {
    const ReadJson& mesh = document_.at("meshes", meshIndex);
    const auto primitives = mesh.find("primitives");
    if (primitives == mesh.end() || !primitives->is_array())
      throw GltfProblem{fmt::format("meshes[{}] has no primitives", meshIndex)};
    NamedMesh result{.name = nodeName.empty() ? textOf(mesh, "name") : nodeName};
    if (result.name.empty()) result.name = stemOf(file_);
    for (const ReadJson& primitive : *primitives) addPrimitive(primitive, world, result.mesh);
    if (!result.mesh.empty()) meshes_.push_back(std::move(result));
  }

  void addPrimitive(const ReadJson& primitive, const Transform& world, TriangleMesh& mesh) {
    if (!primitive.is_object()) throw GltfProblem{"a primitive is no object"};
    const std::size_t mode = GltfDocument::index(primitive, "mode").value_or(4);
    if (mode < 4 || mode > 6) {
      ++otherPrimitives_;
      return;
    }
    const auto attributes = primitive.find("attributes");
    if (attributes == primitive.end() || !attributes->is_object())
      throw GltfProblem{"a primitive has no attributes"};
    const auto accessor = GltfDocument::index(*attributes, "POSITION");
    if (!accessor) throw GltfProblem{"a primitive has no positions"};
    const std::size_t first = mesh.positions.size();
    addPositions(*accessor, world, mesh);
    const std::size_t count = mesh.positions.size() - first;
    std::vector<std::size_t> corners;
    if (const auto indices = GltfDocument::index(primitive, "indices")) {
      charge(document_.accessorCount(*indices));
      for (const double v : document_.numbers(*indices, 1)) {
        if (!(v >= 0 && v < static_cast<double>(count)))
          throw GltfProblem{
              fmt::format("an index {} is out of range; the primitive has {} vertices", v, count)};
        corners.push_back(static_cast<std::size_t>(v));
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) corners.push_back(i);
    }
    addTriangles(corners, mode, first, world.linear().determinant() < 0, mesh);
  }

  void addPositions(std::size_t accessor, const Transform& world, TriangleMesh& mesh) {
    charge(document_.accessorCount(accessor));
    const std::vector<double> xyz = document_.numbers(accessor, 3);
    for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) {
      const Vec3 p = world * Vec3(xyz[i], xyz[i + 1], xyz[i + 2]);
      if (!p.allFinite())
        throw GltfProblem{fmt::format("vertex {} of accessors[{}] is not finite", i / 3, accessor)};
      mesh.positions.push_back(p);
    }
  }

  static void addTriangles(const std::vector<std::size_t>& corners, std::size_t mode,
                           std::size_t first, bool mirrored, TriangleMesh& mesh) {
    const std::size_t n = corners.size();
    const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
      if (mirrored) std::swap(b, c);  // a mirrored node turns its surface inside out
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

  /// Many nodes may show one mesh; the sum stays in proportion to the file.
  void charge(std::size_t elements) {
    spent_ += elements;
    if (spent_ > document_.largestCount())
      throw GltfProblem{fmt::format("shows more than {} vertices, too many for a file of {} bytes",
                                    document_.largestCount(), document_.totalBytes())};
  }

  const GltfDocument& document_;
  const std::string& file_;
  NamedMeshes meshes_;
  std::size_t otherPrimitives_ = 0, visits_ = 0, spent_ = 0;
};

}  // namespace

Result<NamedMeshes> parseGltf(std::string_view content, const std::string& file) {
  try {
    const GltfDocument document(content, file);
    return GltfSurfaces(document, file).gather();
  } catch (const GltfProblem& problem) {
    return fileError(file, problem.message);
  } catch (const ReadJson::exception& e) {
    return fileError(file, fmt::format("has a field of the wrong type ({})", e.what()));
  }
}

}  // namespace pneuma::io::internal
