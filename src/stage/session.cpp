#include "pneuma/stage/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "pneuma/anatomy/person.h"
#include "pneuma/body/frame_bytes.h"
#include "pneuma/body/living_meter.h"
#include "pneuma/body/living_simulation.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/io/usda_writer.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/stage/breath_request.h"
#include "pneuma/stage/frame_track.h"
#include "pneuma/stage/living_actor.h"
#include "stage/session_drive.h"
#include "stage/session_file.h"

namespace pneuma::stage {
namespace {

using internal::contractionOf;
using internal::DriveGroup;
using internal::DriveOffset;
using internal::kDriveGroups;
using internal::loadDrive;
using internal::refuseSession;
using internal::saveDrive;
using internal::SessionHead;
using nlohmann::ordered_json;

constexpr const char* kNoStyle = "none";
constexpr const char* kTargetStyle = "casual";  // whose muscles follow a target
constexpr const char* kSessionKind = "session";
constexpr std::uint64_t kSessionTag = 2;         // of the file's layout
constexpr double kFadeSeconds = 0.25;            // from one way to breathe to another
constexpr double kLargestTarget = 20e-3;         // [m^3], beyond any lungs
constexpr double kLongestAdvance = 7 * 86400.0;  // [s]
constexpr double kSameStep = 1e-6;  // part of a step that a sum of portions may lack by rounding

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

struct Session::Impl {
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
    double asked = 0;                        // time advanced in all [s]
  };

  /// What the frame of a moment is taken from. Kept instead of frames, whose skin costs as much as
  /// twenty steps and is wanted in files alone.
  struct Moment {
    body::LivingState body;
    double flow = 0, target = 0;  // [m^3/s], [m^3]
    breath::MuscleDrive drive;

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

  Impl(anatomy::Body measuredBody, const PersonRequest& who, const SessionSettings& how,
       const SessionBreath& breath, std::optional<PersonShapes> shapes)
      : measured(std::move(measuredBody)),
        person(who),
        settings(checked(how)),
        model(makeModel(measured, who)),
        workspace(model),
        actor(model,
              shapes ? std::move(*shapes) : makePersonShapes(model, measured, how.skinTriangles)),
        now(makePlayer(model.cage.config, checked(breath), how.seed)) {
    now.breath = breath;
    stride = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(1 / (how.framesPerSecond * how.step))));
    settle();
    actor.addLungs();
    addScalars();
    digest = body::layoutDigest(actor.layout());
    record();
  }

  template <class Settings>
  static const Settings& checked(const Settings& s) {
    requireSettings(s);
    return s;
  }

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

  void step() {
    body::LivingInputs inputs;
    inputs.motion = &pose;
    inputs.drive = nextDrive();
    body::step(model, now.body, inputs, workspace, settings.step);
    now.drive = inputs.drive;
    // Kept apart: looking at a frame places the points anew and must not change what follows.
    now.volume = workspace.cage().reading().lungVolume - restVolume;
    now.flow = workspace.cage().reading().flow;
  }

  Moment moment() const { return {now.body, now.flow, now.told.value_or(0), now.drive}; }

  /// Of now; the frame of a moment is taken once.
  const body::Frame& shown() {
    if (!latest || latestSteps != now.body.steps)
      latest = capture(moment()), latestSteps = now.body.steps;
    return *latest;
  }

  breath::TorsoMeasures measure(const Moment& m) {
    body::refresh(model, m.body, workspace);
    return meter->measure(workspace, m.body.time());
  }
  std::vector<double> scalarsOf(const Moment& m, const breath::TorsoMeasures& measures) const {
    std::vector<double> scalars = actor.scalars(measures, restMeasures);
    auto to = scalars.begin() + static_cast<std::ptrdiff_t>(firstScalar);
    *to++ = m.flow / kMillilitre;
    *to++ = m.target / kMillilitre;
    for (const DriveGroup& g : kDriveGroups) *to++ = contractionOf(m.drive, g);
    return scalars;
  }
  body::Frame capture(const Moment& m) {
    const breath::TorsoMeasures measures = measure(m);
    body::Frame frame = actor.capture(m.body, workspace, measures, restMeasures);
    frame.scalars = scalarsOf(m, measures);
    return frame;
  }

  void record() {
    if (settings.recordSeconds <= 0) return;
    recorded.push_back(moment());
    while (now.body.time() - recorded.front().body.time() > settings.recordSeconds)
      recorded.pop_front();
  }
  io::Table history() {
    std::vector<double> times;
    std::vector<std::vector<double>> columns(layout().scalars.size());
    for (const Moment& m : recorded) {
      times.push_back(m.body.time());
      const std::vector<double> row = scalarsOf(m, measure(m));
      for (std::size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
    }
    body::refresh(model, now.body, workspace);
    io::Table table;
    table.addColumn("time", "s", std::move(times));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const body::FrameScalar& s = layout().scalars[i];
      table.addColumn(s.group == "breath" ? s.name : s.group + "_" + s.name, s.unit,
                      std::move(columns[i]));
    }
    return table;
  }
  const body::FrameLayout& layout() const { return actor.layout(); }

  /// Frames per second of the record: whole steps lie between two of them.
  double recordedRate() const { return 1 / (static_cast<double>(stride) * settings.step); }

  io::GltfScene recordedScene() {
    if (recorded.empty())
      throw InputError(Diagnostic{.subject = "session",
                                  .field = "record_seconds",
                                  .message = "nothing is recorded",
                                  .expected = "a session with record_seconds above 0"});
    FrameTrack track(layout());
    for (const Moment& m : recorded) track.add(capture(m));
    body::refresh(model, now.body, workspace);
    return assetScene(makeLayers(actor.recorded(), Clip(track), recordedRate()), openAsset());
  }

  SessionHead head() const { return SessionHead::of(measured, person, settings); }

  void saveMoving(io::StateWriter& out) const {
    out.put(io::settingsJson(now.breath).dump());
    now.body.save(out);
    now.player.save(out);
    out.put(static_cast<std::uint8_t>(now.told.has_value()));
    out.put(now.told.value_or(0));
    out.put(static_cast<std::uint8_t>(now.live.has_value()));
    if (now.live) now.live->save(out);
    for (const double v : {now.volume, now.flow, now.fade, now.asked}) out.put(v);
    saveDrive(now.drive, out);
    saveDrive(now.offset, out);
    out.put(static_cast<std::uint8_t>(now.changed));
  }

  Moving loadMoving(io::StateReader& in) const {
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
    for (double* v : {&m.volume, &m.flow, &m.fade, &m.asked}) in.get(*v);
    loadDrive(m.drive, in);
    loadDrive(m.offset, in);
    m.changed = in.get<std::uint8_t>() != 0;
    return m;
  }

  anatomy::Body measured;
  PersonRequest person;
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
  std::uint64_t stride = 1, digest = 0;
  Moving now;
  std::optional<body::Frame> latest;  // of `latestSteps`
  std::uint64_t latestSteps = 0;
  std::deque<Moment> recorded;
};

Session::Session(anatomy::Body measured, const PersonRequest& person,
                 const SessionSettings& settings, const SessionBreath& breath)
    : impl_(std::make_unique<Impl>(std::move(measured), person, settings, breath, std::nullopt)) {}
Session::Session(anatomy::Body measured, const PersonRequest& person,
                 const SessionSettings& settings, const SessionBreath& breath, PersonShapes shapes)
    : impl_(std::make_unique<Impl>(std::move(measured), person, settings, breath,
                                   std::move(shapes))) {}
Session::Session(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

void Session::set(const SessionBreath& breath) {
  Impl& s = *impl_;
  breath::StylePlayer player =
      makePlayer(s.model.cage.config, Impl::checked(breath), s.settings.seed);
  player.takeOver(s.now.player, s.now.body.time());
  s.now.player = std::move(player);
  s.now.breath = breath;
  s.now.told.reset();
  s.now.changed = true;
  s.latest.reset();
}

void Session::target(double volume) {
  Impl& s = *impl_;
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
  if (!impl_->now.told) return;
  impl_->now.told.reset();
  impl_->now.changed = true;
  impl_->latest.reset();
}

void Session::advance(double seconds, const Tick& tick) {
  Impl& s = *impl_;
  if (!(seconds >= 0 && seconds <= kLongestAdvance))
    throw InputError(Diagnostic{.subject = "session",
                                .field = "seconds",
                                .message = fmt::format("is {}", seconds),
                                .expected = fmt::format("0 .. {} s", kLongestAdvance)});
  s.now.asked += seconds;
  const auto last =
      static_cast<std::uint64_t>(std::floor(s.now.asked / s.settings.step + kSameStep));
  try {
    while (s.now.body.steps < last) {
      s.step();
      if (s.now.body.steps % s.stride != 0) continue;
      s.record();
      if (tick) tick(time());
    }
  } catch (...) {
    s.now.asked = static_cast<double>(s.now.body.steps) * s.settings.step;
    throw;
  }
}

double Session::time() const {
  return impl_->now.body.time();
}
const PersonRequest& Session::person() const {
  return impl_->person;
}
const SessionSettings& Session::settings() const {
  return impl_->settings;
}
const SessionBreath& Session::breath() const {
  return impl_->now.breath;
}
std::optional<double> Session::target() const {
  return impl_->now.told;
}
const anatomy::Body& Session::body() const {
  return *impl_->model.body;
}
const anatomy::CompiledBody& Session::compiled() const {
  return impl_->model.compiled;
}
std::string Session::stateHash() const {
  return impl_->now.body.hash();
}
const body::FrameLayout& Session::layout() const {
  return impl_->actor.layout();
}
const Cast& Session::cast() const {
  return impl_->actor.cast();
}
body::Frame Session::frame() const {
  return impl_->shown();
}
std::string Session::frameBytes() const {
  return body::encodeFrame(impl_->shown(), impl_->digest);
}

io::Table Session::history() const {
  return impl_->history();
}

void Session::exportGlb(const std::filesystem::path& path) const {
  io::writeGlb(path, impl_->recordedScene());
}

void Session::exportUsda(const std::filesystem::path& path) const {
  io::writeUsda(path, impl_->recordedScene(), {.framesPerSecond = impl_->recordedRate()});
}

std::string Session::saveBytes() const {
  io::StateWriter out;
  impl_->head().save(out);
  impl_->saveMoving(out);
  out.put(static_cast<std::uint64_t>(impl_->recorded.size()));
  for (const Impl::Moment& m : impl_->recorded) m.save(out);
  return out.bytes();
}

void Session::loadBytes(std::string_view bytes) {
  Impl& s = *impl_;
  io::StateReader in(bytes);
  SessionHead head;
  head.load(in);
  s.head().require(head);
  // Beside what is there, which stays when something is wrong.
  Impl::Moving moving = s.loadMoving(in);
  std::deque<Impl::Moment> recorded;
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) recorded.emplace_back().load(in);
  if (!in.atEnd()) refuseSession("bytes are left over");
  s.now = std::move(moving);
  s.latest.reset();
  s.recorded = std::move(recorded);
}

void Session::save(const std::filesystem::path& path) const {
  io::writeBlob(path, kSessionKind, kSessionTag, saveBytes());
}

Session Session::open(const std::filesystem::path& path, anatomy::Body measured) {
  const std::string bytes = io::readBlob(path, kSessionKind, kSessionTag).valueOrThrow();
  io::StateReader in(bytes);
  SessionHead head;
  head.load(in);
  PersonRequest person;
  SessionSettings settings;
  io::readSettings(ordered_json::parse(head.settings), path.string(), person, settings);
  Session session(std::move(measured), person, settings);
  session.loadBytes(bytes);
  return session;
}

}  // namespace pneuma::stage
