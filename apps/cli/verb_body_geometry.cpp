#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/render/renderer.h"
#include "pneuma/survey/import.h"

/// `pneuma body import` and `render`.
namespace pneuma::cli {
namespace {

using nlohmann::ordered_json;

// --- import ----------------------------------------------------------------------------------

struct ImportOptions {
  std::string folder, out;
  bool muscles = true;
};

void addImport(Program& program, CLI::App* body) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* verb =
      program.addSubVerb(body, "import", "Make a body whose bones and muscles are real meshes",
                         "pneuma body import ../shared/anatomy --out imported");
  addAnatomyFolder(verb, options->folder);
  verb->add_option("--out", options->out, "Folder of the new body")->required()->type_name("DIR");
  verb->add_flag_callback(
      "--no-muscles", [options] { options->muscles = false; }, "Bones only");
  verb->callback([&program, options] {
    const survey::AnatomyPack pack(options->folder);
    io::requireWritable(std::filesystem::path(options->out) / "body.toml");
    const auto progress = program.makeProgress("parts");
    const survey::ImportReport r =
        survey::importBody(pack, options->out, {.muscles = options->muscles}, *progress);
    ordered_json j = {{"bones", r.bones},
                      {"muscles", r.muscles},
                      {"repaired", r.repaired},
                      {"skipped", r.skipped},
                      {"body", (std::filesystem::path(options->out) / "body.toml").string()}};
    std::string text = fmt::format("{} bones, {} muscles, {} repaired -> {}/body.toml", r.bones,
                                   r.muscles, r.repaired, options->out);
    for (const std::string& why : r.skipped) text += "\nleft out: " + why;
    program.print(j, text);
  });
}

// --- render ----------------------------------------------------------------------------------

struct RenderBodyOptions {
  PersonOptions person;
  std::vector<std::string> layers{"skeleton", "muscles", "skin"};
  std::vector<std::string> views{"front"};
  std::string out = "body.png";
  int width = 420, height = 860, samples = 24, triangles = 80000;
  bool together = false;
};

/// Turns layers of a person into scenes.
class BodyLayers {
 public:
  BodyLayers(const anatomy::Body& measured, const anatomy::Person& person, int triangles)
      : measured_(measured),
        person_(person),
        fitted_(anatomy::fitToPerson(measured, person)),
        triangles_(triangles) {}

  void add(render::Scene& scene, const std::string& layer, bool inside) const {
    if (layer == "skeleton") addSkeleton(scene);
    if (layer == "muscles") addMuscles(scene);
    if (layer == "skin") addSkin(scene, inside);
  }

 private:
  void addSkeleton(render::Scene& scene) const {
    std::map<std::string, anatomy::BoneKind> kinds;
    for (const anatomy::Bone& b : fitted_.bones) kinds[b.name] = b.kind;
    for (const anatomy::Shape& s : fitted_.shapes) {
      const bool cartilage = kinds[s.bone] == anatomy::BoneKind::Cartilage;
      scene.add(cache_.boneMesh(s.shape),
                cartilage ? render::materials::cartilage() : render::materials::bone(), s.bone);
    }
  }

  void addMuscles(render::Scene& scene) const {
    for (const anatomy::Shape& s :
         anatomy::personMuscles(anatomy::skinModelOf(measured_), measured_, person_)) {
      const bool tendon =
          s.bone.find("tendon") != std::string::npos || s.bone.find("tract") != std::string::npos;
      scene.add(cache_.boneMesh(s.shape),
                tendon ? render::materials::tendon() : render::materials::muscle(), s.bone);
    }
  }

  void addSkin(render::Scene& scene, bool inside) const {
    const anatomy::SkinSurface skin = anatomy::makeSkinSurface(
        anatomy::skinModelOf(measured_), measured_, person_, {.triangles = triangles_}, cache_);
    const render::Material material = render::materials::skin();
    scene.add(skin.mesh, inside ? render::materials::translucent(material, 0.28) : material,
              "skin");
  }

  const anatomy::Body& measured_;
  anatomy::Person person_;
  anatomy::Body fitted_;
  int triangles_;
  anatomy::GeometryCache cache_;
};

void renderBody(Program& program, const RenderBodyOptions& o) {
  const anatomy::Body measured = o.person.loadAsMeasured();
  const BodyLayers layers(measured, o.person.person(measured), o.triangles);
  // Muscles lie on the skeleton; each layer gets its own column unless they are put together.
  std::vector<std::vector<std::string>> columns;
  if (o.together)
    columns.push_back(o.layers);
  else
    for (const std::string& layer : o.layers)
      columns.push_back(layer == "muscles" ? std::vector<std::string>{"skeleton", layer}
                                           : std::vector<std::string>{layer});
  std::vector<render::Tile> tiles;
  const auto progress = program.makeProgress("pictures");
  progress->begin("rendering", static_cast<double>(columns.size() * o.views.size()));
  for (const std::vector<std::string>& column : columns) {
    render::Scene scene;
    for (const std::string& layer : column) layers.add(scene, layer, column.size() > 1);
    const Box box = scene.bounds();
    render::Renderer renderer(std::move(scene));
    for (const std::string& view : o.views) {
      render::FramingOptions framing;
      framing.aspect = static_cast<double>(o.width) / o.height;
      framing.margin = 0.03;
      render::RenderOptions look;
      look.width = o.width, look.height = o.height, look.samples = o.samples;
      tiles.push_back(
          {renderer.render(render::Camera::frame(box, render::viewFromName(view), framing), look),
           columns.size() > 1 ? column.back() + ", " + view : view});
      progress->update(static_cast<double>(tiles.size()));
    }
  }
  progress->end();
  const int perRow = static_cast<int>(tiles.size() <= 6 ? tiles.size() : o.views.size());
  render::writePng(tiles.size() == 1 ? tiles[0].image : render::tile(tiles, perRow), o.out);
  program.print({{"picture", o.out}, {"panels", tiles.size()}}, "written " + o.out);
}

void addRender(Program& program, CLI::App* body) {
  auto options = std::make_shared<RenderBodyOptions>();
  CLI::App* verb = program.addSubVerb(
      body, "render", "Draw skeleton, muscles and skin",
      "pneuma body render --layers skeleton,skin --view front,left --out body.png");
  verb->add_option("--layers", options->layers, "skeleton, muscles, skin")
      ->delimiter(',')
      ->check(oneOf({"skeleton", "muscles", "skin"}));
  verb->add_option("--view", options->views, "One or more views")
      ->delimiter(',')
      ->check(
          oneOf({"front", "back", "left", "right", "three-quarter", "three-quarter-back", "top"}));
  verb->add_option("--out", options->out, "Picture (PNG)")
      ->check(outputFile({".png"}))
      ->type_name("FILE");
  verb->add_flag("--together", options->together, "All layers in one picture, skin see-through");
  verb->add_option("--panel-width", options->width, "Width of a panel [pixels]")
      ->check(CLI::Range(64, 8192));
  verb->add_option("--panel-height", options->height, "Height of a panel [pixels]")
      ->check(CLI::Range(64, 8192));
  verb->add_option("--samples", options->samples, "Per pixel")->check(CLI::Range(1, 4096));
  verb->add_option("--triangles", options->triangles, "Of the skin: 20000, 80000, 300000")
      ->check(CLI::Range(2000, 2000000));
  options->person.addTo(verb);
  verb->callback([&program, options] { renderBody(program, *options); });
}

}  // namespace

void addAnatomyFolder(CLI::App* verb, std::string& folder) {
  verb->add_option("folder", folder, "Folder of meshes with a manifest.json")
      ->required()
      ->type_name("DIR");
}

void addBodyGeometryVerbs(Program& program, CLI::App* body) {
  addImport(program, body);
  addRender(program, body);
}

}  // namespace pneuma::cli
