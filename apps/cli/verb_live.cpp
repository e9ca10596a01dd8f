#include "cli/field_options.h"
#include "cli/living_command.h"
#include "cli/motion_options.h"
#include "cli/verbs.h"

namespace pneuma::cli {
namespace {

/// Names options that would have no effect, instead of ignoring them.
void refuseIgnored(const CLI::App& verb, const LivingCommand& command) {
  const auto given = [&](const char* option) { return verb.get_option(option)->count() > 0; };
  if (command.request.breath == "none")
    for (const char* option :
         {"--rate", "--effort", "--variability", "--seed", "--strides-per-breath"})
      if (given(option)) refuseOption(option, "is for a breath", "--breath NAME|FILE");
  if (given("--smoothing") && command.motion.clip.empty())
    refuseOption("--smoothing", "is for a clip", "--motion FILE");
  if (command.asset && command.request.skinTriangles == 0)
    refuseOption("--asset", "needs a skin", "--skin-triangles N above 0");
  refuseFleshOptions(verb, command.request.flesh.on);
  if (command.request.flesh.on && command.request.skinTriangles == 0)
    refuseOption("--flesh", "needs a skin", "--skin-triangles N above 0");
  if (command.request.flesh.on && command.asset)
    refuseOption("--asset", "is for a skin by weights: flesh moves it in more ways", "one of both");
  if (!command.out.empty()) return;
  for (const char* option : {"--flesh", "--fps", "--skin-triangles", "--asset", "--size",
                             "--no-film", "--no-pictures", "--resume"})
    if (given(option)) refuseOption(option, "is for a run that is written", "--out FOLDER");
}

}  // namespace

void addLiveVerb(Program& program) {
  CLI::App* verb = program.addVerb("live", "A person who moves and breathes, all at once",
                                   "pneuma live --posture supine --breath deep --seconds 10");
  auto command = std::make_shared<LivingCommand>();
  addFieldOptions(verb, command->request);
  addFieldOptions(verb, command->request.flesh);
  addMotionOptions(verb, command->motion);
  command->person.addTo(verb);
  verb->add_option("--out", command->out, "Folder of the run; without it only measures are printed")
      ->type_name("FOLDER");
  verb->add_flag("--asset", command->asset, "Also write asset.glb, small and in layers, for games");
  addPictureSize(verb, command->drawn.filmWidth, command->drawn.filmHeight,
                 "Of living.mp4 [pixels]");
  verb->add_flag("--no-film", command->noFilm, "Leave the MP4 out");
  verb->add_flag("--no-pictures", command->noPictures, "Leave the MP4 and the stills out");
  verb->add_flag("--resume", command->resume, "Go on with a run that was stopped");
  verb->callback([command, verb, &program] {
    checkMotionOptions(*verb);
    refuseIgnored(*verb, *command);
    command->run(program, "live");
  });
}

}  // namespace pneuma::cli
