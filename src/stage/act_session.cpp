#include "pneuma/stage/act_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/control/directed_body.h"
#include "pneuma/control/load_text.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/index.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/skin/joint_groups.h"
#include "stage/live_session_impl.h"

namespace pneuma::stage {
namespace {

using internal::checkedSettings;
using nlohmann::ordered_json;

constexpr const char* kNoExercise = "none";
constexpr internal::SessionKind kActSessionKind{"act session", 2, "act"};
constexpr const char* kActingArticulation =
    "whole";  // so that skin and shapes are those of Session
constexpr std::array kHands{"hand_l", "hand_r"};

control::ControlConfig controlOf(const ActSettings& s) {
  control::ControlConfig config;
  config.excitation = s.excitation;
  return config;
}

muscle::DrivenBodyConfig bodyOf(const ActSettings& s) {
  muscle::DrivenBodyConfig config = control::actingBodyConfig();
  config.step = s.step;
  return config;
}

PersonShapes shapesOf(const anatomy::Body& body, const anatomy::Body& measured,
                      const anatomy::CompiledBody& compiled, int skinTriangles) {
  PersonShapes shapes{.bones = makeBoneMeshes(body)};
  if (skinTriangles <= 0) return shapes;
  const anatomy::GeometryCache cache;
  shapes.skin = anatomy::makeShownSkin(measured, body.person, skinTriangles, cache);
  shapes.binding = skin::bindSkin(*shapes.skin, body, compiled, cache);
  return shapes;
}

}  // namespace

std::vector<std::string> actExerciseNames() {
  std::vector<std::string> names;
  for (const control::ExerciseInfo& e : control::exercises()) names.push_back(e.name);
  names.emplace_back(kNoExercise);
  return names;
}

namespace {

/// What the frame of a moment is taken from.
struct ActMoment {
  double at = 0, error = 0, farthest = 0, share = 1;  // [s], [rad], [m], [-]
  std::array<double, 2> weights{};                    // [kg]
  VecX q, activation;

  double time() const { return at; }
  void save(io::StateWriter& out) const {
    for (const double v : {at, error, farthest, share, weights[0], weights[1]}) out.put(v);
    out.put(q), out.put(activation);
  }
  void load(io::StateReader& in) {
    for (double* v : {&at, &error, &farthest, &share, &weights[0], &weights[1]}) in.get(*v);
    in.get(q), in.get(activation);
  }
};

}  // namespace

struct ActSession::Impl final : internal::RecordingSession<ActMoment> {
  using Moment = ActMoment;

  Impl(anatomy::Body measuredBody, const PersonRequest& who, const ActSettings& how,
       const ActTask& what, std::optional<PersonShapes> given)
      : RecordingSession(kActSessionKind, std::move(measuredBody), who, how),
        settings(how),
        described(anatomy::fitToPerson(measured, personOf(who, measured))),
        links(anatomy::compileBody(described, kActingArticulation).valueOrThrow()),
        directed(links, controlOf(how), bodyOf(how)),
        shapes(given ? std::move(*given) : shapesOf(described, measured, links, how.skinTriangles)),
        actor(described, links, model(), shapes.bones),
        kinematics(model()) {
    takeHands();
    addFrameParts();
    seal();
    setTask(checkedSettings(what));
    record();
  }

  const skeleton::Model& model() const { return directed.body().model(); }
  const anatomy::Body& body() const override { return described; }
  const anatomy::CompiledBody& compiled() const override { return links; }
  const body::FrameLayout& layout() const override { return actor.layout(); }
  const Cast& cast() const override { return actor.cast(); }
  std::uint64_t steps() const override { return taken; }
  double time() const override { return directed.time(); }
  std::string stateHash() const override {
    io::StateWriter out;
    directed.save(out);
    Hash64 hash;
    hash.text(out.bytes());
    return hash.hex();
  }

  /// A weight hangs where a closed hand has its bar.
  void takeHands() {
    using anatomy::HandPosture;
    const anatomy::RelaxedHands closed(described, HandPosture::Gripping, HandPosture::Gripping);
    for (const std::size_t side : {0, 1}) {
      control::HeldLoad load{.name = kHands[side], .link = model().findLink(kHands[side])};
      const skeleton::Link& hand = model().links.at(at(load.link));
      load.local = hand.inertia.center;
      if (const auto bar = closed.grip(side == 1)) {
        load.local = hand.X_WL_rest.inverse() * bar->center;
        grips[side].axis = hand.X_WL_rest.rotation.transpose() * bar->axis;
      }
      grips[side].center = load.local;
      directed.controller().loads().add(load);
    }
  }

  /// In the order in which scalarsOf fills them.
  void addFrameParts() {
    actor.addScalar({"act", "error", "mrad", "largest of a joint that muscles move"});
    actor.addScalar({"act", "away", "mm", "farthest from where it is dragged"});
    actor.addScalar({"act", "given", "", "least part of a torque asked for that muscles give"});
    for (const char* hand : kHands) actor.addScalar({"loads", hand, "kg", "mass held"});
    for (const std::string& line : directed.body().muscles().names)
      actor.addScalar({"activations", line, "", "0 .. 1"});
    actor.addMuscleLines(directed.body().muscles(), "activations");
    if (!shapes.skin) return;
    driver = skin::makeWeightsSkin(*shapes.skin, shapes.binding, described, links, {});
    skinSet = actor.addPointSet({.name = "skin",
                                 .count = driver->rest().vertexCount(),
                                 .tissue = body::Tissue::Skin,
                                 .carrier = 0,
                                 .triangles = driver->rest().triangles},
                                {});
  }

  void setTask(const ActTask& next) {
    const control::PerPart tension = control::parsePerPart(next.coactivation, "coactivation");
    std::optional<control::Exercise> exercise;
    if (next.exercise != kNoExercise)
      exercise = control::makeExercise(next.exercise, links, model());
    std::array<double, 2> weights{next.weightLeft.value_or(0), next.weightRight.value_or(0)};
    const std::array stated{next.weightLeft.has_value(), next.weightRight.has_value()};
    if (exercise)
      for (const std::string& text : exercise->loads) {
        const control::HeldLoad load = control::parseLoad(text, model(), "exercise").load;
        for (const std::size_t side : {0, 1})
          if (load.link == model().findLink(kHands[side]) && !stated[side])
            weights[side] = load.mass;
      }
    for (const std::size_t side : {0, 1})
      directed.controller().loads().setMass(static_cast<int>(side), weights[side]);
    directed.controller().coactivation() = tension;
    // Weights of an exercise are taken up knowingly; one that changes on the way is a surprise.
    if (next.exercise != task.exercise) {
      directed.perform(std::move(exercise));
      directed.controller().loads().sense(std::numeric_limits<double>::infinity(), settings.step);
    }
    task = next;
    latest.reset();
  }

  void step() override {
    directed.step();
    ++taken;
  }

  Moment moment() const override {
    const auto& loads = directed.controller().loads().loads();
    return {.at = directed.time(),
            .error = directed.error(),
            .farthest = directed.farthestGrasp(),
            .share = directed.givenShare(),
            .weights = {loads[0].mass, loads[1].mass},
            .q = directed.body().state().skeleton.q,
            .activation = directed.body().state().muscles.activation};
  }

  std::vector<double> scalarsOf(const Moment& m) override {
    std::vector<double> all{1e3 * m.error, m.farthest / kMillimetre, m.share, m.weights[0],
                            m.weights[1]};
    all.insert(all.end(), m.activation.begin(), m.activation.end());
    return all;
  }

  /// Joints carry the skin in a file.
  body::Frame captureForFile(const Moment& m) override {
    skeleton::computePoses(model(), m.q, kinematics);
    body::Frame frame = actor.capture(m.time(), kinematics);
    frame.scalars = scalarsOf(m);
    return frame;
  }
  body::Frame capture(const Moment& m) override {
    body::Frame frame = captureForFile(m);
    if (driver) {
      skin::boneMotions(links, motionsOf(frame), bones);
      driver->pose({.bones = bones, .posture = {}, .traces = {}},
                   frame.pointsOf(layout(), skinSet));
    }
    return frame;
  }
  std::vector<Pose> motionsOf(const body::Frame& frame) const {
    std::vector<Pose> motions;
    for (std::size_t l = 0; l < frame.X_WL.size(); ++l)
      motions.push_back(frame.X_WL[l] * layout().links[l].X_WL_rest.inverse());
    return motions;
  }
  AssetInput layers(const Clip& clip, double framesPerSecond) override {
    RecordedBody r{.body = &described, .compiled = &links};
    r.motions = [this](const body::Frame& f) { return motionsOf(f); };
    r.breathing.assign(links.links.size(), false);
    r.cast = &actor.cast();
    if (driver) r.surface = &*shapes.skin, r.driver = driver.get();
    return withoutShapes(makeLayers(r, clip, framesPerSecond));
  }

  void saveMoving(io::StateWriter& out) const override {
    out.put(io::settingsJson(task).dump());
    directed.save(out);
    out.put(taken);
  }

  void loadMoving(io::StateReader& in) override {
    std::string text;
    in.get(text);
    ActTask saved;
    io::readSettings(ordered_json::parse(text), "act session", saved);
    setTask(saved);
    directed.load(in);
    in.get(taken);
  }

  int linkOf(const std::string& name) const {
    const int link = model().findLink(name);
    if (link >= 0) return link;
    std::vector<std::string> known;
    for (const skeleton::Link& l : model().links) known.push_back(l.name);
    throw InputError(Diagnostic{.subject = "act session",
                                .field = "link",
                                .message = fmt::format("unknown link '{}'", name),
                                .nearest = nearestName(name, known)});
  }

  ActSettings settings;
  anatomy::Body described;
  anatomy::CompiledBody links;
  control::DirectedBody directed;
  PersonShapes shapes;
  FigureActor actor;
  std::unique_ptr<skin::LayeredDriver> driver;  // or null
  int skinSet = -1;
  std::array<Grip, 2> grips;
  ActTask task;
  std::uint64_t taken = 0;          // steps
  skeleton::Kinematics kinematics;  // of a frame
  std::vector<Pose> bones;
};

ActSession::ActSession(anatomy::Body measured, const PersonRequest& person,
                       const ActSettings& settings, const ActTask& task)
    : LiveSession(
          std::make_unique<Impl>(std::move(measured), person, settings, task, std::nullopt)) {}
ActSession::ActSession(anatomy::Body measured, const PersonRequest& person,
                       const ActSettings& settings, const ActTask& task, PersonShapes shapes)
    : LiveSession(
          std::make_unique<Impl>(std::move(measured), person, settings, task, std::move(shapes))) {}
ActSession::Impl& ActSession::own() const {
  return static_cast<Impl&>(*impl_);
}

void ActSession::set(const ActTask& task) {
  own().setTask(checkedSettings(task));
}

void ActSession::drag(const std::string& link, const Vec3& local, const Vec3& place) {
  Impl& s = own();
  s.directed.drag({s.linkOf(link), local, place});
  s.latest.reset();
  if (s.task.exercise == kNoExercise) return;
  // What it holds, it goes on holding.
  const auto& loads = s.directed.controller().loads().loads();
  s.task.exercise = kNoExercise;
  s.task.weightLeft = loads[0].mass;
  s.task.weightRight = loads[1].mass;
}

void ActSession::release(const std::string& link) {
  own().directed.release(own().linkOf(link));
}

void ActSession::releaseAll() {
  own().directed.releaseAll();
}

const ActSettings& ActSession::settings() const {
  return own().settings;
}
const ActTask& ActSession::task() const {
  return own().task;
}
std::vector<control::Grasp> ActSession::grasps() const {
  std::vector<control::Grasp> all = own().directed.grasps();
  for (control::Grasp& g : all) g.link = layout().linkIndex(own().model().links[at(g.link)].name);
  return all;
}
std::vector<std::string> ActSession::draggable() const {
  std::vector<std::string> names;
  for (std::size_t l = 0; l < own().model().links.size(); ++l)
    if (own().directed.canBeDragged(static_cast<int>(l)))
      names.push_back(own().model().links[l].name);
  return names;
}
ActSession::Grip ActSession::grip(bool right) const {
  return own().grips[right ? 1 : 0];
}
ActSession ActSession::open(const std::filesystem::path& path, anatomy::Body measured) {
  return internal::openSession<ActSession, ActSettings>(kActSessionKind, path, std::move(measured));
}

}  // namespace pneuma::stage
