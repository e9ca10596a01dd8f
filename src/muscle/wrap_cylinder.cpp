#include <algorithm>
#include <cmath>

#include "muscle/require.h"
#include "muscle/straight_path.h"
#include "pneuma/muscle/wrap_surface.h"

// Unrolled, the path is a straight line: with S the length of its projection on the plane across
// the axis (two tangents and an arc) and z the way along the axis, length = sqrt(S^2 + z^2).
namespace pneuma::muscle {
namespace {

/// The projection, counter-clockwise.
struct Circle {
  double radius;
  double angleA, angleB;      // of the touching points; angleB - angleA is the wrap angle
  double tangentA, tangentB;  // lengths of the tangents
  bool contact, inside;
  double planar() const { return tangentA + radius * (angleB - angleA) + tangentB; }
};

Circle touchCircle(double radius, const Vec3& a, const Vec3& b) {
  const double ra = std::hypot(a.x(), a.y()), rb = std::hypot(b.x(), b.y());
  Circle c;
  c.inside = std::min(ra, rb) < radius;
  c.radius = std::min({radius, ra, rb});
  const double reachA = std::acos(std::clamp(c.radius / ra, 0.0, 1.0));
  const double reachB = std::acos(std::clamp(c.radius / rb, 0.0, 1.0));
  const double from = std::atan2(a.y(), a.x());
  double turn = std::atan2(b.y(), b.x()) - from;
  if (turn < 0) turn += 2 * kPi;
  // A turn near 2 pi is a small one the other way: there the path is straight again. The cut lies
  // in the middle of the turns for which the straight line is free on the wrong side.
  const double reach = reachA + reachB;
  c.contact = turn > reach && turn < 2 * kPi - 0.5 * reach;
  c.angleA = from + reachA;
  c.angleB = from + turn - reachB;
  c.tangentA = std::sqrt(std::max(ra * ra - c.radius * c.radius, 0.0));
  c.tangentB = std::sqrt(std::max(rb * rb - c.radius * c.radius, 0.0));
  return c;
}

Vec3 radial(double angle) {
  return {std::cos(angle), std::sin(angle), 0};
}
Vec3 tangent(double angle) {
  return {-std::sin(angle), std::cos(angle), 0};
}

Mat6 cylinderHessian(const Circle& c, const WrapPath& path, double planar, double rise) {
  using Vec6d = Eigen::Matrix<double, 6, 1>;
  const Vec3 nA = radial(c.angleA), nB = radial(c.angleB);
  Vec6d planarGradient, riseGradient, gradient;
  planarGradient << -tangent(c.angleA), tangent(c.angleB);
  riseGradient << 0, 0, -1, 0, 0, 1;
  gradient << -path.directionA, path.directionB;

  // A tangent turns by (offset across) / (tangent length). Right on the surface that is unbounded:
  // limited, so that a stiffness matrix stays usable.
  const double least = 1e-3 * c.radius;
  Mat6 h = Mat6::Zero();
  h.topLeftCorner<3, 3>() = nA * nA.transpose() / std::max(c.tangentA, least);
  h.bottomRightCorner<3, 3>() = nB * nB.transpose() / std::max(c.tangentB, least);
  const double length = std::hypot(planar, rise);
  return (planar * h + planarGradient * planarGradient.transpose() +
          riseGradient * riseGradient.transpose() - gradient * gradient.transpose()) /
         length;
}

/// y -> -y: turns clockwise into counter-clockwise.
Vec3 mirror(const Vec3& p) {
  return {p.x(), -p.y(), p.z()};
}

bool goesClockwise(const WrapCylinder& cylinder, const Vec3& a, const Vec3& b) {
  if (cylinder.sense != WrapSense::Shortest) return cylinder.sense == WrapSense::Clockwise;
  return a.x() * b.y() - a.y() * b.x() < 0;
}

WrapPath wrapCounterClockwise(double radius, const Vec3& a, const Vec3& b, bool withHessian) {
  const Circle c = touchCircle(radius, a, b);
  if (!c.contact) {
    WrapPath path = internal::straightPath(a, b, withHessian);
    path.inside = c.inside;
    return path;
  }
  WrapPath path;
  path.contact = true;
  path.inside = c.inside;
  const double planar = c.planar(), rise = b.z() - a.z();
  path.length = std::hypot(planar, rise);
  path.arc = path.length * c.radius * (c.angleB - c.angleA) / planar;
  path.touchA = c.radius * radial(c.angleA);
  path.touchB = c.radius * radial(c.angleB);
  path.touchA.z() = a.z() + rise * c.tangentA / planar;
  path.touchB.z() = b.z() - rise * c.tangentB / planar;
  path.directionA = (planar * tangent(c.angleA) + rise * Vec3::UnitZ()) / path.length;
  path.directionB = (planar * tangent(c.angleB) + rise * Vec3::UnitZ()) / path.length;
  if (withHessian) path.hessian = cylinderHessian(c, path, planar, rise);
  return path;
}

}  // namespace

WrapPath wrapCylinder(const WrapCylinder& cylinder, const Vec3& a, const Vec3& b,
                      bool withHessian) {
  if (!goesClockwise(cylinder, a, b))
    return wrapCounterClockwise(cylinder.radius, a, b, withHessian);
  WrapPath path = wrapCounterClockwise(cylinder.radius, mirror(a), mirror(b), withHessian);
  for (Vec3* v : {&path.touchA, &path.touchB, &path.directionA, &path.directionB}) *v = mirror(*v);
  for (int y : {1, 4}) {
    path.hessian.row(y) *= -1;
    path.hessian.col(y) *= -1;
  }
  return path;
}

std::vector<Vec3> samplePath(const WrapCylinder& cylinder, const Vec3& a, const Vec3& b,
                             int count) {
  const WrapPath path = wrapCylinder(cylinder, a, b);
  std::vector<Vec3> out{a};
  if (path.contact) {
    const double side = path.directionA.cross(path.touchA).z() < 0 ? 1 : -1;  // +1: to the left
    const double from = std::atan2(path.touchA.y(), path.touchA.x());
    double turn = side * (std::atan2(path.touchB.y(), path.touchB.x()) - from);
    if (turn < 0) turn += 2 * kPi;
    const double radius = std::hypot(path.touchA.x(), path.touchA.y());
    for (int i = 0; i < count; ++i) {
      const double s = i / (count - 1.0);
      Vec3 p = radius * radial(from + side * s * turn);
      p.z() = (1 - s) * path.touchA.z() + s * path.touchB.z();
      out.push_back(p);
    }
  }
  out.push_back(b);
  return out;
}

void validate(const WrapCylinder& cylinder) {
  internal::require(cylinder.radius > 0, "wrap cylinder", "radius", cylinder.radius,
                    "a length > 0 [m]");
}

}  // namespace pneuma::muscle
