#include "pneuma/stage/act_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pneuma/core/cpu_time.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/index.h"
#include "pneuma/io/file.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/motion_dynamics.h"
#include "pneuma/stage/living_request.h"
#include "pneuma/stage/played_motion.h"
#include "pneuma/stage/run_description.h"

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

muscle::DrivenBodyConfig bodyConfigOf(const ActRequest& r) {
  muscle::DrivenBodyConfig config = control::actingBodyConfig();
  // The longest step within the usual one that divides a frame: frames are as far apart as the film
  // plays them.
  const double frame = 1 / r.framesPerSecond;
  config.step = frame / std::ceil(frame / config.step - 1e-9);
  config.joints.freeRoot = !r.motion.empty();
  return config;
}

/// A recorded motion as targets, smoothed as for a living body: markers jitter, and muscles answer
/// to accelerations.
skeleton::PoseTrack trackOfClip(const ActRequest& r, const anatomy::CompiledBody& compiled,
                                const skeleton::Model& model) {
  MotionSource source{.clip = r.motion, .jointTable = r.jointTable};
  if (r.seconds) source.seconds = *r.seconds;
  skeleton::RetargetedMotion clip = retargetClip(source, compiled, model, 0);
  if (clip.times.size() > 1)
    clip.q = skeleton::smoothedMotion(model, clip.q, clip.times[1] - clip.times[0],
                                      LivingRequest{}.smoothing);
  return skeleton::PoseTrack(model, clip.times, clip.q);
}

control::Exercise exerciseOf(const ActRequest& r, const anatomy::CompiledBody& compiled,
                             const skeleton::Model& model) {
  if (r.poses.empty() && r.motion.empty())
    return control::makeExercise(r.exercise, compiled, model);
  control::Exercise e;
  e.name = std::filesystem::path(r.poses + r.motion).stem().string();
  e.track = r.motion.empty()
                ? skeleton::makePoseTrack(model, skeleton::readPoses(r.poses, compiled, model))
                : trackOfClip(r, compiled, model);
  e.seconds = e.track.duration();
  return e;
}

/// Surfaces of the bones, hands as they are held.
BoneMeshes bonesOf(const anatomy::Body& body, const anatomy::RelaxedHands& hands) {
  BoneMeshes meshes = makeBoneMeshes(body, false);
  for (auto& [name, mesh] : meshes) mesh = hands.bone(name, std::move(mesh));
  return meshes;
}

/// A dumbbell of a mass in a fist: two discs of steel on a grip along an axis.
TriangleMesh makeDumbbell(double mass, const Vec3& center, const Vec3& axis) {
  constexpr double kGrip = 0.06, kDisc = 0.035;  // half length, thickness [m]
  constexpr double kLeast = 1e-4;                // nothing held is a thread [m]
  const double radius = std::max(kLeast, std::sqrt(0.5 * mass / (kSteel * kPi * kDisc)));
  const double grip = std::min(anatomy::kGripRadius, radius);
  std::vector<Vec3> line;
  std::vector<double> radii;
  const auto add = [&](double x, double r) {
    line.push_back(center + x * axis);
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
      performance_(compiled, configOf(request), bodyConfigOf(request)),
      hands_(takeUp()),
      actor_(described, compiled, performance_.body().model(), bonesOf(described, hands_)) {
  seconds_ = request.seconds.value_or(performance_.exercise().seconds);
  performance_.controller().coactivation() =
      control::parsePerPart(request.coactivation, "option '--coactivation'");
  addScalars();
  actor_.addMuscleLines(performance_.body().muscles(), "activations");
  placeFingers();
  dress();
}

void ActRun::addFlesh(const anatomy::Body& measured, const FleshRequest& request, int triangles) {
  flesh_ = std::make_unique<ActFlesh>(measured, described_, compiled_, performance_.body().model(),
                                      &compiled_, request, triangles, hands_, actor_);
  dress();
}

void ActRun::addPerson(const anatomy::Body& measured, int triangles) {
  person_ = std::make_unique<ActPerson>(measured, described_, compiled_,
                                        performance_.body().model(), hands_, triangles);
  personCast_ = {.rigid = person_->eyes()};
  personCast_.soft.push_back(person_->skin());
  for (const SoftPart& part : cast_.soft)
    if (part.held) personCast_.soft.push_back(part);
}

/// What is seen, and the recorder of it, once all parts are there.
void ActRun::dress() {
  cast_ = actor_.cast();
  cast_.lines.front().radius = kLineRadius;
  addDumbbells();
  track_.emplace(actor_.layout());
}

/// The exercise and what is held in it. A hand closes around a weight, and holds it there.
anatomy::RelaxedHands ActRun::takeUp() {
  const skeleton::Model& model = performance_.body().model();
  performance_.set(exerciseOf(request_, compiled_, model));
  const bool own = request_.loads.empty();
  for (const std::string& text : own ? performance_.exercise().loads : request_.loads)
    performance_.hold(text, "option '--load'");

  using anatomy::HandPosture;
  const std::array hand{model.findLink("hand_l"), model.findLink("hand_r")};
  std::array posture{HandPosture::Relaxed, HandPosture::Relaxed};
  const auto side = [&](const control::LoadSchedule& l) -> std::optional<bool> {
    if (!l.hasMass()) return {};
    if (l.load.link == hand[0]) return false;
    return l.load.link == hand[1] ? std::optional(true) : std::nullopt;
  };
  for (const control::LoadSchedule& l : performance_.loads())
    if (const auto right = side(l)) posture[*right] = HandPosture::Gripping;
  anatomy::RelaxedHands hands(described_, posture[0], posture[1]);
  for (std::size_t i = 0; i < performance_.loads().size(); ++i)
    if (const auto right = side(performance_.loads()[i]))
      if (const auto grip = hands.grip(*right)) {
        const skeleton::Link& link = model.links[at(hand[*right])];
        performance_.placeLoad(static_cast<int>(i), link.X_WL_rest.inverse() * grip->center);
      }
  return hands;
}

void ActRun::placeFingers() {
  const skeleton::Model& model = performance_.body().model();
  const std::vector<muscle::LinkPoint>& points = performance_.body().muscles().paths.points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].link < 0) continue;
    const skeleton::Link& link = model.links[at(points[i].link)];
    if (!link.name.starts_with("hand_")) continue;
    const Vec3 shown = hands_(link.X_WL_rest * points[i].position);
    fingers_.push_back({i, actor_.layout().linkIndex(link.name), link.X_WL_rest.inverse() * shown});
  }
}

/// As heavy as it is in each frame.
void ActRun::addDumbbells() {
  const std::vector<int> masses = actor_.layout().group("loads");
  for (std::size_t i = 0; i < performance_.loads().size(); ++i) {
    const control::LoadSchedule& load = performance_.loads()[i];
    if (!load.hasMass()) continue;
    const std::string& name =
        performance_.body().model().links[static_cast<std::size_t>(load.load.link)].name;
    const int link = actor_.layout().linkIndex(name);
    const auto grip = hands_.grip(name == "hand_r");
    const Vec3 axis = grip && name.starts_with("hand_") ? grip->axis : Vec3::UnitX();
    SoftPart part{.name = "dumbbell_" + name,
                  .tissue = body::Tissue::Bone,
                  .carrier = link,
                  .triangles = makeDumbbell(load.load.mass, load.load.local, axis).triangles,
                  .held = true};
    part.positions = [link, mass = masses[i], center = load.load.local,
                      axis](const body::Frame& frame) {
      std::vector<Vec3> points =
          makeDumbbell(frame.scalars[static_cast<std::size_t>(mass)], center, axis).positions;
      for (Vec3& p : points) p = frame.X_WL[static_cast<std::size_t>(link)] * p;
      return points;
    };
    cast_.soft.push_back(std::move(part));
  }
}

std::string ActRun::hash() const {
  Hash64 hash;
  hash.text(performance_.exercise().name);
  for (const std::string& file : {request_.poses, request_.motion, request_.jointTable})
    if (!file.empty()) hash.text(io::readFile(file).valueOrThrow());
  return hash.hex();
}

nlohmann::ordered_json ActRun::describe(const std::string& articulation) const {
  nlohmann::ordered_json j{{"articulation", articulation}, {"exercise", request_.exercise}};
  j.update(io::settingsJson(request_));
  j.erase("checkpoint_every");  // does not change the results
  j["seconds"] = seconds_;
  j["motion_hash"] = hash();
  j["person"] = personJson(described_.person);
  return j;
}

/// In the order in which capture() fills them.
void ActRun::addScalars() {
  const muscle::DrivenBody& body = performance_.body();
  const auto add = [&](const char* group, const char* unit, const char* meaning) {
    for (const int j : controller().plan().driven())
      actor_.addScalar({group, body.dofNames()[static_cast<std::size_t>(j)], unit, meaning});
  };
  for (const std::string& name : body.dofNames())
    actor_.addScalar({"joints", name, "rad", "from neutral; m of slides"});
  add("errors", "rad", "target less pose");
  add("torque_asked", "N m", "active torque that the target asks for");
  add("torque_given", "N m", "what the muscles give of it");
  for (const std::string& name : body.muscles().names)
    actor_.addScalar({"activations", name, "", "0 .. 1"});
  for (const control::LoadSchedule& load : performance_.loads())
    actor_.addScalar({"loads", load.load.name, "kg", "mass held"});
}

body::Frame ActRun::capture() {
  muscle::DrivenBody& body = performance_.body();
  body.refresh();
  const skeleton::State& state = body.state().skeleton;
  body::Frame frame = actor_.capture(state.time, body.kinematics());
  const std::span<Vec3> lines =
      frame.pointsOf(actor_.layout(), actor_.layout().pointSetIndex("muscles"));
  for (const FingerPoint& f : fingers_) lines[f.point] = frame.X_WL[at(f.link)] * f.local;
  auto out = frame.scalars.begin();
  const auto put = [&](const VecX& values) { out = std::ranges::copy(values, out).out; };
  const auto named = [&](VecX values) {
    return namedValues(compiled_, body.model(), std::move(values));
  };
  put(named(skeleton::configurationDifference(body.model(), body.model().neutral, state.q)));
  // What is driven has a row each; balls are named as a whole.
  const std::vector<int>& driven = controller().plan().driven();
  const auto putDriven = [&](const VecX& all) {
    const VecX values = named(all);
    for (const int j : driven) *out++ = values[j];
  };
  const auto ofAll = [&](const VecX& rows) {
    VecX all = VecX::Zero(body.model().dofCount());
    for (std::size_t row = 0; row < driven.size(); ++row)
      all[driven[row]] = rows[static_cast<Eigen::Index>(row)];
    return all;
  };
  putDriven(performance_.error());
  putDriven(ofAll(controller().report().demand));
  putDriven(ofAll(controller().report().demand - controller().report().slack));
  put(body.state().muscles.activation);
  for (const control::LoadSchedule& load : performance_.loads()) *out++ = load.at(state.time).mass;
  if (flesh_) {
    const VecX& activation = body.state().muscles.activation;
    flesh_->capture(body.kinematics(),
                    {activation.data(), static_cast<std::size_t>(activation.size())}, frame);
  }
  return frame;
}

void ActRun::save(std::uint64_t at, io::RunFolder& run) const {
  io::StateWriter out;
  controller().save(out);
  track_->save(out);
  if (flesh_) flesh_->save(out);
  run.saveCheckpoint(at, out);
}

void ActRun::restore(const std::string& bytes) {
  io::StateReader in(bytes);
  performance_.controller().load(in);
  track_->load(in);
  if (flesh_) flesh_->load(in);
}

double ActRun::simulate(io::RunFolder& run, Progress& progress) {
  const double h = performance_.body().config().step;
  const auto every = [&](double seconds) {
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(seconds / h)));
  };
  const std::uint64_t steps = every(seconds_), frame = every(1 / request_.framesPerSecond),
                      checkpoint = flesh_ ? frame : every(request_.checkpointEvery);
  std::uint64_t first = 0;
  if (const auto saved = run.lastCheckpoint()) {
    restore(saved->state);
    first = saved->step;
  } else {
    performance_.start();
    track_->add(capture());
  }
  std::vector<double> costs;
  progress.begin("acting", seconds_);
  for (std::uint64_t i = first; i < steps; ++i) {
    const double start = processCpuSeconds();
    performance_.step();
    costs.push_back(processCpuSeconds() - start);
    const bool only =
        i + 1 == steps && track_->size() < 2;  // a run shorter than a frame has an end too
    if ((i + 1) % frame == 0 || only) track_->add(capture());
    if ((i + 1) % checkpoint == 0 && i + 1 < steps) save(i + 1, run);
    progress.update(performance_.time());
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
