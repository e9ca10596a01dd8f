#include "stage/gait_share.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"

namespace pneuma::stage::internal {
namespace {

constexpr double kFewestCycles = 3;
constexpr double kLocked = 0.03;  // of a cycle
constexpr std::size_t kGaitGrain = 256;

/// Places of the frames in a gait.
struct Phases {
  std::size_t bins = 0;
  std::vector<double> place;        // of each frame in the bins, 0 .. bins
  std::size_t window = 0;           // frames in a cycle
  std::size_t first = 0, last = 0;  // frames that count
};

Phases phasesOf(std::span<const double> times, double cycle) {
  Phases p;
  const double interval = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  p.window = static_cast<std::size_t>(std::lround(cycle / interval));
  p.bins = std::max<std::size_t>(4, p.window);
  for (const double t : times) {
    const double turns = (t - times.front()) / cycle;
    p.place.push_back((turns - std::floor(turns)) * static_cast<double>(p.bins));
  }
  p.first = p.window / 2 + 1;
  p.last = times.size() > p.first ? times.size() - p.first : 0;
  return p;
}

/// What repeats of one point, per bin.
std::vector<Vec3> repeatedPart(const Phases& p, const std::vector<std::vector<Vec3>>& frames,
                               std::size_t v) {
  std::vector<Vec3> sum(p.bins, Vec3::Zero());
  std::vector<double> weight(p.bins, 0.0);
  const std::size_t half = p.window / 2;
  // A window of an even number of frames counts both of its ends by half.
  const bool even = p.window % 2 == 0;
  for (std::size_t k = p.first; k < p.last; ++k) {
    Vec3 mean = Vec3::Zero();
    for (std::size_t i = k - half; i <= k + half; ++i)
      mean += (even && (i == k - half || i == k + half) ? 0.5 : 1.0) * frames[i][v];
    const Vec3 high = frames[k][v] - mean / static_cast<double>(p.window);
    const auto bin = static_cast<std::size_t>(p.place[k]) % p.bins;
    const double share = p.place[k] - std::floor(p.place[k]);
    sum[bin] += (1 - share) * high;
    weight[bin] += 1 - share;
    sum[(bin + 1) % p.bins] += share * high;
    weight[(bin + 1) % p.bins] += share;
  }
  for (std::size_t b = 0; b < p.bins; ++b)
    if (weight[b] > 0) sum[b] /= weight[b];
  return sum;
}

}  // namespace

bool isLocked(double loopSeconds, double cycle) {
  const double turns = loopSeconds / cycle;
  return std::abs(turns - std::round(turns)) < kLocked;
}

void removeGait(std::span<const double> times, double cycle,
                std::vector<std::vector<Vec3>>& frames) {
  PNEUMA_CHECK(times.size() == frames.size() && cycle > 0);
  if (times.size() < 2 || times.back() - times.front() < (kFewestCycles + 1) * cycle) return;
  const Phases p = phasesOf(times, cycle);
  if (p.window < 4) return;  // too few frames to know a gait
  parallelFor(frames[0].size(), kGaitGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const std::vector<Vec3> part = repeatedPart(p, frames, v);
      for (std::size_t k = 0; k < frames.size(); ++k) {
        const auto bin = static_cast<std::size_t>(p.place[k]) % p.bins;
        const double share = p.place[k] - std::floor(p.place[k]);
        frames[k][v] -= (1 - share) * part[bin] + share * part[(bin + 1) % p.bins];
      }
    }
  });
}

}  // namespace pneuma::stage::internal
