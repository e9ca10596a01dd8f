#include "pneuma/stage/act_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/cpu_time.h"
#include "pneuma/core/hash.h"
#include "pneuma/io/file.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/key_poses.h"

namespace pneuma::stage {
namespace {

constexpr double kSteel = 7850;         // [kg/m^3]
constexpr double kLineRadius = 2.2e-3;  // of muscles in pictures, so that their colour is seen [m]

control::ControlConfig configOf(const ActRequest& r) {
  control::ControlConfig config;
  config.planner.grouped = r.grouped;
  config.planner.smoothness = r.smoothness;
  config.excitation = r.excitation;
  return config;
}

control::Exercise exerciseOf(const ActRequest& r, const anatomy::CompiledBody& compiled,
                             const muscle::DrivenBody& body) {
  if (r.poses.empty()) return control::makeExercise(r.exercise, compiled, body.model());
  control::Exercise e;
  e.name = std::filesystem::path(r.poses).stem().string();
  e.track =
      skeleton::makePoseTrack(body.model(), skeleton::readPoses(r.poses, compiled, body.model()));
  e.seconds = e.track.duration();
  return e;
}

/// A dumbbell of a mass across a fist: two discs of steel on a grip along the body's x axis.
TriangleMesh makeDumbbell(double mass, const Vec3& center) {
  constexpr double kGrip = 0.06, kDisc = 0.035;  // half length, thickness [m]
  const double radius = std::sqrt(0.5 * mass / (kSteel * kPi * kDisc));
  const double grip = std::min(0.012, radius);
  std::vector<Vec3> line;
  std::vector<double> radii;
  const auto add = [&](double x, double r) {
    line.push_back(center + Vec3(x, 0, 0));
    radii.push_back(r);
  };
  constexpr double kEdge = 0.001;
  for (const auto& [x, r] : {std::pair{-kGrip - kDisc, radius},
                             {-kGrip, radius},
                             {-kGrip + kEdge, grip},
                             {kGrip - kEdge, grip},
                             {kGrip, radius},
                             {kGrip + kDisc, radius}})
    add(x, r);
  return makeTube(line, radii, 32);
}

}  // namespace

ActRun::ActRun(const anatomy::Body& described, const anatomy::CompiledBody& compiled,
               const ActRequest& request)
    : described_(described),
      compiled_(compiled),
      request_(request),
      body_(compiled, control::actingBodyConfig()),
      controller_(body_, compiled, configOf(request)),
      exercise_(exerciseOf(request, compiled, body_)),
      seconds_(request.seconds.value_or(exercise_.seconds)),
      target_(body_.model()),
      actor_(described, compiled, body_.model()) {
  controller_.coactivation() =
      control::parsePerPart(request.coactivation, "option '--coactivation'");
  addLoads();
  addScalars();
  actor_.addMuscleLines(body_.muscles(), "activations");
  cast_ = actor_.cast();
  cast_.lines.front().radius = kLineRadius;
  for (const control::LoadSchedule& load : loads_)
    if (load.load.mass > 0) {
      const std::string& link = body_.model().links[static_cast<std::size_t>(load.load.link)].name;
      cast_.rigid.push_back({.name = "dumbbell_" + link,
                             .link = actor_.layout().linkIndex(link),
                             .mesh = makeDumbbell(load.load.mass, load.load.local),
                             .held = true});
    }
  track_.emplace(actor_.layout());
}

void ActRun::addLoads() {
  const bool own = request_.loads.empty();
  for (const std::string& text : own ? exercise_.loads : request_.loads) {
    loads_.push_back(control::parseLoad(text, body_.model(), "option '--load'"));
    controller_.loads().add(loads_.back().load);
  }
}

std::string ActRun::hash() const {
  Hash64 hash;
  hash.text(exercise_.name);
  if (!request_.poses.empty()) hash.text(io::readFile(request_.poses).valueOrThrow());
  return hash.hex();
}

/// In the order in which capture() fills them.
void ActRun::addScalars() {
  const auto add = [&](const char* group, const char* unit, const char* meaning) {
    for (const int j : controller_.plan().driven())
      actor_.addScalar({group, body_.dofNames()[static_cast<std::size_t>(j)], unit, meaning});
  };
  for (const std::string& name : body_.dofNames())
    actor_.addScalar({"joints", name, "rad", "from neutral; m of slides"});
  add("errors", "rad", "target less pose");
  add("torque_asked", "N m", "active torque that the target asks for");
  add("torque_given", "N m", "what the muscles give of it");
  for (const std::string& name : body_.muscles().names)
    actor_.addScalar({"activations", name, "", "0 .. 1"});
}

body::Frame ActRun::capture() {
  body_.refresh();
  const skeleton::State& state = body_.state().skeleton;
  body::Frame frame = actor_.capture(state.time, body_.kinematics());
  auto out = frame.scalars.begin();
  const auto put = [&](const VecX& values) { out = std::ranges::copy(values, out).out; };
  put(skeleton::configurationDifference(body_.model(), body_.model().neutral, state.q));
  exercise_.track.sample(state.time, target_.q, target_.v, target_.vDot);
  const VecX error = skeleton::configurationDifference(body_.model(), state.q, target_.q);
  for (const int j : controller_.plan().driven()) *out++ = error[j];
  put(controller_.report().demand);
  put(controller_.report().demand - controller_.report().slack);
  put(body_.state().muscles.activation);
  return frame;
}

void ActRun::step() {
  const double time = body_.state().skeleton.time;
  exercise_.track.sample(time, target_.q, target_.v, target_.vDot);
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const control::LoadSchedule::Stage now = loads_[i].at(time);
    controller_.loads().setMass(static_cast<int>(i), now.mass);
    controller_.loads().setForce(static_cast<int>(i), now.force);
  }
  controller_.step(target_);
}

void ActRun::save(std::uint64_t at, io::RunFolder& run) const {
  io::StateWriter out;
  controller_.save(out);
  track_->save(out);
  run.saveCheckpoint(at, out);
}

void ActRun::restore(const std::string& bytes) {
  io::StateReader in(bytes);
  controller_.load(in);
  track_->load(in);
}

double ActRun::simulate(io::RunFolder& run, Progress& progress) {
  const double h = body_.config().step;
  const auto every = [&](double seconds) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(seconds / h)));
  };
  const std::uint64_t steps = every(seconds_), frame = every(1 / request_.framesPerSecond),
                      checkpoint = every(request_.checkpointEvery);
  std::uint64_t first = 0;
  if (const auto saved = run.lastCheckpoint()) {
    restore(saved->state);
    first = saved->step;
  } else {
    // In the first pose and in balance; what hangs stays where it came to rest.
    exercise_.track.sample(0, target_.q, target_.v, target_.vDot);
    VecX away =
        skeleton::configurationDifference(body_.model(), body_.state().skeleton.q, target_.q);
    for (const int j : controller_.plan().passive()) away[j] = 0;
    skeleton::integrateConfiguration(body_.model(), away, body_.state().skeleton.q);
    controller_.settle(target_);
    track_->add(capture());
  }
  std::vector<double> costs;
  progress.begin("acting", seconds_);
  for (std::uint64_t i = first; i < steps; ++i) {
    const double start = processCpuSeconds();
    step();
    costs.push_back(processCpuSeconds() - start);
    if ((i + 1) % frame == 0) track_->add(capture());
    if ((i + 1) % checkpoint == 0 && i + 1 < steps) save(i + 1, run);
    progress.update(body_.state().skeleton.time);
  }
  progress.end();
  if (costs.empty()) return 0;
  std::ranges::nth_element(costs, costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2));
  return costs[costs.size() / 2];
}

std::vector<JointTracking> ActRun::tracking() const {
  const body::FrameLayout& layout = track_->layout();
  const std::vector<int> errors = layout.group("errors"), asked = layout.group("torque_asked"),
                         given = layout.group("torque_given");
  std::vector<JointTracking> all;
  for (std::size_t r = 0; r < errors.size(); ++r) {
    JointTracking t{.joint = layout.scalars[static_cast<std::size_t>(errors[r])].name};
    for (std::size_t f = 0; f < track_->size(); ++f) {
      const double e = std::abs(track_->scalar(f, errors[r]));
      const double torque = track_->scalar(f, asked[r]);
      const double missing = torque - track_->scalar(f, given[r]);
      t.largest = std::max(t.largest, e);
      t.mean += e / static_cast<double>(track_->size());
      t.asked = std::max(t.asked, std::abs(torque));
      t.missing = std::max(t.missing, std::abs(missing));
      t.share = std::min(t.share, control::givenShare(torque, missing));
    }
    all.push_back(std::move(t));
  }
  std::ranges::stable_sort(all, std::greater{}, &JointTracking::largest);
  return all;
}

std::vector<MuscleEffort> ActRun::strongest(std::size_t count) const {
  const std::vector<int> scalars = track_->layout().group("activations");
  std::vector<MuscleEffort> all;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const std::vector<double> series = track_->series(scalars[i]);
    const double most = *std::ranges::max_element(series);
    const anatomy::CompiledMuscle& m = compiled_.muscles[i];
    all.push_back({m.name, m.muscle, most, most * m.peakForce});
  }
  std::ranges::stable_sort(all, std::greater{}, &MuscleEffort::force);
  all.resize(std::min(count, all.size()));
  return all;
}

}  // namespace pneuma::stage
