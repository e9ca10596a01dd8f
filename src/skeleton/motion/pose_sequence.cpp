#include "pneuma/skeleton/pose_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "pneuma/io/signal.h"
#include "pneuma/skeleton/rhythm.h"

namespace pneuma::skeleton {

namespace {

/// A freedom by either of its names.
struct Freedom {
  const anatomy::CompiledDof* dof = nullptr;
  int position = 0;
};

Freedom findFreedom(const anatomy::CompiledBody& body, const Model& model, const std::string& name,
                    const std::string& subject) {
  std::vector<std::string> names;
  for (const anatomy::CompiledLink& link : body.links) {
    const Link& l = model.links[model.linkIndex(link.name)];
    if (l.joint == JointKind::Free) continue;
    for (std::size_t d = 0; d < link.dofs.size(); ++d) {
      if (link.dofs[d].alias == name || link.dofs[d].name == name)
        return {&link.dofs[d], l.firstPosition + static_cast<int>(d)};
      names.push_back(link.dofs[d].alias);
      names.push_back(link.dofs[d].name);
    }
  }
  throw InputError(Diagnostic{.subject = subject,
                              .message = "unknown joint '" + name + "'",
                              .nearest = nearestName(name, names)});
}

/// The angle asked for; its range is looked at when the others have taken their parts of it.
double finite(const Freedom& f, double degrees, const std::string& subject) {
  if (std::isfinite(degrees)) return degreesToRadians(degrees);
  throw InputError(Diagnostic{.subject = subject,
                              .message = fmt::format("'{}' is {} degrees", f.dof->alias, degrees),
                              .expected = "a number"});
}

void checkRange(const Freedom& f, double asked, double angle, const std::string& subject) {
  const double degrees = radiansToDegrees(angle);
  const double lower = radiansToDegrees(f.dof->lower), upper = radiansToDegrees(f.dof->upper);
  constexpr double kRounding = 1e-9;  // [deg]
  if (!f.dof->limited || (degrees >= lower - kRounding && degrees <= upper + kRounding)) return;
  const std::string own =
      std::abs(degrees - asked) < kRounding
          ? ""
          : fmt::format(", {:.1f} of them its own beside the joints that follow it", degrees);
  throw InputError(
      Diagnostic{.subject = subject,
                 .message = fmt::format("'{}' is {} degrees{}", f.dof->alias, asked, own),
                 .expected = fmt::format("between {:g} and {:g} degrees{}", lower, upper,
                                         own.empty() ? "" : " of its own")});
}

}  // namespace

PoseSequence posesOfJoints(const anatomy::CompiledBody& body, const Model& model,
                           const std::vector<std::string>& joints, bool rhythm) {
  VecX q = model.neutral;
  std::vector<bool> stated(static_cast<std::size_t>(q.size()), false);
  std::vector<std::pair<Freedom, double>> asked;
  for (const std::string& entry : joints) {
    const std::string subject = "option '--joint'";
    const std::size_t equals = entry.find('=');
    double degrees = 0;
    const char* end = entry.data() + entry.size();
    const char* begin = equals == std::string::npos ? end : entry.data() + equals + 1;
    const auto parsed = std::from_chars(begin, end, degrees);
    if (begin == end || parsed.ec != std::errc{} || parsed.ptr != end)
      throw InputError(Diagnostic{.subject = subject,
                                  .message = "found '" + entry + "'",
                                  .expected = "such as l_elbow_flexion=90"});
    const Freedom f = findFreedom(body, model, entry.substr(0, equals), subject);
    q[f.position] = finite(f, degrees, subject);
    stated[static_cast<std::size_t>(f.position)] = true;
    asked.emplace_back(f, degrees);
  }
  if (rhythm) followRhythms(body, model, stated, q);
  for (const auto& [f, degrees] : asked) checkRange(f, degrees, q[f.position], "option '--joint'");
  return {{0, 1}, {model.neutral, q}};
}

PoseSequence readPoses(const std::filesystem::path& file, const anatomy::CompiledBody& body,
                       const Model& model, bool rhythm) {
  const io::Signals signals = io::readCsvSignals(file).valueOrThrow();
  PoseSequence poses{signals.times, std::vector<VecX>(signals.sampleCount(), model.neutral)};
  const auto subject = [&](std::size_t i) {
    return fmt::format("{}: time {:g} s", file.string(), poses.times[i]);
  };
  std::vector<bool> stated(static_cast<std::size_t>(model.neutral.size()), false);
  std::vector<Freedom> freedoms;
  for (const io::SignalChannel& channel : signals.channels) {
    const Freedom& f = freedoms.emplace_back(findFreedom(body, model, channel.name, file.string()));
    stated[static_cast<std::size_t>(f.position)] = true;
    for (std::size_t i = 0; i < poses.q.size(); ++i)
      poses.q[i][f.position] = finite(f, channel.values[i], subject(i));
  }
  for (std::size_t i = 0; i < poses.q.size(); ++i) {
    if (rhythm) followRhythms(body, model, stated, poses.q[i]);
    for (std::size_t c = 0; c < freedoms.size(); ++c)
      checkRange(freedoms[c], signals.channels[c].values[i], poses.q[i][freedoms[c].position],
                 subject(i));
  }
  return poses;
}

PoseSequence resampled(const PoseSequence& keys, double framesPerSecond) {
  const double start = keys.times.front(), duration = keys.times.back() - start;
  constexpr double kMostFrames = 1e5;  // every one is kept, with its pictures and surfaces
  if (!(duration * framesPerSecond <= kMostFrames))
    throw InputError(Diagnostic{
        .subject = "motion",
        .message = fmt::format("{:g} s at {:g} frames per second", duration, framesPerSecond),
        .expected = fmt::format("at most {:.0f} frames", kMostFrames)});
  const auto frames =
      static_cast<std::size_t>(std::max(1.0, std::ceil(duration * framesPerSecond)));
  PoseSequence even;
  for (std::size_t i = 0; i <= frames; ++i) {
    const double t = std::min(duration, static_cast<double>(i) / framesPerSecond);
    std::size_t k = 0;
    while (k + 2 < keys.times.size() && keys.times[k + 1] - start <= t) ++k;
    const std::size_t next = std::min(k + 1, keys.q.size() - 1);
    const double span = keys.times[next] - keys.times[k];
    const double part = span > 0 ? std::clamp((t + start - keys.times[k]) / span, 0.0, 1.0) : 1.0;
    const double eased = part * part * (3 - 2 * part);  // still at every key
    even.times.push_back(t);
    // Joint angles are hinges; the root stays at rest, so quaternions need no care.
    even.q.push_back(keys.q[k] + eased * (keys.q[next] - keys.q[k]));
  }
  return even;
}

}  // namespace pneuma::skeleton
