#include "pneuma/skeleton/key_poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pneuma/io/signal.h"

namespace pneuma::skeleton {

JointSetting parseJointSetting(const std::string& text, const std::string& subject) {
  const std::size_t equals = text.find('=');
  double value = 0;
  const char* end = text.data() + text.size();
  const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
  const auto [rest, error] = std::from_chars(begin, end, value);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const bool radians = unit == "rad";
  if (begin == end || error != std::errc{} || !(unit.empty() || unit == "deg" || radians))
    throw InputError(Diagnostic{.subject = subject,
                                .message = "found '" + text + "'",
                                .expected = "such as elbow_l=90 or elbow_l.flexion=90deg"});
  return {text.substr(0, equals), radians ? value : degreesToRadians(value)};
}

KeyPoses posesOfJoints(const anatomy::CompiledBody& body, const Model& model,
                       const std::vector<std::string>& joints, bool rhythm) {
  const std::string subject = "option '--joint'";
  std::vector<JointSetting> settings;
  for (const std::string& entry : joints) settings.push_back(parseJointSetting(entry, subject));
  const PoseMaker maker(body, model);
  return {{0, 1}, {model.neutral, maker.make(settings, {.rhythm = rhythm, .subject = subject})}};
}

namespace {

/// A pose of a file; what is wrong with it names the line.
VecX poseAt(const PoseMaker& maker, std::span<const JointSetting> settings,
            const PoseMakerOptions& options, const SourcePosition& where) {
  try {
    return maker.make(settings, options);
  } catch (const InputError& e) {
    std::vector<Diagnostic> placed = e.diagnostics();
    for (Diagnostic& d : placed) d.where = where;
    throw InputError(std::move(placed));
  }
}

}  // namespace

KeyPoses readPoses(const std::filesystem::path& file, const anatomy::CompiledBody& body,
                   const Model& model, bool rhythm) {
  const io::Signals signals = io::readCsvSignals(file).valueOrThrow();
  const PoseMaker maker(body, model);
  KeyPoses poses{signals.times, {}};
  std::vector<JointSetting> settings;
  for (const io::SignalChannel& channel : signals.channels) settings.push_back({channel.name});
  // Misspelt names are the header's; the neutral pose is within every range.
  poseAt(maker, settings, {.rhythm = rhythm, .subject = "column"},
         {.file = file.string(), .line = signals.headerLine});
  for (std::size_t i = 0; i < signals.sampleCount(); ++i) {
    for (std::size_t c = 0; c < settings.size(); ++c)
      settings[c].value = degreesToRadians(signals.channels[c].values[i]);
    poses.q.push_back(
        poseAt(maker, settings,
               {.rhythm = rhythm, .subject = fmt::format("time {:g} s", signals.times[i])},
               {.file = file.string(), .line = signals.lines[i]}));
  }
  return poses;
}

PoseTrack makePoseTrack(const Model& model, const KeyPoses& keys) {
  return PoseTrack(model, keys.times, keys.q, {.kind = TrackKind::Ease});
}

PoseTrack makePoseTrack(const Model& model, const VecX& q) {
  return makePoseTrack(model, KeyPoses{{0}, {q}});
}

KeyPoses resampled(const Model& model, const PoseTrack& track, double framesPerSecond,
                   double seconds) {
  const double duration = seconds >= 0 ? seconds : track.duration();
  constexpr double kMostFrames = 1e5;  // every one is kept, with its pictures and surfaces
  if (!(duration * framesPerSecond <= kMostFrames))
    throw InputError(Diagnostic{
        .subject = "motion",
        .message = fmt::format("{:g} s at {:g} frames per second", duration, framesPerSecond),
        .expected = fmt::format("at most {:.0f} frames", kMostFrames)});
  const auto frames =
      static_cast<std::size_t>(std::max(1.0, std::ceil(duration * framesPerSecond)));
  KeyPoses even;
  VecX q(model.positionCount());
  for (std::size_t i = 0; i <= frames; ++i) {
    even.times.push_back(std::min(duration, static_cast<double>(i) / framesPerSecond));
    track.sample(even.times.back(), q);
    even.q.push_back(q);
  }
  return even;
}

}  // namespace pneuma::skeleton
