#include <fmt/format.h>

#include <memory>

#include "cli/field_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/render/tools.h"
#include "pneuma/shape/bake.h"
#include "pneuma/stage/perform_run.h"

namespace pneuma::cli {
namespace {

struct PerformCommand {
  PersonOptions person;
  stage::BreathRequest breath;
  stage::PerformRequest request;
  std::string model, skin, bake, scan, out = "out/perform";
  bool film = true, beside = false;

  /// The person alone: for games, or found in a scan.
  void runPerson(Program& program, const shape::BreathModel& learned,
                 const shape::PersonBreath& performer) const {
    if (!bake.empty()) {
      const std::string bytes = shape::bakePerson(learned, performer);
      io::writeFile(bake, bytes);
      program.print({{"bytes", bytes.size()}, {"file", bake}},
                    fmt::format("{} components, {:.0f} kB\nWrote {}\n", performer.componentCount(),
                                1e-3 * static_cast<double>(bytes.size()), bake));
      return;
    }
    const stage::ScanFit fit = stage::findInScan(learned, performer, io::readMesh(scan));
    const std::filesystem::path file = std::filesystem::path(out) / "registered.obj";
    io::writeMesh(file, {fit.positions, learned.mesh.triangles});
    nlohmann::ordered_json j = fit.json();
    j["file"] = file.string();
    program.print(j, fmt::format("{:.2f} mm rms from the scan on the trunk; {:+.0f} mL above rest, "
                                 "{:.0f} % of it by the chest\nWrote {}\n",
                                 j["trunk_rms_mm"].get<double>(), j["gained_ml"].get<double>(),
                                 100 * fit.type, file.string()));
  }

  void run(Program& program) const {
    const bool alone = !bake.empty() || !scan.empty();
    if (film && !alone) render::requireFilming();
    const shape::BreathModel learned = shape::readBreathModel(model);
    const auto measured = std::make_shared<const anatomy::Body>(person.loadAsMeasured());
    const anatomy::Person who = person.person(*measured);
    std::optional<std::vector<Vec3>> rest;
    if (!skin.empty()) rest = io::readMesh(skin).positions;
    if (alone) {
      runPerson(program, learned,
                {learned, rest ? *rest : stage::restSkinOf(learned, *measured, who),
                 request.poseIntensity});
      return;
    }
    const auto progress = program.makeProgress("");
    const stage::PerformRun run(learned, request, breath, measured, who, std::move(rest), beside,
                                *progress);
    run.write(out, film, *progress);
    nlohmann::ordered_json j = run.json();
    j["folder"] = out;
    program.print(j, run.text() + fmt::format("Wrote {}/perform.glb, perform.csv{}\n", out,
                                              film ? ", perform.mp4" : ""));
  }
};

}  // namespace

// One of recording, style, sinusoid and keyframes drives; that exactly one is given is checked
// when the run begins, where all are known.
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
  verb->add_option("--scan", command->scan,
                   "Only find the person in a scan (PLY, OBJ; metres, +Y up, facing +Z): "
                   "registered.obj, distances, volume above rest")
      ->type_name("FILE");
  verb->add_flag("--beside", command->beside,
                 "Simulate the torso of the same breath too: both in the film, difference in mm");
  verb->add_option("--out", command->out, "Folder for the results")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->add_flag_callback(
      "--no-film", [command] { command->film = false; }, "Leave the film out");
  verb->callback([command, &program] { command->run(program); });
}

}  // namespace pneuma::cli
