#include "pneuma/skeleton/glide_surface.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "pneuma/core/error.h"

namespace pneuma::skeleton {
namespace {

constexpr double kAngleStep = degreesToRadians(5);
constexpr double kHeightStep = 0.012;  // [m], half the distance between two ribs

/// A point in cylinder coordinates.
struct Polar {
  double angle, height, radius;
};

/// Where a line crosses an angle; its ends go on beyond it.
Polar crossing(const std::vector<Polar>& line, double angle) {
  const auto after = std::ranges::find_if(line, [&](const Polar& p) { return p.angle >= angle; });
  if (after == line.begin()) return line.front();
  if (after == line.end()) return line.back();
  const Polar &a = *(after - 1), &b = *after;
  const double s = (angle - a.angle) / (b.angle - a.angle);
  return {angle, a.height + s * (b.height - a.height), a.radius + s * (b.radius - a.radius)};
}

/// Radius at a height between lines that cross an angle, sorted by height.
double radiusAt(const std::vector<Polar>& crossings, double height) {
  const auto above =
      std::ranges::find_if(crossings, [&](const Polar& p) { return p.height >= height; });
  if (above == crossings.begin()) return crossings.front().radius;
  if (above == crossings.end()) return crossings.back().radius;
  const Polar &a = *(above - 1), &b = *above;
  const double s = (height - a.height) / (b.height - a.height);
  return a.radius + s * (b.radius - a.radius);
}

/// Weights of four control points of a uniform cubic B-spline, and their derivatives.
struct SplineWeights {
  std::array<double, 4> value, slope;
  explicit SplineWeights(double t)
      : value{(1 - t) * (1 - t) * (1 - t) / 6, (3 * t * t * t - 6 * t * t + 4) / 6,
              (-3 * t * t * t + 3 * t * t + 3 * t + 1) / 6, t * t * t / 6},
        slope{-(1 - t) * (1 - t) / 2, (3 * t * t - 4 * t) / 2, (-3 * t * t + 2 * t + 1) / 2,
              t * t / 2} {}
};

}  // namespace

// A rib's head may lie a little in front of its neck: what turns back towards the spine is left
// out, so that each line has one point at every angle.
GlideSurface::GlideSurface(const std::vector<std::vector<Vec3>>& lines) {
  double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
  double back = low, front = -low;
  for (const std::vector<Vec3>& line : lines)
    for (const Vec3& p : line) {
      low = std::min(low, p.y()), high = std::max(high, p.y());
      back = std::min(back, p.z()), front = std::max(front, p.z());
      sum += p.x();
    }
  side_ = sum < 0 ? -1 : 1;
  depth_ = 0.5 * (back + front);
  std::vector<std::vector<Polar>> polar;
  double first = std::numeric_limits<double>::infinity(), last = -first;
  for (const std::vector<Vec3>& line : lines) {
    std::vector<Polar> one;
    for (const Vec3& p : line) {
      const double x = side_ * p.x(), z = depth_ - p.z();
      const Polar next{std::atan2(x, z), p.y(), std::hypot(x, z)};
      if (one.empty() || next.angle > one.back().angle) one.push_back(next);
    }
    if (one.size() < 2 || !std::isfinite(low + high))
      throw InputError(Diagnostic{.subject = "glide",
                                  .field = "over",
                                  .message = "a centreline does not go around the body",
                                  .expected = "lines from the spine to the front"});
    first = std::min(first, one.front().angle), last = std::max(last, one.back().angle);
    polar.push_back(std::move(one));
  }
  firstAngle_ = first, angleStep_ = kAngleStep;
  firstHeight_ = low, heightStep_ = kHeightStep;
  angles_ = static_cast<int>(std::ceil((last - first) / kAngleStep)) + 1;
  heights_ = static_cast<int>(std::ceil((high - low) / kHeightStep)) + 1;
  for (int i = 0; i < angles_; ++i) {
    std::vector<Polar> crossings;
    for (const std::vector<Polar>& line : polar)
      crossings.push_back(crossing(line, firstAngle_ + i * angleStep_));
    std::ranges::sort(crossings, {}, &Polar::height);
    for (int j = 0; j < heights_; ++j)
      radius_.push_back(radiusAt(crossings, firstHeight_ + j * heightStep_));
  }
}

double GlideSurface::distance(const Vec3& point, Vec3& gradient) const {
  const double x = side_ * point.x(), z = depth_ - point.z();
  const double r = std::max(std::hypot(x, z), 1e-3);
  const double u = (std::atan2(x, z) - firstAngle_) / angleStep_;
  const double v = (point.y() - firstHeight_) / heightStep_;
  const int i = static_cast<int>(std::floor(u)), j = static_cast<int>(std::floor(v));
  const SplineWeights a(u - i), h(v - j);
  double R = 0, byAngle = 0, byHeight = 0;
  for (int k = 0; k < 4; ++k)
    for (int l = 0; l < 4; ++l) {
      const int row = std::clamp(i - 1 + k, 0, angles_ - 1);
      const int column = std::clamp(j - 1 + l, 0, heights_ - 1);
      const double c = radius_[static_cast<std::size_t>(row * heights_ + column)];
      const auto m = static_cast<std::size_t>(k), n = static_cast<std::size_t>(l);
      R += a.value[m] * h.value[n] * c;
      byAngle += a.slope[m] * h.value[n] * c / angleStep_;
      byHeight += a.value[m] * h.slope[n] * c / heightStep_;
    }
  // grad r = (x, 0, -z) / r and grad theta = (z, 0, x) / r^2 with z counted to the back.
  const double across = x / r, along = z / r;
  const Vec3 f(side_ * (across - byAngle * along / r), -byHeight, -(along + byAngle * across / r));
  const double steep = f.norm();
  gradient = f / steep;
  return (r - R) / steep;
}

}  // namespace pneuma::skeleton
