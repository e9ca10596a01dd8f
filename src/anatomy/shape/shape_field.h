#pragma once

#include <memory>
#include <vector>

#include "pneuma/anatomy/bone_shape.h"

/// The implicit function of a shape: negative inside, positive outside, and near the surface close
/// to the true distance [m].
namespace pneuma::anatomy::internal {

/// The field of one part.
class PartField {
 public:
  virtual ~PartField() = default;
  virtual double distance(const Vec3& p) const = 0;
  /// Box that holds the whole part.
  virtual Box bounds() const = 0;
};

/// Throws InputError when the part's fields do not describe a body.
std::unique_ptr<PartField> makePartField(const ShapePart& part);
std::unique_ptr<PartField> makeSweepField(const ShapePart& part);
std::unique_ptr<PartField> makePlateField(const ShapePart& part);
std::unique_ptr<PartField> makeProfileField(const ShapePart& part);

/// First-order distance to an axis-aligned ellipsoid at the origin:
///   d = k (k - 1) / |q / r^2|  with  k = |q / r|,
/// exact on the axes and on the surface. A zero vector gives minus the smallest radius.
double ellipsoidDistance(const Vec3& q, const Vec3& inverseRadii, double smallestRadius);

/// Result of a smooth union or cut with its derivatives with respect to both inputs.
struct Blended {
  double value, weightA, weightB;
};

/// Smooth minimum: min(a, b) - k h^2 / 4 with h = max(0, 1 - |a - b| / k); plain min for k = 0.
Blended smoothMinimum(double a, double b, double k);
/// `part` joined to, or cut out of, the field value `before`.
Blended combine(double before, double part, const ShapePart& how);

/// Folds a point into the half x >= 0, rounded over a millimetre so that no crease stays at x = 0.
Vec3 foldedPoint(const Vec3& p);

/// The whole shape.
class ShapeField {
 public:
  explicit ShapeField(const BoneShape& shape);

  /// Value far away from every part (no part within reach).
  static constexpr double kFar = 1.0;

  double distance(const Vec3& p) const;
  /// The same over chosen parts only; `active` in ascending order.
  double distance(const Vec3& p, const std::vector<int>& active) const;
  /// The same where each added part is at least as far away as its box: fields of thin bent parts
  /// are far too small beyond their rim.
  double distanceFromBoxes(const Vec3& p, const std::vector<int>& active) const;
  /// Parts whose box, grown by `reach` and their blend, meets `box`. Ascending.
  void collectActive(const Box& box, double reach, std::vector<int>& active) const;
  /// Central differences, not normalised.
  Vec3 gradient(const Vec3& p, const std::vector<int>& active, double step) const;
  Box bounds() const;  ///< of all added parts (both halves of a symmetric shape)

 private:
  BoneShape shape_;
  std::vector<std::unique_ptr<PartField>> parts_;
  std::vector<Box> boxes_;
};

}  // namespace pneuma::anatomy::internal
