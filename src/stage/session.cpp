#include "pneuma/stage/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/anatomy/person.h"
#include "pneuma/body/living_meter.h"
#include "pneuma/body/living_simulation.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/stage/breath_request.h"
#include "pneuma/stage/living_actor.h"
#include "stage/live_session_impl.h"
#include "stage/session_drive.h"

namespace pneuma::stage {
namespace {

using internal::checkedSettings;
using internal::contractionOf;
using internal::DriveGroup;
using internal::DriveOffset;
using internal::kDriveGroups;
using internal::loadDrive;
using internal::saveDrive;
using nlohmann::ordered_json;

constexpr const char* kNoStyle = "none";
constexpr const char* kTargetStyle = "casual";  // whose muscles follow a target
constexpr internal::SessionKind kSessionKind{"session", 3, "breath"};
constexpr double kFadeSeconds = 0.25;     // from one way to breathe to another
constexpr double kLargestTarget = 20e-3;  // [m^3], beyond any lungs

/// Single groups of the style's muscles scaled.
breath::BreathStyle scaledStyle(breath::BreathStyle style, const SessionBreath& b) {
  for (breath::Contractions* c : {&style.inspire, &style.expire}) {
    c->diaphragm *= b.diaphragm;
    for (double* ribs : {&c->external, &c->internal, &c->levator}) *ribs *= b.intercostals;
    c->scalene *= b.scalenes;
    for (double* wall : {&c->rectus, &c->transverse}) *wall *= b.belly;
  }
  return style;
}

breath::StylePlayer makePlayer(const breath::TorsoConfig& config, const SessionBreath& b,
                               std::uint64_t seed) {
  const bool none = b.style == kNoStyle;
  breath::BreathKnobs knobs{.rate = none ? std::optional<double>(0) : b.rate,
                            .effort = b.effort,
                            .chestShare = b.chestShare,
                            .variability = b.variability};
  return {config, scaledStyle(dataStyle(none ? SessionBreath{}.style : b.style), b), knobs, seed};
}

body::LivingModel makeModel(const anatomy::Body& measured, const PersonRequest& person) {
  auto fitted =
      std::make_shared<anatomy::Body>(anatomy::fitToPerson(measured, personOf(person, measured)));
  return body::makeLivingModel(std::move(fitted));
}

}  // namespace

std::vector<std::string> sessionStyleNames() {
  std::vector<std::string> names = breathStyleNames();
  names.emplace_back(kNoStyle);
  return names;
}

namespace {

/// What the frame of a moment is taken from.
struct BreathMoment {
  body::LivingState body;
  double flow = 0, target = 0;  // [m^3/s], [m^3]
  breath::MuscleDrive drive;

  double time() const { return body.time(); }
  void save(io::StateWriter& out) const {
    body.save(out);
    out.put(flow);
    out.put(target);
    saveDrive(drive, out);
  }
  void load(io::StateReader& in) {
    body.load(in);
    in.get(flow);
    in.get(target);
    loadDrive(drive, in);
  }
};

}  // namespace

struct Session::Impl final : internal::RecordingSession<BreathMoment> {
  using Moment = BreathMoment;

  /// All that changes, and what a saved session holds besides its recorded frames.
  struct Moving {
    explicit Moving(breath::StylePlayer p) : player(std::move(p)) {}

    body::LivingState body;
    SessionBreath breath;
    breath::StylePlayer player;
    std::optional<double> told;              // target [m^3]
    std::optional<breath::LiveVolume> live;  // from the first target on
    double volume = 0, flow = 0;             // of the last step's beginning [m^3], [m^3/s]
    breath::MuscleDrive drive;               // of the last step
    DriveOffset offset;                      // of a change that fades in
    bool changed = false;                    // since the last step
    double fade = kFadeSeconds;              // time since the last change [s]
  };

  Impl(anatomy::Body measuredBody, const PersonRequest& who, const SessionSettings& how,
       const SessionBreath& breath, std::optional<PersonShapes> shapes)
      : RecordingSession(kSessionKind, std::move(measuredBody), who, how),
        settings(how),
        model(makeModel(measured, who)),
        workspace(model),
        actor(model,
              shapes ? std::move(*shapes) : makePersonShapes(model, measured, how.skinTriangles)),
        now(makePlayer(model.cage.config, checkedSettings(breath), how.seed)) {
    now.breath = breath;
    settle();
    actor.addLungs();
    addScalars();
    seal();
    record();
  }

  const anatomy::Body& body() const override { return *model.body; }
  const anatomy::CompiledBody& compiled() const override { return model.compiled; }
  const body::FrameLayout& layout() const override { return actor.layout(); }
  const Cast& cast() const override { return actor.cast(); }
  std::uint64_t steps() const override { return now.body.steps; }
  double time() const override { return now.body.time(); }
  std::string stateHash() const override { return now.body.hash(); }

  /// The posture on the floor, and soft parts at rest in it.
  void settle() {
    const VecX q = skeleton::makePosture(*model.body, model.compiled, model.tree, settings.posture);
    pose = skeleton::makePoseTrack(model.tree, q);
    now.body = body::makeLivingState(model, q);
    restVolume = body::settle(model, now.body, workspace, settings.step).lungVolume;
    rest = now.body;
    meter.emplace(model, workspace);
    restMeasures = meter->measure(workspace, 0);
  }

  void addScalars() {
    firstScalar =
        static_cast<std::size_t>(actor.addScalar({"breath", "flow", "mL/s", "into the mouth"}));
    actor.addScalar({"breath", "target", "mL", "wanted volume; 0 without one"});
    for (const DriveGroup& g : kDriveGroups)
      actor.addScalar({"drive", g.name, "",
                       "what the muscles are asked for: an activation, or by Zordan a shortening"});
  }

  breath::LiveVolume makeLive() const {
    const breath::BreathStyle& style = dataStyle(kTargetStyle);
    return {model.cage.config, style.inspire, style.expire, [&](const breath::Contractions& c) {
              return body::steadyVolume(model, rest, c, settings.step);
            }};
  }

  /// The drive of the next step. After a change it begins where it was, and what lies between the
  /// old and the new one fades away: a change that changes nothing leaves no trace.
  breath::MuscleDrive nextDrive() {
    const double h = settings.step;
    breath::MuscleDrive wanted = now.told ? now.live->advance(*now.told, now.volume, h)
                                          : now.player.advance(now.body.time(), h);
    if (now.changed) {
      now.offset = DriveOffset::between(now.drive, wanted);
      now.changed = false;
      now.fade = 0;
    }
    if (now.fade >= kFadeSeconds) return wanted;
    now.fade += h;
    const double t = std::min(1.0, now.fade / kFadeSeconds);
    now.offset.addTo(wanted, 1 - t * t * (3 - 2 * t));
    return wanted;
  }

  void step() override {
    body::LivingInputs inputs;
    inputs.motion = &pose;
    inputs.drive = nextDrive();
    body::step(model, now.body, inputs, workspace, settings.step);
    now.drive = inputs.drive;
    // Kept apart: looking at a frame places the points anew and must not change what follows.
    now.volume = workspace.cage().reading().lungVolume - restVolume;
    now.flow = workspace.cage().reading().flow;
  }

  Moment moment() const override { return {now.body, now.flow, now.told.value_or(0), now.drive}; }

  breath::TorsoMeasures measure(const Moment& m) {
    body::refresh(model, m.body, workspace);
    return meter->measure(workspace, m.body.time());
  }
  std::vector<double> scalarsOf(const Moment& m) override { return scalarsOf(m, measure(m)); }
  std::vector<double> scalarsOf(const Moment& m, const breath::TorsoMeasures& measures) const {
    std::vector<double> scalars = actor.scalars(measures, restMeasures);
    auto to = scalars.begin() + static_cast<std::ptrdiff_t>(firstScalar);
    *to++ = m.flow / kMillilitre;
    *to++ = m.target / kMillilitre;
    for (const DriveGroup& g : kDriveGroups) *to++ = contractionOf(m.drive, g);
    return scalars;
  }
  body::Frame capture(const Moment& m) override {
    const breath::TorsoMeasures measures = measure(m);
    body::Frame frame = actor.capture(m.body, workspace, measures, restMeasures);
    frame.scalars = scalarsOf(m, measures);
    return frame;
  }

  void backToNow() override { body::refresh(model, now.body, workspace); }
  AssetInput layers(const Clip& clip, double framesPerSecond) override {
    return makeLayers(actor.recorded(), clip, framesPerSecond);
  }

  void saveMoving(io::StateWriter& out) const override {
    out.put(io::settingsJson(now.breath).dump());
    now.body.save(out);
    now.player.save(out);
    out.put(static_cast<std::uint8_t>(now.told.has_value()));
    out.put(now.told.value_or(0));
    out.put(static_cast<std::uint8_t>(now.live.has_value()));
    if (now.live) now.live->save(out);
    for (const double v : {now.volume, now.flow, now.fade}) out.put(v);
    saveDrive(now.drive, out);
    saveDrive(now.offset, out);
    out.put(static_cast<std::uint8_t>(now.changed));
  }

  void loadMoving(io::StateReader& in) override {
    SessionBreath breath;
    std::string text;
    in.get(text);
    io::readSettings(ordered_json::parse(text), "session", breath);
    Moving m(makePlayer(model.cage.config, breath, settings.seed));
    m.breath = breath;
    m.body.load(in);
    m.player.load(in);
    const bool told = in.get<std::uint8_t>() != 0;
    const auto volume = in.get<double>();
    if (told) m.told = volume;
    if (in.get<std::uint8_t>() != 0) {
      m.live = now.live ? *now.live : makeLive();
      m.live->load(in);
    }
    for (double* v : {&m.volume, &m.flow, &m.fade}) in.get(*v);
    loadDrive(m.drive, in);
    loadDrive(m.offset, in);
    m.changed = in.get<std::uint8_t>() != 0;
    now = std::move(m);
  }

  SessionSettings settings;
  body::LivingModel model;
  body::LivingWorkspace workspace;
  LivingActor actor;
  skeleton::PoseTrack pose;
  body::LivingState rest;
  double restVolume = 0;  // [m^3]
  std::optional<body::LivingMeter> meter;
  breath::TorsoMeasures restMeasures;
  std::size_t firstScalar = 0;
  Moving now;
};

Session::Session(anatomy::Body measured, const PersonRequest& person,
                 const SessionSettings& settings, const SessionBreath& breath)
    : LiveSession(
          std::make_unique<Impl>(std::move(measured), person, settings, breath, std::nullopt)) {}
Session::Session(anatomy::Body measured, const PersonRequest& person,
                 const SessionSettings& settings, const SessionBreath& breath, PersonShapes shapes)
    : LiveSession(std::make_unique<Impl>(std::move(measured), person, settings, breath,
                                         std::move(shapes))) {}
Session::Impl& Session::own() const {
  return static_cast<Impl&>(*impl_);
}

void Session::set(const SessionBreath& breath) {
  Impl& s = own();
  breath::StylePlayer player =
      makePlayer(s.model.cage.config, checkedSettings(breath), s.settings.seed);
  player.takeOver(s.now.player, s.now.body.time());
  s.now.player = std::move(player);
  s.now.breath = breath;
  s.now.told.reset();
  s.now.changed = true;
  s.latest.reset();
}

void Session::target(double volume) {
  Impl& s = own();
  if (!(std::abs(volume) <= kLargestTarget))
    throw InputError(Diagnostic{.subject = "session",
                                .field = "target",
                                .message = fmt::format("is {} m^3", volume),
                                .expected = "between -0.02 and 0.02 m^3"});
  if (!s.now.told) {
    if (!s.now.live) s.now.live = s.makeLive();
    s.now.live->start(s.now.volume);
    s.now.changed = true;
  }
  s.now.told = volume;
  s.latest.reset();
}

void Session::release() {
  if (!own().now.told) return;
  own().now.told.reset();
  own().now.changed = true;
  own().latest.reset();
}

const SessionSettings& Session::settings() const {
  return own().settings;
}
const SessionBreath& Session::breath() const {
  return own().now.breath;
}
std::optional<double> Session::target() const {
  return own().now.told;
}
Session Session::open(const std::filesystem::path& path, anatomy::Body measured) {
  return internal::openSession<Session, SessionSettings>(kSessionKind, path, std::move(measured));
}

}  // namespace pneuma::stage
