#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/flesh/grid_shape.h"

namespace pneuma::flesh {
namespace {

using Segment = std::array<Vec2, 2>;

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

/// The outline of the mesh in the plane x = height (coordinates in the long axes).
std::vector<Segment> cut(const std::vector<Vec3>& points, const std::vector<Triangle>& triangles,
                         double height) {
  std::vector<Segment> outline;
  for (const Triangle& t : triangles) {
    Segment segment;
    std::size_t found = 0;
    for (std::size_t e = 0; e < 3 && found < 2; ++e) {
      const Vec3& a = points[static_cast<std::size_t>(t[e])];
      const Vec3& b = points[static_cast<std::size_t>(t[(e + 1) % 3])];
      if ((a.x() < height) == (b.x() < height)) continue;
      const double u = (height - a.x()) / (b.x() - a.x());
      const Vec3 p = a + u * (b - a);
      segment[found++] = {p.y(), p.z()};
    }
    if (found == 2) outline.push_back(segment);
  }
  return outline;
}

/// Length-weighted middle of an outline.
Vec2 middle(const std::vector<Segment>& outline) {
  Vec2 sum = Vec2::Zero();
  double weight = 0;
  for (const Segment& s : outline) {
    const double length = (s[1] - s[0]).norm();
    sum += 0.5 * length * (s[0] + s[1]);
    weight += length;
  }
  return sum / weight;
}

/// Farthest crossing of the outline with a ray; -1 when it misses.
double reach(const std::vector<Segment>& outline, const Vec2& from, const Vec2& direction) {
  double farthest = -1;
  for (const Segment& s : outline) {
    const Vec2 d = s[1] - s[0], r = s[0] - from;
    const double det = direction.x() * d.y() - direction.y() * d.x();
    if (std::abs(det) < 1e-300) continue;
    const double along = (r.x() * d.y() - r.y() * d.x()) / det;
    const double across = (r.x() * direction.y() - r.y() * direction.x()) / det;
    if (across >= -1e-9 && across <= 1 + 1e-9) farthest = std::max(farthest, along);
  }
  return farthest;
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
  return makeGrid(size, [&](const Vec3& a) -> Vec3 {
    if (const int wanted = static_cast<int>(std::lround(a.x() * (size.m - 1))); wanted != plane) {
      plane = wanted;
      height = start + a.x() * span;
      outline = cut(points, mesh.triangles, height);
      if (outline.empty())
        throw InputError(fmt::format("muscle mesh: the plane of section {} misses it", plane));
      center = middle(outline);
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
}

}  // namespace pneuma::flesh
