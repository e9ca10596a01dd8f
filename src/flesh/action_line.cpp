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
  arc_[0] = 0;
  for (std::size_t i = 1; i < points_.size(); ++i)
    arc_[i] = arc_[i - 1] + (points_[i] - points_[i - 1]).norm();
  const double room = (1 - kSmallestBelly) * length();
  const double tendons = tendonStart_ + tendonEnd_;
  slack_ = tendons > room;
  const double scale = slack_ ? room / tendons : 1;
  bellyStart_ = scale * tendonStart_;
  bellyEnd_ = length() - scale * tendonEnd_;
}

Vec3 ActionLine::pointAt(double arcLength) const {
  const double s = std::clamp(arcLength, 0.0, length());
  const auto upper = std::upper_bound(arc_.begin() + 1, arc_.end() - 1, s);
  const auto i = static_cast<std::size_t>(upper - arc_.begin());
  const double segment = arc_[i] - arc_[i - 1];
  const double t = segment > 0 ? (s - arc_[i - 1]) / segment : 0;
  return (1 - t) * points_[i - 1] + t * points_[i];
}

Vec3 ActionLine::tangentAt(double arcLength) const {
  // Over a twentieth of the line, so that a corner turns the frames of a belly gradually.
  const double reach = 0.05 * length();
  return (pointAt(arcLength + reach) - pointAt(arcLength - reach)).normalized();
}

void ActionLine::bellyFrames(int count, const Vec3& reference, std::vector<Pose>& frames) const {
  PNEUMA_CHECK(count >= 2, "{} frames", count);
  frames.resize(static_cast<std::size_t>(count));
  Vec3 tangent = tangentAt(bellyStart_);
  Vec3 side = reference - reference.dot(tangent) * tangent;
  if (side.norm() < 1e-9) side = tangent.unitOrthogonal();
  side.normalize();
  for (int i = 0; i < count; ++i) {
    const double s = bellyStart_ + bellyLength() * i / (count - 1);
    const Vec3 next = tangentAt(s);
    side = Quat::FromTwoVectors(tangent, next) * side;
    side = (side - side.dot(next) * next).normalized();
    tangent = next;
    Pose& frame = frames[static_cast<std::size_t>(i)];
    frame.rotation.col(0) = side;
    frame.rotation.col(1) = tangent.cross(side);
    frame.rotation.col(2) = tangent;
    frame.position = pointAt(s);
  }
}

Vec3 denormalize(const NormalizedPoint& point, const Pose& X_WL, double limbLength) {
  return X_WL * Vec3(limbLength * point.position);
}

NormalizedPoint normalize(int limb, const Vec3& world, const Pose& X_WL, double limbLength) {
  return {limb, (X_WL.inverse() * world) / limbLength};
}

}  // namespace pneuma::flesh
