#include "pneuma/fit/five_ends.h"

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"

namespace pneuma::fit {
namespace {

constexpr int kSamples = 60;           // from which the middle is found
constexpr double kEndRadius = 0.25;    // of the largest distance: fingers of one hand lie within it
constexpr double kFarEnough = 0.35;    // of the largest distance: nearer points are no limbs
constexpr std::size_t kMostEnds = 12;  // that are tried
constexpr double kMostAsymmetry = 0.15;
constexpr double kMostOffPlane = 0.45;  // of the head from the plane of hands and feet
constexpr double kClearly = 3;          // times the asymmetry of the best pairing

[[noreturn]] void askForLandmarks(const std::string& message) {
  throw InputError(Diagnostic{
      .subject = "character",
      .message = message,
      .expected = "a human body with head, two hands and two feet apart from each other; or "
                  "--landmarks points.csv that says where they are"});
}

/// Vertices at equal steps of the area.
std::vector<std::int32_t> evenSamples(const TriangleMesh& mesh) {
  std::vector<std::int32_t> samples;
  const double step = surfaceArea(mesh) / kSamples;
  double sum = 0.5 * step;
  for (const Triangle& t : mesh.triangles) {
    sum +=
        triangleArea(mesh.positions[at(t[0])], mesh.positions[at(t[1])], mesh.positions[at(t[2])]);
    if (sum >= step) samples.push_back(t[0]), sum -= step;
  }
  return samples;
}

std::int32_t middleOf(const TriangleMesh& mesh, const SurfaceGraph& graph) {
  const std::vector<std::int32_t> samples = evenSamples(mesh);
  std::vector<std::vector<double>> from(samples.size());
  parallelFor(samples.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) from[i] = graph.distances(samples[i]);
  });
  std::vector<double> sum(graph.size(), 0);
  for (const std::vector<double>& d : from)
    for (std::size_t v = 0; v < d.size(); ++v) sum[v] += d[v];
  return static_cast<std::int32_t>(std::ranges::min_element(sum) - sum.begin());
}

/// Distances between all ends.
using Ways = std::vector<std::vector<double>>;

struct Pairing {
  std::size_t head;
  std::array<std::size_t, 4> ends;  // a, a', b, b'
  double asymmetry;
};

/// How unlike its mirror image a pairing is. Left and right of the two pairs may be crossed.
double asymmetryOf(const Ways& d, std::size_t head, const std::array<std::size_t, 4>& e) {
  const double head1 = std::abs(d[head][e[0]] - d[head][e[1]]);
  const double head2 = std::abs(d[head][e[2]] - d[head][e[3]]);
  const double same = std::abs(d[e[0]][e[2]] - d[e[1]][e[3]]);
  const double cross = std::abs(d[e[0]][e[3]] - d[e[1]][e[2]]);
  double longest = 0;
  for (const std::size_t i : e) longest = std::max(longest, d[head][i]);
  return (head1 + head2 + same + cross) / longest;
}

/// All ways to choose a head and two pairs, best first.
std::vector<Pairing> pairings(const Ways& d) {
  std::vector<Pairing> all;
  const std::size_t n = d.size();
  for (std::size_t head = 0; head < n; ++head) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < n; ++i)
      if (i != head) others.push_back(i);
    constexpr std::array<std::array<std::size_t, 4>, 3> kPairs{
        {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}}};
    for (const auto& p : kPairs) {
      const std::array<std::size_t, 4> ends{others[p[0]], others[p[1]], others[p[2]], others[p[3]]};
      all.push_back({head, ends, asymmetryOf(d, head, ends)});
    }
  }
  std::ranges::stable_sort(all, {}, &Pairing::asymmetry);
  return all;
}

/// Centre of what lies around a limb at a distance from its end.
Vec3 bandCentre(const TriangleMesh& mesh, const std::vector<double>& d, double low, double high) {
  Vec3 sum = Vec3::Zero();
  double count = 0;
  for (std::size_t v = 0; v < d.size(); ++v)
    if (d[v] >= low && d[v] < high) sum += mesh.positions[v], count += 1;
  return count > 0 ? Vec3(sum / count) : Vec3::Zero();
}

/// The nearest axis of the file when it lies within 25 degrees.
Vec3 snapped(const Vec3& direction) {
  constexpr double kSnap = 0.9063;  // cosine of 25 degrees
  Eigen::Index axis = 0;
  const double most = direction.cwiseAbs().maxCoeff(&axis);
  if (most < kSnap) return direction;
  Vec3 exact = Vec3::Zero();
  exact[axis] = direction[axis] > 0 ? 1 : -1;
  return exact;
}

/// How far the head lies from the plane through hands and feet, over its distance from the feet.
/// People who stand with arms down, out or up have it near 0, four-legged things near 1.
double headOffPlane(const TriangleMesh& mesh, const FiveEnds& ends) {
  Vec3 middle = Vec3::Zero();
  std::array<Vec3, 4> limbs;
  for (std::size_t k = 0; k < 2; ++k) {
    limbs[k] = mesh.positions[at(ends.hands[k])];
    limbs[2 + k] = mesh.positions[at(ends.feet[k])];
  }
  for (const Vec3& p : limbs) middle += 0.25 * p;
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : limbs) spread += (p - middle) * (p - middle).transpose();
  const Vec3 normal = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors().col(0);
  const Vec3 head = mesh.positions[at(ends.head)];
  return std::abs(normal.dot(head - middle)) / (head - 0.5 * (limbs[2] + limbs[3])).norm();
}

}  // namespace

std::vector<std::int32_t> findEnds(const TriangleMesh& mesh, const SurfaceGraph& graph) {
  const std::vector<double> d = graph.distances(middleOf(mesh, graph));
  double largest = 0;
  for (const double x : d)
    if (std::isfinite(x)) largest = std::max(largest, x);
  // First vertices above all their neighbours, then those above all within the radius.
  std::vector<std::int32_t> peaks;
  for (std::int32_t v = 0; at(v) < d.size(); ++v) {
    if (!std::isfinite(d[at(v)]) || d[at(v)] < kFarEnough * largest) continue;
    if (std::ranges::all_of(graph.neighbours(v), [&](std::int32_t n) {
          return d[at(n)] < d[at(v)] || (d[at(n)] == d[at(v)] && n > v);
        }))
      peaks.push_back(v);
  }
  std::vector<std::int32_t> ends;
  for (const std::int32_t v : peaks) {
    const std::vector<double> near = graph.distances({&v, 1}, kEndRadius * largest);
    if (std::ranges::none_of(peaks, [&](std::int32_t other) {
          return std::isfinite(near[at(other)]) &&
                 (d[at(other)] > d[at(v)] || (d[at(other)] == d[at(v)] && other < v));
        }))
      ends.push_back(v);
  }
  std::ranges::sort(ends, [&](auto a, auto b) { return d[at(a)] > d[at(b)]; });
  if (ends.size() > kMostEnds) ends.resize(kMostEnds);
  return ends;
}

FiveEnds pairEnds(const std::vector<std::int32_t>& ends, const SurfaceGraph& graph) {
  if (ends.size() < 5)
    askForLandmarks(fmt::format("has {} ends where a person has five", ends.size()));
  Ways all;
  for (const std::int32_t e : ends) {
    const std::vector<double> d = graph.distances(e);
    std::vector<double>& row = all.emplace_back();
    for (const std::int32_t other : ends) row.push_back(d[at(other)]);
  }
  // The five that lie farthest from one another.
  std::vector<std::size_t> chosen{0};
  while (chosen.size() < 5) {
    std::size_t best = 0;
    double farthest = -1;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      double nearest = std::numeric_limits<double>::infinity();
      for (const std::size_t c : chosen) nearest = std::min(nearest, all[i][c]);
      if (nearest > farthest) farthest = nearest, best = i;
    }
    chosen.push_back(best);
  }
  Ways d;
  for (const std::size_t i : chosen) {
    std::vector<double>& row = d.emplace_back();
    for (const std::size_t j : chosen) row.push_back(all[i][j]);
  }
  const std::vector<Pairing> sorted = pairings(d);
  const Pairing& best = sorted.front();
  FiveEnds found{.asymmetry = best.asymmetry, .secondBest = sorted[1].asymmetry};
  if (found.asymmetry > kMostAsymmetry)
    askForLandmarks(fmt::format(
        "has five ends that do not pair as hands and feet (asymmetry {:.2f})", found.asymmetry));
  if (found.secondBest < kClearly * found.asymmetry)
    askForLandmarks(fmt::format("has five ends that pair in two ways (asymmetry {:.3f} and {:.3f})",
                                found.asymmetry, found.secondBest));
  std::array<std::size_t, 4> e = best.ends;
  if (d[best.head][e[0]] + d[best.head][e[1]] > d[best.head][e[2]] + d[best.head][e[3]])
    e = {e[2], e[3], e[0], e[1]};
  // A hand is nearer to the foot of its own side.
  if (d[e[0]][e[2]] + d[e[1]][e[3]] > d[e[0]][e[3]] + d[e[1]][e[2]]) std::swap(e[2], e[3]);
  const auto vertex = [&](std::size_t i) { return ends[chosen[i]]; };
  found.head = vertex(best.head);
  found.hands = {vertex(e[0]), vertex(e[1])};
  found.feet = {vertex(e[2]), vertex(e[3])};
  return found;
}

BodyFrame findFrame(const TriangleMesh& mesh, const SurfaceGraph& graph, FiveEnds& ends,
                    bool sidesKnown) {
  if (const double off = headOffPlane(mesh, ends); !sidesKnown && off > kMostOffPlane)
    askForLandmarks(
        fmt::format("has its head {:.2f} of its height away from the plane of hands and feet, as "
                    "things on four "
                    "legs have",
                    off));
  const auto place = [&](std::int32_t v) { return mesh.positions[at(v)]; };
  const Vec3 feet = 0.5 * (place(ends.feet[0]) + place(ends.feet[1]));
  const Vec3 up = snapped((place(ends.head) - feet).normalized());
  const double height = (place(ends.head) - feet).dot(up);
  Vec3 side = (place(ends.hands[0]) - place(ends.hands[1])) +
              0.3 * (place(ends.feet[0]) - place(ends.feet[1]));
  side = (side - side.dot(up) * up).normalized();
  // Toes reach before the ankles, which lie a seventh of the height up the leg.
  Vec3 reach = Vec3::Zero();
  for (const std::int32_t foot : ends.feet) {
    const std::vector<double> d = graph.distances({&foot, 1}, 0.3 * height);
    reach += place(foot) - bandCentre(mesh, d, 0.16 * height, 0.20 * height);
  }
  Vec3 front = side.cross(up);
  if (!sidesKnown && front.dot(reach) < 0) {
    front = -front;
    std::swap(ends.hands[0], ends.hands[1]);
    std::swap(ends.feet[0], ends.feet[1]);
  }
  front = snapped(front);
  front = (front - front.dot(up) * up).normalized();
  BodyFrame frame;
  frame.rotation.row(0) = up.cross(front).transpose();
  frame.rotation.row(1) = up.transpose();
  frame.rotation.row(2) = front.transpose();
  return frame;
}

FileUnit guessUnit(double h) {
  struct Choice {
    const char* name;
    double metres, least, most;
  };
  // Adults in inches (48 to 100) come before small children in centimetres.
  constexpr std::array<Choice, 5> kChoices{{{"m", 1, 0.4, 2.6},
                                            {"ft", 0.3048, 4, 8.5},
                                            {"in", 0.0254, 48, 100},
                                            {"cm", 0.01, 100, 260},
                                            {"mm", 0.001, 400, 2600}}};
  for (const Choice& c : kChoices)
    if (h >= c.least && h <= c.most) return {c.name, c.metres};
  throw InputError(Diagnostic{
      .subject = "character",
      .message =
          fmt::format("is {:.4g} units high, which is no person's height in m, cm, mm, in, ft", h),
      .expected = "--height in metres"});
}

}  // namespace pneuma::fit
