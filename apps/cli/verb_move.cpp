#include <fmt/format.h>

#include "cli/field_options.h"
#include "cli/motion_options.h"
#include "cli/person_options.h"
#include "cli/verbs.h"
#include "pneuma/core/data_folder.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/render/tools.h"
#include "pneuma/stage/driven_run.h"
#include "pneuma/stage/motion_run.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::cli {
namespace {

using nlohmann::ordered_json;

struct MoveOptions {
  PersonOptions person;
  std::string articulation = "upper-body", out = "out/move";
  stage::DrivenRunConfig run;
  stage::MotionSource source;
  stage::MotionShow show;
  bool resume = false, scene = true;
};

/// The body as measured, and who it is to be.
struct Subject {
  anatomy::Body measured;
  anatomy::Person person;
  explicit Subject(const PersonOptions& options)
      : measured(options.loadAsMeasured()), person(options.person(measured)) {}
};

io::RunDescription describe(const Program& program, const MoveOptions& o, const Subject& subject,
                            ordered_json settings) {
  io::RunDescription d;
  d.command = program.commandLine();
  d.verb = "move";
  d.bodyHash = stage::bodyHash(subject.measured);
  d.settings = {{"articulation", o.articulation}};
  d.settings.update(settings);
  d.settings["person"] = stage::personJson(subject.person);
  return d;
}

/// Muscles move the body.
void drive(const Program& program, const MoveOptions& o) {
  const Subject subject(o.person);
  const anatomy::Body described = anatomy::fitToPerson(subject.measured, subject.person);
  const anatomy::CompiledBody compiled =
      anatomy::compileBody(described, o.articulation).valueOrThrow();
  muscle::DrivenBodyConfig config;
  config.step = o.run.step;
  muscle::DrivenBody body(compiled, config);
  const muscle::Excitation excitation(o.run.activations, body.muscles(), o.run.seed);
  stage::DrivenRun driven(described, compiled, body);
  ordered_json settings = io::settingsJson(o.run);
  settings.erase("checkpoint_every");  // does not change the results
  settings["activations_hash"] = excitation.hash();
  io::RunDescription description = describe(program, o, subject, std::move(settings));
  description.seed = o.run.seed;
  io::RunFolder run = io::RunFolder::open(o.out, description, o.resume);

  const double cost = driven.simulate(o.run, excitation, run, *program.makeProgress("s simulated"));
  driven.writeTables(run);
  if (o.scene) driven.writeScene(run);
  if (o.scene && o.show.stills) driven.writeStill(run);
  run.finish();

  const skeleton::EnergyBook energy = body.energy();
  ordered_json j;
  j["articulation"] = o.articulation;
  j["dofs"] = body.model().dofCount();
  j["muscles"] = body.muscles().count();
  j["simulated_s"] = body.state().skeleton.time;
  j["frames"] = driven.frameCount();
  j["times_faster_than_real_time"] = 1 / cost;
  j["kinetic_energy_j"] = energy.kinetic;
  j["total_energy_j"] = energy.total();
  j["largest_joint_speed"] = body.state().skeleton.v.cwiseAbs().maxCoeff();
  j["folder"] = run.path().string();
  program.print(j, fmt::format("{}: {} degrees of freedom, {} muscles, {:.3g} s simulated, {:.1f} "
                               "times faster than real time\nwrote {}\n",
                               o.articulation, body.model().dofCount(), body.muscles().count(),
                               body.state().skeleton.time, 1 / cost, run.path().string()));
}

/// A clip, key poses or single joints place the figure.
void play(const Program& program, const MoveOptions& o) {
  render::requirePlotting();
  if (o.show.film) render::requireFilming();
  const Subject subject(o.person);
  const stage::PlayedMotion m = stage::makePlayedMotion(o.source, subject.measured, subject.person,
                                                        o.articulation, o.run.framesPerSecond);
  ordered_json settings = io::settingsJson(o.source);
  settings.update(io::settingsJson(o.show));
  settings["fps"] = o.run.framesPerSecond;
  settings["seconds"] = m.times.back();
  settings["scene"] = o.scene;
  settings["motion_hash"] = stage::motionHash(m);
  io::RunFolder run =
      io::RunFolder::open(o.out, describe(program, o, subject, std::move(settings)), o.resume);
  stage::MotionOutcome outcome =
      stage::playMotion(m, o.show, o.scene, o.source.clip, run, *program.makeProgress("frames"));
  run.finish();
  outcome.json["folder"] = run.path().string();
  program.print(outcome.json, outcome.text + fmt::format("\nwrote {}\n", run.path().string()));
}

/// What a motion alone has must not be ignored in a simulation, nor the other way round.
void checkOptions(const CLI::App& verb, bool motion) {
  const auto given = [&](const char* option) { return verb.get_option(option)->count() > 0; };
  for (const char* option : {"--no-rhythm", "--bellies", "--skin", "--belly-rate",
                             "--inverse-dynamics", "--film", "--still"})
    if (given(option) && !motion)
      refuseOption(option, "is for a motion", "one of --motion, --joint, --poses and --posture");
  for (const char* option : {"--activations", "--step", "--seed", "--checkpoint-every"})
    if (given(option) && motion) refuseOption(option, "is for a simulation, not for a motion", "");
}

/// Without a word about what moves the body it greets, muscles and all; `--activations` and its
/// like ask for a simulation, in which a body that nobody holds up sinks down.
void greet(const CLI::App& verb, MoveOptions& o) {
  for (const char* option : {"--activations", "--step", "--seed", "--checkpoint-every"})
    if (verb.get_option(option)->count() > 0) return;
  if (verb.get_option("--articulation")->count() > 0 && o.articulation != "figure" &&
      o.articulation != "whole")
    return;
  o.source.poses = dataFile("poses/greeting.csv").string();
  o.show.bellies = o.articulation != "whole";
  constexpr double kRaised = 1.7;  // the hand is up [s]
  if (!o.show.still) o.show.still = kRaised;
}

void run(const Program& program, const CLI::App& verb, MoveOptions& o) {
  checkMotionOptions(verb);
  if (!o.source.asked()) greet(verb, o);
  const bool motion = o.source.asked();
  checkOptions(verb, motion);
  if (!motion) return drive(program, o);
  // A clip is played whole unless told otherwise, and on the figure.
  if (verb.get_option("--seconds")->count() > 0) o.source.seconds = o.run.duration;
  if (verb.get_option("--articulation")->count() == 0) o.articulation = "figure";
  play(program, o);
}

}  // namespace

void addMoveVerb(Program& program) {
  auto o = std::make_shared<MoveOptions>();
  CLI::App* verb =
      program.addVerb("move", "Move the body by its muscles, or place it by a clip or joint angles",
                      "pneuma move --joint shoulder_l.abduction=120 --bellies --skin --film");
  verb->add_option("--articulation", o->articulation, "Which links and joints")
      ->capture_default_str();
  addFieldOptions(verb, o->run);
  verb->add_option("--out", o->out, "Folder for the results")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->add_flag("--resume", o->resume, "Continue a run that was stopped");
  verb->add_flag_callback(
      "--no-scene", [o] { o->scene = false; },
      "Leave out motion.glb; of a simulation still.png too");
  verb->add_flag_callback(
      "--no-pictures", [o] { o->show.stills = false; }, "Leave the stills out");
  const char* group = "Motion instead of simulation (--articulation figure)";
  addMotionOptions(verb, o->source, group);
  addFieldOptions(verb, o->show, group);
  o->person.addTo(verb);
  verb->callback([&program, o, verb] { run(program, *verb, *o); });
}

}  // namespace pneuma::cli
