#include "pneuma/flesh/action_line.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"

namespace pneuma::flesh {
namespace {

constexpr double kSmallestBelly = 1e-3;  // of the line's length

}  // namespace

ActionLine::ActionLine(std::vector<Vec3> points, double tendonStart, double tendonEnd)
    : points_(std::move(points)), tendonStart_(tendonStart), tendonEnd_(tendonEnd) {
  if (points_.size() < 2) throw InputError("an action line needs at least two points");
  if (!(tendonStart >= 0) || !(tendonEnd >= 0))
    throw InputError(
        Diagnostic{.field = "tendon",
                   .message = fmt::format("tendon lengths {} and {}", tendonStart, tendonEnd),
                   .expected = "lengths >= 0 [m]"});
  measure();
  if (!(length() > 0)) throw InputError("the points of an action line must not all coincide");
}

void ActionLine::setPoints(std::span<const Vec3> points) {
  PNEUMA_CHECK(points.size() == points_.size(), "{} points for a line of {}", points.size(),
               points_.size());
  std::copy(points.begin(), points.end(), points_.begin());
  measure();
}

void ActionLine::measure() {
  arc_.resize(points_.size());
  moment_.resize(points_.size());
  arc_[0] = 0;
  moment_[0].setZero();
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const double segment = (points_[i] - points_[i - 1]).norm();
    arc_[i] = arc_[i - 1] + segment;
    moment_[i] = moment_[i - 1] + 0.5 * segment * (points_[i] + points_[i - 1]);
  }
  const double room = (1 - kSmallestBelly) * length();
  const double tendons = tendonStart_ + tendonEnd_;
  slack_ = tendons > room;
  const double scale = slack_ ? room / tendons : 1;
  bellyStart_ = scale * tendonStart_;
  bellyEnd_ = length() - scale * tendonEnd_;
}

std::size_t ActionLine::segmentAt(double arcLength) const {
  std::size_t i = 1;  // lines have few points: looking along them beats bisection
  while (i + 1 < arc_.size() && arc_[i] <= arcLength) ++i;
  return i;
}

ActionLine::Between ActionLine::between(double arcLength) const {
  const double s = std::clamp(arcLength, 0.0, length());
  const std::size_t i = segmentAt(s);
  const double segment = arc_[i] - arc_[i - 1];
  return {i - 1, segment > 0 ? (s - arc_[i - 1]) / segment : 0};
}

Vec3 ActionLine::pointAt(double arcLength) const {
  const auto [before, t] = between(arcLength);
  return (1 - t) * points_[before] + t * points_[before + 1];
}

ActionLine::Sample ActionLine::smooth(double arcLength) const {
  const double s = std::clamp(arcLength, 0.0, length());
  const double reach = std::min({kRounding * length(), s, length() - s});
  if (reach < 1e-6 * length()) {
    const std::size_t i = segmentAt(s);
    return {pointAt(s), (points_[i] - points_[i - 1]).stableNormalized()};
  }
  // The mean over the window is a difference of moments, its derivative the chord.
  const auto end = [&](double at) {
    const std::size_t i = segmentAt(at);
    const double part = at - arc_[i - 1], segment = arc_[i] - arc_[i - 1];
    const double t = segment > 0 ? part / segment : 0;
    const Vec3 p = (1 - t) * points_[i - 1] + t * points_[i];
    return std::pair(p, Vec3(moment_[i - 1] + 0.5 * part * (points_[i - 1] + p)));
  };
  const auto [before, momentBefore] = end(s - reach);
  const auto [after, momentAfter] = end(s + reach);
  const Vec3 chord = after - before;
  const double norm = chord.norm();
  return {(momentAfter - momentBefore) / (2 * reach),
          norm > 0 ? Vec3(chord / norm) : Vec3(Vec3::UnitX())};
}

void ActionLine::bellyFrames(int count, const Vec3& reference, std::vector<Pose>& frames) const {
  PNEUMA_CHECK(count >= 2, "{} frames", count);
  frames.resize(static_cast<std::size_t>(count));
  Vec3 tangent = smooth(bellyStart_).tangent;
  Vec3 side = reference - reference.dot(tangent) * tangent;
  if (side.norm() < 1e-9) side = tangent.unitOrthogonal();
  side.normalize();
  for (int i = 0; i < count; ++i) {
    const double s = bellyStart_ + bellyLength() * i / (count - 1);
    const auto [point, next] = smooth(s);
    // Between neighbouring frames the path turns little: taking off what lies along the new
    // direction carries the side without twist.
    side = (side - side.dot(next) * next).normalized();
    tangent = next;
    Pose& frame = frames[static_cast<std::size_t>(i)];
    frame.rotation.col(0) = side;
    frame.rotation.col(1) = tangent.cross(side);
    frame.rotation.col(2) = tangent;
    frame.position = point;
  }
}

Vec3 denormalize(const NormalizedPoint& point, const Pose& X_WL, double limbLength) {
  return X_WL * Vec3(limbLength * point.position);
}

NormalizedPoint normalize(int limb, const Vec3& world, const Pose& X_WL, double limbLength) {
  return {limb, (X_WL.inverse() * world) / limbLength};
}

}  // namespace pneuma::flesh
