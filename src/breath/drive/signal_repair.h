#pragma once

#include <cstddef>
#include <vector>

#include "pneuma/io/signal.h"

/// Marks and repairs of a recording at a uniform rate.
namespace pneuma::breath::internal {

/// Missing samples of a time axis.
struct SignalGap {
  double begin = 0, end = 0;  ///< [s]
};
/// Breaks of half a second or more that are far longer than the usual step.
std::vector<SignalGap> findGaps(const std::vector<double>& times);

/// A jump of the baseline between samples.
struct SignalStep {
  std::size_t at = 0;
  double size = 0;
};

/// Moving median; the window shrinks at the ends.
std::vector<double> movingMedian(const std::vector<double>& v, double seconds, double rate);

/// Median range within six seconds: the height of a breath.
double breathHeight(const std::vector<double>& v, double rate);

/// Places of outliers against the moving median, each shorter than an eighth of a second.
std::vector<std::size_t> findSpikes(const std::vector<double>& v, double rate);
/// Puts the moving median at the spikes.
void removeSpikes(std::vector<double>& v, double rate);

std::vector<SignalStep> findSteps(const std::vector<double>& v, double rate);
/// Brings all that follows a step back by it.
void removeSteps(std::vector<double>& v, double rate);

/// Fills a gap (in samples) with the breaths before it, or behind it when there are none, repeated
/// and tilted so that both ends meet.
void fillGap(std::vector<double>& v, std::size_t begin, std::size_t end, double rate);

}  // namespace pneuma::breath::internal
