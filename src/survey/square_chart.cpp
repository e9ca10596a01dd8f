#include "survey/square_chart.h"

#include <Eigen/SparseLU>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"

namespace pneuma::survey::internal {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

constexpr int kStretchRounds = 14;

/// Vertices of the boundary in order, from the lowest of the mid-plane in front over the top to the
/// lowest behind (`middle` of them), then back along the rim below.
struct ChartRim {
  std::vector<std::int32_t> vertices;
  std::size_t middle = 0;
};

ChartRim rimOf(const TriangleMesh& disc) {
  std::map<std::int32_t, std::int32_t> next;
  std::set<std::pair<std::int32_t, std::int32_t>> edges;
  for (const Triangle& t : disc.triangles)
    for (std::size_t k = 0; k < 3; ++k) edges.emplace(t[k], t[(k + 1) % 3]);
  for (const auto& [a, b] : edges)
    if (!edges.contains({b, a})) next[b] = a;
  const auto inPlane = [&](std::int32_t v) { return disc.positions[at(v)].x() == 0; };
  // Starts where the rim enters the plane, on the side of the face.
  std::vector<std::int32_t> loop;
  for (const auto& [v, to] : next)
    if (!inPlane(v) && inPlane(to) && loop.empty())
      for (std::int32_t w = to; loop.empty() || w != to; w = next.at(w)) loop.push_back(w);
  PNEUMA_CHECK(loop.size() == next.size(), "a head must have one boundary");
  std::size_t middle = 0;
  while (middle < loop.size() && inPlane(loop[middle])) ++middle;
  PNEUMA_CHECK(disc.positions[at(loop[0])].z() > disc.positions[at(loop[middle - 1])].z(),
               "the left half of a head starts at the throat and ends at the nape");
  return {loop, middle};
}

/// Lengths along the rim so far, times density.
std::vector<double> rimLengths(const TriangleMesh& disc, std::span<const double> density,
                               std::span<const std::int32_t> line) {
  std::vector<double> sum{0};
  for (std::size_t k = 1; k < line.size(); ++k)
    sum.push_back(sum.back() +
                  0.5 * (density[at(line[k])] + density[at(line[k - 1])]) *
                      (disc.positions[at(line[k])] - disc.positions[at(line[k - 1])]).norm());
  return sum;
}

void placeRim(const TriangleMesh& disc, std::span<const double> density, const ChartRim& rim,
              std::vector<Vec2>& places) {
  const std::span all(rim.vertices);
  const std::vector<double> up = rimLengths(disc, density, all.first(rim.middle));
  for (std::size_t k = 0; k < rim.middle; ++k) {
    const double s = 3 * up[k] / up.back();
    places[at(all[k])] = s <= 1 ? Vec2(0, s) : s <= 2 ? Vec2(s - 1, 1) : Vec2(1, 3 - s);
  }
  std::vector<std::int32_t> below(all.begin() + static_cast<std::ptrdiff_t>(rim.middle) - 1,
                                  all.end());
  below.push_back(all.front());
  const std::vector<double> back = rimLengths(disc, density, below);
  for (std::size_t k = 1; k + 1 < below.size(); ++k)
    places[at(below[k])] = Vec2(1 - back[k] / back.back(), 0);
  // The corners of the square are vertices: the nearest ones move there.
  for (const double corner : {1.0, 2.0}) {
    std::size_t best = 1;
    for (std::size_t k = 1; k + 1 < rim.middle; ++k)
      if (std::abs(3 * up[k] / up.back() - corner) < std::abs(3 * up[best] / up.back() - corner))
        best = k;
    places[at(all[best])] = Vec2(corner - 1, 1);
  }
}

/// Weights of each vertex's neighbours, of sum 1.
using NeighbourWeights = std::vector<std::map<std::int32_t, double>>;

/// Mean value coordinates: the tangents of half the angles beside an edge over its length.
NeighbourWeights meanValues(const TriangleMesh& disc) {
  NeighbourWeights weights(disc.vertexCount());
  for (const Triangle& t : disc.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t v = t[k], a = t[(k + 1) % 3], b = t[(k + 2) % 3];
      const Vec3 ea = disc.positions[at(a)] - disc.positions[at(v)],
                 eb = disc.positions[at(b)] - disc.positions[at(v)];
      const double half = std::tan(0.5 * std::atan2(ea.cross(eb).norm(), ea.dot(eb)));
      weights[at(v)][a] += half / ea.norm();
      weights[at(v)][b] += half / eb.norm();
    }
  return weights;
}

void solve(const NeighbourWeights& weights, const std::vector<char>& onRim,
           std::vector<Vec2>& places) {
  std::vector<int> number(places.size(), -1);
  int inner = 0;
  for (std::size_t v = 0; v < places.size(); ++v)
    if (!onRim[v]) number[v] = inner++;
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::MatrixX2d rhs = Eigen::MatrixX2d::Zero(inner, 2);
  for (std::size_t v = 0; v < places.size(); ++v) {
    if (onRim[v]) continue;
    double sum = 0;
    for (const auto& [w, weight] : weights[v]) sum += weight;
    entries.emplace_back(number[v], number[v], 1);
    for (const auto& [w, weight] : weights[v]) {
      if (onRim[at(w)])
        rhs.row(number[v]) += weight / sum * places[at(w)].transpose();
      else
        entries.emplace_back(number[v], number[at(w)], -weight / sum);
    }
  }
  Sparse matrix(inner, inner);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SparseLU<Sparse> solver(matrix);
  PNEUMA_CHECK(solver.info() == Eigen::Success, "the layout of a head has no solution");
  const Eigen::MatrixX2d found = solver.solve(rhs);
  for (std::size_t v = 0; v < places.size(); ++v)
    if (!onRim[v]) places[v] = found.row(number[v]).transpose();
}

/// Root mean square length on the surface per length in the square, of one triangle.
double stretchOf(const TriangleMesh& disc, const Triangle& t, std::span<const Vec2> places) {
  const Vec2 a = places[at(t[1])] - places[at(t[0])], b = places[at(t[2])] - places[at(t[0])];
  const Vec3 e = disc.positions[at(t[1])] - disc.positions[at(t[0])],
             f = disc.positions[at(t[2])] - disc.positions[at(t[0])];
  const double area = std::max(a.x() * b.y() - b.x() * a.y(), 1e-14);
  const Vec3 du = (b.y() * e - a.y() * f) / area, dv = (a.x() * f - b.x() * e) / area;
  return std::sqrt(0.5 * (du.squaredNorm() + dv.squaredNorm()));
}

/// Stretch at each vertex, the triangles around it weighing as their areas; and that of the whole.
std::pair<std::vector<double>, double> stretches(const TriangleMesh& disc,
                                                 std::span<const Vec2> places,
                                                 std::span<const double> density) {
  std::vector<double> sum(places.size(), 0), area(places.size(), 0);
  double total = 0;
  for (const Triangle& t : disc.triangles) {
    const double s = stretchOf(disc, t, places);
    const double size =
        triangleArea(disc.positions[at(t[0])], disc.positions[at(t[1])], disc.positions[at(t[2])]);
    for (const std::int32_t v : t) {
      sum[at(v)] += size * s * s * density[at(v)] * density[at(v)], area[at(v)] += size;
      total += size * s * s * density[at(v)] * density[at(v)];
    }
  }
  for (std::size_t v = 0; v < sum.size(); ++v) sum[v] = std::sqrt(sum[v] / area[v]);
  return {sum, total};
}

}  // namespace

std::vector<Vec2> squareChart(const TriangleMesh& disc, std::span<const double> density) {
  const ChartRim rim = rimOf(disc);
  std::vector<Vec2> places(disc.vertexCount(), Vec2::Zero());
  std::vector<char> onRim(disc.vertexCount(), 0);
  for (const std::int32_t v : rim.vertices) onRim[at(v)] = 1;
  placeRim(disc, density, rim, places);
  NeighbourWeights weights = meanValues(disc);
  std::vector<Vec2> best;
  double least = 1e300;
  for (int round = 0; round < kStretchRounds; ++round) {
    solve(weights, onRim, places);
    const auto [stretch, total] = stretches(disc, places, density);
    if (total < least) least = total, best = places;
    for (auto& around : weights)
      for (auto& [w, weight] : around) weight /= stretch[at(w)];
  }
  return best;
}

std::vector<ChartNode> chartNodes(const TriangleMesh& disc, std::span<const Vec2> places,
                                  int size) {
  const double step = 1.0 / (size - 1);
  std::vector<ChartNode> nodes(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  std::vector<double> best(nodes.size(), -1e300);
  const auto cross = [](const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); };
  for (std::size_t t = 0; t < disc.triangleCount(); ++t) {
    const Triangle& c = disc.triangles[t];
    const Vec2 &p = places[at(c[0])], &q = places[at(c[1])], &r = places[at(c[2])];
    const double area = cross(q - p, r - p);
    if (!(area > 0)) continue;
    const Vec2 low = p.cwiseMin(q).cwiseMin(r), high = p.cwiseMax(q).cwiseMax(r);
    // A node is looked for one step around, so that rounding at the rim loses none.
    for (int j = std::max(0, static_cast<int>(low.y() / step));
         j <= std::min(size - 1, static_cast<int>(high.y() / step) + 1); ++j)
      for (int i = std::max(0, static_cast<int>(low.x() / step));
           i <= std::min(size - 1, static_cast<int>(high.x() / step) + 1); ++i) {
        const Vec2 x(i * step, j * step);
        const Vec3 w = Vec3(cross(q - x, r - x), cross(r - x, p - x), cross(p - x, q - x)) / area;
        const std::size_t n = static_cast<std::size_t>(j * size + i);
        if (w.minCoeff() <= best[n]) continue;
        best[n] = w.minCoeff();
        nodes[n] = {static_cast<std::int32_t>(t), w.cwiseMax(0) / w.cwiseMax(0).sum()};
      }
  }
  for (const ChartNode& n : nodes) PNEUMA_CHECK(n.triangle >= 0, "a node lies in no triangle");
  return nodes;
}

}  // namespace pneuma::survey::internal
