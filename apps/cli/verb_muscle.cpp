#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/muscle_scene.h"
#include "cli/verbs.h"
#include "pneuma/core/cpu_time.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/version.h"
#include "pneuma/flesh/grid_presets.h"
#include "pneuma/flesh/grid_stepper.h"
#include "pneuma/io/file.h"
#include "pneuma/render/tools.h"

namespace pneuma::cli {
namespace {

using nlohmann::ordered_json;

/// Advances the model by one frame, by the grid's own implicit step or by an integrator of core.
class FrameStepper {
 public:
  FrameStepper(const flesh::GridModel& model, const MuscleOptions& o, double frame)
      : model_(model), system_(model) {
    const IntegratorKind kind = parseIntegrator(o.integrator);
    const bool own = kind == IntegratorKind::ImplicitEuler && !o.generic &&
                     model.form == flesh::GridForm::Energy;
    const double wanted = o.step > 0                              ? o.step
                          : kind == IntegratorKind::ImplicitEuler ? frame
                                                                  : 2e-6;
    substeps_ = std::max(1L, std::lround(frame / wanted));
    h_ = frame / static_cast<double>(substeps_);
    if (kind == IntegratorKind::CashKarp54) substeps_ = 1, h_ = frame;
    if (own)
      stepper_.emplace(model, o.precise ? flesh::preciseStepper() : flesh::GridStepperConfig{});
    else
      integrator_ = makeIntegrator(kind);
  }

  double stepSize() const { return h_; }

  int advance(flesh::GridState& state) {
    int iterations = 0;
    for (long i = 0; i < substeps_; ++i)
      iterations += stepper_ ? stepper_->step(state, h_).newtonIterations : stepCore(state);
    flesh::requireFinite(model_, state);
    return iterations;
  }

  void save(io::StateWriter& out) {
    if (stepper_) stepper_->reset();
    out.put(integrator_ ? integrator_->saveHistory() : std::vector<double>{});
  }
  void load(io::StateReader& in) {
    std::vector<double> history;
    in.get(history);
    if (integrator_) integrator_->restoreHistory(history);
  }

 private:
  int stepCore(flesh::GridState& state) {
    x_.resize(system_.size());
    x_ << state.q, state.v;
    const StepReport report = integrator_->step(system_, state.time, h_, x_);
    if (!report.ok) {
      throw SimulationError(state.time + h_, worstNode(state),
                            fmt::format("{} with a step of {:.3g} s", report.problem, h_));
    }
    system_.unpack(x_, state.time + h_, state);
    flesh::requireFinite(model_, state);
    return report.evaluations;
  }

  /// The fastest node: where an unstable step shows first.
  std::string worstNode(const flesh::GridState& state) const {
    int worst = 0;
    double speed = -1;
    for (int i = 0; i < model_.solid.nodeCount(); ++i)
      if (const double s = state.v.segment<3>(3 * i).norm(); s > speed) speed = s, worst = i;
    return flesh::nodeName(model_.solid.size, worst);
  }

  const flesh::GridModel& model_;
  flesh::GridSystem system_;
  std::optional<flesh::GridStepper> stepper_;
  std::unique_ptr<Integrator> integrator_;
  VecX x_;
  double h_ = 0;
  long substeps_ = 1;
};

ordered_json settings(const MuscleOptions& o, double step) {
  return {{"preset", o.preset},
          {"mesh", o.mesh},
          {"mesh_scale", o.meshScale},
          {"mesh_up", o.meshUp},
          {"grid", o.grid},
          {"excite", o.excite},
          {"stretch", o.stretch},
          {"stretch_duration", o.stretchDuration},
          {"seconds", o.seconds},
          {"fps", o.framesPerSecond},
          {"step", step},
          {"integrator", o.integrator},
          {"form", o.form},
          {"generic", o.generic},
          {"precise", o.precise},
          {"force", o.force},
          {"pennation", o.pennationDegrees},
          {"tendon", o.tendon},
          {"max_velocity", o.maxVelocity},
          {"density", o.density},
          {"stiffness", o.stiffness},
          {"viscosity", o.viscosity},
          {"bulk", o.bulk},
          {"side_force", o.sideForce},
          {"bending", o.bending},
          {"no_gravity", o.noGravity},
          {"curl", o.curl}};
}

/// Every recorded frame is kept until the end of the run.
void requireMemory(const MuscleOptions& o) {
  constexpr double kMostFrames = 1e6;
  if (o.seconds * o.framesPerSecond > kMostFrames)
    throw InputError(Diagnostic{
        .subject = "options '--seconds' and '--fps'",
        .message = fmt::format("ask for {:.0f} recorded frames", o.seconds * o.framesPerSecond),
        .expected = fmt::format("at most {:.0f}", kMostFrames)});
}

/// A muscle that is told nothing contracts and lets go; the brick has no fibres.
MuscleOptions withDefaults(MuscleOptions o) {
  const bool told = !o.excite.empty() || !o.stretch.empty() || !o.curl.empty();
  const bool passive = o.preset == "brick" && o.mesh.empty();
  if (!told && !passive) o.excite = "1:1,5:0";
  return o;
}

/// The last of the most active frames; of a curl the arm before it and at its most bent.
render::Image stillPicture(const GridFilm& film, const MuscleScene& scene) {
  if (!scene.arm) {
    const std::vector<double>& a = film.table().column("activation").values;
    const auto strongest = std::max_element(a.rbegin(), a.rend());
    return film.picture(static_cast<std::size_t>(a.rend() - strongest) - 1, 1280, 720);
  }
  std::size_t bent = 0;
  const auto angle = [&](std::size_t f) { return flesh::elbowAngle(scene.curl, film.times()[f]); };
  for (std::size_t f = 0; f < film.frameCount(); ++f)
    if (angle(f) > angle(bent)) bent = f;
  return render::tile({{film.picture(0, 800, 720), "elbow at rest"},
                       {film.picture(bent, 800, 720),
                        fmt::format("bent by {:.0f} degrees", radiansToDegrees(angle(bent)))}},
                      2);
}

void save(std::uint64_t frame, const flesh::GridState& state, FrameStepper& stepper,
          const GridFilm& film, io::RunFolder& run) {
  io::StateWriter out;
  out.put(state.time), out.put(state.q), out.put(state.v);
  stepper.save(out);
  film.save(out);
  run.saveCheckpoint(frame, out);
}

void restore(const std::string& bytes, flesh::GridState& state, FrameStepper& stepper,
             GridFilm& film) {
  io::StateReader in(bytes);
  in.get(state.time), in.get(state.q), in.get(state.v);
  stepper.load(in);
  film.load(in);
}

/// What a simulation cost.
struct Cost {
  double simulated = 0;  // [s], without what a checkpoint already held
  double cpu = 0;        // [s]
  double realTimeFactor() const { return cpu > 0 ? simulated / cpu : 0.0; }
};

/// Frame by frame to the end, from the last checkpoint if there is one.
Cost simulate(const MuscleOptions& o, const flesh::GridModel& model, FrameStepper& stepper,
              GridFilm& film, io::RunFolder& run, Progress& progress) {
  constexpr std::uint64_t kFramesPerCheckpoint = 120;
  flesh::GridState state = flesh::makeRestState(model);
  std::uint64_t done = 0;
  if (const auto checkpoint = run.lastCheckpoint()) {
    restore(checkpoint->state, state, stepper, film);
    done = checkpoint->step;
  } else {
    film.record(state, 0);
  }
  const auto frames = static_cast<std::uint64_t>(std::llround(o.seconds * o.framesPerSecond));
  progress.begin("muscle", o.seconds);
  const double start = processCpuSeconds(), startTime = state.time;
  while (done < frames) {
    const int iterations = stepper.advance(state);
    state.time = static_cast<double>(++done) * (1 / o.framesPerSecond);
    film.record(state, iterations);
    progress.update(state.time);
    if (done % kFramesPerCheckpoint == 0 && done < frames) save(done, state, stepper, film, run);
  }
  progress.end();
  return {o.seconds - startTime, processCpuSeconds() - start};
}

void writeResults(const Program& program, const MuscleOptions& o, const MuscleScene& scene,
                  GridFilm& film, const io::RunFolder& run) {
  if (scene.arm) {
    film.companions = scene.arm->bellies(scene.curl, film.times(), besideCurl());
    film.caption = "left: continuum muscle   right: angular-spring bellies";
  }
  io::writeCsv(run.file("muscle.csv"), film.table());
  film.writeGlb(run.file("muscle.glb"));
  film.plot(fmt::format("{} {}, {}", o.preset, o.grid, o.integrator)).write(run.file("muscle.svg"));
  render::writePng(stillPicture(film, scene), run.file("muscle.png"));
  if (!o.noVideo) film.writeVideo(run.file("muscle.mp4"), *program.makeProgress("frames"));
}

void printResults(const Program& program, const MuscleOptions& o, const MuscleScene& scene,
                  double step, const Cost& cost, const GridFilm& film) {
  const auto& force = film.table().column("force_first").values;
  const double largest = *std::max_element(force.begin(), force.end());
  const int nodes = scene.model.solid.nodeCount();
  const ordered_json j{{"folder", o.out},
                       {"nodes", nodes},
                       {"step_s", step},
                       {"cpu_s", cost.cpu},
                       {"realtime_factor", cost.realTimeFactor()},
                       {"final_force_n", force.back()},
                       {"largest_force_n", largest},
                       {"max_isometric_force_n", scene.maxForce},
                       {"worst_volume_deviation_percent", film.worstVolumePercent()},
                       {"worst_sum_dv_deviation_percent", film.worstSumPercent()}};
  program.print(
      j, fmt::format(
             "{} nodes, {:.1f} s in steps of {:.3g} ms: {:.2f} s of CPU ({:.1f}x real time)\n"
             "force at the end {:.1f} N (largest {:.1f} N{})\n"
             "volume within {:.3f} %, sum of |dV| within {:.3f} %\n"
             "written to {}: muscle.csv, muscle.glb, muscle.svg, muscle.png{}\n",
             nodes, o.seconds, 1e3 * step, cost.cpu, cost.realTimeFactor(), force.back(), largest,
             scene.maxForce > 0 ? fmt::format(", set maximum {:.0f} N", scene.maxForce) : "",
             film.worstVolumePercent(), film.worstSumPercent(), o.out,
             o.noVideo ? "" : ", muscle.mp4"));
}

void runMuscle(const Program& program, const MuscleOptions& given) {
  requireMemory(given);
  render::requirePlotting();
  if (!given.noVideo) render::requireFilming();
  const MuscleOptions o = withDefaults(given);
  const MuscleScene scene = makeMuscleScene(o);
  FrameStepper stepper(scene.model, o, 1 / o.framesPerSecond);
  GridFilm film(scene.model, o.framesPerSecond, scene.parts);
  if (scene.arm) {
    film.viewDirection = curlView();
    film.margin = 0;
    film.filmWidth = 720, film.filmHeight = 640;
  }
  io::RunDescription description;
  description.command = program.commandLine();
  description.verb = "muscle";
  description.version = version();
  description.settings = settings(o, stepper.stepSize());
  if (!o.mesh.empty())
    description.settings["mesh_hash"] = Hash64().text(io::readFile(o.mesh).valueOrThrow()).hex();
  io::RunFolder run = io::RunFolder::open(o.out, description, o.resume);
  const Cost cost =
      simulate(o, scene.model, stepper, film, run, *program.makeProgress("s simulated"));
  writeResults(program, o, scene, film, run);
  run.finish();
  printResults(program, o, scene, stepper.stepSize(), cost, film);
}

void addShapeOptions(CLI::App* verb, MuscleOptions& o) {
  verb->add_option("--preset", o.preset, "brick (passive, hanging), fusiform or biceps")
      ->check(oneOf({"brick", "fusiform", "biceps"}))
      ->capture_default_str();
  verb->add_option("--mesh", o.mesh, "Closed surface to resample instead of a preset's shape");
  verb->add_option("--mesh-scale", o.meshScale, "Metres per unit of the mesh")
      ->check(between(1e-9, 1e9))
      ->capture_default_str();
  verb->add_option("--mesh-up", o.meshUp, "Axis of the mesh that points up")
      ->check(oneOf({"y", "z"}))
      ->capture_default_str();
  verb->add_option("--grid", o.grid, "Nodes along the axes, fibres first; two numbers: a surface")
      ->capture_default_str();
  verb->add_option("--curl", o.curl, "Biceps between two bones: elbow flexion from:to [degrees]");
  verb->add_option("--side-force", o.sideForce, "Horizontal force on the brick's lower end [N]")
      ->check(between(-1e4, 1e4));
}

void addMuscleOptions(CLI::App* verb, MuscleOptions& o) {
  verb->add_option("--excite", o.excite,
                   "Neural excitation as steps of time:level, e.g. 0:0,4.5:1; default: 1:1,5:0, or "
                   "none with --stretch or --curl");
  verb->add_option("--stretch", o.stretch,
                   "Moves of the last plane, time:percent of the length, e.g. 2:8%");
  verb->add_option("--stretch-duration", o.stretchDuration, "Time such a move takes [s]")
      ->check(between(1e-4, 3600))
      ->capture_default_str();
  verb->add_option("--force", o.force, "Maximum isometric force [N]; default 400, biceps 438")
      ->check(between(1e-3, 1e6));
  verb->add_option("--pennation", o.pennationDegrees, "Pennation at optimal length [degrees]")
      ->check(between(0, 60))
      ->capture_default_str();
  verb->add_option("--tendon", o.tendon, "Slack length of each tendon [m]")
      ->check(between(1e-4, 10))
      ->capture_default_str();
  verb->add_option("--max-velocity", o.maxVelocity, "Shortening at no load [optimal lengths/s]")
      ->check(between(0.1, 1000))
      ->capture_default_str();
  verb->add_option("--density", o.density, "Mass density [kg/m^3]")
      ->check(between(1, 1e5))
      ->capture_default_str();
  verb->add_option("--stiffness", o.stiffness,
                   "Modulus across the fibres [Pa]; default 3000, brick 4000")
      ->check(between(1, 1e9));
  verb->add_option("--viscosity", o.viscosity, "Viscosity [Pa s]")
      ->check(between(0, 1e6))
      ->capture_default_str();
  verb->add_option("--bulk", o.bulk,
                   "Resistance to volume change [Pa]; 0: none; default 4e5, brick 1e5")
      ->check(between(0, 1e12));
  verb->add_option("--bending", o.bending, "Flexural rigidity of a surface [N m]")
      ->check(between(0, 1e6))
      ->capture_default_str();
  verb->add_flag("--no-gravity", o.noGravity, "Leave gravity out");
}

void addRunOptions(CLI::App* verb, MuscleOptions& o) {
  verb->add_option("--seconds", o.seconds, "Simulated time [s]")
      ->check(between(1e-3, 3600))
      ->capture_default_str();
  verb->add_option("--integrator", o.integrator, "Method of time integration")
      ->check(oneOf(integratorNames()))
      ->capture_default_str();
  verb->add_option("--step", o.step, "Step [s]; default: one frame for implicit-euler, else 2e-6")
      ->check(between(1e-8, 1));
  verb->add_option("--form", o.form, "Discrete form of the elastic forces")
      ->check(oneOf(flesh::gridFormNames()))
      ->capture_default_str();
  verb->add_flag("--precise", o.precise, "Solve every implicit step to 1e-7 m");
  verb->add_flag("--generic", o.generic, "implicit-euler by the general Newton of core");
  verb->add_option("--fps", o.framesPerSecond, "Recorded frames per second")
      ->check(between(1, 1e5))
      ->capture_default_str();
  verb->add_option("--out", o.out, "Folder of the results")->capture_default_str();
  verb->add_flag("--no-video", o.noVideo, "Leave the film out");
  verb->add_flag("--resume", o.resume, "Continue a run that was interrupted");
}

}  // namespace

void addMuscleVerb(Program& program) {
  CLI::App* verb = program.addVerb(
      "muscle", "Simulate one muscle as a continuum: contraction, bulging, force, volume",
      "pneuma muscle --grid 21x5x5 --excite 0:0,4.5:1 --stretch 2:8% --seconds 8 --integrator "
      "implicit-euler");
  auto options = std::make_shared<MuscleOptions>();
  addShapeOptions(verb, *options);
  addMuscleOptions(verb, *options);
  addRunOptions(verb, *options);
  verb->callback([&program, options] { runMuscle(program, *options); });
}

}  // namespace pneuma::cli
