#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/core/index.h"
#include "pneuma/fit/landmarks.h"

namespace pneuma::fit {
namespace {

// All as shares of the crotch's height above the floor.
constexpr double kHollowStep = 0.004;              // from cut to cut
constexpr double kLowest = 0.40, kHighest = 0.92;  // where a knee may be
constexpr double kHollowSpan = 0.055;              // to both sides that the hollow is seen against
constexpr double kShallowest = 0.004;              // 0.007 to 0.012 on people and characters
constexpr double kNearlyAsDeep = 0.6;  // what is less deep does not count for its middle
constexpr int kLeftLeg = 3;            // of the left one, in BodyMeasures

/// The rearmost points of a leg's level cuts, from the floor up.
std::vector<double> backOf(const TriangleMesh& mesh, const std::vector<int>& labels, int leg,
                           double floor, double step, std::size_t cuts) {
  std::vector<double> back(cuts, std::numeric_limits<double>::infinity());
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = at(t[k]), b = at(t[(k + 1) % 3]);
      if (labels[a] != leg || labels[b] != leg) continue;
      const Vec3 &low = mesh.positions[a], &high = mesh.positions[b];
      if (low.y() >= high.y()) continue;  // its other triangle has it the other way round
      const auto cut = [&](const Vec3& p) { return std::ceil((p.y() - floor) / step); };
      for (auto c = static_cast<std::size_t>(std::max(0.0, cut(low)));
           c < std::min(cuts, static_cast<std::size_t>(std::max(0.0, cut(high)))); ++c) {
        const double y = floor + static_cast<double>(c) * step;
        const double share = (y - low.y()) / (high.y() - low.y());
        back[c] = std::min(back[c], std::lerp(low.z(), high.z(), share));
      }
    }
  return back;
}

/// Middle of the deepest hollow, in steps; nothing when none is deep enough.
std::optional<double> middleOfHollow(const std::vector<double>& back, std::size_t from,
                                     std::size_t to, std::size_t span, double least) {
  const auto depth = [&](std::size_t c) {
    const double d = back[c] - 0.5 * (back[c - span] + back[c + span]);
    return std::isfinite(d) ? d : 0.0;
  };
  std::size_t deepest = from;
  for (std::size_t c = from; c <= to; ++c)
    if (depth(c) > depth(deepest)) deepest = c;
  if (depth(deepest) < least) return std::nullopt;
  // The deepest cut alone jumps between a mesh's rows of vertices: the middle of what is nearly as
  // deep around it.
  const double enough = kNearlyAsDeep * depth(deepest);
  std::size_t low = deepest, high = deepest;
  while (low > from && depth(low - 1) > enough) --low;
  while (high < to && depth(high + 1) > enough) ++high;
  double sum = 0, weight = 0;
  for (std::size_t c = low; c <= high; ++c) {
    const double w = depth(c) - enough;
    sum += w * static_cast<double>(c), weight += w;
  }
  return weight > 0 ? sum / weight : static_cast<double>(deepest);
}

}  // namespace

std::array<std::optional<double>, 2> kneeHollows(const TriangleMesh& mesh, const BodyMeasures& m) {
  const double floor = m.top.y() - m.height, crotch = m.crotch.y() - floor;
  const auto steps = [](double share) { return static_cast<std::size_t>(share / kHollowStep); };
  std::array<std::optional<double>, 2> hollows;
  for (std::size_t side = 0; side < 2; ++side) {
    const std::vector<double> back = backOf(mesh, m.labels, kLeftLeg + static_cast<int>(side),
                                            floor, kHollowStep * crotch, steps(1));
    const auto middle = middleOfHollow(back, steps(kLowest), steps(kHighest), steps(kHollowSpan),
                                       kShallowest * crotch);
    if (middle) hollows[side] = *middle * kHollowStep * crotch;
  }
  return hollows;
}

}  // namespace pneuma::fit
