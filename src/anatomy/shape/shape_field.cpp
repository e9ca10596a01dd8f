#include "anatomy/shape/shape_field.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"

namespace pneuma::anatomy::internal {
namespace {

/// Rounding of the fold at the mid-plane [m].
constexpr double kFoldRounding = 0.001;

void requireBody(bool condition, const char* what) {
  if (!condition) throw InputError(std::string("bone shape: ") + what);
}

class EllipsoidField final : public PartField {
 public:
  explicit EllipsoidField(const ShapePart& part)
      : center_(part.center),
        radii_(part.radii),
        inverse_(part.radii.cwiseInverse()),
        rotation_(part.rotation),
        toLocal_(part.rotation.transpose()),
        bend_(part.bend),
        smallest_(part.radii.minCoeff()) {}

  double distance(const Vec3& p) const override {
    Vec3 q = toLocal_ * (p - center_);
    // The bend is only meant for the ellipsoid itself: hold it constant beyond its rim.
    const double x = std::clamp(q.x(), -1.3 * radii_.x(), 1.3 * radii_.x());
    const double y = std::clamp(q.y(), -1.3 * radii_.y(), 1.3 * radii_.y());
    q.z() -= 0.5 * (bend_.x() * x * x + bend_.y() * y * y) + bend_.z() * x * y;
    return ellipsoidDistance(q, inverse_, smallest_);
  }

  Box bounds() const override {
    const double rise = 0.5 * (std::abs(bend_.x()) * radii_.x() * radii_.x() +
                               std::abs(bend_.y()) * radii_.y() * radii_.y()) +
                        std::abs(bend_.z()) * radii_.x() * radii_.y();
    // Exact for the ellipsoid, plus how far the bend lifts it along its own z axis.
    const Vec3 half =
        (rotation_ * radii_.asDiagonal()).rowwise().norm() + rise * rotation_.col(2).cwiseAbs();
    Box box;
    box.add(center_ - half);
    box.add(center_ + half);
    return box;
  }

 private:
  Vec3 center_, radii_, inverse_;
  Mat3 rotation_, toLocal_;
  Vec3 bend_;
  double smallest_;
};

void grow(Box& box, double by) {
  box.min.array() -= by;
  box.max.array() += by;
}

bool meet(const Box& a, const Box& b) {
  return (a.min.array() <= b.max.array()).all() && (b.min.array() <= a.max.array()).all();
}

/// The box of points folded into x >= 0.
Box foldedBox(const Box& box) {
  Box folded = box;
  folded.min.x() = box.min.x() > 0 ? box.min.x() : (box.max.x() < 0 ? -box.max.x() : 0.0);
  folded.max.x() = std::max(std::abs(box.min.x()), std::abs(box.max.x()));
  return folded;
}

}  // namespace

double ellipsoidDistance(const Vec3& q, const Vec3& inverseRadii, double smallestRadius) {
  const Vec3 u = q.cwiseProduct(inverseRadii);
  const double k = u.norm();
  const double slope = u.cwiseProduct(inverseRadii).norm();
  if (k < 1e-9 || slope <= 0) return -smallestRadius;
  return k * (k - 1) / slope;
}

Blended smoothMinimum(double a, double b, double k) {
  const double h = k > 0 ? std::max(0.0, 1 - std::abs(a - b) / k) : 0.0;
  const double low = 0.25 * k * h * h;
  if (a < b) return {a - low, 1 - 0.5 * h, 0.5 * h};
  return {b - low, 0.5 * h, 1 - 0.5 * h};
}

Blended combine(double before, double part, const ShapePart& how) {
  if (how.operation == ShapeOperation::Add) return smoothMinimum(before, part, how.blend);
  const Blended m = smoothMinimum(-before, part, how.blend);
  return {-m.value, m.weightA, -m.weightB};
}

Vec3 foldedPoint(const Vec3& p) {
  return {std::sqrt(p.x() * p.x() + kFoldRounding * kFoldRounding), p.y(), p.z()};
}

std::unique_ptr<PartField> makePartField(const ShapePart& part) {
  requireBody(std::isfinite(part.blend) && part.blend >= 0, "blend must be a number >= 0 [m]");
  switch (part.kind) {
    case ShapeKind::Sweep:
      requireBody(part.sections.size() >= 2, "a sweep needs at least two sections");
      for (const SweepSection& s : part.sections)
        requireBody(s.center.allFinite() && s.radiusA > 0 && s.radiusB > 0,
                    "a sweep's radii must be > 0 [m]");
      return makeSweepField(part);
    case ShapeKind::Ellipsoid:
      requireBody(part.center.allFinite() && (part.radii.array() > 0).all() &&
                      part.rotation.allFinite() && part.bend.allFinite(),
                  "an ellipsoid's radii must be > 0 [m]");
      return std::make_unique<EllipsoidField>(part);
    case ShapeKind::Plate:
      requireBody(part.rows >= 2 && part.columns >= 2, "a plate needs 2 rows and 2 columns");
      requireBody(part.grid.size() == static_cast<std::size_t>(part.rows * part.columns) &&
                      part.thickness.size() == part.grid.size(),
                  "a plate needs rows x columns points, each with a thickness");
      return makePlateField(part);
    case ShapeKind::Profile:
      requireBody(part.contours.size() >= 2, "a profile needs at least two contours");
      for (const ProfileSection& c : part.contours)
        requireBody(c.meanRadius > 0 && c.cosine.size() == c.sine.size(),
                    "a contour needs a mean radius > 0 and equally many cosines and sines");
      return makeProfileField(part);
  }
  throw InputError("bone shape: unknown kind of part");
}

ShapeField::ShapeField(const BoneShape& shape) : shape_(shape) {
  for (const ShapePart& part : shape_.parts) {
    parts_.push_back(makePartField(part));
    boxes_.push_back(parts_.back()->bounds());
  }
}

double ShapeField::distance(const Vec3& p) const {
  const Vec3 q = shape_.symmetric ? foldedPoint(p) : p;
  double value = kFar;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    value = combine(value, parts_[i]->distance(q), shape_.parts[i]).value;
  return value;
}

double ShapeField::distance(const Vec3& p, const std::vector<int>& active) const {
  const Vec3 q = shape_.symmetric ? foldedPoint(p) : p;
  double value = kFar;
  for (int i : active) {
    const auto k = static_cast<std::size_t>(i);
    value = combine(value, parts_[k]->distance(q), shape_.parts[k]).value;
  }
  return value;
}

double ShapeField::distanceFromBoxes(const Vec3& p, const std::vector<int>& active) const {
  const Vec3 q = shape_.symmetric ? foldedPoint(p) : p;
  double value = kFar;
  for (int i : active) {
    const auto k = static_cast<std::size_t>(i);
    double d = parts_[k]->distance(q);
    const double away = (q - q.cwiseMax(boxes_[k].min).cwiseMin(boxes_[k].max)).norm();
    if (away > d && away > 0 && shape_.parts[k].operation == ShapeOperation::Add) d = away;
    value = combine(value, d, shape_.parts[k]).value;
  }
  return value;
}

void ShapeField::collectActive(const Box& box, double reach, std::vector<int>& active) const {
  active.clear();
  const Box where = shape_.symmetric ? foldedBox(box) : box;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Box b = boxes_[i];
    grow(b, reach + shape_.parts[i].blend + kFoldRounding);
    if (meet(b, where)) active.push_back(static_cast<int>(i));
  }
}

Vec3 ShapeField::gradient(const Vec3& p, const std::vector<int>& active, double step) const {
  Vec3 g;
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 e = step * Vec3::Unit(axis);
    g[axis] = (distance(p + e, active) - distance(p - e, active)) / (2 * step);
  }
  return g;
}

Box ShapeField::bounds() const {
  Box all;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (shape_.parts[i].operation == ShapeOperation::Subtract) continue;
    Box b = boxes_[i];
    grow(b, shape_.parts[i].blend);
    all.add(b);
  }
  if (shape_.symmetric && !all.empty()) {
    const double reach = std::max(std::abs(all.min.x()), std::abs(all.max.x()));
    all.min.x() = -reach;
    all.max.x() = reach;
  }
  return all;
}

}  // namespace pneuma::anatomy::internal
