#include "pneuma/stage/act_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>

#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/body/frame_bytes.h"
#include "pneuma/control/directed_body.h"
#include "pneuma/control/load_text.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/index.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/skin/joint_groups.h"
#include "pneuma/stage/body_layers.h"
#include "pneuma/stage/frame_track.h"
#include "stage/session_file.h"

namespace pneuma::stage {
namespace {

using nlohmann::ordered_json;

constexpr const char* kNoExercise = "none";
constexpr const char* kActSessionKind = "act session";
constexpr std::uint64_t kActSessionTag = 1;  // of the file's layout
constexpr const char* kActingArticulation =
    "whole";                                 // so that skin and shapes are those of Session
constexpr double kLongestAct = 7 * 86400.0;  // [s]
constexpr double kSameActStep = 1e-6;        // part of a step that portions may lack by rounding
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

template <class Settings>
const Settings& checkedSettings(const Settings& s) {
  requireSettings(s);
  return s;
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

struct ActSession::Impl {
  /// What the frame of a moment is taken from.
  struct Moment {
    double time = 0, error = 0, farthest = 0, share = 1;  // [s], [rad], [m], [-]
    std::array<double, 2> weights{};                      // [kg]
    VecX q, activation;

    void save(io::StateWriter& out) const {
      for (const double v : {time, error, farthest, share, weights[0], weights[1]}) out.put(v);
      out.put(q), out.put(activation);
    }
    void load(io::StateReader& in) {
      for (double* v : {&time, &error, &farthest, &share, &weights[0], &weights[1]}) in.get(*v);
      in.get(q), in.get(activation);
    }
  };

  Impl(anatomy::Body measuredBody, const PersonRequest& who, const ActSettings& how,
       const ActTask& what, std::optional<PersonShapes> given)
      : measured(std::move(measuredBody)),
        person(who),
        settings(checkedSettings(how)),
        described(anatomy::fitToPerson(measured, personOf(who, measured))),
        compiled(anatomy::compileBody(described, kActingArticulation).valueOrThrow()),
        directed(compiled, controlOf(how), bodyOf(how)),
        shapes(given ? std::move(*given)
                     : shapesOf(described, measured, compiled, how.skinTriangles)),
        actor(described, compiled, model(), shapes.bones),
        kinematics(model()) {
    stride = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(1 / (how.framesPerSecond * how.step))));
    takeHands();
    addFrameParts();
    digest = body::layoutDigest(layout());
    setTask(checkedSettings(what));
    record();
  }

  const skeleton::Model& model() const { return directed.body().model(); }
  const body::FrameLayout& layout() const { return actor.layout(); }

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
    driver = skin::makeWeightsSkin(*shapes.skin, shapes.binding, described, compiled, {});
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
      exercise = control::makeExercise(next.exercise, compiled, model());
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

  void step() {
    directed.step();
    ++steps;
  }

  Moment moment() const {
    const auto& loads = directed.controller().loads().loads();
    return {.time = directed.time(),
            .error = directed.error(),
            .farthest = directed.farthestGrasp(),
            .share = directed.givenShare(),
            .weights = {loads[0].mass, loads[1].mass},
            .q = directed.body().state().skeleton.q,
            .activation = directed.body().state().muscles.activation};
  }

  static std::vector<double> scalarsOf(const Moment& m) {
    std::vector<double> all{1e3 * m.error, m.farthest / kMillimetre, m.share, m.weights[0],
                            m.weights[1]};
    all.insert(all.end(), m.activation.begin(), m.activation.end());
    return all;
  }

  body::Frame capture(const Moment& m) {
    skeleton::computePoses(model(), m.q, kinematics);
    body::Frame frame = actor.capture(m.time, kinematics);
    frame.scalars = scalarsOf(m);
    if (driver) {
      skin::boneMotions(compiled, motionsOf(frame), bones);
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
  /// Of now; the frame of a moment is taken once.
  const body::Frame& shown() {
    if (!latest) latest = capture(moment());
    return *latest;
  }

  void record() {
    if (settings.recordSeconds <= 0) return;
    recorded.push_back(moment());
    while (directed.time() - recorded.front().time > settings.recordSeconds) recorded.pop_front();
  }

  io::Table history() const {
    std::vector<double> times;
    std::vector<std::vector<double>> columns(layout().scalars.size());
    for (const Moment& m : recorded) {
      times.push_back(m.time);
      const std::vector<double> row = scalarsOf(m);
      for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
    }
    io::Table table;
    table.addColumn("time", "s", std::move(times));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const body::FrameScalar& s = layout().scalars[i];
      table.addColumn(s.group == "act" ? s.name : s.group + "_" + s.name, s.unit,
                      std::move(columns[i]));
    }
    return table;
  }

  io::GltfScene recordedScene() {
    if (recorded.empty())
      throw InputError(Diagnostic{.subject = "act session",
                                  .field = "record_seconds",
                                  .message = "nothing is recorded",
                                  .expected = "a session with record_seconds above 0"});
    RecordedBody r{.body = &described, .compiled = &compiled};
    r.motions = [this](const body::Frame& f) { return motionsOf(f); };
    r.breathing.assign(compiled.links.size(), false);
    r.cast = &actor.cast();
    if (driver) r.surface = &*shapes.skin, r.driver = driver.get();
    FrameTrack track(layout());
    for (const Moment& m : recorded) {
      skeleton::computePoses(model(), m.q, kinematics);  // joints carry the skin in the file
      body::Frame frame = actor.capture(m.time, kinematics);
      frame.scalars = scalarsOf(m);
      track.add(frame);
    }
    const double rate = 1 / (static_cast<double>(stride) * settings.step);
    return assetScene(withoutShapes(makeLayers(r, Clip(track), rate)), openAsset());
  }

  internal::SessionHead head() const {
    return internal::SessionHead::of(measured, person, settings);
  }

  void saveMoving(io::StateWriter& out) const {
    out.put(io::settingsJson(task).dump());
    directed.save(out);
    out.put(steps);
    out.put(asked);
    out.put(static_cast<std::uint64_t>(recorded.size()));
    for (const Moment& m : recorded) m.save(out);
  }

  void loadMoving(io::StateReader& in) {
    std::string text;
    in.get(text);
    ActTask saved;
    io::readSettings(ordered_json::parse(text), "act session", saved);
    setTask(saved);
    directed.load(in);
    in.get(steps);
    in.get(asked);
    recorded.clear();
    for (auto left = in.get<std::uint64_t>(); left > 0; --left) recorded.emplace_back().load(in);
    if (!in.atEnd()) internal::refuseSession("bytes are left over");
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

  anatomy::Body measured;
  PersonRequest person;
  ActSettings settings;
  anatomy::Body described;
  anatomy::CompiledBody compiled;
  control::DirectedBody directed;
  PersonShapes shapes;
  FigureActor actor;
  std::unique_ptr<skin::LayeredDriver> driver;  // or null
  int skinSet = -1;
  std::array<Grip, 2> grips;
  ActTask task;
  std::uint64_t stride = 1, digest = 0, steps = 0;
  double asked = 0;                   // time advanced in all [s]
  std::optional<body::Frame> latest;  // of now
  skeleton::Kinematics kinematics;    // of a frame
  std::vector<Pose> bones;
  std::deque<Moment> recorded;
};

ActSession::ActSession(anatomy::Body measured, const PersonRequest& person,
                       const ActSettings& settings, const ActTask& task)
    : impl_(std::make_unique<Impl>(std::move(measured), person, settings, task, std::nullopt)) {}
ActSession::ActSession(anatomy::Body measured, const PersonRequest& person,
                       const ActSettings& settings, const ActTask& task, PersonShapes shapes)
    : impl_(
          std::make_unique<Impl>(std::move(measured), person, settings, task, std::move(shapes))) {}
ActSession::~ActSession() = default;
ActSession::ActSession(ActSession&&) noexcept = default;
ActSession& ActSession::operator=(ActSession&&) noexcept = default;

void ActSession::set(const ActTask& task) {
  impl_->setTask(checkedSettings(task));
}

void ActSession::drag(const std::string& link, const Vec3& local, const Vec3& place) {
  Impl& s = *impl_;
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
  impl_->directed.release(impl_->linkOf(link));
}

void ActSession::releaseAll() {
  impl_->directed.releaseAll();
}

void ActSession::advance(double seconds, const Tick& tick) {
  Impl& s = *impl_;
  if (!(seconds >= 0 && seconds <= kLongestAct))
    throw InputError(Diagnostic{.subject = "act session",
                                .field = "seconds",
                                .message = fmt::format("is {}", seconds),
                                .expected = fmt::format("0 .. {} s", kLongestAct)});
  s.asked += seconds;
  const auto last =
      static_cast<std::uint64_t>(std::floor(s.asked / s.settings.step + kSameActStep));
  try {
    while (s.steps < last) {
      s.step();
      s.latest.reset();
      if (s.steps % s.stride != 0) continue;
      s.record();
      if (tick) tick(time());
    }
  } catch (...) {
    s.asked = static_cast<double>(s.steps) * s.settings.step;
    throw;
  }
}

double ActSession::time() const {
  return impl_->directed.time();
}
const PersonRequest& ActSession::person() const {
  return impl_->person;
}
const ActSettings& ActSession::settings() const {
  return impl_->settings;
}
const ActTask& ActSession::task() const {
  return impl_->task;
}
std::vector<control::Grasp> ActSession::grasps() const {
  std::vector<control::Grasp> all = impl_->directed.grasps();
  for (control::Grasp& g : all) g.link = layout().linkIndex(impl_->model().links[at(g.link)].name);
  return all;
}
std::vector<std::string> ActSession::draggable() const {
  std::vector<std::string> names;
  for (std::size_t l = 0; l < impl_->model().links.size(); ++l)
    if (impl_->directed.canBeDragged(static_cast<int>(l)))
      names.push_back(impl_->model().links[l].name);
  return names;
}
ActSession::Grip ActSession::grip(bool right) const {
  return impl_->grips[right ? 1 : 0];
}
const anatomy::Body& ActSession::body() const {
  return impl_->described;
}
const anatomy::CompiledBody& ActSession::compiled() const {
  return impl_->compiled;
}
std::string ActSession::stateHash() const {
  io::StateWriter out;
  impl_->directed.save(out);
  Hash64 hash;
  hash.text(out.bytes());
  return hash.hex();
}
const body::FrameLayout& ActSession::layout() const {
  return impl_->layout();
}
const Cast& ActSession::cast() const {
  return impl_->actor.cast();
}
body::Frame ActSession::frame() const {
  return impl_->shown();
}
std::string ActSession::frameBytes() const {
  return body::encodeFrame(impl_->shown(), impl_->digest);
}
io::Table ActSession::history() const {
  return impl_->history();
}
void ActSession::exportGlb(const std::filesystem::path& path) const {
  io::writeGlb(path, impl_->recordedScene());
}

std::string ActSession::saveBytes() const {
  io::StateWriter out;
  impl_->head().save(out);
  impl_->saveMoving(out);
  return out.bytes();
}

void ActSession::loadBytes(std::string_view bytes) {
  Impl& s = *impl_;
  io::StateReader in(bytes);
  internal::SessionHead head;
  head.load(in);
  s.head().require(head);
  const std::string before = saveBytes();
  try {
    s.loadMoving(in);
  } catch (...) {
    io::StateReader back(before);
    head.load(back);
    s.loadMoving(back);
    throw;
  }
}

void ActSession::save(const std::filesystem::path& path) const {
  io::writeBlob(path, kActSessionKind, kActSessionTag, saveBytes());
}

ActSession ActSession::open(const std::filesystem::path& path, anatomy::Body measured) {
  const std::string bytes = io::readBlob(path, kActSessionKind, kActSessionTag).valueOrThrow();
  io::StateReader in(bytes);
  internal::SessionHead head;
  head.load(in);
  PersonRequest person;
  ActSettings settings;
  io::readSettings(ordered_json::parse(head.settings), path.string(), person, settings);
  ActSession session(std::move(measured), person, settings);
  session.loadBytes(bytes);
  return session;
}

}  // namespace pneuma::stage
