#include "fit/hand_fingers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "pneuma/core/index.h"
#include "pneuma/fit/clean_surface.h"
#include "pneuma/fit/surface_graph.h"

namespace pneuma::fit::internal {
namespace {

// Shares of the hand's length.
constexpr double kFinestEdge = 0.02;  // so fine is a hand cut
constexpr double kFarthest = 2;       // from where it is cut off
constexpr double kBehind = 0.4;       // the wrist, where it is cut off at first
constexpr double kLeastFinger = 0.08;
constexpr double kSectionStep = 0.015;  // from section to section
constexpr double kShortest = 0.2;       // of the longest finger: a stump is no finger
constexpr int kSmoothings = 2;          // of a finger's line

/// What lies beyond a place of the arm, not far, and hangs together with the hand's end.
TriangleMesh handBeyond(const TriangleMesh& body, const Vec3& wrist, const Vec3& end) {
  const Vec3 along = end - wrist;
  const auto beyond = [&](std::int32_t v) {
    const Vec3 way = body.positions[at(v)] - wrist;
    return along.dot(way) > 0 && way.norm() < kFarthest * along.norm();
  };
  std::vector<std::vector<std::int32_t>> neighbours(body.vertexCount());
  for (const Triangle& t : body.triangles)
    for (std::size_t k = 0; k < 3; ++k) neighbours[at(t[k])].push_back(t[(k + 1) % 3]);
  const auto nearest =
      std::ranges::min_element(body.positions, {}, [&](const Vec3& p) { return (p - end).norm(); });
  std::vector<std::int32_t> number(body.vertexCount(), -1),
      found{static_cast<std::int32_t>(nearest - body.positions.begin())};
  number[at(found[0])] = 0;
  TriangleMesh hand;
  for (std::size_t k = 0; k < found.size(); ++k) {
    hand.positions.push_back(body.positions[at(found[k])]);
    for (const std::int32_t u : neighbours[at(found[k])])
      if (number[at(u)] < 0 && beyond(u))
        number[at(u)] = static_cast<std::int32_t>(found.size()), found.push_back(u);
  }
  for (const Triangle& t : body.triangles)
    if (std::ranges::all_of(t, [&](std::int32_t v) { return number[at(v)] >= 0; }))
      hand.triangles.push_back({number[at(t[0])], number[at(t[1])], number[at(t[2])]});
  return hand;
}

/// Vertices at the cut through the wrist.
std::vector<std::int32_t> rimOf(const TriangleMesh& hand) {
  std::map<std::pair<std::int32_t, std::int32_t>, int> sides;
  for (const Triangle& t : hand.triangles)
    for (std::size_t k = 0; k < 3; ++k) ++sides[std::minmax(t[k], t[(k + 1) % 3])];
  std::vector<std::int32_t> rim;
  for (const auto& [edge, count] : sides)
    if (count == 1) rim.push_back(edge.first), rim.push_back(edge.second);
  std::ranges::sort(rim);
  rim.erase(std::ranges::unique(rim).begin(), rim.end());
  return rim;
}

/// Sets of vertices that grow together.
class Sets {
 public:
  explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  std::int32_t of(std::int32_t v) {
    while (parent_[at(v)] != v) v = parent_[at(v)] = parent_[at(parent_[at(v)])];
    return v;
  }
  /// The set of `v` becomes part of that of `into`.
  void join(std::int32_t v, std::int32_t into) { parent_[at(of(v))] = of(into); }

 private:
  std::vector<std::int32_t> parent_;
};

/// A peak of the way from the wrist, and the saddle where it first meets another.
struct Peak {
  std::int32_t tip = 0, saddle = -1;
};

/// Vertices in falling order of height; each meets the sets of its higher neighbours:
/// met(vertex, set of one, set of another), before both become one.
template <class Met>
void flood(const SurfaceGraph& graph, const std::vector<double>& height, Sets& sets, Met&& met) {
  std::vector<std::int32_t> order;
  for (std::size_t v = 0; v < height.size(); ++v)
    if (std::isfinite(height[v])) order.push_back(static_cast<std::int32_t>(v));
  std::ranges::stable_sort(order, std::greater<>(), [&](std::int32_t v) { return height[at(v)]; });
  std::vector<bool> flooded(height.size(), false);
  for (const std::int32_t v : order) {
    flooded[at(v)] = true;
    for (const std::int32_t u : graph.neighbours(v)) {
      if (!flooded[at(u)] || sets.of(u) == sets.of(v)) continue;
      met(v, sets.of(v), sets.of(u));
    }
  }
}

/// Peaks that stand at least `least` above where they meet a higher one, with their saddles.
std::vector<Peak> peaksOf(const SurfaceGraph& graph, const std::vector<double>& height,
                          double least) {
  const std::size_t n = height.size();
  std::vector<std::int32_t> top(n);
  std::iota(top.begin(), top.end(), 0);
  std::vector<Peak> peaks;
  Sets first(n);
  std::int32_t highest = 0;
  flood(graph, height, first, [&](std::int32_t v, std::int32_t a, std::int32_t b) {
    if (height[at(top[at(a)])] > height[at(top[at(b)])]) std::swap(a, b);
    if (height[at(top[at(a)])] - height[at(v)] >= least) peaks.push_back({top[at(a)]});
    first.join(a, b);
    highest = top[at(b)];
  });
  peaks.push_back({highest});
  // Again, with the peaks that count alone: where each meets another, higher or not.
  std::vector<std::vector<std::size_t>> holds(n);
  for (std::size_t k = 0; k < peaks.size(); ++k) holds[at(peaks[k].tip)].push_back(k);
  Sets second(n);
  flood(graph, height, second, [&](std::int32_t v, std::int32_t a, std::int32_t b) {
    if (!holds[at(a)].empty() && !holds[at(b)].empty())
      for (const std::int32_t set : {a, b})
        if (holds[at(set)].size() == 1 && peaks[holds[at(set)][0]].saddle < 0)
          peaks[holds[at(set)][0]].saddle = v;
    second.join(a, b);
    for (const std::size_t k : holds[at(a)]) holds[at(b)].push_back(k);
  });
  return peaks;
}

/// Middle and mean radius of the curve of equal height on a surface.
struct Section {
  Vec3 middle = Vec3::Zero();
  double radius = 0, length = 0;
};

Section sectionAt(const TriangleMesh& mesh, const std::vector<double>& height, double level) {
  std::vector<std::array<Vec3, 2>> pieces;
  for (const Triangle& t : mesh.triangles) {
    std::array<Vec3, 2> ends;
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t i = at(t[k]), j = at(t[(k + 1) % 3]);
      if ((height[i] < level) == (height[j] < level)) continue;
      const double share = (level - height[i]) / (height[j] - height[i]);
      ends[count++] = mesh.positions[i] + share * (mesh.positions[j] - mesh.positions[i]);
    }
    if (count == 2) pieces.push_back(ends);
  }
  Section s;
  for (const auto& [a, b] : pieces) {
    const double length = (b - a).norm();
    s.middle += length * 0.5 * (a + b), s.length += length;
  }
  if (s.length <= 0) return s;
  s.middle /= s.length;
  for (const auto& [a, b] : pieces)
    s.radius += (b - a).norm() / s.length * (0.5 * (a + b) - s.middle).norm();
  return s;
}

/// A finger from its tip to its saddle.
Finger fingerOf(const TriangleMesh& hand, const SurfaceGraph& graph, const Peak& peak,
                double length) {
  const std::vector<double> way = graph.distances(peak.tip);
  Finger finger{.line = {hand.positions[at(peak.tip)]}};
  const double whole = way[at(peak.saddle)], step = kSectionStep * length;
  double count = 0;
  for (double w = step; w < whole; w += step) {
    const Section s = sectionAt(hand, way, w);
    if (s.length <= 0) continue;
    finger.line.push_back(s.middle);
    finger.radius += s.radius, count += 1;
  }
  finger.radius /= std::max(count, 1.0);
  for (int round = 0; round < kSmoothings; ++round) {
    const std::vector<Vec3> before = finger.line;
    for (std::size_t i = 1; i + 1 < before.size(); ++i)
      finger.line[i] = 0.25 * before[i - 1] + 0.5 * before[i] + 0.25 * before[i + 1];
  }
  return finger;
}

double fingerLength(const Finger& f) {
  double sum = 0;
  for (std::size_t i = 1; i < f.line.size(); ++i) sum += (f.line[i] - f.line[i - 1]).norm();
  return sum;
}

}  // namespace

std::optional<Fingers> findFingers(const TriangleMesh& body, const Vec3& wrist, const Vec3& end) {
  const double length = (end - wrist).norm();
  // Cut twice: the triangles of a coarse mesh would leave a ragged rim, here near, there far.
  const Vec3 before = wrist - kBehind * (end - wrist);
  const TriangleMesh hand =
      handBeyond(splitLongEdges(handBeyond(body, before, end), kFinestEdge * length), wrist, end);
  const std::vector<std::int32_t> rim = rimOf(hand);
  if (rim.empty()) return {};
  const SurfaceGraph graph(hand);
  const std::vector<double> way = graph.distances(rim);
  std::vector<Peak> peaks = peaksOf(graph, way, kLeastFinger * length);
  if (peaks.size() != 5) return {};
  if (std::ranges::any_of(peaks, [](const Peak& p) { return p.saddle < 0; })) return {};
  std::ranges::sort(peaks, {}, [&](const Peak& p) { return way[at(p.saddle)]; });
  Fingers fingers;
  for (std::size_t k = 0; k < 5; ++k) fingers[k] = fingerOf(hand, graph, peaks[k], length);
  // The thumb is the first now; the others by how far they lie from its side.
  Vec3 bases = Vec3::Zero();
  for (std::size_t k = 1; k < 5; ++k) bases += 0.25 * fingers[k].line.back();
  const Vec3 along = (bases - wrist).normalized();
  Vec3 across = fingers[0].line.back() - bases;
  across -= along.dot(across) * along;
  std::sort(fingers.begin() + 1, fingers.end(), [&](const Finger& a, const Finger& b) {
    return across.dot(a.line.back()) > across.dot(b.line.back());
  });
  double longest = 0, shortest = 1e300;
  for (const Finger& f : fingers) {
    longest = std::max(longest, fingerLength(f));
    shortest = std::min(shortest, fingerLength(f));
  }
  if (shortest < kShortest * longest) return {};
  return fingers;
}

}  // namespace pneuma::fit::internal
