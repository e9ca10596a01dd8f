#include "pneuma/stage/muscle_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/cpu_time.h"
#include "pneuma/core/error.h"
#include "pneuma/flesh/grid_presets.h"
#include "pneuma/flesh/grid_stepper.h"

namespace pneuma::stage {

/// Advances the model by one frame, by the grid's own implicit step or by an integrator of core.
class MuscleRun::FrameStepper {
 public:
  FrameStepper(const flesh::GridModel& model, const MuscleSettings& o, double frame)
      : model_(model), system_(model) {
    const IntegratorKind kind = parseIntegrator(o.integrator);
    const bool own = kind == IntegratorKind::ImplicitEuler && !o.generic &&
                     model.form == flesh::GridForm::Energy;
    const double wanted = o.step.value_or(kind == IntegratorKind::ImplicitEuler ? frame : 2e-6);
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

namespace {

/// Every recorded frame is kept until the end of the run.
const MuscleSettings& requireMemory(const MuscleSettings& o) {
  constexpr double kMostFrames = 1e6;
  if (o.seconds * o.framesPerSecond > kMostFrames)
    throw InputError(Diagnostic{
        .subject = "options '--seconds' and '--fps'",
        .message = fmt::format("ask for {:.0f} recorded frames", o.seconds * o.framesPerSecond),
        .expected = fmt::format("at most {:.0f}", kMostFrames)});
  return o;
}

}  // namespace

MuscleRun::MuscleRun(const MuscleSettings& settings, const anatomy::Body* armBody)
    : settings_(requireMemory(settings)),
      scene_(makeMuscleScene(settings, armBody)),
      stepper_(
          std::make_unique<FrameStepper>(scene_.model, settings_, 1 / settings_.framesPerSecond)),
      film_(scene_.model, settings_.framesPerSecond, scene_.parts) {
  if (!scene_.arm) return;
  film_.viewDirection = curlView();
  film_.margin = 0;
  film_.filmWidth = 720, film_.filmHeight = 640;
}

MuscleRun::~MuscleRun() = default;

double MuscleRun::stepSize() const {
  return stepper_->stepSize();
}

/// The last of the most active frames; of a curl the arm before it and at its most bent.
render::Image MuscleRun::still() const {
  if (!scene_.arm) {
    const std::vector<double> a = film_.table().column("activation").values;
    const auto strongest = std::max_element(a.rbegin(), a.rend());
    return film_.picture(static_cast<std::size_t>(a.rend() - strongest) - 1, 1280, 720);
  }
  std::size_t bent = 0;
  const std::vector<double> times = film_.times();
  const auto angle = [&](std::size_t f) { return flesh::elbowAngle(scene_.curl, times[f]); };
  for (std::size_t f = 0; f < film_.frameCount(); ++f)
    if (angle(f) > angle(bent)) bent = f;
  return render::tile({{film_.picture(0, 800, 720), "elbow at rest"},
                       {film_.picture(bent, 800, 720),
                        fmt::format("bent by {:.0f} degrees", radiansToDegrees(angle(bent)))}},
                      2);
}

void MuscleRun::save(std::uint64_t frame, const flesh::GridState& state, io::RunFolder& run) const {
  io::StateWriter out;
  out.put(state.time), out.put(state.q), out.put(state.v);
  stepper_->save(out);
  film_.save(out);
  run.saveCheckpoint(frame, out);
}

void MuscleRun::restore(const std::string& bytes, flesh::GridState& state) {
  io::StateReader in(bytes);
  in.get(state.time), in.get(state.q), in.get(state.v);
  stepper_->load(in);
  film_.load(in);
}

RunCost MuscleRun::simulate(io::RunFolder& run, Progress& progress) {
  constexpr std::uint64_t kFramesPerCheckpoint = 120;
  flesh::GridState state = flesh::makeRestState(scene_.model);
  std::uint64_t done = 0;
  if (const auto checkpoint = run.lastCheckpoint()) {
    restore(checkpoint->state, state);
    done = checkpoint->step;
  } else {
    film_.record(state, 0);
  }
  const double rate = settings_.framesPerSecond;
  const auto frames = static_cast<std::uint64_t>(std::llround(settings_.seconds * rate));
  progress.begin("muscle", settings_.seconds);
  const double start = processCpuSeconds(), startTime = state.time;
  while (done < frames) {
    const int iterations = stepper_->advance(state);
    state.time = static_cast<double>(++done) * (1 / rate);
    film_.record(state, iterations);
    progress.update(state.time);
    if (done % kFramesPerCheckpoint == 0 && done < frames) save(done, state, run);
  }
  progress.end();
  return {settings_.seconds - startTime, processCpuSeconds() - start};
}

void MuscleRun::writeResults(const io::RunFolder& run, bool video, Progress& progress) {
  const MuscleSettings& o = settings_;
  if (scene_.arm) {
    film_.accompany(scene_.arm->bellies(scene_.curl, film_.times(), besideCurl()));
    film_.caption = "left: continuum muscle   right: angular-spring bellies";
  }
  io::writeCsv(run.file("muscle.csv"), film_.table());
  // A mesh of the user's own carries none of the measurements, unless an arm stands beside it.
  film_.writeGlb(run.file("muscle.glb"), o.mesh.empty() || scene_.arm ? kBodyLicence : "");
  film_.plot(fmt::format("{} {}, {}", o.preset, o.grid, o.integrator))
      .write(run.file("muscle.svg"));
  render::writePng(still(), run.file("muscle.png"));
  if (video) film_.writeVideo(run.file("muscle.mp4"), progress);
}

}  // namespace pneuma::stage
