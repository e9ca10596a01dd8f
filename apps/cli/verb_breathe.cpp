#include <fmt/format.h>

#include <memory>

#include "cli/field_options.h"
#include "cli/motion_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/io/run_folder.h"
#include "pneuma/io/table.h"
#include "pneuma/render/tools.h"
#include "pneuma/stage/breath_report.h"
#include "pneuma/stage/breath_request.h"
#include "pneuma/stage/breath_run.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::cli {
namespace {

struct BreatheCommand {
  PersonOptions person;
  stage::BreathRequest request;
  bool noOutput = false, noFilm = false, noPictures = false, resume = false, asset = false;
  std::string out;

  void run(Program& program) const {
    const auto measured = std::make_shared<const anatomy::Body>(person.loadAsMeasured());
    const stage::ResolvedBreath resolved =
        stage::resolve(request, measured, person.person(*measured));
    if (!noOutput && !out.empty()) requireTools();
    breath::BreathSimulation simulation(resolved.settings);
    if (noOutput || out.empty()) {
      auto progress = program.makeProgress("s simulated");
      progress->begin("breathing", resolved.seconds);
      simulation.run(resolved.seconds, [&](double t) { progress->update(t); });
      progress->end();
      program.print(stage::breathJson(simulation), stage::breathSummaryText(simulation));
      return;
    }
    runInFolder(program, simulation, resolved);
  }

  /// Before the simulation, not after it.
  void requireTools() const {
    render::requirePlotting();
    if (!noFilm && !noPictures) render::requireFilming();
  }

  void runInFolder(Program& program, breath::BreathSimulation& simulation,
                   const stage::ResolvedBreath& resolved) const {
    const anatomy::Body& body = *resolved.settings.body;
    io::RunDescription description;
    description.command = program.commandLine();
    description.verb = "breathe";
    description.bodyHash = stage::bodyHash(body);
    description.seed = request.seed;
    description.settings = stage::describe(request, resolved);
    io::RunFolder folder = io::RunFolder::open(out, description, resume);

    auto progress = program.makeProgress("s simulated");
    progress->begin("breathing", resolved.seconds);
    const stage::FrameTrack track = stage::recordBreath(simulation, resolved.seconds,
                                                        request.framesPerSecond, folder, *progress);
    progress->end();

    auto drawing = program.makeProgress("");
    drawing->begin("drawing", 1);
    nlohmann::ordered_json measures = stage::breathJson(simulation);
    measures.update(stage::writeBreathOutputs(
        simulation, body, track, [&](std::string_view name) { return folder.file(name); },
        {.stills = !noPictures, .film = !noFilm && !noPictures, .asset = asset},
        [&](double done) { drawing->update(done); }));
    drawing->end();
    io::writeJson(folder.file("summary.json"), measures);
    folder.finish();
    program.print(measures, stage::breathSummaryText(simulation) +
                                fmt::format("\nWrote {}/report.html, breath.glb, {}breath.csv\n",
                                            folder.path().string(),
                                            noFilm || noPictures ? "" : "breath.mp4, "));
  }
};

}  // namespace

void addBreatheVerb(Program& program) {
  CLI::App* verb = program.addVerb("breathe", "Simulate a breathing torso and show it",
                                   "pneuma breathe --style deep --seconds 10 --no-output");
  auto command = std::make_shared<BreatheCommand>();
  addFieldOptions(verb, command->request);
  command->person.addTo(verb);
  verb->add_option("--out", command->out, "Folder of the run; without it only measures are printed")
      ->type_name("FOLDER");
  verb->add_flag("--no-output", command->noOutput, "Only simulate and print the measures");
  verb->add_flag("--asset", command->asset, "Also write asset.glb, small and in layers, for games");
  verb->add_flag("--no-film", command->noFilm, "Leave the MP4 out");
  verb->add_flag("--no-pictures", command->noPictures, "Leave the MP4 and the stills out");
  verb->add_flag("--resume", command->resume, "Go on with a run that was stopped");
  verb->callback([command, verb, &program] {
    if (command->noOutput || command->out.empty())
      for (const char* option : {"--fps", "--asset", "--resume"})
        if (verb->get_option(option)->count() > 0)
          refuseOption(option, "is for a run that is written", "--out FOLDER");
    command->run(program);
  });
}

}  // namespace pneuma::cli
