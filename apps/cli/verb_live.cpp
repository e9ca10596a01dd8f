#include <fmt/format.h>

#include "cli/field_options.h"
#include "cli/motion_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/core/error.h"
#include "pneuma/render/tools.h"
#include "pneuma/stage/living_run.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::cli {
namespace {

struct LiveCommand {
  PersonOptions person;
  stage::LivingRequest request;
  stage::MotionSource motion;
  std::string out;
  bool resume = false, noFilm = false, noPictures = false, asset = false;

  void run(Program& program) const {
    const anatomy::Body measured = person.loadAsMeasured();
    const std::string hash = stage::bodyHash(measured);
    const anatomy::Person who = person.person(measured);
    if (!out.empty()) render::requirePlotting();
    if (!out.empty() && !noPictures && !noFilm) render::requireFilming();
    const stage::ResolvedLiving resolved = stage::resolve(request, motion, measured, who);
    stage::LivingRequest plain = request;
    if (out.empty()) plain.skinTriangles = 0;  // nobody would see it
    stage::LivingRun living(plain, resolved);
    if (out.empty()) {
      living.simulate(*program.makeProgress("s simulated"));
      program.print(living.json(), living.text());
      return;
    }
    io::RunDescription description;
    description.command = program.commandLine();
    description.verb = "live";
    description.bodyHash = hash;
    description.seed = request.seed;
    description.settings = stage::describe(request, motion, resolved);
    io::RunFolder folder = io::RunFolder::open(out, description, resume);
    const auto write = [&] {
      living.write(folder, {.stills = !noPictures, .film = !noFilm && !noPictures, .asset = asset},
                   *program.makeProgress(""));
    };
    try {
      living.simulate(folder, *program.makeProgress(request.flesh.on ? "frames" : "s simulated"));
    } catch (const SimulationError&) {
      if (request.flesh.on && living.frames() > 0) write();  // what there is before the bad pose
      throw;
    }
    write();
    folder.finish();
    program.print(living.json(), living.text() + fmt::format("wrote {}\n", folder.path().string()));
  }
};

/// Names options that would have no effect, instead of ignoring them.
void refuseIgnored(const CLI::App& verb, const LiveCommand& command) {
  const auto given = [&](const char* option) { return verb.get_option(option)->count() > 0; };
  if (command.request.breath == "none")
    for (const char* option :
         {"--rate", "--effort", "--variability", "--seed", "--strides-per-breath"})
      if (given(option)) refuseOption(option, "is for a breath", "--breath NAME|FILE");
  if (given("--smoothing") && command.motion.clip.empty())
    refuseOption("--smoothing", "is for a clip", "--motion FILE");
  if (command.asset && command.request.skinTriangles == 0)
    refuseOption("--asset", "needs a skin", "--skin-triangles N above 0");
  if (!command.request.flesh.on)
    for (const char* option : {"--flesh-level", "--flesh-tissue"})
      if (given(option)) refuseOption(option, "is for embedded flesh", "--flesh");
  if (command.request.flesh.on && command.request.skinTriangles == 0)
    refuseOption("--flesh", "needs a skin", "--skin-triangles N above 0");
  if (command.request.flesh.on && command.asset)
    refuseOption("--asset", "is for a skin by weights: flesh moves it in more ways", "one of both");
  if (!command.out.empty()) return;
  for (const char* option : {"--flesh", "--fps", "--skin-triangles", "--asset", "--no-film",
                             "--no-pictures", "--resume"})
    if (given(option)) refuseOption(option, "is for a run that is written", "--out FOLDER");
}

}  // namespace

void addLiveVerb(Program& program) {
  CLI::App* verb = program.addVerb("live", "A person who moves and breathes, all at once",
                                   "pneuma live --posture supine --breath deep --seconds 10");
  auto command = std::make_shared<LiveCommand>();
  addFieldOptions(verb, command->request);
  addFieldOptions(verb, command->request.flesh);
  addMotionOptions(verb, command->motion);
  command->person.addTo(verb);
  verb->add_option("--out", command->out, "Folder of the run; without it only measures are printed")
      ->type_name("FOLDER");
  verb->add_flag("--asset", command->asset, "Also write asset.glb, small and in layers, for games");
  verb->add_flag("--no-film", command->noFilm, "Leave the MP4 out");
  verb->add_flag("--no-pictures", command->noPictures, "Leave the MP4 and the stills out");
  verb->add_flag("--resume", command->resume, "Go on with a run that was stopped");
  verb->callback([command, verb, &program] {
    checkMotionOptions(*verb);
    refuseIgnored(*verb, *command);
    command->run(program);
  });
}

}  // namespace pneuma::cli
