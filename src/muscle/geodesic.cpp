#include "muscle/geodesic.h"

#include <algorithm>
#include <cmath>

namespace pneuma::muscle::internal {
namespace {

/// Position, direction, and the two Jacobi fields with their rates.
using Curve = Eigen::Matrix<double, 10, 1>;

constexpr int kRows = 4;  // extrapolation of the midpoint rule with 2, 4, 6, 8 substeps: order 8

}  // namespace

EllipsoidGeometry::EllipsoidGeometry(const Vec3& radii)
    : radii_(radii), inverseSquares_(radii.cwiseProduct(radii).cwiseInverse()) {
  const double product = radii.prod();
  curvatureScale_ = 1 / (product * product);
  // The largest normal curvature is max / min^2; a quarter radian of it per step keeps 1e-12.
  const double smallest = radii.minCoeff(), largest = radii.maxCoeff();
  stepLength_ = 0.25 * smallest * smallest / largest;
}

SurfaceFrame EllipsoidGeometry::frame(const Vec3& p, const Vec3& d) const {
  SurfaceFrame f;
  f.point = p;
  f.normal = normal(p);
  f.tangent = (d - f.normal * f.normal.dot(d)).normalized();
  f.binormal = f.normal.cross(f.tangent);
  return f;
}

GeodesicEnd EllipsoidGeometry::shoot(const SurfaceFrame& start, double length) const {
  const auto rate = [this](const Curve& y) {
    const Vec3 p = y.head<3>(), t = y.segment<3>(3);
    const Vec3 gradient = p.cwiseProduct(inverseSquares_);
    const double g2 = gradient.squaredNorm();
    const double bend = t.cwiseProduct(t).dot(inverseSquares_) / g2;
    const double gauss = curvatureScale_ / (g2 * g2);
    Curve d;
    d.head<3>() = t;
    d.segment<3>(3) = -bend * gradient;
    d[6] = y[7];
    d[7] = -gauss * y[6];
    d[8] = y[9];
    d[9] = -gauss * y[8];
    return d;
  };

  Curve y;
  y << start.point, start.tangent, 1, 0, 0, 1;
  const int steps = std::clamp(static_cast<int>(std::ceil(std::abs(length) / stepLength_)), 1, 400);
  const double h = length / steps;
  for (int s = 0; s < steps; ++s) {
    // Gragg's modified midpoint rule, extrapolated to zero substep length.
    Curve table[kRows];
    const Curve first = rate(y);
    for (int row = 0; row < kRows; ++row) {
      const int n = 2 * (row + 1);
      const double sub = h / n;
      Curve before = y, now = y + sub * first;
      for (int i = 1; i < n; ++i) {
        const Curve next = before + 2 * sub * rate(now);
        before = now;
        now = next;
      }
      table[row] = 0.5 * (now + before + sub * rate(now));
      for (int col = row - 1; col >= 0; --col) {
        const double ratio = static_cast<double>(row + 1) / (col + 1);
        table[col] = table[col + 1] + (table[col + 1] - table[col]) / (ratio * ratio - 1);
      }
    }
    y = table[0];
  }

  GeodesicEnd end;
  end.frame = frame(project(y.head<3>()), y.segment<3>(3));
  end.translation = y[6];
  end.translationRate = y[7];
  end.rotation = y[8];
  end.rotationRate = y[9];
  return end;
}

}  // namespace pneuma::muscle::internal
