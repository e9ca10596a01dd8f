#include "pneuma/stage/driven_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/cpu_time.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/stage/glb.h"
#include "pneuma/stage/played_motion.h"
#include "pneuma/stage/tables.h"

namespace pneuma::stage {

DrivenRun::DrivenRun(const anatomy::Body& described, const anatomy::CompiledBody& compiled,
                     muscle::DrivenBody& body)
    : described_(described),
      compiled_(compiled),
      body_(body),
      actor_(described, compiled, body.model()) {
  addScalars();
  actor_.addMuscleLines(body.muscles(), "activations");
  track_.emplace(actor_.layout());
}

/// In the order in which capture() fills them.
void DrivenRun::addScalars() {
  const skeleton::Model& model = body_.model();
  std::vector<bool> slides(static_cast<std::size_t>(model.dofCount()));
  for (const skeleton::CompiledMotion& m : model.motions)
    slides[static_cast<std::size_t>(m.dof)] = m.code == skeleton::MotionCode::Slide;
  for (std::size_t j = 0; j < slides.size(); ++j)
    actor_.addScalar({"joints", body_.dofNames()[j], slides[j] ? "m" : "rad", "from neutral"});
  const auto muscles = [&](const char* group, const char* unit, const char* meaning) {
    for (const std::string& name : body_.muscles().names)
      actor_.addScalar({group, name, unit, meaning});
  };
  muscles("lengths", "m", "of the path");
  muscles("forces", "N", "along the path");
  muscles("activations", "", "0 .. 1");
  for (const char* name : {"kinetic", "gravity", "elastic", "total"})
    actor_.addScalar({"energy", name, "J", ""});
}

body::Frame DrivenRun::capture() {
  body_.refresh();
  const skeleton::State& state = body_.state().skeleton;
  body::Frame frame = actor_.capture(state.time, body_.kinematics());
  auto out = frame.scalars.begin();
  const auto put = [&](const VecX& values) { out = std::ranges::copy(values, out).out; };
  put(namedValues(
      compiled_, body_.model(),
      skeleton::configurationDifference(body_.model(), body_.model().neutral, state.q)));
  put(body_.muscleResults().paths.length);
  put(body_.muscleResults().force);
  put(body_.state().muscles.activation);
  const skeleton::EnergyBook e = body_.energy();
  for (const double x : {e.kinetic, e.gravity, e.elastic, e.total()}) *out++ = x;
  return frame;
}

void DrivenRun::save(io::StateWriter& out) const {
  const muscle::DrivenBodyState& s = body_.state();
  out.put(steps_);
  out.put(s.skeleton.q);
  out.put(s.skeleton.v);
  out.put(s.skeleton.time);
  out.put(s.muscles.activation);
  out.put(s.muscles.contraction);
  out.put(s.muscles.fibreLength);
}

void DrivenRun::load(io::StateReader& in) {
  muscle::DrivenBodyState& s = body_.state();
  in.get(steps_);
  in.get(s.skeleton.q);
  in.get(s.skeleton.v);
  in.get(s.skeleton.time);
  in.get(s.muscles.activation);
  in.get(s.muscles.contraction);
  in.get(s.muscles.fibreLength);
}

void DrivenRun::advance(double time) {
  const auto last = static_cast<std::uint64_t>(std::llround(time / body_.config().step));
  for (; steps_ < last; ++steps_, ++taken_) {
    const double start = processCpuSeconds();
    excitation_->evaluate(body_.state().skeleton.time, excitations_);
    body_.step(excitations_);
    spent_ += processCpuSeconds() - start;
  }
}

double DrivenRun::simulate(const DrivenRunConfig& o, const muscle::Excitation& excitation,
                           io::RunFolder& run, Progress& progress) {
  excitation_ = &excitation;
  // Frames lie on whole steps, all equally far apart.
  const double step = body_.config().step;
  const double interval = step * std::max(1.0, std::round(1 / (o.framesPerSecond * step)));
  record(*this,
         {.title = "simulating",
          .seconds = std::max(o.duration, step),
          .interval = interval,
          .checkpointEvery = o.checkpointEvery},
         *track_, run, progress);
  return spent_ / std::max(1e-9, static_cast<double>(taken_) * step);
}

void DrivenRun::writeTables(const io::RunFolder& run) const {
  stage::writeTables(*track_, [&](std::string_view name) { return run.file(name); });
}

void DrivenRun::writeScene(const io::RunFolder& run) const {
  writeGlb(run.file("motion.glb"), actor_.cast(), Clip(*track_),
           {.root = described_.name.empty() ? "body" : described_.name});
}

void DrivenRun::writeStill(const io::RunFolder& run) {
  render::writePng(still(), run.file("still.png"));
}

render::Image DrivenRun::still() {
  constexpr int kWidth = 720, kHeight = 900;
  const body::Frame first = track_->at(0), last = capture();
  // Both pictures from one place, with room for both.
  Box box;
  for (const body::Frame* frame : {&first, &last}) {
    for (const RigidPart& part : actor_.cast().rigid)
      for (const Vec3& p : part.mesh.positions) box.add(poseOf(part, *frame) * p);
    for (const Vec3& p : frame->points) box.add(p);
  }
  const render::Camera camera = render::Camera::frame(
      box, render::View::ThreeQuarter, {.aspect = static_cast<double>(kWidth) / kHeight});
  render::RenderOptions options;
  options.width = kWidth, options.height = kHeight, options.ground = false;
  const auto picture = [&](const body::Frame& frame) {
    return View(
               actor_.cast(), frame, figureLook(), [&](const body::Frame&) { return camera; },
               options)
        .draw(frame);
  };
  return render::tile(
      {{picture(first), "at the start"}, {picture(last), fmt::format("after {:.3g} s", last.time)}},
      2);
}

}  // namespace pneuma::stage
