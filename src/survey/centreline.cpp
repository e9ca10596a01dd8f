#include "survey/centreline.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "anatomy/shape/spline.h"

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;
namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();

/// Shortest-path distances over inside nodes. With `byDepth` a step costs its length over the
/// square of the depth, which keeps the path in the middle.
struct PathField {
  std::vector<double> cost;
  std::vector<std::int32_t> previous;
};

// Dijkstra over the inside. Steps cost less the deeper they lie (`byDepth`), which draws the way to
// the middle of the bone: the shortest way would cut every bend at the surface.
PathField spreadFrom(const DistanceVolume& v, std::size_t start, bool byDepth) {
  PathField f{std::vector<double>(v.values().size(), kUnreached),
              std::vector<std::int32_t>(v.values().size(), -1)};
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  f.cost[start] = 0;
  open.emplace(0.0, start);
  const auto ny = static_cast<std::size_t>(v.size().y()),
             nz = static_cast<std::size_t>(v.size().z());
  while (!open.empty()) {
    const auto [c, at] = open.top();
    open.pop();
    if (c > f.cost[at]) continue;
    const Eigen::Vector3i n(static_cast<int>(at / (ny * nz)), static_cast<int>(at / nz % ny),
                            static_cast<int>(at % nz));
    for (int k = 0; k < 27; ++k) {
      const Eigen::Vector3i d(k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1);
      const Eigen::Vector3i m = n + d;
      if (k == 13 || !v.inside(m)) continue;
      const std::size_t to = v.index(m.x(), m.y(), m.z());
      if (v.at(to) >= 0) continue;
      const double length = v.cell() * d.cast<double>().norm();
      const double depth = -static_cast<double>(v.at(to)) / v.cell() + 0.25;
      const double next = c + (byDepth ? length / (depth * depth * depth) : length);
      if (next < f.cost[to]) {
        f.cost[to] = next;
        f.previous[to] = static_cast<std::int32_t>(at);
        open.emplace(next, to);
      }
    }
  }
  return f;
}

std::size_t nearestInside(const DistanceVolume& v, const Vec3& p) {
  std::size_t best = 0;
  double gap = kUnreached;
  for (std::size_t i = 0; i < v.values().size(); ++i)
    if (v.at(i) < 0) {
      const double d = (v.position(i) - p).squaredNorm();
      if (d < gap) gap = d, best = i;
    }
  return best;
}

std::size_t farthestCell(const PathField& f) {
  std::size_t best = 0;
  double most = -1;
  for (std::size_t i = 0; i < f.cost.size(); ++i)
    if (f.cost[i] < kUnreached && f.cost[i] > most) most = f.cost[i], best = i;
  return best;
}

Vec3 anyPerpendicular(const Vec3& n) {
  const Vec3 helper = std::abs(n.y()) < 0.8 ? Vec3::UnitY() : Vec3::UnitX();
  return (helper - helper.dot(n) * n).normalized();
}

}  // namespace

std::vector<Vec3> medialPath(const DistanceVolume& volume, const Vec3& from, const Vec3& to) {
  const PathField f = spreadFrom(volume, nearestInside(volume, from), true);
  std::size_t at = nearestInside(volume, to);
  std::vector<Vec3> path;
  if (f.cost[at] == kUnreached) return path;
  for (;;) {
    path.push_back(volume.position(at));
    if (f.previous[at] < 0) break;
    at = static_cast<std::size_t>(f.previous[at]);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::pair<Vec3, Vec3> farthestEnds(const DistanceVolume& volume) {
  std::size_t deepest = 0;
  for (std::size_t i = 0; i < volume.values().size(); ++i)
    if (volume.at(i) < volume.at(deepest)) deepest = i;
  const std::size_t a = farthestCell(spreadFrom(volume, deepest, false));
  const std::size_t b = farthestCell(spreadFrom(volume, a, false));
  return {volume.position(a), volume.position(b)};
}

// Floods from the centre instead of counting the whole plane: a plane across one rib meets its
// neighbours too.
SectionMoments sectionMoments(const DistanceVolume& volume, const Vec3& center, const Vec3& normal,
                              double reach) {
  const Vec3 u = anyPerpendicular(normal), v = normal.cross(u);
  const double h = 0.5 * volume.cell();
  const int n = static_cast<int>(std::ceil(reach / h)), width = 2 * n + 1;
  const auto at = [&](int i, int j) { return center + h * (i * u + j * v); };
  std::vector<char> seen(static_cast<std::size_t>(width * width), 0);
  const auto flag = [&](int i, int j) -> char& {
    return seen[static_cast<std::size_t>((i + n) * width + j + n)];
  };
  SectionMoments m;
  if (volume.sample(center) >= 0) return m;
  std::vector<std::pair<int, int>> open{{0, 0}};
  flag(0, 0) = 1;
  double count = 0, su = 0, sv = 0, suu = 0, svv = 0, suv = 0;
  while (!open.empty()) {
    const auto [i, j] = open.back();
    open.pop_back();
    count += 1, su += i, sv += j, suu += i * i, svv += j * j, suv += i * j;
    for (const auto& [di, dj] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
      const int a = i + di, b = j + dj;
      if (a * a + b * b > n * n || flag(a, b)) continue;
      flag(a, b) = 1;
      if (volume.sample(at(a, b)) < 0) open.emplace_back(a, b);
    }
  }
  m.area = count * h * h;
  const double cu = su / count, cv = sv / count;
  m.centroid = center + h * (cu * u + cv * v);
  Eigen::Matrix2d cov;
  cov << suu / count - cu * cu, suv / count - cu * cv, suv / count - cu * cv, svv / count - cv * cv;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(cov +
                                                             0.083 * Eigen::Matrix2d::Identity());
  const Eigen::Vector2d axis = eigen.eigenvectors().col(1);
  m.major = (axis.x() * u + axis.y() * v).normalized();
  const double ratio = std::sqrt(eigen.eigenvalues()[1] / eigen.eigenvalues()[0]);
  m.radiusMajor = std::sqrt(m.area / kPi * ratio);
  m.radiusMinor = std::sqrt(m.area / kPi / ratio);
  return m;
}

ShapePart sweepAlong(const DistanceVolume& volume, const std::vector<Vec3>& path, int count,
                     double reach) {
  // A voxel path is jagged: smooth it over a few millimetres, then recentre twice.
  std::vector<Vec3> line = resampledPolyline(path, std::max(8 * count, 40));
  smoothPolyline(line, 12);
  const double length = polylineLength(line);
  ShapePart part;
  part.kind = ShapeKind::Sweep;
  std::vector<Vec3> centers = resampledPolyline(line, count);
  for (int pass = 0; pass < 3; ++pass) {
    part.sections.clear();
    const CurveSpline curve(centers);
    const double inset = pass == 0 ? 0.015 * length : 0;
    for (int k = 0; k < count; ++k) {
      SweepSection s;
      s.center = centers[static_cast<std::size_t>(k)];
      const Vec3 t = curve.tangent(k);
      if (k == 0) s.center += inset * t;
      if (k == count - 1) s.center -= inset * t;
      const SectionMoments m = sectionMoments(volume, s.center, t, reach);
      if (m.area > 0) {
        s.center = m.centroid;
        s.radiusA = m.radiusMajor, s.radiusB = m.radiusMinor;
        s.reference = m.major;
      } else if (!part.sections.empty()) {
        s.radiusA = part.sections.back().radiusA, s.radiusB = part.sections.back().radiusB;
        s.reference = part.sections.back().reference;
      } else {
        s.radiusA = s.radiusB = volume.cell();
      }
      part.sections.push_back(s);
      centers[static_cast<std::size_t>(k)] = s.center;
    }
  }
  return part;
}

}  // namespace pneuma::survey::internal
