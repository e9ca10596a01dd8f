#include "pneuma/body/gait_measures.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pneuma/core/check.h"

namespace pneuma::body {
namespace {

using breath::TorsoMeasures;

/// Of the stop frequency: where half of the amplitude is left, and lobes of the sinc kept on either
/// side. A Hann window of N lobes falls from pass to stop over 2 / N of the cut-off.
constexpr double kCutoff = 0.8;
constexpr double kLobes = 6.4;
constexpr double kPassed = 0.6;  // of the stop frequency: below, less than a hundredth is lost

std::vector<double> column(std::span<const TorsoMeasures> samples, double TorsoMeasures::*field) {
  std::vector<double> values;
  for (const TorsoMeasures& s : samples) values.push_back(s.*field);
  return values;
}

/// Mean over the cycles of what lies above the stop frequency, by phase. Bins take the samples
/// nearest to their phase, so the cycle need not be a multiple of the interval.
std::vector<double> meanCycle(std::span<const double> values, double interval, double cycle,
                              double stop) {
  const std::vector<double> low = lowPassed(values, interval, stop);
  const auto margin = static_cast<std::size_t>(std::llround(lowPassMargin(stop) / interval));
  const auto bins = static_cast<std::size_t>(std::max(4.0, std::floor(cycle / interval)));
  std::vector<double> sum(bins, 0.0), count(bins, 0.0);
  for (std::size_t i = 0; i < low.size(); ++i) {
    const double phase = std::fmod(static_cast<double>(margin + i) * interval, cycle) / cycle;
    const auto bin =
        static_cast<std::size_t>(std::llround(phase * static_cast<double>(bins))) % bins;
    sum[bin] += values[margin + i] - low[i];
    ++count[bin];
  }
  for (std::size_t b = 0; b < bins; ++b) sum[b] /= std::max(1.0, count[b]);
  return sum;
}

double range(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

/// Largest rate of a cycle, by central differences.
double fastest(const std::vector<double>& values, double cycle) {
  const std::size_t n = values.size();
  const double interval = cycle / static_cast<double>(n);
  double most = 0;
  for (std::size_t i = 0; i < n; ++i)
    most = std::max(most, std::abs(values[(i + 1) % n] - values[(i + n - 1) % n]));
  return most / (2 * interval);
}

}  // namespace

double lowPassMargin(double stop) {
  return 0.5 * kLobes / (kCutoff * stop);
}

std::vector<double> lowPassed(std::span<const double> values, double interval, double stop) {
  PNEUMA_CHECK(interval > 0 && stop > 0, "interval {}, stop {}", interval, stop);
  const auto half = static_cast<int>(std::llround(lowPassMargin(stop) / interval));
  const double cut = kCutoff * stop;
  std::vector<double> kernel;
  double sum = 0;
  for (int k = -half; k <= half; ++k) {
    const double x = 2 * std::numbers::pi * cut * k * interval;
    const double window = 0.5 + 0.5 * std::cos(std::numbers::pi * k / (half + 1));
    kernel.push_back(window * (k == 0 ? 1 : std::sin(x) / x));
    sum += kernel.back();
  }
  std::vector<double> low;
  for (std::size_t i = 0; i + kernel.size() <= values.size(); ++i) {
    double value = 0;
    for (std::size_t k = 0; k < kernel.size(); ++k) value += kernel[k] * values[i + k];
    low.push_back(value / sum);
  }
  return low;
}

std::optional<GaitMeasures> measureGait(std::span<const TorsoMeasures> samples, double cycle,
                                        double settled, double period) {
  if (samples.size() < 3 || cycle <= 0) return std::nullopt;
  GaitMeasures gait;
  gait.stepRate = 2 / cycle;
  const double interval = samples[1].time - samples[0].time, stop = 0.5 * gait.stepRate;
  const double end = samples.back().time - lowPassMargin(stop);
  const double begin = std::max(settled, samples.front().time + lowPassMargin(stop));
  if (end - begin < std::max(2 * cycle, 1.5 * period)) return std::nullopt;
  if (period > 0 && 1 / period > kPassed * stop) return std::nullopt;

  // The breath: cycles of the low-passed volume, found as in a body that stands.
  const std::vector<double> volumes = column(samples, &TorsoMeasures::lungVolume);
  const std::vector<double> low = lowPassed(volumes, interval, stop);
  const auto margin = static_cast<std::size_t>(std::llround(lowPassMargin(stop) / interval));
  std::vector<TorsoMeasures> breath(low.size());
  for (std::size_t i = 0; i < low.size(); ++i) {
    breath[i].time = samples[margin + i].time;
    breath[i].lungVolume = low[i];
    breath[i].gutVolume = samples[margin + i].gutVolume;
  }
  const breath::BreathSummary cycles =
      breath::summarize(low.front(), breath.front().gutVolume, breath, settled);
  gait.tidalVolume = cycles.tidalVolume;
  gait.breathsPerMinute = cycles.breathsPerMinute;

  // The steps.
  const std::vector<double> lungs = meanCycle(volumes, interval, cycle, stop);
  gait.stepVolume = range(lungs);
  gait.stepFlow =
      fastest(meanCycle(column(samples, &TorsoMeasures::gas), interval, cycle, stop), cycle);
  const auto swing = [&](double TorsoMeasures::*field) {
    return range(meanCycle(column(samples, field), interval, cycle, stop));
  };
  gait.stepGutPressure = swing(&TorsoMeasures::gutPressure);
  gait.stepBelly = swing(&TorsoMeasures::belly);
  return gait;
}

}  // namespace pneuma::body
