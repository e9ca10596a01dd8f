#include "anatomy/shape/spline.h"

#include <algorithm>
#include <cmath>

namespace pneuma::anatomy::internal {
namespace {

/// Span index and fraction of parameter u.
std::pair<Eigen::Index, double> locate(double u, Eigen::Index count) {
  const double clamped = std::clamp(u, 0.0, static_cast<double>(count - 1));
  const Eigen::Index i = std::min(static_cast<Eigen::Index>(clamped), count - 2);
  return {i, clamped - static_cast<double>(i)};
}

/// Weighted harmonic mean of neighbouring secants, zero at extrema.
double monotoneSlope(const VecX& t, const VecX& v, Eigen::Index i) {
  const Eigen::Index n = t.size();
  const auto secant = [&](Eigen::Index k) {
    return (v[k + 1] - v[k]) / std::max(t[k + 1] - t[k], 1e-12);
  };
  if (n == 2) return secant(0);
  if (i == 0) return secant(0);
  if (i == n - 1) return secant(n - 2);
  const double a = secant(i - 1), b = secant(i);
  if (a * b <= 0) return 0;
  const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
  const double w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / a + w1 / b);
}

}  // namespace

CurveSpline::CurveSpline(std::span<const Vec3> points)
    : points_(points.begin(), points.end()), slopes_(points.size()) {
  const std::size_t n = points_.size();
  knots_.resize(static_cast<Eigen::Index>(n));
  knots_[0] = 0;
  for (std::size_t i = 1; i < n; ++i)
    knots_[static_cast<Eigen::Index>(i)] = knots_[static_cast<Eigen::Index>(i - 1)] +
                                           std::max((points_[i] - points_[i - 1]).norm(), 1e-9);
  const auto chord = [&](std::size_t i) {
    return knots_[static_cast<Eigen::Index>(i + 1)] - knots_[static_cast<Eigen::Index>(i)];
  };
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h0 = chord(i - 1), h1 = chord(i);
    const Vec3 a = (points_[i] - points_[i - 1]) / h0, b = (points_[i + 1] - points_[i]) / h1;
    slopes_[i] = (h1 * a + h0 * b) / (h0 + h1);
  }
  // Quadratic ends.
  slopes_[0] = n > 2 ? Vec3(2 * (points_[1] - points_[0]) / chord(0) - slopes_[1])
                     : Vec3((points_[1] - points_[0]) / chord(0));
  slopes_[n - 1] = n > 2
                       ? Vec3(2 * (points_[n - 1] - points_[n - 2]) / chord(n - 2) - slopes_[n - 2])
                       : slopes_[0];
}

Vec3 CurveSpline::position(double u) const {
  const auto [k, s] = locate(u, size());
  const auto i = static_cast<std::size_t>(k);
  const double h = knots_[k + 1] - knots_[k], s2 = s * s, s3 = s2 * s;
  return (2 * s3 - 3 * s2 + 1) * points_[i] + (s3 - 2 * s2 + s) * h * slopes_[i] +
         (3 * s2 - 2 * s3) * points_[i + 1] + (s3 - s2) * h * slopes_[i + 1];
}

Vec3 CurveSpline::tangent(double u) const {
  const auto [k, s] = locate(u, size());
  const auto i = static_cast<std::size_t>(k);
  const double h = knots_[k + 1] - knots_[k], s2 = s * s;
  const Vec3 d = (6 * s2 - 6 * s) * (points_[i] - points_[i + 1]) +
                 (3 * s2 - 4 * s + 1) * h * slopes_[i] + (3 * s2 - 2 * s) * h * slopes_[i + 1];
  return d.norm() > 1e-12 ? Vec3(d.normalized()) : Vec3((points_[i + 1] - points_[i]).normalized());
}

double monotoneInterpolation(const VecX& knots, const VecX& values, double u) {
  const auto [k, s] = locate(u, knots.size());
  const double h = knots[k + 1] - knots[k], s2 = s * s, s3 = s2 * s;
  return (2 * s3 - 3 * s2 + 1) * values[k] +
         (s3 - 2 * s2 + s) * h * monotoneSlope(knots, values, k) +
         (3 * s2 - 2 * s3) * values[k + 1] + (s3 - s2) * h * monotoneSlope(knots, values, k + 1);
}

double smoothInterpolation(const VecX& knots, const VecX& values, double u) {
  const auto slope = [&](Eigen::Index i) {
    const Eigen::Index a = std::max<Eigen::Index>(i - 1, 0), b = std::min(i + 1, knots.size() - 1);
    return (values[b] - values[a]) / std::max(knots[b] - knots[a], 1e-12);
  };
  const auto [k, s] = locate(u, knots.size());
  const double h = knots[k + 1] - knots[k], s2 = s * s, s3 = s2 * s;
  return (2 * s3 - 3 * s2 + 1) * values[k] + (s3 - 2 * s2 + s) * h * slope(k) +
         (3 * s2 - 2 * s3) * values[k + 1] + (s3 - s2) * h * slope(k + 1);
}

double polylineLength(std::span<const Vec3> line) {
  double length = 0;
  for (std::size_t i = 1; i < line.size(); ++i) length += (line[i] - line[i - 1]).norm();
  return length;
}

Vec3 pointAlong(std::span<const Vec3> line, double s) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    const double l = (line[i] - line[i - 1]).norm();
    if (s <= l && l > 0) return line[i - 1] + std::max(0.0, s / l) * (line[i] - line[i - 1]);
    s -= l;
  }
  return line.back();
}

std::vector<Vec3> resampledPolyline(std::span<const Vec3> line, int count) {
  const double length = polylineLength(line);
  std::vector<Vec3> out;
  for (int i = 0; i < count; ++i) out.push_back(pointAlong(line, length * i / (count - 1)));
  return out;
}

void smoothPolyline(std::vector<Vec3>& line, int passes) {
  for (int pass = 0; pass < passes; ++pass) {
    Vec3 before = line.front();
    for (std::size_t i = 1; i + 1 < line.size(); ++i) {
      const Vec3 here = line[i];
      line[i] = 0.25 * before + 0.5 * here + 0.25 * line[i + 1];
      before = here;
    }
  }
}

double distanceToPolyline(const Vec3& p, std::span<const Vec3> line) {
  double best = 1e300;
  for (std::size_t i = 1; i < line.size(); ++i) {
    const Vec3 e = line[i] - line[i - 1];
    const double s =
        std::clamp((p - line[i - 1]).dot(e) / std::max(e.squaredNorm(), 1e-30), 0., 1.);
    best = std::min(best, (line[i - 1] + s * e - p).norm());
  }
  return best;
}

}  // namespace pneuma::anatomy::internal
