#include "pneuma/stage/living_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "pneuma/breath/recording.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/io/settings_json.h"
#include "pneuma/io/signal.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/motion_dynamics.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/stage/run_description.h"

namespace pneuma::stage {
namespace {

constexpr int kBreaths = 5;                             // simulated when nothing says how long
constexpr double kHeldStep = 0.004, kClipStep = 0.002;  // [s]

/// The motion as a track: a clip or its cycle, key poses, or a pose that is held.
///
/// Markers jitter by about a millimetre. A figure that is only shown does not mind; a gut that is
/// shaken by the second derivative does: the shared walk accelerates its pelvis by 32 m/s^2 as
/// recorded, by 5 smoothed. The default keeps what lies below 6.6 Hz, as gait analysis does (6 Hz,
/// Winter 2009, recalled).
void addMotion(const LivingRequest& request, const MotionSource& source,
               const anatomy::Person& person, ResolvedLiving& r) {
  const body::LivingModel& m = *r.model;
  if (!source.asked()) {
    r.settings.motion = skeleton::makePoseTrack(
        m.tree, skeleton::makePosture(*m.body, m.compiled, m.tree, "standing"));
    return;
  }
  MotionSource once = source;
  once.loop = false;
  // All frames of a clip; poses set by hand are smooth enough at the rate of a film.
  constexpr double kPoseRate = 30;
  PlayedMotion played = makePlayedMotion(once, r.measured, person, m.options.articulation,
                                         source.clip.empty() ? kPoseRate : 0);
  r.clip = std::move(played.clip);
  if (!source.clip.empty() && played.times.size() > 1)
    played.q = skeleton::smoothedMotion(m.tree, played.q, played.times[1] - played.times[0],
                                        request.smoothing);
  if (source.loop) {
    r.settings.motion = skeleton::makeLoop(m.tree, played.times, played.q);
    r.cycle = r.settings.motion.duration();
  } else {
    r.settings.motion = skeleton::PoseTrack(m.tree, played.times, played.q);
  }
}

/// The breath: none, a style by its name, or a recording.
void addBreath(const LivingRequest& request, const anatomy::Person& person, ResolvedLiving& r) {
  if (request.breath == "none") return;
  r.settings.knobs.rate = request.rate;
  r.settings.knobs.effort = request.effort;
  r.settings.knobs.variability = request.variability;
  r.settings.seed = request.seed;
  if (request.stridesPerBreath > 0) {
    if (r.cycle <= 0)
      throw InputError(Diagnostic{.subject = "option '--strides-per-breath'",
                                  .message = "needs a gait",
                                  .expected = "--motion FILE --loop"});
    r.settings.knobs.rate = 60 / (request.stridesPerBreath * r.cycle);
  }
  const std::vector<std::string> styles = breathStyleNames();
  const bool isStyle = std::find(styles.begin(), styles.end(), request.breath) != styles.end();
  if (!isStyle && !std::filesystem::exists(request.breath))
    throw InputError(Diagnostic{.subject = "option '--breath'",
                                .message = "'" + request.breath + "' is neither a style nor a file",
                                .expected = "none, a style, or a recording",
                                .nearest = nearestName(request.breath, styles)});
  r.settings.style = dataStyle(isStyle ? request.breath : "casual");
  if (isStyle) return;
  r.settings.target =
      readRecording(request.breath, recordingConfig(request.recording, person)).target;
}

}  // namespace

LivingRequest livingRequest(const BreathRequest& b) {
  const BreathRequest plain;
  const auto refuse = [](const char* option) {
    throw InputError(Diagnostic{.subject = fmt::format("option '{}'", option),
                                .message = "is for the torso by itself",
                                .expected = "--articulation torso"});
  };
  if (b.preset != plain.preset) refuse("--preset");
  if (b.refine != plain.refine) refuse("--refine");
  if (b.kappa != plain.kappa) refuse("--kappa");
  if (b.ball != plain.ball) refuse("--ball");
  if (b.weight != plain.weight) refuse("--weight");
  if (!b.speech.empty()) refuse("--speech");
  if (b.words > 0) refuse("--words");
  if (b.mets) refuse("--mets");
  if (b.chestShare) refuse("--chest-share");
  if (b.tidal && b.volume.empty()) refuse("--tidal");
  LivingRequest r;
  r.breath = b.volume.empty() ? b.style : b.volume;
  r.rate = b.rate;
  r.effort = b.effort;
  r.variability = b.variability;
  r.seed = b.seed;
  r.seconds = b.seconds;
  r.framesPerSecond = b.framesPerSecond;
  r.step = b.step;
  r.recording = b;
  return r;
}

namespace {

/// "biceps_brachii_short_r=0.3"
flesh::GridMuscleRequest parseGridMuscle(const std::string& text) {
  const std::size_t equals = text.find('=');
  flesh::GridMuscleRequest request{.line = text.substr(0, equals)};
  if (equals == std::string::npos) return request;
  const char *begin = text.data() + equals + 1, *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, request.excitation);
  if (error != std::errc{} || rest != end || !(request.excitation >= 0 && request.excitation <= 1))
    throw InputError(Diagnostic{.subject = "option '--grid-muscle'",
                                .message = "found '" + text + "'",
                                .expected = "a line and an excitation from 0 to 1"});
  return request;
}

}  // namespace

ResolvedLiving resolve(const LivingRequest& request, const MotionSource& motion,
                       anatomy::Body measured, const anatomy::Person& person) {
  ResolvedLiving r;
  r.measured = std::move(measured);
  auto fitted = std::make_shared<anatomy::Body>(anatomy::fitToPerson(r.measured, person));
  body::LivingOptions options;
  if (request.bellies) options.bellies.emplace();
  options.shoulderBodies = request.shoulderBodies;
  for (const std::string& text : request.gridMuscles)
    options.gridMuscles.push_back(parseGridMuscle(text));
  r.model = std::make_unique<body::LivingModel>(
      body::makeLivingModel(std::move(fitted), std::move(options)));
  // The gains that keep a step stable weigh on wall and dome like masses, in proportion to the
  // step: a breath does not notice, a gait does.
  r.settings.step = request.step.value_or(motion.clip.empty() ? kHeldStep : kClipStep);
  addMotion(request, motion, person, r);
  addBreath(request, person, r);
  if (request.seconds) {
    r.seconds = *request.seconds;
  } else if (r.settings.target) {
    r.seconds = r.settings.target->duration();
  } else if (!motion.clip.empty() && !motion.loop) {
    r.seconds = r.settings.motion.duration();
  } else {
    const double rate =
        r.settings.knobs.rate.value_or(r.settings.style ? r.settings.style->ratePerMinute() : 15.0);
    r.seconds = std::max(r.settings.motion.duration(), kBreaths * 60 / std::max(1.0, rate));
  }
  return r;
}

nlohmann::ordered_json describe(const LivingRequest& request, const MotionSource& motion,
                                const ResolvedLiving& resolved) {
  nlohmann::ordered_json settings = io::settingsJson(motion);
  LivingRequest whole = request;
  whole.step = resolved.settings.step;
  settings.update(io::settingsJson(whole));
  settings.update(io::settingsJson(request.flesh));
  settings["seconds"] = resolved.seconds;
  settings["person"] = personJson(resolved.model->body->person);
  if (resolved.settings.target)
    settings["recording_hash"] = Hash64().values(resolved.settings.target->volumes).hex();
  Hash64 hash;
  VecX q = resolved.model->tree.neutral;
  for (double t = 0; t <= resolved.settings.motion.duration(); t += 0.1) {
    resolved.settings.motion.sample(t, q);
    hash.values({q.data(), static_cast<std::size_t>(q.size())});
  }
  settings["motion_hash"] = hash.hex();
  return settings;
}

}  // namespace pneuma::stage
