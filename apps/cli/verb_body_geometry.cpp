#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/motion_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/error.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/render/tools.h"
#include "pneuma/render/video.h"
#include "pneuma/stage/posed_person.h"
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
                         "pneuma body import my-anatomy --out imported");
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
  std::string shading;  ///< empty: layers
  std::string closeUp;  ///< part of the skin; empty: the whole body
  std::string eyes = "closed";
  double turn = 8, framesPerSecond = 30;  ///< of a turntable [s], [1/s]
  double span = 0;  ///< height of the picture [m]; 0: as much as there is to see
  stage::MotionSource pose;
  std::optional<double> seconds;  ///< into the motion

  render::RenderOptions look() const {
    render::RenderOptions o;
    o.width = width, o.height = height, o.samples = samples;
    return shading.empty() ? o : stage::lightFor(stage::shadingFromName(shading), o);
  }
  render::Camera camera(const Box& box, const std::string& view) const {
    constexpr double kFeet = 0.46;  // of the span below the middle: the body stands at its foot
    render::FramingOptions framing;
    framing.aspect = static_cast<double>(width) / height;
    framing.margin = 0.03;
    if (span <= 0) return render::Camera::frame(box, render::viewFromName(view), framing);
    Vec3 middle = box.center();
    if (closeUp.empty()) middle.y() = box.min.y() + kFeet * span;
    return render::Camera::closeUp(middle, span, render::viewFromName(view), framing);
  }
  /// What each column of the picture shows. Muscles lie on the skeleton; each layer gets its own
  /// column unless they are put together.
  std::vector<std::vector<std::string>> columns() const {
    if (together) return {layers};
    std::vector<std::vector<std::string>> list;
    for (const std::string& layer : layers)
      list.push_back(layer == "muscles" ? std::vector<std::string>{"skeleton", layer}
                                        : std::vector<std::string>{layer});
    return list;
  }
};

/// The scenes of a picture with their names: one way of showing the person, or layers.
std::vector<std::pair<std::string, render::Scene>> scenesOf(const RenderBodyOptions& o,
                                                            const stage::PosedPerson& person) {
  std::vector<std::pair<std::string, render::Scene>> scenes;
  if (!o.shading.empty())
    scenes.emplace_back("", person.scene(stage::shadingFromName(o.shading)));
  else
    for (const std::vector<std::string>& column : o.columns())
      scenes.emplace_back(column.back(), person.scene(column));
  return scenes;
}

/// One way of showing the person, turning once.
void renderTurntable(const Program& program, const RenderBodyOptions& o,
                     const stage::PosedPerson& person) {
  auto scenes = scenesOf(o, person);
  if (scenes.size() != 1 || o.views.size() != 1)
    refuseOption("--out", "a film shows one thing", "--shading or --together, and one --view");
  const Box box = o.closeUp.empty() ? scenes[0].second.bounds() : person.boxOf(o.closeUp);
  render::Renderer renderer(std::move(scenes[0].second));
  const auto progress = program.makeProgress("film");
  progress->begin("turning", 1);
  render::writeTurntable(o.out, renderer, o.camera(box, o.views[0]), o.look(), o.turn,
                         {.framesPerSecond = o.framesPerSecond},
                         [&](double done) { progress->update(done); });
  progress->end();
  program.print({{"film", o.out}, {"seconds", o.turn}}, "written " + o.out);
}

void renderBody(Program& program, const RenderBodyOptions& o) {
  if (o.out.ends_with(".mp4")) render::requireFilming();
  const anatomy::Body measured = o.person.loadAsMeasured();
  const auto shows = [&](const char* layer) {
    return std::ranges::find(o.layers, layer) != o.layers.end();
  };
  const bool skin = !o.shading.empty() || !o.closeUp.empty() || shows("skin") ||
                    (o.pose.asked() && shows("muscles"));
  const auto making = program.makeProgress("");
  making->begin("making the person", 1);  // minutes for one whose skin is not in the cache
  const stage::PosedPerson person(measured, o.person.person(measured), o.pose, o.seconds,
                                  skin ? o.triangles : 0, o.eyes == "open");
  making->update(1);
  making->end();
  if (o.out.ends_with(".mp4")) return renderTurntable(program, o, person);
  auto scenes = scenesOf(o, person);
  std::vector<render::Tile> tiles;
  const auto progress = program.makeProgress("pictures");
  progress->begin("rendering", static_cast<double>(scenes.size() * o.views.size()));
  for (auto& [name, scene] : scenes) {
    const Box box = o.closeUp.empty() ? scene.bounds() : person.boxOf(o.closeUp);
    render::Renderer renderer(std::move(scene));
    for (const std::string& view : o.views) {
      tiles.push_back({renderer.render(o.camera(box, view), o.look()),
                       scenes.size() > 1 ? name + ", " + view : view});
      progress->update(static_cast<double>(tiles.size()));
    }
  }
  progress->end();
  const int perRow = static_cast<int>(tiles.size() <= 6 ? tiles.size() : o.views.size());
  render::writeImage(tiles.size() == 1 ? tiles[0].image : render::tile(tiles, perRow), o.out);
  program.print({{"picture", o.out}, {"panels", tiles.size()}}, "written " + o.out);
}

// Shadings are for people who want a picture, layers for those who want to see what lies where;
// both share person, pose and views.
void addRender(Program& program, CLI::App* body) {
  auto options = std::make_shared<RenderBodyOptions>();
  CLI::App* verb = program.addSubVerb(
      body, "render", "Draw a person: skin, x-ray or layers, in any pose",
      "pneuma body render --shading skin --posture standing --view front,left --out body.png");
  verb->add_option("--shading", options->shading,
                   "clay (shape alone), skin (as a person looks), anatomy (bones and muscles under "
                   "a see-through skin), xray (bones in the shadow of the skin); instead of layers")
      ->check(oneOf(stage::shadingNames()));
  verb->add_option("--layers", options->layers, "skeleton, muscles, skin: a panel each")
      ->delimiter(',')
      ->check(oneOf({"skeleton", "muscles", "skin"}));
  verb->add_flag("--together", options->together, "All layers in one picture, skin see-through");
  verb->add_option("--view", options->views, "One or more views")
      ->delimiter(',')
      ->check(
          oneOf({"front", "back", "left", "right", "three-quarter", "three-quarter-back", "top"}));
  verb->add_option("--close-up", options->closeUp, "One part of the skin, of pairs the left")
      ->check(oneOf(stage::skinPartNames()));
  verb->add_option("--eyes", options->eyes, "Lids of the skin")
      ->check(oneOf({"closed", "open"}))
      ->capture_default_str();
  verb->add_option("--span", options->span, "What the height of the picture shows [m]")
      ->check(between(0.01, 100));
  verb->add_option("--out", options->out, "Picture (PNG or JPEG), or a turntable (MP4)")
      ->check(outputFile({".png", ".jpg", ".mp4"}))
      ->type_name("FILE");
  addPictureSize(verb, options->width, options->height, "Of a panel [pixels]");
  verb->add_option("--samples", options->samples, "Per pixel")->check(CLI::Range(1, 4096));
  verb->add_option("--turn", options->turn, "Time of a turntable's turn [s]")
      ->check(between(0.1, 600))
      ->capture_default_str();
  verb->add_option("--fps", options->framesPerSecond, "Of a turntable")
      ->check(between(1, 250))
      ->capture_default_str();
  verb->add_option("--triangles", options->triangles, "Of the skin: 20000, 80000, 300000")
      ->check(CLI::Range(2000, 2000000));
  verb->add_option("--at", options->seconds,
                   "Moment of the motion [s]; default: the first of a clip, the end of a pose")
      ->check(between(0, 1e6));
  addMotionOptions(verb, options->pose, "Pose");
  options->person.addTo(verb);
  verb->callback([&program, verb, options] {
    checkMotionOptions(*verb);
    renderBody(program, *options);
  });
}

}  // namespace

void addAnatomyFolder(CLI::App* verb, std::string& folder) {
  verb->add_option("folder", folder,
                   "Folder of meshes of your own with a manifest.json (docs/body.md)")
      ->required()
      ->type_name("DIR");
}

void addBodyGeometryVerbs(Program& program, CLI::App* body) {
  addImport(program, body);
  addRender(program, body);
}

}  // namespace pneuma::cli
