#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/verbs.h"
#include "pneuma/core/error.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/render/image.h"
#include "pneuma/render/renderer.h"

namespace pneuma::cli {
namespace {

using MaterialMaker = render::Material (*)();

const std::map<std::string, MaterialMaker>& looks() {
  static const std::map<std::string, MaterialMaker> table{
      {"plain", [] { return render::materials::plain(); }},
      {"skin", [] { return render::materials::skin(); }},
      {"bone", [] { return render::materials::bone(); }},
      {"cartilage", [] { return render::materials::cartilage(); }},
      {"muscle", [] { return render::materials::muscle(); }},
      {"organ", [] { return render::materials::organ(); }}};
  return table;
}

std::vector<std::string> lookNames() {
  std::vector<std::string> names;
  for (const auto& [name, maker] : looks()) names.push_back(name);
  return names;
}

struct RenderVerb {
  std::vector<std::string> meshes;
  std::vector<std::string> views{"three-quarter"};
  std::string look = "plain";
  double opacity = 1;
  double scale = 1;
  std::string up = "y";
  std::string cut;
  int width = 1280, height = 720, samples = 16;
  std::string out = "picture.png";

  /// "x", "-z"...: the half on that side of the middle is taken away.
  render::CutPlane cutPlane(const Box& box) const {
    const std::string axis = cut.starts_with('-') ? cut.substr(1) : cut;
    Vec3 normal = Vec3::Unit(axis == "x" ? 0 : axis == "y" ? 1 : 2);
    if (cut.starts_with('-')) normal = -normal;
    return {box.center(), normal};
  }

  void toBodyFrame(TriangleMesh& mesh) const {
    for (Vec3& p : mesh.positions) {
      p *= scale;
      if (up == "z") p = Vec3(p.x(), p.z(), -p.y());
    }
  }

  // Views are drawn side by side in the width asked for, so that the picture's size does not
  // depend on how many there are.
  void run(const Program& program) const {
    render::Scene scene;
    render::Material material = looks().at(look)();
    material.opacity = opacity;
    std::size_t triangles = 0;
    for (const std::string& path : meshes)
      for (io::NamedMesh& part : io::readMeshes(path).valueOrThrow()) {
        toBodyFrame(part.mesh);
        triangles += part.mesh.triangleCount();
        scene.add(std::move(part.mesh), material, part.name);
      }
    const auto columns = static_cast<int>(views.size());
    render::RenderOptions options{
        .width = std::max(1, width / columns), .height = height, .samples = samples};
    if (!cut.empty()) options.cut = cutPlane(scene.bounds());

    const auto progress = program.makeProgress("pictures");
    progress->begin("Rendering", static_cast<double>(views.size()));
    render::Renderer renderer(std::move(scene));
    std::vector<render::Tile> pictures;
    for (const std::string& view : views) {
      const render::FramingOptions framing{.aspect =
                                               static_cast<double>(options.width) / options.height};
      const render::Camera camera =
          render::Camera::frame(renderer.scene().bounds(), render::viewFromName(view), framing);
      pictures.push_back({renderer.render(camera, options), views.size() > 1 ? view : ""});
      progress->update(static_cast<double>(pictures.size()));
    }
    progress->end();
    render::writePng(
        pictures.size() == 1 ? pictures.front().image : render::tile(pictures, columns), out);
    program.print({{"picture", out}, {"triangles", triangles}, {"views", views}},
                  fmt::format("Wrote {}", out));
  }
};

}  // namespace

// For any mesh, also one that knows nothing of bodies: the picture to judge an export by, without
// another program.
void addRenderVerb(Program& program) {
  static RenderVerb verb;
  CLI::App* app = program.addVerb(
      "render", "Ray-trace mesh files to a picture",
      "pneuma body export --format glb --out body.glb && pneuma render body.glb --look bone "
      "--view front,left --out body.png");
  app->add_option("meshes", verb.meshes, "Mesh files: .obj .ply .stl .gltf .glb")
      ->required()
      ->type_name("FILE");
  app->add_option("--view", verb.views, "One or more views, side by side")
      ->delimiter(',')
      ->capture_default_str()
      ->check(
          oneOf({"front", "back", "left", "right", "three-quarter", "three-quarter-back", "top"}));
  app->add_option("--look", verb.look, "Material")
      ->check(oneOf(lookNames()))
      ->capture_default_str();
  app->add_option("--opacity", verb.opacity, "0 (unseen) to 1 (solid)")
      ->check(between(0, 1))
      ->capture_default_str();
  app->add_option("--scale", verb.scale, "Metres per unit of the files")
      ->check(between(1e-9, 1e9))
      ->capture_default_str();
  app->add_option("--up", verb.up, "Axis that points up in the files")
      ->check(oneOf({"y", "z"}))
      ->capture_default_str();
  app->add_option("--cut", verb.cut, "Take away the half on this side of the middle")
      ->check(oneOf({"x", "-x", "y", "-y", "z", "-z"}));
  app->add_option("--width", verb.width, "Width of the whole picture [pixels]")
      ->check(CLI::Range(16, 16384))
      ->capture_default_str();
  app->add_option("--height", verb.height, "Height [pixels]")
      ->check(CLI::Range(16, 16384))
      ->capture_default_str();
  app->add_option("--samples", verb.samples, "Samples per pixel")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app->add_option("--out", verb.out, "PNG file to write")
      ->check(outputFile({".png"}))
      ->type_name("FILE")
      ->capture_default_str();
  app->callback([&program] { verb.run(program); });
}

}  // namespace pneuma::cli
