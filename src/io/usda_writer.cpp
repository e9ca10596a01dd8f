#include "pneuma/io/usda_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

#include "io/gltf_check.h"
#include "io/usda_keys.h"
#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"

namespace pneuma::io {
namespace {

/// Offsets of a target below this do not count [m].
constexpr double kNoOffset = 1e-7;
constexpr int kInfluences = 4;

std::size_t asIndex(int i) {
  return static_cast<std::size_t>(i);
}

/// Letters, digits and underscores, not beginning with a digit, and unlike the names before.
std::string primName(const std::string& wanted, std::set<std::string>& used) {
  std::string name;
  for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name = "_" + name;
  std::string unique = name;
  for (int i = 2; !used.insert(unique).second; ++i) unique = fmt::format("{}_{}", name, i);
  return unique;
}

std::string usdText(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else
      out += c == '\n' ? ' ' : c;
  return out + "\"";
}

// Single precision, as USD stores them: the shortest text that reads back equal.
std::string floatText(double x) {
  return fmt::format("{}", static_cast<float>(x));
}
std::string triple(const Vec3& v) {
  return fmt::format("({}, {}, {})", floatText(v.x()), floatText(v.y()), floatText(v.z()));
}
std::string quaternion(const Quat& q) {
  return fmt::format("({}, {}, {}, {})", floatText(q.w()), floatText(q.x()), floatText(q.y()),
                     floatText(q.z()));
}

template <class Items, class Text>
std::string list(const Items& items, Text&& text) {
  std::string out = "[";
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ", ";
    out += text(item);
    first = false;
  }
  return out + "]";
}

/// USD multiplies rows by matrices: ours, transposed, in full precision.
std::string matrix(const Pose& pose, const Vec3& scale = Vec3::Ones()) {
  std::string out = "( ";
  for (int c = 0; c < 3; ++c) {
    const Vec3 axis = scale[c] * pose.rotation.col(c);
    out += fmt::format("({}, {}, {}, 0), ", axis.x(), axis.y(), axis.z());
  }
  return out +
         fmt::format("({}, {}, {}, 1) )", pose.position.x(), pose.position.y(), pose.position.z());
}

class UsdaWriter {
 public:
  UsdaWriter(const GltfScene& scene, const UsdaOptions& options)
      : scene_(scene),
        rate_(options.framesPerSecond),
        sampled_(internal::sampleScene(scene, options.animation, options.framesPerSecond)) {
    placeNodes();
    nameMeshes();
  }

  std::string write() {
    out_ = fmt::format(
        "#usda 1.0\n(\n    defaultPrim = \"body\"\n    doc = {}\n    metersPerUnit = 1\n"
        "    upAxis = \"Y\"\n    startTimeCode = 0\n    endTimeCode = {}\n"
        "    timeCodesPerSecond = {}\n    framesPerSecond = {}\n)\n\n",
        usdText(scene_.copyright.empty() ? "Pneuma" : scene_.copyright), sampled_.frames - 1, rate_,
        rate_);
    open("def SkelRoot \"body\"");
    writeMaterials();
    writeSkeleton();
    writeAnimation();
    for (std::size_t n = 0; n < scene_.nodes.size(); ++n)
      if (scene_.nodes[n].mesh >= 0) writeMesh(n);
    close();
    return std::move(out_);
  }

 private:
  void line(const std::string& text) {
    out_.append(static_cast<std::size_t>(4 * depth_), ' ');
    out_ += text;
    out_ += '\n';
  }
  void open(const std::string& head) {
    line(head);
    line("{");
    ++depth_;
  }
  void close() {
    --depth_;
    line("}");
  }

  /// Every node is a joint of one skeleton: its path of names, and its pose when meshes are bound.
  void placeNodes() {
    std::vector<std::set<std::string>> used(scene_.nodes.size() + 1);
    for (const GltfNode& node : scene_.nodes) {
      const bool root = node.parent < 0;
      const std::size_t above = root ? scene_.nodes.size() : asIndex(node.parent);
      const std::string name = primName(node.name, used[above]);
      joints_.push_back(root ? name : joints_[above] + "/" + name);
      bind_.push_back(root ? node.pose : bind_[above] * node.pose);
    }
    for (const GltfSkin& skin : scene_.skins)
      for (std::size_t j = 0; j < skin.joints.size(); ++j)
        bind_[asIndex(skin.joints[j])] = skin.X_WJ[j];
  }

  void nameMeshes() {
    std::set<std::string> used{"materials", "skeleton", "animation"}, targets;
    meshNames_.resize(scene_.nodes.size());
    targetNames_.resize(scene_.nodes.size());
    for (std::size_t n = 0; n < scene_.nodes.size(); ++n) {
      if (scene_.nodes[n].mesh < 0) continue;
      const GltfMesh& mesh = scene_.meshes[asIndex(scene_.nodes[n].mesh)];
      meshNames_[n] = primName(mesh.name.empty() ? scene_.nodes[n].name : mesh.name, used);
      for (const MorphTarget& t : mesh.targets)
        targetNames_[n].push_back(primName(meshNames_[n] + "_" + t.name, targets));
    }
  }

  void writeMaterials() {
    std::set<std::string> used;
    if (!scene_.materials.empty()) open("def Scope \"materials\"");
    for (const GltfMaterial& m : scene_.materials) {
      materialNames_.push_back(primName(m.name.empty() ? "material" : m.name, used));
      const std::string path = "/body/materials/" + materialNames_.back();
      open(fmt::format("def Material \"{}\"", materialNames_.back()));
      line(fmt::format("token outputs:surface.connect = <{}/surface.outputs:surface>", path));
      open("def Shader \"surface\"");
      line("uniform token info:id = \"UsdPreviewSurface\"");
      line("color3f inputs:diffuseColor = " + triple(m.color));
      line("float inputs:opacity = " + floatText(m.opacity));
      line("float inputs:roughness = " + floatText(m.roughness));
      line("float inputs:metallic = " + floatText(m.metallic));
      line("token outputs:surface");
      close();
      close();
    }
    if (!scene_.materials.empty()) close();
  }

  void writeSkeleton() {
    open("def Skeleton \"skeleton\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )");
    line("uniform token[] joints = " + list(joints_, usdText));
    line("uniform matrix4d[] bindTransforms = " +
         list(bind_, [](const Pose& p) { return matrix(p); }));
    line("uniform matrix4d[] restTransforms = " +
         list(scene_.nodes, [](const GltfNode& n) { return matrix(n.pose, n.scale); }));
    line("rel skel:animationSource = </body/animation>");
    close();
  }

  template <class Row>
  void writeSamples(const std::string& head, Row&& row) {
    line(head + ".timeSamples = {");
    ++depth_;
    for (std::size_t f = 0; f < sampled_.frames; ++f) line(fmt::format("{}: {},", f, row(f)));
    close();
  }

  void writeAnimation() {
    open("def SkelAnimation \"animation\"");
    line("uniform token[] joints = " +
         list(sampled_.nodes, [&](int n) { return usdText(joints_[asIndex(n)]); }));
    if (!sampled_.nodes.empty()) {
      const auto samples = [&](const char* head, const auto& values, auto text) {
        writeSamples(head, [&](std::size_t f) {
          return list(values, [&](const auto& ofNode) { return text(ofNode[f]); });
        });
      };
      samples("float3[] translations", sampled_.places, triple);
      samples("quatf[] rotations", sampled_.turns, quaternion);
      samples("half3[] scales", sampled_.scales, triple);
    }
    writeWeights();
    close();
  }

  void writeWeights() {
    std::vector<std::string> names;
    for (const int n : sampled_.morphing)
      names.insert(names.end(), targetNames_[asIndex(n)].begin(), targetNames_[asIndex(n)].end());
    if (names.empty()) return;
    line("uniform token[] blendShapes = " + list(names, usdText));
    writeSamples("float[] blendShapeWeights", [&](std::size_t f) {
      std::vector<double> now;
      for (std::size_t i = 0; i < sampled_.morphing.size(); ++i) {
        const std::size_t count = targetNames_[asIndex(sampled_.morphing[i])].size();
        const auto begin = sampled_.weights[i].begin() + static_cast<std::ptrdiff_t>(f * count);
        now.insert(now.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
      }
      return list(now, floatText);
    });
  }

  /// Which vertex stands at each point of the prim: a line has two points of its own.
  static std::vector<std::size_t> pointsOf(const GltfMesh& mesh) {
    std::vector<std::size_t> points;
    for (const Segment& s : mesh.segments)
      for (const std::int32_t v : s) points.push_back(static_cast<std::size_t>(v));
    if (mesh.segments.empty())
      for (std::size_t v = 0; v < mesh.positions.size(); ++v) points.push_back(v);
    return points;
  }

  void writeMesh(std::size_t n) {
    const GltfMesh& mesh = scene_.meshes[asIndex(scene_.nodes[n].mesh)];
    const std::vector<std::size_t> points = pointsOf(mesh);
    const bool lines = !mesh.segments.empty();
    open(
        fmt::format("def {} \"{}\" (\n        prepend apiSchemas = [\"SkelBindingAPI\", "
                    "\"MaterialBindingAPI\"]\n    )",
                    lines ? "BasisCurves" : "Mesh", meshNames_[n]));
    if (lines) {
      line("uniform token type = \"linear\"");
      line("int[] curveVertexCounts = " + list(mesh.segments, [](const auto&) { return "2"; }));
      line("float[] widths = [0.002] (\n            interpolation = \"constant\"\n        )");
    } else {
      line("uniform token subdivisionScheme = \"none\"");
      line("int[] faceVertexCounts = " + list(mesh.triangles, [](const auto&) { return "3"; }));
      line("int[] faceVertexIndices = " + list(mesh.triangles, [](const Triangle& t) {
             return fmt::format("{}, {}, {}", t[0], t[1], t[2]);
           }));
    }
    line("point3f[] points = " +
         list(points, [&](std::size_t v) { return triple(mesh.positions[v]); }));
    writeLooks(mesh, points);
    writeBinding(n, mesh, points);
    writeTargets(n, mesh, points);
    close();
  }

  void writeLooks(const GltfMesh& mesh, const std::vector<std::size_t>& points) {
    constexpr const char* kPerVertex = " (\n            interpolation = \"vertex\"\n        )";
    if (!mesh.normals.empty())
      line("normal3f[] normals = " +
           list(points, [&](std::size_t v) { return triple(mesh.normals[v]); }) + kPerVertex);
    if (!mesh.colors.empty())
      line("color3f[] primvars:displayColor = " +
           list(points, [&](std::size_t v) { return triple(mesh.colors[v].head<3>()); }) +
           kPerVertex);
    if (!mesh.uvs.empty())  // v runs up in USD
      line("texCoord2f[] primvars:st = " +
           list(points,
                [&](std::size_t v) {
                  return fmt::format("({}, {})", floatText(mesh.uvs[v].x()),
                                     floatText(1 - mesh.uvs[v].y()));
                }) +
           kPerVertex);
    if (mesh.material >= 0)
      line(fmt::format("rel material:binding = </body/materials/{}>",
                       materialNames_[asIndex(mesh.material)]));
  }

  /// To the joints of its skin, or to its own node alone.
  void writeBinding(std::size_t n, const GltfMesh& mesh, const std::vector<std::size_t>& points) {
    const GltfNode& node = scene_.nodes[n];
    line("rel skel:skeleton = </body/skeleton>");
    const auto primvar = [&](const std::string& head, const std::string& values, int size,
                             const char* interpolation) {
      line(
          fmt::format("{} = {} (\n            elementSize = {}\n            interpolation = "
                      "\"{}\"\n        )",
                      head, values, size, interpolation));
    };
    if (node.skin < 0) {
      line("matrix4d primvars:skel:geomBindTransform = " + matrix(bind_[n]));
      primvar("int[] primvars:skel:jointIndices", fmt::format("[{}]", n), 1, "constant");
      primvar("float[] primvars:skel:jointWeights", "[1]", 1, "constant");
      return;
    }
    const std::vector<int>& joints = scene_.skins[asIndex(node.skin)].joints;
    line("matrix4d primvars:skel:geomBindTransform = " + matrix({}));
    primvar("int[] primvars:skel:jointIndices",
            list(points,
                 [&](std::size_t v) {
                   return fmt::format("{}",
                                      fmt::join(jointsAt(mesh.jointWeights[v], joints), ", "));
                 }),
            kInfluences, "vertex");
    primvar("float[] primvars:skel:jointWeights",
            list(points,
                 [&](std::size_t v) {
                   const auto& w = mesh.jointWeights[v].weights;
                   const double sum = w[0] + w[1] + w[2] + w[3];
                   return fmt::format("{}, {}, {}, {}", floatText(w[0] / sum),
                                      floatText(w[1] / sum), floatText(w[2] / sum),
                                      floatText(w[3] / sum));
                 }),
            kInfluences, "vertex");
  }

  static std::array<int, kInfluences> jointsAt(const JointWeights& w,
                                               const std::vector<int>& joints) {
    std::array<int, kInfluences> nodes{};
    for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = joints[asIndex(w.joints[i])];
    return nodes;
  }

  void writeTargets(std::size_t n, const GltfMesh& mesh, const std::vector<std::size_t>& points) {
    if (mesh.targets.empty()) return;
    line("uniform token[] skel:blendShapes = " + list(targetNames_[n], usdText));
    line("rel skel:blendShapeTargets = " + list(targetNames_[n], [&](const std::string& target) {
           return fmt::format("</body/{}/{}>", meshNames_[n], target);
         }));
    for (std::size_t t = 0; t < mesh.targets.size(); ++t) {
      std::vector<std::size_t> moved;  // points of the prim
      for (std::size_t p = 0; p < points.size(); ++p)
        if (mesh.targets[t].offsets[points[p]].norm() > kNoOffset) moved.push_back(p);
      open(fmt::format("def BlendShape \"{}\"", targetNames_[n][t]));
      line("uniform vector3f[] offsets = " +
           list(moved, [&](std::size_t p) { return triple(mesh.targets[t].offsets[points[p]]); }));
      line("uniform int[] pointIndices = " +
           list(moved, [](std::size_t p) { return fmt::format("{}", p); }));
      close();
    }
  }

  const GltfScene& scene_;
  double rate_;
  internal::SampledScene sampled_;
  std::vector<std::string> joints_;  // path of each node
  std::vector<Pose> bind_;           // of each node, in the world
  std::vector<std::string> meshNames_, materialNames_;
  std::vector<std::vector<std::string>> targetNames_;
  int depth_ = 0;
  std::string out_;
};

}  // namespace

std::string toUsda(const GltfScene& scene, const UsdaOptions& options) {
  internal::checkScene(scene);
  if (!(options.framesPerSecond > 0 && options.framesPerSecond <= 1000))
    throw InputError(Diagnostic{
        .field = "framesPerSecond", .message = "out of range", .expected = "0 .. 1000, not 0"});
  return UsdaWriter(scene, options).write();
}

void writeUsda(const std::filesystem::path& path, const GltfScene& scene,
               const UsdaOptions& options) {
  writeFile(path, toUsda(scene, options));
}

}  // namespace pneuma::io
