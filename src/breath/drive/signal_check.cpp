#include "pneuma/breath/signal_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "breath/drive/recording_signal.h"
#include "breath/drive/rises.h"
#include "core/quantile.h"

namespace pneuma::breath {
namespace {

using internal::kRate;
using internal::RecordingSignal;
using pneuma::internal::quantile;

// Bounds beyond which a user is told; chosen, see docs/breathing.md.
constexpr double kNoisy = 10;            // breath over noise [dB]
constexpr double kClippedPart = 0.01;    // of the samples
constexpr double kLongestRise = 0.55;    // of a breath; people inhale for 0.40 (Benchetrit 2000)
constexpr double kNoiseWindow = 0.6;     // what is faster is noise [s]
constexpr double kShortestFlat = 0.08;   // of a clipped peak [s]
constexpr double kSteepBeforeFlat = .3;  // of the usual steepness: a breath slows before it turns

void addGaps(const RecordingSignal& s, const RecordingConfig& config, SignalReport& out) {
  if (s.gaps.empty()) return;
  double longest = 0;
  for (const internal::SignalGap& g : s.gaps) longest = std::max(longest, g.end - g.begin);
  const double first = s.gaps.front().begin;
  out.findings.push_back(
      {.defect = SignalDefect::Gap,
       .severity = config.fillGaps ? Severity::Warning : Severity::Error,
       .time = first,
       .count = static_cast<int>(s.gaps.size()),
       .size = longest,
       .message = config.fillGaps
                      ? fmt::format("{} gap(s), the longest {:.1f} s, the first at {:.1f} s: "
                                    "filled with the breaths beside them",
                                    s.gaps.size(), longest, first)
                      : fmt::format("{} gap(s) without samples, the longest {:.1f} s, the first "
                                    "at {:.1f} s",
                                    s.gaps.size(), longest, first),
       .remedy = "a recording without gaps, or --fill-gaps"});
}

/// Neighbouring places are one spike.
void addSpikes(const std::vector<double>& v, double height, const RecordingConfig& config,
               SignalReport& out) {
  const std::vector<std::size_t> places = internal::findSpikes(v, kRate);
  if (places.empty()) return;
  const std::vector<double> calm = internal::movingMedian(v, 0.3, kRate);
  double largest = 0;
  int count = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (k == 0 || places[k] > places[k - 1] + 1) ++count;
    largest = std::max(largest, std::abs(v[places[k]] - calm[places[k]]) / height);
  }
  const double first = static_cast<double>(places.front()) / kRate;
  out.findings.push_back(
      {.defect = SignalDefect::Spikes,
       .severity = config.robust ? Severity::Warning : Severity::Error,
       .time = first,
       .count = count,
       .size = largest,
       .message = fmt::format("{} spike(s), the largest {:.1f} times the height of a breath, the "
                              "first at {:.1f} s{}",
                              count, largest, first, config.robust ? ": taken out" : ""),
       .remedy = "a recording without spikes, or --robust"});
}

void addSteps(const std::vector<double>& v, double height, const RecordingConfig& config,
              SignalReport& out) {
  const std::vector<internal::SignalStep> steps = internal::findSteps(v, kRate);
  if (steps.empty()) return;
  double largest = 0;
  for (const internal::SignalStep& s : steps)
    largest = std::max(largest, std::abs(s.size) / height);
  const double first = static_cast<double>(steps.front().at) / kRate;
  out.findings.push_back(
      {.defect = SignalDefect::Step,
       .severity = config.robust ? Severity::Warning : Severity::Error,
       .time = first,
       .count = static_cast<int>(steps.size()),
       .size = largest,
       .message = fmt::format("the baseline jumps {} time(s), by up to {:.1f} times the height of "
                              "a breath, first at {:.1f} s{}",
                              steps.size(), largest, first, config.robust ? ": taken out" : ""),
       .remedy = "a steady baseline, or --robust"});
}

/// Power of what a mean over 0.6 s keeps over that of what it takes away. White noise keeps one
/// part in as many as the window has samples; that part is not the breath's.
void addNoise(const std::vector<double>& v, const RecordingConfig& config, SignalReport& out) {
  const auto half = static_cast<std::ptrdiff_t>(0.5 * kNoiseWindow * kRate);
  const auto n = static_cast<std::ptrdiff_t>(v.size());
  double slow = 0, fast = 0, mean = 0;
  std::vector<double> kept;
  for (std::ptrdiff_t i = half; i + half < n; ++i) {
    double sum = 0;
    for (std::ptrdiff_t k = i - half; k <= i + half; ++k) sum += v[static_cast<std::size_t>(k)];
    kept.push_back(sum / static_cast<double>(2 * half + 1));
    mean += kept.back();
    const double rest = v[static_cast<std::size_t>(i)] - kept.back();
    fast += rest * rest;
  }
  if (kept.empty()) return;
  mean /= static_cast<double>(kept.size());
  for (const double x : kept) slow += (x - mean) * (x - mean);
  slow = std::max(slow - fast / static_cast<double>(2 * half + 1), 1e-12 * slow);
  if (!(fast > 0) || !(slow > 0)) return;
  const double decibel = 10 * std::log10(slow / fast);
  if (decibel >= kNoisy) return;
  out.findings.push_back(
      {.defect = SignalDefect::Noise,
       .size = decibel,
       .message = fmt::format(
           "the breath stands only {:.0f} dB above the noise: breaths may be "
           "counted that are none{}",
           decibel, config.robust ? "; smoothed over 0.7 s" : " (--robust smooths longer)"),
       .remedy = "--robust smooths longer"});
}

/// Flat stretches at the highest or lowest value that a steep signal runs into.
void addClipping(const RecordingSignal& s, double duration, SignalReport& out) {
  const std::vector<double>& v = s.raw;
  const double rate = static_cast<double>(v.size()) / duration;
  const auto [low, high] = std::minmax_element(v.begin(), v.end());
  std::vector<double> slopes;
  for (std::size_t i = 0; i + 1 < v.size(); ++i) slopes.push_back(std::abs(v[i + 1] - v[i]));
  const double steep = kSteepBeforeFlat * quantile(slopes, 0.9);
  const auto shortest = std::max<std::size_t>(3, static_cast<std::size_t>(kShortestFlat * rate));
  std::size_t clipped = 0;
  int count = 0;
  double first = 0;
  for (std::size_t i = 1; i < v.size();) {
    std::size_t end = i;
    if (v[i] == *low || v[i] == *high)
      while (end < v.size() && v[end] == v[i]) ++end;
    if (end - i >= shortest && std::abs(v[i] - v[i - 1]) >= steep) {
      if (count++ == 0) first = static_cast<double>(i) / rate;
      clipped += end - i;
    }
    i = std::max(end, i + 1);
  }
  const double part = static_cast<double>(clipped) / static_cast<double>(v.size());
  if (part < kClippedPart) return;
  out.findings.push_back(
      {.defect = SignalDefect::Clipping,
       .time = first,
       .count = count,
       .size = part,
       .message = fmt::format("{} peak(s) or trough(s) are cut off flat, {:.0f} % of the samples, "
                              "the first at {:.1f} s: those breaths were deeper",
                              count, 100 * part, first),
       .remedy = "a wider range of the sensor; what was cut off is lost"});
}

/// How long the signal rises and how often, by the breaths that a band separates.
void addBreaths(const std::vector<double>& volume, SignalReport& out) {
  const double spread = quantile(volume, 0.95) - quantile(volume, 0.05);
  const auto count = [&](double band) {
    return static_cast<int>(internal::findRises(volume, band * spread).size());
  };
  constexpr double kUsual = 0.25, kLax = 0.12, kStrict = 0.45;  // of the spread
  const std::vector<internal::Rise> rises = internal::findRises(volume, kUsual * spread);
  out.breaths = static_cast<int>(rises.size());
  out.most = std::max(out.breaths, count(kLax));
  out.fewest = std::min(out.breaths, count(kStrict));
  if (rises.size() < 2) return;
  const auto between = static_cast<double>(rises.back().peak - rises.front().peak) / kRate;
  out.ratePerMinute = 60 * static_cast<double>(rises.size() - 1) / between;
  // Troughs lie between the peaks; from there the signal rises to the next one. The middle of the
  // rise, from a tenth to nine tenths, leaves pauses at either end out.
  std::vector<double> parts;
  for (std::size_t k = 0; k + 1 < rises.size(); ++k) {
    const auto from = volume.begin() + static_cast<std::ptrdiff_t>(rises[k].peak);
    const auto to = volume.begin() + static_cast<std::ptrdiff_t>(rises[k + 1].peak);
    const auto trough = std::min_element(from, to);
    const auto between10And90 = [&](auto begin, auto end, double low, double high) {
      return static_cast<double>(std::count_if(begin, end, [&](double x) {
        return x > low + 0.1 * (high - low) && x < high - 0.1 * (high - low);
      }));
    };
    const double rise = between10And90(trough, to, *trough, *to);
    const double fall = between10And90(from, trough, *trough, *from);
    if (rise + fall > 0) parts.push_back(rise / (rise + fall));
  }
  const double part = quantile(parts, 0.5);
  if (part <= kLongestRise) return;
  out.findings.push_back(
      {.defect = SignalDefect::Polarity,
       .size = part,
       .message = fmt::format("rises for {:.0f} % of its motion, where people inhale for about "
                              "40 %: inspiration may point down (--invert)",
                              100 * part),
       .remedy = "--invert, if it does"});
}

}  // namespace

std::string_view toString(SignalDefect defect) {
  switch (defect) {
    case SignalDefect::Gap:
      return "gap";
    case SignalDefect::Step:
      return "step";
    case SignalDefect::Spikes:
      return "spikes";
    case SignalDefect::Noise:
      return "noise";
    case SignalDefect::Clipping:
      return "clipping";
    case SignalDefect::Polarity:
      break;
  }
  return "polarity";
}

const SignalFinding* SignalReport::find(SignalDefect defect) const {
  for (const SignalFinding& f : findings)
    if (f.defect == defect) return &f;
  return nullptr;
}

std::vector<Diagnostic> SignalReport::errors() const {
  std::vector<Diagnostic> out;
  for (const SignalFinding& f : findings)
    if (f.severity == Severity::Error)
      out.push_back({.field = "volume", .message = f.message, .expected = f.remedy});
  return out;
}

SignalReport inspectRecording(const io::Signals& signals, const RecordingConfig& config) {
  SignalReport report;
  // As recorded, whatever will be repaired; only gaps are bridged first, or their far ends would
  // look like steps.
  RecordingConfig asRecorded = config;
  asRecorded.robust = false;
  asRecorded.fillGaps = true;
  const RecordingSignal source = internal::readRecording(signals, asRecorded);
  addGaps(source, config, report);
  const double height = internal::breathHeight(source.values, kRate);
  const std::vector<double> volume =
      internal::volumeOf(config.robust ? internal::readRecording(signals, config) : source, config);
  if (height > 0) {
    addSteps(source.values, height, config, report);
    addSpikes(source.values, height, config, report);
    // What the other repairs would take out is no noise.
    std::vector<double> calm = source.values;
    internal::removeSpikes(calm, kRate);
    internal::removeSteps(calm, kRate);
    addNoise(calm, config, report);
    addClipping(source, signals.duration(), report);
  }
  addBreaths(volume, report);
  return report;
}

}  // namespace pneuma::breath
