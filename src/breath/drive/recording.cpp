#include "pneuma/breath/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "breath/drive/recording_signal.h"
#include "breath/drive/rises.h"
#include "breath/drive/signal_repair.h"
#include "core/quantile.h"

namespace pneuma::breath {
namespace {

using pneuma::internal::quantile;

using internal::kRate;

constexpr double kRobustSmooth = 0.7;  // [s]
/// A signal that rises and falls by less than this part of its size is flat: taking out the drift
/// of a constant leaves rounding, which would be scaled up to breaths.
constexpr double kRounding = 1e-9;

/// Mean over a window around each sample, shorter at the ends.
std::vector<double> movingMean(const std::vector<double>& v, double seconds) {
  const auto half = static_cast<std::ptrdiff_t>(0.5 * seconds * kRate);
  if (half < 1) return v;
  std::vector<double> sum(v.size() + 1, 0.0);
  std::partial_sum(v.begin(), v.end(), sum.begin() + 1);
  std::vector<double> mean(v.size());
  const auto n = static_cast<std::ptrdiff_t>(v.size());
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    const std::ptrdiff_t reach = std::min({half, i, n - 1 - i});
    const auto from = static_cast<std::size_t>(i - reach),
               to = static_cast<std::size_t>(i + reach + 1);
    mean[static_cast<std::size_t>(i)] = (sum[to] - sum[from]) / static_cast<double>(to - from);
  }
  return mean;
}

void subtract(std::vector<double>& v, const std::vector<double>& w) {
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= w[i];
}

bool contains(std::string_view text, std::string_view part) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower.find(part) != std::string::npos;
}

RecordingKind resolve(RecordingKind kind, const io::SignalChannel& channel) {
  if (kind != RecordingKind::Auto) return kind;
  if (contains(channel.name, "flow")) return RecordingKind::Flow;
  if (contains(channel.name, "volume")) return RecordingKind::Volume;
  return RecordingKind::Relative;
}

/// Litres or the unit of the column to cubic metres (per second).
double unitScale(const std::string& unit) {
  if (contains(unit, "ml")) return 1e-6;
  if (contains(unit, "m3") || contains(unit, "m^3")) return 1;
  return 1e-3;
}

}  // namespace

RecordingKind parseRecordingKind(std::string_view name) {
  const std::vector<std::string> names{"auto", "volume", "flow", "relative"};
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end())
    throw InputError(Diagnostic{.field = "kind",
                                .message = fmt::format("unknown kind of recording '{}'", name),
                                .nearest = nearestName(name, names)});
  return static_cast<RecordingKind>(it - names.begin());
}

namespace internal {

RecordingSignal readRecording(const io::Signals& signals, const RecordingConfig& config) {
  if (signals.channels.empty() || signals.duration() < 2)
    throw InputError(
        Diagnostic{.field = "volume",
                   .message = fmt::format("the recording lasts {:.2f} s", signals.duration()),
                   .expected = "at least 2 s of signal"});
  // In any unit, and beyond that two samples would be a breath.
  constexpr double kMost = 1e9, kLeastRate = 1;  // [-], [Hz]
  if (signals.rate() < kLeastRate)
    throw InputError(Diagnostic{
        .field = "volume",
        .message = fmt::format("the recording has a sample every {:.3g} s", 1 / signals.rate()),
        .expected = "one every second or more"});
  const std::string name = config.column.empty() ? signals.channels.front().name : config.column;
  const io::SignalChannel& source = signals.channel(name);
  for (const double x : source.values)
    if (std::abs(x) > kMost)
      throw InputError(Diagnostic{.field = "volume",
                                  .message = fmt::format("the recording holds {:g}", x),
                                  .expected = fmt::format("values below {:g}", kMost)});
  RecordingSignal out{.kind = resolve(config.kind, source),
                      .unit = source.unit,
                      .raw = source.values,
                      .values = io::resampled(signals, kRate).channel(name).values,
                      .gaps = findGaps(signals.times)};
  const auto sampleAt = [&](double time) {
    const double i = std::round((time - signals.times.front()) * kRate);
    return std::min(static_cast<std::size_t>(std::max(0.0, i)), out.values.size() - 1);
  };
  if (config.fillGaps)
    for (const SignalGap& g : out.gaps)
      fillGap(out.values, sampleAt(g.begin) + 1, sampleAt(g.end), kRate);
  if (config.robust) {
    removeSpikes(out.values, kRate);
    removeSteps(out.values, kRate);
  }
  if (config.inverted)
    for (double& x : out.values) x = -x;
  return out;
}

std::vector<double> volumeOf(const RecordingSignal& signal, const RecordingConfig& config) {
  std::vector<double> v = signal.values;
  if (signal.kind == RecordingKind::Flow) {
    const double offset = config.calibrated ? 0 : quantile(v, 0.5);
    double sum = 0;
    for (double& x : v) x = sum += (x - offset) / kRate;
  }
  double size = 0;
  for (const double x : v) size = std::max(size, std::abs(x));
  if (config.detrendSeconds > 0) {
    const std::vector<double> drift =
        movingMean(movingMean(v, config.detrendSeconds), config.detrendSeconds);
    subtract(v, drift);
  }
  const double smooth =
      config.robust ? std::max(config.smoothSeconds, kRobustSmooth) : config.smoothSeconds;
  for (int pass = 0; pass < 2; ++pass) v = movingMean(v, smooth);
  const double spread = quantile(v, 0.95) - quantile(v, 0.05);
  if (!(spread > kRounding * size))
    throw InputError(Diagnostic{.field = "volume",
                                .message = "the recording is a flat line",
                                .expected = "a signal that rises and falls with the breath"});
  return v;
}

}  // namespace internal

VolumeTarget makeVolumeTarget(const io::Signals& signals, const RecordingConfig& config) {
  const internal::RecordingSignal source = internal::readRecording(signals, config);
  std::vector<double> v = internal::volumeOf(source, config);
  double scale = unitScale(source.unit);
  if (!config.calibrated) {
    const double spread = quantile(v, 0.95) - quantile(v, 0.05);
    std::vector<double> heights;
    for (const internal::Rise& r : internal::findRises(v, 0.25 * spread))
      heights.push_back(r.height);
    scale = config.tidalVolume / (heights.empty() ? spread : quantile(heights, 0.5));
  }
  // The end of a breath is the rest state.
  const double floor = quantile(v, 0.1);
  VolumeTarget target{.rate = kRate, .volumes = std::move(v)};
  std::size_t cut = 0;
  for (double& x : target.volumes) {
    const double wanted = scale * (x - floor);
    x = std::clamp(wanted, config.lowest, config.highest);
    cut += x != wanted ? 1 : 0;
  }
  target.cutOff = static_cast<double>(cut) / static_cast<double>(target.volumes.size());
  return target;
}

}  // namespace pneuma::breath
