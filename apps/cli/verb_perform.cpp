#include <fmt/format.h>

#include <memory>

#include "cli/field_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/render/tools.h"
#include "pneuma/shape/bake.h"
#include "pneuma/stage/perform.h"

namespace pneuma::cli {
namespace {

struct PerformCommand {
  PersonOptions person;
  stage::BreathRequest breath;
  stage::PerformRequest request;
  std::string model, skin, bake, out = "out/perform";
  bool film = true;

  /// The person's skin: made, or read from a file of the model's topology.
  std::vector<Vec3> restSkin(const shape::BreathModel& learned, const anatomy::Body& measured,
                             const anatomy::Person& who) const {
    if (!skin.empty()) return io::readMesh(skin).positions;
    const anatomy::SkinSurface made = anatomy::makeSkinSurface(
        anatomy::skinModelOf(measured), measured, who, {.triangles = anatomy::skinTriangles(0)},
        anatomy::GeometryCache());
    if (const std::string id = fmt::format("{:016x}", made.topology->id); id != learned.topologyId)
      throw InputError(
          Diagnostic{.subject = model,
                     .message = fmt::format("was learned on topology {}", learned.topologyId),
                     .expected = fmt::format("{}, as this body has", id)});
    return made.mesh.positions;
  }

  void run(Program& program) const {
    if (film && bake.empty()) render::requireFilming();
    const shape::BreathModel learned = shape::readBreathModel(model);
    const auto measured = std::make_shared<const anatomy::Body>(person.loadAsMeasured());
    const anatomy::Person who = person.person(*measured);
    const shape::PersonBreath performer(learned, restSkin(learned, *measured, who));
    if (!bake.empty()) {
      const std::string bytes = shape::bakePerson(learned, performer);
      io::writeFile(bake, bytes);
      program.print({{"bytes", bytes.size()}, {"file", bake}},
                    fmt::format("{} components, {:.0f} kB\nWrote {}\n", performer.componentCount(),
                                1e-3 * static_cast<double>(bytes.size()), bake));
      return;
    }
    const stage::BreathTrack track = stage::makeBreathTrack(request, breath, measured, who);
    const std::vector<VecX> weights = stage::performWeights(performer, track);
    const std::filesystem::path folder(out);
    const io::Table table = stage::performTable(learned, performer, track, weights);
    io::writeCsv(folder / "perform.csv", table);
    io::writeGlb(folder / "perform.glb", stage::performScene(learned, performer, track, weights));
    if (film) {
      auto progress = program.makeProgress("");
      progress->begin("drawing", 1);
      stage::writePerformFilm(folder / "perform.mp4", learned, performer, track, weights,
                              [&](double done) { progress->update(done); });
      progress->end();
    }
    const double error = stage::volumeError(table);
    program.print({{"frames", track.size()},
                   {"seconds", track.time(track.size() - 1)},
                   {"volume_error_pct", 100 * error},
                   {"components", performer.componentCount()},
                   {"folder", out}},
                  fmt::format("{} frames, {} components; the mesh's volume follows the lungs' "
                              "within {:.2f} %\nWrote {}/perform.glb, perform.csv{}\n",
                              track.size(), performer.componentCount(), 100 * error, out,
                              film ? ", perform.mp4" : ""));
  }
};

}  // namespace

void addPerformVerb(Program& program) {
  CLI::App* verb = program.addVerb(
      "perform", "Breathe by a learned model: a recording, a style, a sinusoid, keyframes",
      "pneuma perform --model out/model.breath --sine --rate 12 --tidal 800 --type 0.3");
  auto command = std::make_shared<PerformCommand>();
  verb->add_option("--model", command->model, "Model of `pneuma learn`")
      ->type_name("FILE")
      ->required();
  addFieldOptions(verb, command->request);
  addFieldOptions(verb, command->breath, "Breath");
  command->person.addTo(verb);
  verb->add_option("--skin", command->skin,
                   "Skin at rest of the model's topology instead of the person's own")
      ->type_name("FILE");
  verb->add_option("--bake", command->bake,
                   "Only write the person for breath_shape.h, the runtime for games")
      ->type_name("FILE");
  verb->add_option("--out", command->out, "Folder for the results")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->add_flag_callback(
      "--no-film", [command] { command->film = false; }, "Leave the film out");
  verb->callback([command, &program] { command->run(program); });
}

}  // namespace pneuma::cli
