#include <fmt/format.h>

#include "cli/field_options.h"
#include "cli/motion_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/core/error.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/stage/flesh_poses.h"
#include "pneuma/stage/flesh_record.h"
#include "pneuma/stage/flesh_request.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::cli {
namespace {

struct FleshInfo {
  PersonOptions person;
  stage::FleshRequest request{.on = true};
  bool muscles = false;

  void run(const Program& program) const {
    const anatomy::Body measured = person.loadAsMeasured();
    const auto fitted =
        std::make_shared<anatomy::Body>(anatomy::fitToPerson(measured, person.person(measured)));
    const body::LivingModel model = body::makeLivingModel(fitted);
    const auto flesh = body::makeFlesh(model, measured, model.compiled, request.options(),
                                       anatomy::GeometryCache());
    program.print(stage::fleshInfoJson(*flesh, muscles), stage::fleshInfoText(*flesh, muscles));
  }
};

struct FleshPose {
  PersonOptions person;
  stage::MotionSource motion;
  stage::FleshPosesRequest request;
  std::string out;
  bool resume = false, noPictures = false;

  void run(const Program& program) const {
    const anatomy::Body measured = person.loadAsMeasured();
    const anatomy::Person who = person.person(measured);
    stage::FleshPoses poses(measured, who, motion, request);
    if (out.empty()) {
      poses.solve(*program.makeProgress("frames"));
      program.print(poses.json(), poses.text());
      return;
    }
    io::RunDescription d;
    d.command = program.commandLine();
    d.verb = "flesh pose";
    d.bodyHash = stage::bodyHash(measured);
    d.settings = io::settingsJson(request);
    d.settings.update(io::settingsJson(request.flesh));
    d.settings["views"] = request.views;
    d.settings["motion_hash"] = poses.hash();
    d.settings["person"] = stage::personJson(who);
    io::RunFolder folder = io::RunFolder::open(out, d, resume);
    const auto write = [&] { poses.write(folder, !noPictures, *program.makeProgress("")); };
    try {
      poses.solve(folder, *program.makeProgress("frames"));
    } catch (const SimulationError&) {
      if (poses.frames() > 0) write();  // what there is before the bad pose
      throw;
    }
    write();
    folder.finish();
    program.print(poses.json(), poses.text() + fmt::format("wrote {}\n", folder.path().string()));
  }
};

void addFleshInfo(Program& program, CLI::App* flesh) {
  CLI::App* info = program.addSubVerb(flesh, "info", "Elements, tissues, muscles and memory",
                                      "pneuma flesh info --flesh-level preview --muscles");
  auto command = std::make_shared<FleshInfo>();
  stage::FleshRequest& r = command->request;
  info->add_option("--flesh-level", r.level, "preview, default or fine")->capture_default_str();
  info->add_option("--flesh-tissue", r.tissue, "human or lee2009")->capture_default_str();
  info->add_flag("--muscles", command->muscles, "The volume of every muscle");
  command->person.addTo(info);
  info->callback([command, &program] { command->run(program); });
}

// Takes whatever can pose a body, as `live` does, less time: poses are solved one after another
// and none is skipped.
void addPose(Program& program, CLI::App* flesh) {
  CLI::App* verb = program.addSubVerb(
      flesh, "pose", "Flesh in a pose or along a motion, muscles as active as one likes",
      "pneuma flesh pose --joint elbow_r.flexion=90 --activation biceps_brachii_r=0.5 "
      "--flesh-level preview");
  auto command = std::make_shared<FleshPose>();
  addFieldOptions(verb, command->request);
  addFieldOptions(verb, command->request.flesh);
  verb->remove_option(verb->get_option("--no-flesh"));
  addMotionOptions(verb, command->motion);
  command->person.addTo(verb);
  verb->add_option("--out", command->out, "Folder of the results; without it they are printed")
      ->type_name("FOLDER");
  verb->add_option("--view", command->request.views, "Sides that pose.png shows")
      ->delimiter(',')
      ->capture_default_str();
  addPictureSize(verb, command->request.tileWidth, command->request.tileHeight,
                 "Of each side in pose.png [pixels]");
  verb->add_flag("--no-pictures", command->noPictures, "Leave pose.png out");
  verb->add_flag("--resume", command->resume, "Go on with a run that was stopped");
  verb->callback([command, verb, &program] {
    checkMotionOptions(*verb);
    if (!command->motion.asked())
      throw InputError(Diagnostic{.subject = "flesh pose",
                                  .message = "no pose was given",
                                  .expected = "--joint, --poses, --posture or --motion"});
    if (command->out.empty())
      for (const char* option :
           {"--view", "--size", "--no-pictures", "--beside", "--color", "--cut", "--resume"})
        if (verb->get_option(option)->count() > 0)
          refuseOption(option, "is for a run that is written", "--out FOLDER");
    command->run(program);
  });
}

}  // namespace

void addFleshVerb(Program& program) {
  CLI::App* verb = program.addVerb("flesh", "The finite elements between bones and skin",
                                   "pneuma flesh info --flesh-level preview");
  verb->require_subcommand(1);
  addFleshInfo(program, verb);
  addPose(program, verb);
}

}  // namespace pneuma::cli
