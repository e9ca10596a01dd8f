// Implicit shapes: their distances against closed forms, their unions and cuts.
#include "anatomy/shape/shape_field.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"

namespace pneuma::anatomy::internal {
namespace {

ShapePart ball(const Vec3& center, double radius) {
  ShapePart p;
  p.kind = ShapeKind::Ellipsoid;
  p.center = center;
  p.radii = Vec3::Constant(radius);
  p.blend = 0;
  return p;
}

TEST(EllipsoidDistance, IsExactForABallAndOnTheAxesAndTheSurface) {
  const Vec3 radii(0.03, 0.02, 0.01), inverse = radii.cwiseInverse();
  for (const double r : {0.5, 1.0, 2.0})
    EXPECT_NEAR(ellipsoidDistance({0.02 * r, 0, 0}, Vec3::Constant(50), 0.02), 0.02 * (r - 1),
                1e-15);
  for (int a = 0; a < 3; ++a)
    for (const double share : {0.5, 1.0, 1.5})
      EXPECT_NEAR(ellipsoidDistance(share * radii[a] * Vec3::Unit(a), inverse, 0.01),
                  (share - 1) * radii[a], 1e-15);
  const Vec3 direction = Vec3(1, 2, 3).normalized();
  EXPECT_NEAR(ellipsoidDistance(direction.cwiseProduct(radii), inverse, 0.01), 0, 1e-15);
  EXPECT_EQ(ellipsoidDistance(Vec3::Zero(), inverse, 0.01), -0.01);
}

TEST(SmoothMinimum, IsTheMinimumWhereInputsAreFarApart) {
  const Blended b = smoothMinimum(0.1, 0.5, 0.2);
  EXPECT_EQ(b.value, 0.1);
  EXPECT_EQ(b.weightA, 1);
  EXPECT_EQ(b.weightB, 0);
  EXPECT_EQ(smoothMinimum(0.3, 0.1, 0).value, 0.1);
}

TEST(SmoothMinimum, LiesBelowBothAndItsWeightsAreItsDerivatives) {
  const double k = 0.02, h = 1e-7;
  Random random(5);
  for (int i = 0; i < 100; ++i) {
    const double a = random.uniform(-0.03, 0.03), b = a + random.uniform(-0.9, 0.9) * k;
    const Blended v = smoothMinimum(a, b, k);
    EXPECT_LE(v.value, std::min(a, b));
    EXPECT_GE(v.value, std::min(a, b) - k / 4);
    EXPECT_NEAR(v.weightA + v.weightB, 1, 1e-12);
    EXPECT_NEAR((smoothMinimum(a + h, b, k).value - smoothMinimum(a - h, b, k).value) / (2 * h),
                v.weightA, 1e-6);
    EXPECT_NEAR((smoothMinimum(a, b + h, k).value - smoothMinimum(a, b - h, k).value) / (2 * h),
                v.weightB, 1e-6);
  }
}

TEST(Combine, ACutRemovesWhatThePartCovers) {
  ShapePart cut = ball({0, 0, 0}, 0.01);
  cut.operation = ShapeOperation::Subtract;
  EXPECT_EQ(combine(-0.02, -0.005, cut).value, 0.005);  // inside both: outside now
  EXPECT_EQ(combine(-0.02, 0.03, cut).value, -0.02);    // far from the cut: as before
}

TEST(ShapeField, CutBallIsAShell) {
  ShapePart hole = ball({0, 0, 0}, 0.01);
  hole.operation = ShapeOperation::Subtract;
  const ShapeField shell(BoneShape{false, {ball({0, 0, 0}, 0.02), hole}});
  for (const double r : {0.005, 0.012, 0.018, 0.025})
    EXPECT_NEAR(shell.distance({0, r, 0}), std::max(r - 0.02, 0.01 - r), 1e-12);
}

TEST(ShapeField, ASymmetricShapeIsItsOwnMirrorImage) {
  const ShapeField pair(BoneShape{true, {ball({0.05, 0, 0}, 0.02)}});
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const Vec3 p(random.uniform(-0.1, 0.1), random.uniform(-0.05, 0.05),
                 random.uniform(-0.05, 0.05));
    EXPECT_EQ(pair.distance(p), pair.distance({-p.x(), p.y(), p.z()}));
  }
  EXPECT_LT(pair.bounds().min.x(), -0.069);
}

TEST(ShapeField, ActivePartsGiveTheWholeFieldNearby) {
  std::vector<ShapePart> parts;
  for (int i = 0; i < 10; ++i) parts.push_back(ball({0.05 * i, 0, 0}, 0.01));
  const ShapeField row(BoneShape{false, parts});
  const Box box{Vec3(0.09, -0.01, -0.01), Vec3(0.11, 0.01, 0.01)};
  std::vector<int> active;
  row.collectActive(box, 0.01, active);
  EXPECT_EQ(active, std::vector<int>{2});
  for (const double x : {0.09, 0.1, 0.11})
    EXPECT_EQ(row.distance({x, 0, 0}), row.distance({x, 0, 0}, active));
}

TEST(ShapeField, GradientOfABallPointsOutwards) {
  const ShapeField field(BoneShape{false, {ball({0.01, 0.02, 0.03}, 0.02)}});
  const Vec3 outwards = Vec3(1, -2, 2).normalized();
  const Vec3 g = field.gradient(Vec3(0.01, 0.02, 0.03) + 0.025 * outwards, {0}, 1e-5);
  EXPECT_LT((g.normalized() - outwards).norm(), 1e-6);
}

TEST(FoldedPoint, IsRoundedInTheMiddleAndPlainElsewhere) {
  EXPECT_NEAR(foldedPoint({-0.02, 1, 2}).x(), 0.02, 3e-5);  // sqrt(x^2 + (1 mm)^2)
  EXPECT_NEAR(foldedPoint({-0.2, 1, 2}).x(), 0.2, 3e-6);
  EXPECT_EQ(foldedPoint({0.0003, 1, 2}), foldedPoint({-0.0003, 1, 2}));
  // No crease: the slope at x = 0 vanishes.
  EXPECT_NEAR(foldedPoint({1e-6, 0, 0}).x(), foldedPoint({0, 0, 0}).x(), 1e-8);
}

TEST(PartField, RefusesWhatIsNoBody) {
  ShapePart flat = ball({0, 0, 0}, 0.01);
  flat.radii.y() = 0;
  EXPECT_THROW(makePartField(flat), InputError);
  ShapePart point;  // a sweep of one section
  point.sections.push_back({Vec3::Zero(), 0.01, 0.01, Vec3::UnitX()});
  EXPECT_THROW(makePartField(point), InputError);
  ShapePart lost = ball({0, 0, std::nan("")}, 0.01);
  EXPECT_THROW(makePartField(lost), InputError);
}

}  // namespace
}  // namespace pneuma::anatomy::internal
