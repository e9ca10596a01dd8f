#include "pneuma/stage/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"

namespace pneuma::stage {
namespace {

constexpr double kBreathShare = 0.15;  // of the swing, that a breath must rise and fall
constexpr double kPauseShare = 0.02;   // of the swing, in which a pause counts as lowest
constexpr double kSlopeSeconds =
    0.4;  // in which the speed at the end becomes that of the beginning

void checkTimes(std::span<const double> times) {
  for (std::size_t i = 0; i < times.size(); ++i)
    if (!std::isfinite(times[i]) || (i > 0 && times[i] <= times[i - 1]))
      throw InputError(Diagnostic{.field = "times",
                                  .message = fmt::format("frame {} is at {} s", i, times[i]),
                                  .expected = "finite times that rise"});
}

/// Moments at which a breath begins, by a volume that must rise and fall by a step to count.
std::vector<std::size_t> breathStarts(std::span<const double> volumes) {
  const auto [low, high] = std::ranges::minmax(volumes);
  const double step = kBreathShare * (high - low), pause = kPauseShare * (high - low);
  std::vector<std::size_t> starts;
  if (!(step > 0)) return starts;
  const auto endOfPause = [&](std::size_t i) {
    const double most = volumes[i] + pause;
    while (i + 1 < volumes.size() && volumes[i + 1] <= most) ++i;
    return i;
  };
  std::size_t lowest = 0, highest = 0;
  bool falling = true;
  for (std::size_t i = 1; i < volumes.size(); ++i) {
    if (volumes[i] < volumes[lowest]) lowest = i;
    if (volumes[i] > volumes[highest]) highest = i;
    if (falling && volumes[i] > volumes[lowest] + step) {
      starts.push_back(endOfPause(lowest));
      falling = false;
      highest = i;
    } else if (!falling && volumes[i] < volumes[highest] - step) {
      falling = true;
      lowest = i;
    }
  }
  // A recording may begin within a breath in and end within a breath out: neither is a start.
  if (starts.size() > 1 && volumes[starts[0]] > volumes[starts[1]] + step / 2)
    starts.erase(starts.begin());
  const bool rests = lowest + 1 < volumes.size() ||
                     (!starts.empty() && volumes[lowest] <= volumes[starts.back()] + pause);
  if (falling && !starts.empty() && rests) starts.push_back(endOfPause(lowest));
  return starts;
}

/// Rotation vector of R [rad].
Vec3 logOf(const Mat3& R) {
  const Eigen::AngleAxisd turn(R);
  return turn.angle() * turn.axis();
}

Mat3 expOf(const Vec3& v) {
  const double angle = v.norm();
  return angle < 1e-14 ? Mat3::Identity() : Mat3(Eigen::AngleAxisd(angle, v / angle));
}

Pose between(const Pose& a, const Pose& b, double share) {
  return {a.rotation * expOf(share * logOf(a.rotation.transpose() * b.rotation)),
          (1 - share) * a.position + share * b.position};
}

/// Shares of the two corrections at key k of n (see Loop).
double valueShare(std::size_t k, std::size_t n) {
  const double u = static_cast<double>(k) / static_cast<double>(n);
  return u * u * (3 - 2 * u);
}

/// `window` keys long, and -1 at the key before the last: a step of one key is the slope there.
double slopeShare(std::size_t k, std::size_t n, std::size_t window) {
  if (k + window <= n) return 0;
  const auto w = static_cast<double>(window);
  const double s = static_cast<double>(k + window - n) / w, before = 1 - 1 / w;
  return w * s * s * (s - 1) / (before * before);
}

}  // namespace

LoopCut cutWholeBreaths(std::span<const double> times, std::span<const double> lungVolumes,
                        int breaths) {
  checkTimes(times);
  if (times.size() != lungVolumes.size())
    throw InputError(
        fmt::format("{} lung volumes for {} frames", lungVolumes.size(), times.size()));
  if (breaths < 0)
    throw InputError(Diagnostic{.field = "breaths",
                                .message = fmt::format("is {}", breaths),
                                .expected = "a number >= 0; 0: all whole ones"});
  for (const double v : lungVolumes)
    if (!std::isfinite(v)) throw InputError("a lung volume is not finite");
  const std::vector<std::size_t> starts =
      times.size() < 3 ? std::vector<std::size_t>{} : breathStarts(lungVolumes);
  const std::size_t whole = starts.empty() ? 0 : starts.size() - 1;
  const std::size_t wanted =
      breaths > 0 ? static_cast<std::size_t>(breaths) : std::max<std::size_t>(whole, 1);
  if (whole < wanted)
    throw InputError(Diagnostic{
        .field = "breaths",
        .message = fmt::format("{:.2f} s hold {} whole breaths",
                               times.empty() ? 0.0 : times.back() - times.front(), whole),
        .expected = fmt::format("{} or more; record longer", wanted)});
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + wanted < starts.size(); ++i) {
    const double gap = std::abs(lungVolumes[starts[i + wanted]] - lungVolumes[starts[i]]);
    if (gap < least) {
      least = gap;
      best = i;
    }
  }
  return {times[starts[best]], times[starts[best + wanted]], static_cast<int>(wanted)};
}

LoopCut cutBreathsOrAll(std::span<const double> times, std::span<const double> lungVolumes) {
  checkTimes(times);
  const bool whole = times.size() >= 3 && breathStarts(lungVolumes).size() > 1;
  if (whole) return cutWholeBreaths(times, lungVolumes);
  return {times.front(), times.back(), 0};
}

Loop::Loop(std::span<const double> times, const LoopCut& cut, double framesPerSecond)
    : recorded_(times.size()), cut_(cut) {
  checkTimes(times);
  if (!(framesPerSecond > 0) || !std::isfinite(framesPerSecond))
    throw InputError(Diagnostic{.field = "fps",
                                .message = fmt::format("is {}", framesPerSecond),
                                .expected = "a number > 0 [1/s]"});
  if (times.size() < 2 || !(cut.end > cut.begin) || cut.begin < times.front() - 1e-9 ||
      cut.end > times.back() + 1e-9)
    throw InputError(
        fmt::format("a loop from {} s to {} s is not within the recording", cut.begin, cut.end));
  const auto intervals = std::max<long>(2, std::lround((cut.end - cut.begin) * framesPerSecond));
  window_ = static_cast<std::size_t>(
      std::clamp<long>(std::lround(kSlopeSeconds * framesPerSecond), 2, intervals));
  for (long k = 0; k <= intervals; ++k) {
    keyTimes_.push_back(static_cast<double>(k) / framesPerSecond);
    const double t =
        cut.begin + (cut.end - cut.begin) * static_cast<double>(k) / static_cast<double>(intervals);
    const auto after = std::upper_bound(times.begin(), times.end(), t) - times.begin();
    const auto first = static_cast<std::size_t>(
        std::clamp<long>(after - 1, 0, static_cast<long>(times.size()) - 2));
    places_.push_back(
        {first, std::clamp((t - times[first]) / (times[first + 1] - times[first]), 0.0, 1.0)});
  }
}

std::vector<double> Loop::closed(std::span<const double> rows, std::size_t columns) const {
  PNEUMA_CHECK(rows.size() == recorded_ * columns, "{} numbers for {} frames of {}", rows.size(),
               recorded_, columns);
  const std::size_t n = keyCount() - 1;
  std::vector<double> keys(keyCount() * columns);
  for (std::size_t k = 0; k <= n; ++k)
    for (std::size_t c = 0; c < columns; ++c) {
      const double* at = rows.data() + places_[k].first * columns + c;
      keys[k * columns + c] = (1 - places_[k].share) * at[0] + places_[k].share * at[columns];
    }
  if (!closes()) return keys;
  for (std::size_t c = 0; c < columns; ++c) {
    const auto key = [&](std::size_t k) -> double& { return keys[k * columns + c]; };
    const double gap = key(n) - key(0);
    const double slope = (key(n) - key(n - 1)) - (key(1) - key(0));
    for (std::size_t k = 1; k < n; ++k)
      key(k) -= valueShare(k, n) * gap + slopeShare(k, n, window_) * slope;
    key(n) = key(0);
  }
  return keys;
}

std::vector<Pose> Loop::closed(std::span<const Pose> poses, bool keepTravel) const {
  PNEUMA_CHECK(poses.size() == recorded_, "{} poses for {} frames", poses.size(), recorded_);
  const std::size_t n = keyCount() - 1;
  std::vector<Pose> keys;
  for (const Place& p : places_)
    keys.push_back(between(poses[p.first], poses[p.first + 1], p.share));
  if (!closes()) return keys;

  const auto turn = [&](std::size_t a, std::size_t b) {
    return logOf(keys[a].rotation.transpose() * keys[b].rotation);
  };
  const Vec3 turnGap = turn(0, n), turnSlope = turn(n - 1, n) - turn(0, 1);
  Vec3 gap = keys[n].position - keys[0].position;
  const Vec3 slope =
      (keys[n].position - keys[n - 1].position) - (keys[1].position - keys[0].position);
  if (keepTravel) gap.x() = gap.z() = 0;
  for (std::size_t k = 1; k < n; ++k) {
    const double value = valueShare(k, n), change = slopeShare(k, n, window_);
    keys[k].position -= value * gap + change * slope;
    keys[k].rotation = keys[k].rotation * expOf(-(value * turnGap + change * turnSlope));
  }
  // Exactly the first key again, except for the travel.
  const Vec3 end = keys[n].position;
  keys[n] = keys[0];
  if (keepTravel) keys[n].position = Vec3(end.x(), keys[0].position.y(), end.z());
  return keys;
}

}  // namespace pneuma::stage
