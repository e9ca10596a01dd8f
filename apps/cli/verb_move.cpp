#include <fmt/format.h>

#include <cmath>

#include "cli/excitation.h"
#include "cli/move_recorder.h"
#include "cli/move_still.h"
#include "cli/person_options.h"
#include "cli/verb_move_motion.h"
#include "cli/verbs.h"
#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/cpu_time.h"
#include "pneuma/core/hash.h"

namespace pneuma::cli {

namespace {

using nlohmann::ordered_json;

struct MoveOptions {
  PersonOptions person;
  std::string articulation = "upper-body", activations = "rest", out = "out/move";
  double duration = 2, step = 0.007, framesPerSecond = 25, checkpointEvery = 10;
  std::uint64_t seed = 1;
  bool resume = false, scene = true;
  MotionOptions motion;
};

io::RunDescription describe(const Program& program, const MoveOptions& o, const anatomy::Body& body,
                            const Excitation& excitation) {
  io::RunDescription d;
  d.command = program.commandLine();
  d.verb = "move";
  d.bodyHash = Hash64().text(anatomy::bodyText(body)).hex();
  d.seed = o.seed;
  d.settings = {{"articulation", o.articulation},
                {"activations", o.activations},
                {"activations_hash", excitation.hash()},
                {"duration_s", o.duration},
                {"step_s", o.step},
                {"frames_per_s", o.framesPerSecond}};
  return d;
}

void save(std::uint64_t step, const muscle::DrivenBody& body, const MoveRecorder& recorder,
          io::RunFolder& run) {
  io::StateWriter out;
  const muscle::DrivenBodyState& s = body.state();
  out.put(s.skeleton.q);
  out.put(s.skeleton.v);
  out.put(s.skeleton.time);
  out.put(s.muscles.activation);
  out.put(s.muscles.contraction);
  out.put(s.muscles.fibreLength);
  recorder.save(out);
  run.saveCheckpoint(step, out);
}

void restore(const std::string& bytes, muscle::DrivenBody& body, MoveRecorder& recorder) {
  io::StateReader in(bytes);
  muscle::DrivenBodyState& s = body.state();
  in.get(s.skeleton.q);
  in.get(s.skeleton.v);
  in.get(s.skeleton.time);
  in.get(s.muscles.activation);
  in.get(s.muscles.contraction);
  in.get(s.muscles.fibreLength);
  recorder.load(in);
}

/// Steps from the start or the last checkpoint to the end; returns CPU seconds per simulated one.
double simulate(const MoveOptions& o, muscle::DrivenBody& body, const Excitation& excitation,
                MoveRecorder& recorder, io::RunFolder& run, Progress& progress) {
  const auto every = [&](double seconds) {
    return std::max<std::uint64_t>(1, std::llround(seconds / o.step));
  };
  const std::uint64_t steps = every(o.duration), frame = every(1 / o.framesPerSecond),
                      checkpoint = every(o.checkpointEvery);
  std::uint64_t first = 0;
  if (const auto saved = run.lastCheckpoint()) {
    restore(saved->state, body, recorder);
    first = saved->step;
  } else {
    recorder.record(body);
  }
  std::vector<double> excitations;
  progress.begin("simulating", o.duration);
  double spent = 0;
  for (std::uint64_t i = first; i < steps; ++i) {
    const double start = processCpuSeconds();
    excitation.evaluate(body.state().skeleton.time, excitations);
    body.step(excitations);
    spent += processCpuSeconds() - start;
    if ((i + 1) % frame == 0) recorder.record(body);
    if ((i + 1) % checkpoint == 0) save(i + 1, body, recorder, run);
    progress.update(body.state().skeleton.time);
  }
  progress.end();
  return spent / std::max(1e-9, double(steps - first) * o.step);
}

void move(const Program& program, const MoveOptions& o) {
  const anatomy::Body described = o.person.load();
  const anatomy::CompiledBody compiled =
      anatomy::compileBody(described, o.articulation).valueOrThrow();
  muscle::DrivenBodyConfig config;
  config.step = o.step;
  muscle::DrivenBody body(compiled, config);
  const Excitation excitation(o.activations, body.muscles(), o.seed);
  MoveRecorder recorder(body);
  io::RunFolder run =
      io::RunFolder::open(o.out, describe(program, o, described, excitation), o.resume);

  const muscle::DrivenBodyState start = body.state();
  const auto progress = program.makeProgress("s simulated");
  const double cost = simulate(o, body, excitation, recorder, run, *progress);
  recorder.writeTables(run);
  if (o.scene) {
    recorder.writeScene(run, described, compiled, body);
    render::writePng(moveStill(described, compiled, body, start), run.file("still.png"));
  }
  run.finish();

  const skeleton::EnergyBook energy = body.energy();
  ordered_json j;
  j["articulation"] = o.articulation;
  j["dofs"] = body.model().dofCount();
  j["muscles"] = body.muscles().count();
  j["simulated_s"] = body.state().skeleton.time;
  j["frames"] = recorder.frameCount();
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

}  // namespace

void addMoveVerb(Program& program) {
  auto o = std::make_shared<MoveOptions>();
  CLI::App* verb =
      program.addVerb("move", "Move the body by its muscles, or place it by a clip or joint angles",
                      "pneuma move --articulation upper-body --activations random --seconds 2");
  verb->add_option("--articulation", o->articulation, "Which links and joints")
      ->capture_default_str();
  verb->add_option("--activations", o->activations,
                   "rest, random, a number, NAME=NUMBER,... (muscles or groups), or a CSV file")
      ->capture_default_str();
  verb->add_option("--seconds", o->duration,
                   "Simulated time, or the part of a clip that is played [s]")
      ->check(between(1e-3, 36000))
      ->capture_default_str();
  verb->add_option("--step", o->step, "Time step [s]")
      ->check(between(1e-6, 0.1))
      ->capture_default_str();
  verb->add_option("--fps", o->framesPerSecond, "Frames per second in the results")
      ->check(between(0.01, 1e5))
      ->capture_default_str();
  verb->add_option("--seed", o->seed, "Of random activations")->capture_default_str();
  verb->add_option("--out", o->out, "Folder for the results")
      ->type_name("FOLDER")
      ->capture_default_str();
  verb->add_flag("--resume", o->resume, "Continue a run that was stopped");
  verb->add_option("--checkpoint-every", o->checkpointEvery, "Simulated time between saves [s]")
      ->check(between(1e-3, 36000))
      ->capture_default_str();
  verb->add_flag_callback(
      "--no-scene", [o] { o->scene = false; },
      "Leave out motion.glb; of a simulation still.png too");
  o->motion.addTo(verb);
  o->person.addTo(verb);
  CLI::Option* articulation = verb->get_option("--articulation");
  CLI::Option* seconds = verb->get_option("--seconds");
  verb->callback([&program, o, verb, articulation, seconds] {
    o->motion.check(*verb);
    if (!o->motion.asked()) return move(program, *o);
    if (seconds->count() > 0) o->motion.seconds = o->duration;  // else the whole clip
    playMotion(program, o->motion, o->person,
               articulation->count() > 0 ? o->articulation : "figure", o->framesPerSecond, o->scene,
               o->out, o->resume);
  });
}

}  // namespace pneuma::cli
