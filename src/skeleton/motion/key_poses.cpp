#include "pneuma/skeleton/key_poses.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "pneuma/io/signal.h"
#include "pneuma/skeleton/pose_places.h"

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

/// What is wrong with a line of a file names it.
template <class Make>
VecX placedAt(const SourcePosition& where, Make&& make) {
  try {
    return make();
  } catch (const InputError& e) {
    std::vector<Diagnostic> placed = e.diagnostics();
    for (Diagnostic& d : placed) d.where = where;
    throw InputError(std::move(placed));
  }
}

/// A column of a file of poses: a joint, or a place.
struct PoseColumn {
  const io::SignalChannel& channel;
  bool place = false;
  double unit = 1;  // its values in radians or metres
};

double unitOf(const io::SignalChannel& channel, bool place) {
  if (!place || PosePlaces::turns(channel.name)) return degreesToRadians(1);
  if (channel.unit.empty() || channel.unit == "m") return 1;
  if (channel.unit == "cm") return 1e-2;
  if (channel.unit == "mm") return 1e-3;
  throw InputError(Diagnostic{.subject = fmt::format("column '{}'", channel.name),
                              .message = fmt::format("in '{}'", channel.unit),
                              .expected = "m, cm or mm"});
}

/// Poses of a file, line by line.
struct PoseReader {
  const PoseMaker maker;
  PosePlaces places;
  std::vector<PoseColumn> columns;
  std::vector<JointSetting> settings;
  std::vector<double> placeValues;
  bool rhythm;

  PoseReader(const io::Signals& signals, const anatomy::CompiledBody& body, const Model& model,
             bool followed)
      : maker(body, model), places(body, model), rhythm(followed) {
    for (const io::SignalChannel& channel : signals.channels) {
      const bool place = PosePlaces::names(channel.name);
      columns.push_back({channel, place, unitOf(channel, place)});
      if (place)
        places.add(channel.name, "column");
      else
        settings.push_back({channel.name});
    }
    // Misspelt names are the header's; the neutral pose is within every range.
    maker.make(settings, {.rhythm = rhythm, .subject = "column"});
  }

  VecX at(std::size_t line, const std::string& subject) {
    std::size_t joint = 0;
    placeValues.clear();
    for (const PoseColumn& c : columns) {
      const double value = c.unit * c.channel.values[line];
      if (c.place)
        placeValues.push_back(value);
      else
        settings[joint++].value = value;
    }
    const VecX q = maker.make(settings, {.rhythm = rhythm, .subject = subject});
    return places.empty() ? q : places.fit(q, placeValues, subject);
  }
};

}  // namespace

KeyPoses readPoses(const std::filesystem::path& file, const anatomy::CompiledBody& body,
                   const Model& model, bool rhythm) {
  const io::Signals signals = io::readCsvSignals(file).valueOrThrow();
  KeyPoses poses{signals.times, {}};
  std::optional<PoseReader> reader;
  placedAt({.file = file.string(), .line = signals.headerLine}, [&] {
    reader.emplace(signals, body, model, rhythm);
    return VecX();
  });
  for (std::size_t i = 0; i < signals.sampleCount(); ++i)
    poses.q.push_back(placedAt({.file = file.string(), .line = signals.lines[i]}, [&] {
      return reader->at(i, fmt::format("time {:g} s", signals.times[i]));
    }));
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
