#include "breath/drive/signal_repair.h"

#include <algorithm>
#include <cmath>

#include "breath/drive/rises.h"
#include "core/quantile.h"

namespace pneuma::breath::internal {
namespace {

using pneuma::internal::quantile;

constexpr double kHeightWindow = 6;      // holds a breath of anyone awake [s]
constexpr double kMedianWindow = 0.3;    // against which an outlier stands out [s]
constexpr double kLongestSpike = 0.125;  // [s]
// A spike passes half a breath, and eight deviations of what is left beside the median.
constexpr double kSpikeHeight = 0.5, kSpikeDeviations = 8;
constexpr double kDeviationOfMedian = 1.4826;  // standard deviation over median deviation (normal)
// A step passes 0.7 of a breath within a fifth of a second, and at least 0.6 of it stays.
constexpr double kStepTime = 0.2, kStepHeight = 0.7, kStepStays = 0.6;

std::size_t samplesOf(double seconds, double rate) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(seconds * rate)));
}

double meanOf(const std::vector<double>& v, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += v[i];
  return sum / static_cast<double>(end - begin);
}

/// How far the baseline differs behind i from before it, over whole windows.
double shiftAt(const std::vector<double>& v, std::size_t i, std::size_t window) {
  const std::size_t before = std::min(window, i), behind = std::min(window, v.size() - i);
  return meanOf(v, i, i + behind) - meanOf(v, i - before, i);
}

/// Samples of one breath around a place: the median distance of peaks in a minute beside it.
std::size_t periodIn(const std::vector<double>& v, std::size_t begin, std::size_t end,
                     double rate) {
  const std::vector<double> part(v.begin() + static_cast<std::ptrdiff_t>(begin),
                                 v.begin() + static_cast<std::ptrdiff_t>(end));
  const std::vector<Rise> rises = findRises(part, 0.3 * breathHeight(part, rate));
  std::vector<double> distances;
  for (std::size_t k = 0; k + 1 < rises.size(); ++k)
    distances.push_back(static_cast<double>(rises[k + 1].peak - rises[k].peak));
  return distances.empty() ? part.size() : static_cast<std::size_t>(quantile(distances, 0.5));
}

}  // namespace

std::vector<SignalGap> findGaps(const std::vector<double>& times) {
  constexpr double kShortest = 0.5, kOverStep = 5;  // [s], of the usual step
  std::vector<double> steps;
  for (std::size_t i = 0; i + 1 < times.size(); ++i) steps.push_back(times[i + 1] - times[i]);
  std::vector<SignalGap> gaps;
  if (steps.empty()) return gaps;
  const double least = std::max(kShortest, kOverStep * quantile(steps, 0.5));
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i] >= least) gaps.push_back({times[i], times[i + 1]});
  return gaps;
}

std::vector<double> movingMedian(const std::vector<double>& v, double seconds, double rate) {
  const std::size_t half = samplesOf(0.5 * seconds, rate);
  std::vector<double> out(v.size());
  std::vector<double> window;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const std::size_t reach = std::min({half, i, v.size() - 1 - i});
    window.assign(v.begin() + static_cast<std::ptrdiff_t>(i - reach),
                  v.begin() + static_cast<std::ptrdiff_t>(i + reach + 1));
    const auto middle = window.begin() + static_cast<std::ptrdiff_t>(reach);
    std::nth_element(window.begin(), middle, window.end());
    out[i] = *middle;
  }
  return out;
}

double breathHeight(const std::vector<double>& v, double rate) {
  const std::size_t window = std::min(samplesOf(kHeightWindow, rate), v.size());
  const std::vector<double> calm = movingMedian(v, kMedianWindow, rate);
  std::vector<double> ranges;
  for (std::size_t i = 0; i + window <= v.size(); i += samplesOf(1, rate)) {
    const auto [low, high] =
        std::minmax_element(calm.begin() + static_cast<std::ptrdiff_t>(i),
                            calm.begin() + static_cast<std::ptrdiff_t>(i + window));
    ranges.push_back(*high - *low);
  }
  return ranges.empty() ? 0 : quantile(ranges, 0.5);
}

std::vector<std::size_t> findSpikes(const std::vector<double>& v, double rate) {
  const std::vector<double> calm = movingMedian(v, kMedianWindow, rate);
  std::vector<double> beside(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) beside[i] = std::abs(v[i] - calm[i]);
  const double least = std::max(kSpikeHeight * breathHeight(v, rate),
                                kSpikeDeviations * kDeviationOfMedian * quantile(beside, 0.5));
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < v.size();) {
    std::size_t end = i;
    while (end < v.size() && beside[end] > least) ++end;
    const auto length = static_cast<double>(end - i) / rate;
    if (end > i && length <= kLongestSpike)
      for (std::size_t k = i; k < end; ++k) places.push_back(k);
    i = std::max(end, i + 1);
  }
  return places;
}

void removeSpikes(std::vector<double>& v, double rate) {
  const std::vector<double> calm = movingMedian(v, kMedianWindow, rate);
  for (const std::size_t i : findSpikes(v, rate)) v[i] = calm[i];
}

/// Candidates are local maxima of the jump; each must last.
std::vector<SignalStep> findSteps(const std::vector<double>& v, double rate) {
  const std::size_t half = samplesOf(0.5 * kStepTime, rate);
  const std::size_t window = samplesOf(kHeightWindow, rate);
  const std::vector<double> calm = movingMedian(v, kMedianWindow, rate);
  const double least = kStepHeight * breathHeight(v, rate);
  std::vector<SignalStep> steps;
  for (std::size_t i = half; i + half < v.size(); ++i) {
    const auto jump = [&](std::size_t k) { return calm[k + half] - calm[k - half]; };
    if (std::abs(jump(i)) <= least) continue;
    std::size_t best = i;  // the middle of the stretch that jumps
    while (i + half + 1 < v.size() && std::abs(jump(i + 1)) > least) {
      ++i;
      if (std::abs(jump(i)) > std::abs(jump(best))) best = i;
    }
    const double stays = shiftAt(calm, best, window);
    if (std::abs(stays) >= kStepStays * std::abs(jump(best)) && stays * jump(best) > 0)
      steps.push_back({best, stays});
  }
  return steps;
}

void removeSteps(std::vector<double>& v, double rate) {
  for (const SignalStep& s : findSteps(v, rate))
    for (std::size_t i = s.at; i < v.size(); ++i) v[i] -= s.size;
}

void fillGap(std::vector<double>& v, std::size_t begin, std::size_t end, double rate) {
  constexpr double kBeside = 60;  // of which the period is taken [s]
  const std::size_t beside = samplesOf(kBeside, rate);
  const bool before = begin >= v.size() - end;
  std::size_t period = 0;
  if (before)
    period = periodIn(v, begin > beside ? begin - beside : 0, begin, rate);
  else
    period = periodIn(v, end, std::min(v.size(), end + beside), rate);
  period = std::max<std::size_t>(1, std::min(period, before ? begin : v.size() - end));
  if (before)
    for (std::size_t i = begin; i < end; ++i) v[i] = v[i - period];
  else
    for (std::size_t i = end; i-- > begin;) v[i] = v[i + period];
  // What the repeated breath misses at the far end is spread over the gap.
  const std::size_t last = before ? end : begin;
  if (last == 0 || last >= v.size()) return;
  const double miss = before ? v[end] - v[end - 1] : v[begin - 1] - v[begin];
  const auto length = static_cast<double>(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const double along = (static_cast<double>(i - begin) + 1) / length;
    v[i] += miss * (before ? along : 1 - along + 1 / length);
  }
}

}  // namespace pneuma::breath::internal
