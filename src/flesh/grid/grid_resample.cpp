#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "pneuma/core/error.h"
#include "pneuma/flesh/grid_shape.h"

namespace pneuma::flesh {
namespace {

/// A piece of an outline; its ends lie on edges of the mesh, by which pieces are joined.
struct Segment {
  std::array<Vec2, 2> end;
  std::array<std::pair<int, int>, 2> edge;
};

/// Right-handed axes with the long axis first, pointing down the body when it can (origin to
/// insertion for muscles of the limbs).
Mat3 longAxes(const TriangleMesh& mesh) {
  const SolidProperties body = solidProperties(mesh);
  Eigen::SelfAdjointEigenSolver<Mat3> solver(body.inertia);
  Mat3 axes;
  axes.col(0) = solver.eigenvectors().col(0);  // least inertia: the long axis
  if (axes.col(0).y() > 0) axes.col(0) *= -1;
  axes.col(1) = solver.eigenvectors().col(1);
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

/// The outlines of the mesh in the plane x = height (coordinates in the long axes).
std::vector<Segment> cut(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles,
                         double height) {
  std::vector<Segment> outline;
  for (const Triangle& t : triangles) {
    Segment segment;
    std::size_t found = 0;
    for (std::size_t e = 0; e < 3 && found < 2; ++e) {
      const int from = t[e], to = t[(e + 1) % 3];
      const Vec3& a = points[static_cast<std::size_t>(from)];
      const Vec3& b = points[static_cast<std::size_t>(to)];
      if ((a.x() < height) == (b.x() < height)) continue;
      const double u = (height - a.x()) / (b.x() - a.x());
      const Vec3 p = a + u * (b - a);
      segment.edge[found] = std::minmax(from, to);
      segment.end[found++] = {p.y(), p.z()};
    }
    if (found == 2) outline.push_back(segment);
  }
  return outline;
}

double length(const Segment& s) {
  return (s.end[1] - s.end[0]).norm();
}

/// The longest closed line among those that a plane cuts out.
std::vector<Segment> longestLoop(const std::vector<Segment>& all) {
  std::map<std::pair<int, int>, std::vector<std::size_t>> touching;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const auto& edge : all[i].edge) touching[edge].push_back(i);
  std::vector<char> seen(all.size(), 0);
  std::vector<Segment> longest;
  double best = 0;
  for (std::size_t first = 0; first < all.size(); ++first) {
    if (seen[first]) continue;
    std::vector<Segment> loop;
    std::vector<std::size_t> open{first};
    double total = 0;
    seen[first] = 1;
    while (!open.empty()) {
      const Segment& s = all[open.back()];
      open.pop_back();
      loop.push_back(s);
      total += length(s);
      for (const auto& edge : s.edge)
        for (std::size_t next : touching[edge])
          if (!seen[next]) seen[next] = 1, open.push_back(next);
    }
    if (total > best) best = total, longest = std::move(loop);
  }
  return longest;
}

/// Length-weighted outlineMiddle of an outline.
Vec2 outlineMiddle(const std::vector<Segment>& outline) {
  Vec2 sum = Vec2::Zero();
  double weight = 0;
  for (const Segment& s : outline) {
    sum += 0.5 * length(s) * (s.end[0] + s.end[1]);
    weight += length(s);
  }
  return sum / weight;
}

/// Distance to the outline, negative outside.
double clearance(const std::vector<Segment>& outline, const Vec2& p) {
  double nearest = 1e300;
  bool inside = false;
  for (const Segment& s : outline) {
    const Vec2 &a = s.end[0], &b = s.end[1], d = b - a;
    const double u = std::clamp((p - a).dot(d) / std::max(d.squaredNorm(), 1e-300), 0.0, 1.0);
    nearest = std::min(nearest, (p - a - u * d).norm());
    if ((a.y() > p.y()) != (b.y() > p.y()) &&
        p.x() < a.x() + (p.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x()))
      inside = !inside;
  }
  return inside ? nearest : -nearest;
}

/// Where rays to the outline start: its outlineMiddle, or as far from there towards its roomiest
/// inner point as a crescent asks for.
Vec2 rayCenter(const std::vector<Segment>& outline) {
  Vec2 low = outline.front().end[0], high = low;
  for (const Segment& s : outline)
    for (const Vec2& p : s.end) low = low.cwiseMin(p), high = high.cwiseMax(p);
  constexpr int kProbes = 24;
  Vec2 roomiest = 0.5 * (low + high);
  double room = clearance(outline, roomiest);
  for (int i = 1; i < kProbes; ++i)
    for (int j = 1; j < kProbes; ++j) {
      const Vec2 p = low + (high - low).cwiseProduct(Vec2(i, j) / kProbes);
      if (const double c = clearance(outline, p); c > room) room = c, roomiest = p;
    }
  const Vec2 start = outlineMiddle(outline);
  for (int part = 0; part < 8; ++part) {
    const Vec2 p = start + part / 8.0 * (roomiest - start);
    if (clearance(outline, p) >= 0.6 * room) return p;
  }
  return roomiest;
}

/// Farthest crossing of the outline with a ray; -1 when it misses.
double reach(const std::vector<Segment>& outline, const Vec2& from, const Vec2& direction) {
  double farthest = -1;
  for (const Segment& s : outline) {
    const Vec2 d = s.end[1] - s.end[0], r = s.end[0] - from;
    const double det = direction.x() * d.y() - direction.y() * d.x();
    if (std::abs(det) < 1e-300) continue;
    const double along = (r.x() * d.y() - r.y() * d.x()) / det;
    const double across = (r.x() * direction.y() - r.y() * direction.x()) / det;
    if (across >= -1e-9 && across <= 1 + 1e-9) farthest = std::max(farthest, along);
  }
  return farthest;
}

/// Smallest volume spanned by the edges at a corner of a cell, over the cell's mean.
double worstCorner(const GridShape& shape, int i, int j, int k) {
  const auto at = [&](int c) -> const Vec3& {
    return shape.positions[static_cast<std::size_t>(
        shape.size.index(i + (c >> 2), j + ((c >> 1) & 1), k + (c & 1)))];
  };
  double worst = 1e300, sum = 0;
  for (int c = 0; c < 8; ++c) {
    const Vec3 e1 = at(c ^ 4) - at(c), e2 = at(c ^ 2) - at(c), e3 = at(c ^ 1) - at(c);
    const int turns = (c >> 2) + ((c >> 1) & 1) + (c & 1);
    const double volume = (turns % 2 == 0 ? 1 : -1) * e1.dot(e2.cross(e3));
    worst = std::min(worst, volume), sum += std::abs(volume) / 8;
  }
  return sum > 0 ? worst / sum : -1;
}

/// Mean of a node's neighbours: along axis 1, and within the section; nodes on the outline look at
/// others of the outline only.
Vec3 neighbourMean(const GridShape& shape, int i, int j, int k) {
  const GridSize& s = shape.size;
  const auto onOutline = [&](int b, int c) {
    return b == 0 || b == s.n - 1 || c == 0 || c == s.o - 1;
  };
  Vec3 sum = Vec3::Zero();
  int count = 0;
  const auto take = [&](int a, int b, int c) {
    if (a < 0 || a >= s.m || b < 0 || b >= s.n || c < 0 || c >= s.o) return;
    if (onOutline(j, k) && !onOutline(b, c)) return;
    sum += shape.positions[static_cast<std::size_t>(s.index(a, b, c))];
    ++count;
  };
  // A node of an end plane has one neighbour along the axis, which would pull it inwards.
  if (i > 0 && i + 1 < s.m) take(i - 1, j, k), take(i + 1, j, k);
  take(i, j - 1, k), take(i, j + 1, k), take(i, j, k - 1), take(i, j, k + 1);
  return sum / count;
}

/// Smooths around cells with a corner turned inside out, where an outline is folded or leaps from
/// section to section, until there are none.
void untangle(GridShape& shape) {
  constexpr int kRounds = 400;
  constexpr double kFlat = 0.1;
  const GridSize& s = shape.size;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<char> move(shape.positions.size(), 0);
    bool any = false;
    for (int i = 0; i + 1 < s.m; ++i)
      for (int j = 0; j + 1 < s.n; ++j)
        for (int k = 0; k + 1 < s.o; ++k) {
          if (worstCorner(shape, i, j, k) > kFlat) continue;
          any = true;
          for (int c = 0; c < 8; ++c)
            move[static_cast<std::size_t>(s.index(i + (c >> 2), j + ((c >> 1) & 1), k + (c & 1)))] =
                1;
        }
    if (!any) return;
    const GridShape before = shape;
    for (int i = 0; i < s.m; ++i)
      for (int j = 0; j < s.n; ++j)
        for (int k = 0; k < s.o; ++k) {
          const auto n = static_cast<std::size_t>(s.index(i, j, k));
          if (move[n])
            shape.positions[n] = 0.5 * (before.positions[n] + neighbourMean(before, i, j, k));
        }
  }
}

}  // namespace

GridShape resampleMuscle(const TriangleMesh& mesh, const GridSize& size, double trim) {
  if (!analyzeTopology(mesh).watertight() || !(enclosedVolume(mesh) > 0))
    throw InputError("muscle mesh: expected a closed surface with outward triangles");
  const Mat3 axes = longAxes(mesh);
  std::vector<Vec3> points;
  double low = 1e300, high = -1e300;
  for (const Vec3& p : mesh.positions) {
    points.push_back(axes.transpose() * p);
    low = std::min(low, points.back().x()), high = std::max(high, points.back().x());
  }
  const double start = low + trim * (high - low), span = (1 - 2 * trim) * (high - low);

  // One section per node plane, kept for all nodes of the plane.
  int plane = -1;
  double height = 0;
  std::vector<Segment> outline;
  Vec2 center = Vec2::Zero();
  GridShape shape = makeGrid(size, [&](const Vec3& a) -> Vec3 {
    if (const int wanted = static_cast<int>(std::lround(a.x() * (size.m - 1))); wanted != plane) {
      plane = wanted;
      height = start + a.x() * span;
      outline = longestLoop(cut(points, mesh.triangles, height));
      if (outline.empty())
        throw InputError(fmt::format("muscle mesh: the plane of section {} misses it", plane));
      center = rayCenter(outline);
    }
    // The square of the grid onto the outline: radius from the ray, angle from the disc.
    const double u = 2 * a.y() - 1, v = 2 * a.z() - 1;
    const Vec2 disc(u * std::sqrt(1 - 0.5 * v * v), v * std::sqrt(1 - 0.5 * u * u));
    if (disc.norm() < 1e-12) return axes * Vec3(height, center.x(), center.y());
    const double radius = reach(outline, center, disc.normalized());
    if (radius <= 0)
      throw InputError(fmt::format("muscle mesh: section {} does not surround its centre", plane));
    const Vec2 p = center + radius * disc;
    return axes * Vec3(height, p.x(), p.y());
  });
  untangle(shape);
  return shape;
}

}  // namespace pneuma::flesh
