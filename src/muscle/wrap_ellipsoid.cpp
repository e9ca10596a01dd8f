#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "muscle/geodesic.h"
#include "muscle/require.h"
#include "muscle/straight_path.h"
#include "pneuma/muscle/wrap_surface.h"

// The geodesic between the two tangents, by Newton's method on its natural variations [Scholz15]:
// the start moves along the tangent (1) and the binormal (2), turns (3), and the length grows (4),
// so that the lines from a and to b leave the surface in the geodesic's direction:
//   (T_A - a) . n_A = (T_A - a) . b_A = (b - T_B) . n_B = (b - T_B) . b_B = 0
// It starts from a plane section through a and b, every time anew.
namespace pneuma::muscle {
namespace {

using internal::EllipsoidGeometry;
using internal::GeodesicEnd;
using internal::SurfaceFrame;
using Mat44 = Eigen::Matrix4d;
using Mat34 = Eigen::Matrix<double, 3, 4>;

/// The line from a to b in coordinates scaled so that the ellipsoid is the unit sphere, and the
/// planes that contain it: a plane is given by its turn about the line, 0 for the one through the
/// centre with the path on the near side.
struct Line {
  Vec3 a, b;
  Vec3 foot;      // nearest point to the centre
  Vec3 up;        // from the centre to the foot, unit
  Vec3 sidewise;  // unit, across the line and up

  Line(const Vec3& a_, const Vec3& b_) : a(a_), b(b_) {
    const Vec3 d = (b - a).normalized();
    foot = a - d * d.dot(a);
    // A line through the centre leaves the plane open: a fixed rule decides.
    up = foot;
    if (up.norm() < 1e-9) {
      int least = 0;
      d.cwiseAbs().minCoeff(&least);
      up = Vec3::Unit(least) - d * d[least];
    }
    up.normalize();
    sidewise = d.cross(up);
  }

  /// Whether the line enters the sphere between its ends.
  bool enters() const {
    const Vec3 d = b - a;
    return foot.squaredNorm() < 1 && a.dot(d) < 0 && b.dot(d) > 0;
  }
  Vec3 direction(double turn) const { return std::cos(turn) * up + std::sin(turn) * sidewise; }
};

/// Section of the unit sphere by such a plane: a circle, and the path's touching points on it.
struct Section {
  Vec3 center, x, y;
  double radius, angleA, angleB;

  Section(const Line& line, double turn) {
    const Vec3 w = line.direction(turn);
    const Vec3 normal = (line.b - line.a).normalized().cross(w);
    center = normal * normal.dot(line.foot);
    radius = std::sqrt(std::max(1 - center.squaredNorm(), 0.0));
    const Vec3 toA = line.a - center, toB = line.b - center;
    const double ra = toA.norm(), rb = toB.norm();
    x = toA / ra;
    y = (w - x * x.dot(w)).normalized();
    double angle = std::atan2(y.dot(toB), x.dot(toB));
    if (angle < 0) angle += 2 * kPi;
    angleA = std::acos(std::min(radius / ra, 1.0));
    angleB = angle - std::acos(std::min(radius / rb, 1.0));
  }

  Vec3 point(double angle, const Vec3& radii) const {
    return (center + radius * (std::cos(angle) * x + std::sin(angle) * y)).cwiseProduct(radii);
  }
  double arcLength(const Vec3& radii) const {
    constexpr int kPieces = 16;
    const double step = (angleB - angleA) / kPieces;
    double length = 0;
    Vec3 from = point(angleA, radii);
    for (int i = 1; i <= kPieces; ++i) {
      const Vec3 to = point(angleA + i * step, radii);
      length += (to - from).norm();
      from = to;
    }
    return length;
  }
};

/// Start of a search: touching point, direction and arc length.
struct Guess {
  SurfaceFrame start;
  double length;
};

Guess guessFrom(const Section& s, const EllipsoidGeometry& geometry) {
  const Vec3 direction =
      (std::cos(s.angleA) * s.y - std::sin(s.angleA) * s.x).cwiseProduct(geometry.radii());
  return {geometry.frame(geometry.project(s.point(s.angleA, geometry.radii())), direction),
          s.arcLength(geometry.radii())};
}

/// Turns of the planes in which the path is locally shortest, at most three.
struct ShortTurns {
  std::array<double, 3> turn;
  int count = 0;
};

ShortTurns findShortTurns(const Line& line, const Vec3& radii) {
  constexpr int kPlanes = 32;
  constexpr double kStep = 2 * kPi / kPlanes;
  const Vec3 a = line.a.cwiseProduct(radii), b = line.b.cwiseProduct(radii);
  const auto length = [&](double turn) {
    const Section s(line, turn);
    return (s.point(s.angleA, radii) - a).norm() + s.arcLength(radii) +
           (b - s.point(s.angleB, radii)).norm();
  };
  std::array<double, kPlanes> lengths;
  for (int i = 0; i < kPlanes; ++i) lengths[i] = length(i * kStep);
  const double shortest = *std::min_element(lengths.begin(), lengths.end());
  ShortTurns found;
  for (int i = 0; i < kPlanes && found.count < 3; ++i) {
    const double before = lengths[(i + kPlanes - 1) % kPlanes], after = lengths[(i + 1) % kPlanes];
    if (lengths[i] > before || lengths[i] >= after || lengths[i] > 1.05 * shortest) continue;
    // Golden-section search in the neighbourhood.
    constexpr double kGolden = 0.6180339887498949;
    double low = (i - 1) * kStep, high = (i + 1) * kStep;
    for (int k = 0; k < 12; ++k) {
      const double x = high - kGolden * (high - low), y = low + kGolden * (high - low);
      if (length(x) < length(y))
        high = y;
      else
        low = x;
    }
    found.turn[found.count++] = 0.5 * (low + high);
  }
  return found;
}

/// Everything about one candidate: residuals, and the motion of both frames per unknown.
struct Candidate {
  SurfaceFrame start;
  GeodesicEnd end;
  double length;
  Eigen::Vector4d residual;
  Mat44 jacobian;
  Mat34 tangentA, tangentB;  // change of the directions at the touching points

  double error() const { return residual.norm(); }
  double wholeLength(const Vec3& a, const Vec3& b) const {
    return (start.point - a).norm() + length + (b - end.frame.point).norm();
  }
  /// Whether the path is a minimum among its neighbours: the determinant is positive for a short
  /// arc and changes sign where the path begins to slip sideways.
  bool stable() const { return jacobian.determinant() > 0; }
};

Candidate evaluate(const EllipsoidGeometry& geometry, const SurfaceFrame& start, double length,
                   const Vec3& a, const Vec3& b) {
  Candidate c{start, geometry.shoot(start, length), length, {}, {}, {}, {}};
  const SurfaceFrame &A = c.start, &B = c.end.frame;
  const Vec3 lineA = A.point - a, lineB = b - B.point;
  c.residual << lineA.dot(A.normal), lineA.dot(A.binormal), lineB.dot(B.normal),
      lineB.dot(B.binormal);

  // Motion of each frame per unknown (along, aside, turn, longer).
  const double alongA[4] = {1, 0, 0, 0}, asideA[4] = {0, 1, 0, 0}, turnA[4] = {0, 0, 1, 0};
  const double alongB[4] = {1, 0, 0, 1};
  const double asideB[4] = {0, c.end.translation, c.end.rotation, 0};
  const double turnB[4] = {0, c.end.translationRate, c.end.rotationRate, 0};
  for (int u = 0; u < 4; ++u) {
    const Vec3 moveA = alongA[u] * A.tangent + asideA[u] * A.binormal;
    const Vec3 moveB = alongB[u] * B.tangent + asideB[u] * B.binormal;
    const Vec3 normalA = geometry.normalChange(A.point, A.normal, moveA);
    const Vec3 normalB = geometry.normalChange(B.point, B.normal, moveB);
    c.tangentA.col(u) = turnA[u] * A.binormal - A.normal * A.tangent.dot(normalA);
    c.tangentB.col(u) = turnB[u] * B.binormal - B.normal * B.tangent.dot(normalB);
    const Vec3 binormalA = -turnA[u] * A.tangent - A.normal * A.binormal.dot(normalA);
    const Vec3 binormalB = -turnB[u] * B.tangent - B.normal * B.binormal.dot(normalB);
    c.jacobian.col(u) << lineA.dot(normalA), moveA.dot(A.binormal) + lineA.dot(binormalA),
        lineB.dot(normalB), -moveB.dot(B.binormal) + lineB.dot(binormalB);
  }
  return c;
}

SurfaceFrame moved(const EllipsoidGeometry& geometry, const SurfaceFrame& f,
                   const Eigen::Vector4d& step) {
  const Vec3 point = geometry.project(f.point + step[0] * f.tangent + step[1] * f.binormal);
  return geometry.frame(point, f.tangent + std::tan(std::clamp(step[2], -1.0, 1.0)) * f.binormal);
}

/// Newton with halving of the step until the error falls.
bool solve(const EllipsoidGeometry& geometry, const Vec3& a, const Vec3& b, int iterations,
           Candidate& best) {
  const double scale = geometry.radii().maxCoeff();
  for (int iteration = 0; iteration < iterations; ++iteration) {
    if (best.error() < 1e-13 * scale) return true;
    const Eigen::Vector4d step = -best.jacobian.partialPivLu().solve(best.residual);
    if (!step.allFinite()) return false;
    const double size = std::max({std::abs(step[0]), std::abs(step[1]), std::abs(step[3])});
    double fraction = std::min({1.0, 0.5 * scale / size, 0.5 / std::abs(step[2])});
    bool better = false;
    for (int cut = 0; cut < 12 && !better; ++cut, fraction *= 0.5) {
      const Candidate next = evaluate(geometry, moved(geometry, best.start, fraction * step),
                                      best.length + fraction * step[3], a, b);
      better = next.error() < best.error();
      if (better) best = next;
    }
    // No progress at rounding level is convergence.
    if (!better) return best.error() < 1e-10 * scale;
  }
  return best.error() < 1e-10 * scale;
}

Mat6 ellipsoidHessian(const Candidate& c) {
  // Unknowns follow the ends: jacobian * dx = -(d residual / d(a, b)).
  const SurfaceFrame &A = c.start, &B = c.end.frame;
  Eigen::Matrix<double, 4, 6> byEnds = Eigen::Matrix<double, 4, 6>::Zero();
  byEnds.row(0).head<3>() = -A.normal.transpose();
  byEnds.row(1).head<3>() = -A.binormal.transpose();
  byEnds.row(2).tail<3>() = B.normal.transpose();
  byEnds.row(3).tail<3>() = B.binormal.transpose();
  const Eigen::Matrix<double, 4, 6> dx = -c.jacobian.partialPivLu().solve(byEnds);
  Mat6 h;
  h.topRows<3>() = -c.tangentA * dx;
  h.bottomRows<3>() = c.tangentB * dx;
  return 0.5 * (h + h.transpose());
}

/// The solved geodesic between a and b, or the plane section when the search fails.
struct Solution {
  bool contact = false, inside = false, converged = true;
  Vec3 radii;
  Candidate path{};
};

Solution findGeodesic(const WrapEllipsoid& e, const Vec3& a, const Vec3& b) {
  Solution s;
  s.radii = e.radii;
  const double depth = std::min(a.cwiseQuotient(e.radii).norm(), b.cwiseQuotient(e.radii).norm());
  s.inside = depth < 1;
  if (s.inside) s.radii *= std::max(depth, 1e-3) * (1 - 1e-9);
  const Line line(a.cwiseQuotient(s.radii), b.cwiseQuotient(s.radii));
  if (!line.enters()) return s;
  s.contact = true;
  const EllipsoidGeometry geometry(s.radii);
  const auto searchFrom = [&](const Section& section, int iterations) {
    const Guess guess = guessFrom(section, geometry);
    Candidate path = evaluate(geometry, guess.start, guess.length, a, b);
    const bool converged = solve(geometry, a, b, iterations, path);
    return std::pair(converged, path);
  };
  std::tie(s.converged, s.path) = searchFrom(Section(line, 0), 8);
  // A line that passes far from the centre leaves one way round. Nearer, the path may have slipped
  // out of the central plane, or be about to: look from the shortest sections too, and keep the
  // shortest path.
  constexpr double kFarFromCenter = 0.6;  // of the radius
  s.converged = s.converged && s.path.stable();
  if (s.converged && line.foot.norm() > kFarFromCenter) return s;
  const ShortTurns turns = findShortTurns(line, s.radii);
  for (int i = 0; i < turns.count; ++i) {
    const auto [converged, other] = searchFrom(Section(line, turns.turn[i]), 40);
    if (!converged || (s.converged && other.wholeLength(a, b) >= s.path.wholeLength(a, b)))
      continue;
    s.converged = true;
    s.path = other;
  }
  return s;
}

}  // namespace

WrapPath wrapEllipsoid(const WrapEllipsoid& ellipsoid, const Vec3& a, const Vec3& b,
                       bool withHessian) {
  const Solution s = findGeodesic(ellipsoid, a, b);
  WrapPath path;
  if (!s.contact) {
    path = internal::straightPath(a, b, withHessian);
    path.inside = s.inside;
    return path;
  }
  const SurfaceFrame &A = s.path.start, &B = s.path.end.frame;
  path.contact = true;
  path.inside = s.inside;
  path.converged = s.converged;
  path.arc = s.path.length;
  path.length = s.path.wholeLength(a, b);
  path.touchA = A.point;
  path.touchB = B.point;
  path.directionA = A.tangent;
  path.directionB = B.tangent;
  if (withHessian) path.hessian = ellipsoidHessian(s.path);
  return path;
}

std::vector<Vec3> samplePath(const WrapEllipsoid& ellipsoid, const Vec3& a, const Vec3& b,
                             int count) {
  const Solution s = findGeodesic(ellipsoid, a, b);
  std::vector<Vec3> out{a};
  if (s.contact) {
    const EllipsoidGeometry geometry(s.radii);
    for (int i = 0; i < count; ++i)
      out.push_back(geometry.shoot(s.path.start, s.path.length * i / (count - 1.0)).frame.point);
  }
  out.push_back(b);
  return out;
}

void validate(const WrapEllipsoid& ellipsoid) {
  for (double r : ellipsoid.radii)
    internal::require(r > 0, "wrap ellipsoid", "radii", r, "lengths > 0 [m]");
  const double ratio = ellipsoid.radii.maxCoeff() / ellipsoid.radii.minCoeff();
  internal::require(ratio <= 20, "wrap ellipsoid", "radii", ratio, "half axes within 20 : 1");
}

}  // namespace pneuma::muscle
