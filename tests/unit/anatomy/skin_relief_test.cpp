#include "anatomy/skin/skin_relief.h"

#include <gtest/gtest.h>

#include <cmath>

#include "anatomy/shape/shape_field.h"
#include "anatomy/skin/skin_person.h"
#include "pneuma/core/error.h"

namespace pneuma::anatomy::internal {
namespace {

using Pieces = std::vector<std::pair<std::string, BoneShape>>;

/// Heights that tell row and column [m].
std::vector<double> wavyHeights(const ReliefFrame& frame) {
  std::vector<double> heights;
  for (int i = 0; i < frame.rows; ++i)
    for (int j = 0; j < frame.columns; ++j)
      heights.push_back(0.004 * std::sin(0.1 * i) * std::cos(0.07 * j));
  return heights;
}

TEST(ReliefFrame, FindsThePlaceOfARaysPoint) {
  for (const ReliefFrame& frame : reliefFrames()) {
    const double height = frame.low + (frame.high - frame.low) * 30 / (frame.rows - 1);
    const double angle = frame.angleOf(20);
    const Vec3 p = frame.axisAt(height) + 0.03 * Vec3(std::sin(angle), 0, std::cos(angle));
    const Vec2 place = frame.placeOf(p);
    EXPECT_NEAR(place.x(), 20, 1e-9) << frame.piece;
    EXPECT_NEAR(place.y(), 30, 1e-9) << frame.piece;
    EXPECT_EQ(frame.placeOf({-p.x(), p.y(), p.z()}), place) << "the right side is its image";
  }
}

TEST(SkinRelief, GivesTheHeightsOfItsTableOnTheirRays) {
  const ReliefFrame& frame = reliefFrames().front();
  const std::vector<double> heights = wavyHeights(frame);
  const ShapePart part = packedHeights(frame, heights);
  EXPECT_EQ(unpackedHeights(frame, part), heights);
  const SkinRelief relief(Pieces{{std::string(frame.piece), {true, {part}}}}, false);
  // In the middle of the belly the trunk's table counts in full, near and far from its axis.
  for (const int row : {70, 80})
    for (const int column : {0, 11, 40}) {
      const double height = frame.low + (frame.high - frame.low) * row / (frame.rows - 1);
      const double angle = frame.angleOf(column);
      for (const double radius : {0.08, 0.13})
        EXPECT_NEAR(
            relief.at(frame.axisAt(height) + radius * Vec3(std::sin(angle), 0, std::cos(angle))),
            heights[static_cast<std::size_t>(row * frame.columns + column)], 1e-12);
    }
  EXPECT_EQ(relief.at({0.05, 1.45, 0.1}), 0) << "the head has its own table";
  EXPECT_EQ(SkinRelief(Pieces{{std::string(frame.piece), {true, {part}}}}, true).at({0.1, 1, 0.2}),
            0)
      << "not of the arm";
}

TEST(SkinRelief, ATableOfAnotherSizeIsRefused) {
  const ReliefFrame& frame = reliefFrames().front();
  ShapePart part = packedHeights(frame, wavyHeights(frame));
  part.rows -= 1;
  EXPECT_THROW(SkinRelief(Pieces{{std::string(frame.piece), {true, {part}}}}, false), InputError);
}

ShapePart mark(const Vec3& center, const Vec3& radii, ShapeOperation operation) {
  ShapePart part;
  part.kind = ShapeKind::Ellipsoid;
  part.operation = operation;
  part.center = center;
  part.radii = radii;
  return part;
}

TEST(SkinRelief, MarksRaiseOrLowerWithinTheirRim) {
  const Vec3 navel(0, 0.98, 0.2), nipple(0.1, 1.23, 0.2);
  SkinRelief relief(
      Pieces{
          {"skin_mark_navel", {true, {mark(navel, {0.01, 0.02, 0.005}, ShapeOperation::Subtract)}}},
          {"skin_mark_nipple_l", {true, {mark(nipple, {0.01, 0.01, 0.003}, ShapeOperation::Add)}}}},
      false);
  EXPECT_DOUBLE_EQ(relief.marks(navel), -0.005);
  EXPECT_DOUBLE_EQ(relief.marks(navel + Vec3(0, 0, 0.03)), -0.005) << "fat moves it outwards";
  EXPECT_EQ(relief.marks(navel + Vec3(0.01, 0, 0)), 0);
  EXPECT_LT(relief.marks(navel + Vec3(0, 0.01, 0)), 0) << "its second radius is longer";
  EXPECT_DOUBLE_EQ(relief.marks(nipple), 0.003);
  EXPECT_DOUBLE_EQ(relief.marks({-nipple.x(), nipple.y(), nipple.z()}), 0.003);
  const Vec3 elsewhere(0.09, 1.2, 0.25);
  relief.moveNipple(elsewhere, Vec3(0.3, 0, 1).normalized());
  EXPECT_EQ(relief.marks(nipple), 0);
  EXPECT_DOUBLE_EQ(relief.marks(elsewhere), 0.003);
  EXPECT_DOUBLE_EQ(relief.marks(navel), -0.005);
}

TEST(Breasts, GrowWithMassHangWithAgeAndAreWomens) {
  const Person young{.sex = Sex::Female, .height = 1.65, .mass = 58, .age = 25};
  Person heavy = young, old = young;
  heavy.mass = 85, old.age = 65;
  const Breasts b = breastsOf(young), h = breastsOf(heavy), o = breastsOf(old);
  EXPECT_GT(h.mounds.parts[1].radii.minCoeff(), 1.1 * b.mounds.parts[1].radii.minCoeff());
  EXPECT_GT(h.nipple.z(), b.nipple.z());
  EXPECT_LT(o.nipple.y(), b.nipple.y() - 0.01);
  EXPECT_LT(o.forwards.y(), b.forwards.y());
  EXPECT_TRUE(breastsOf({.sex = Sex::Male}).mounds.parts.empty());
  EXPECT_EQ(overBreast(b.nipple), 1);
  EXPECT_EQ(overBreast({0.05, 1.0, 0.2}), 0);
}

TEST(ShapeField, FromBoxesIsNeverNearerThanABox) {
  // A thin strip, bent strongly: its field is far too small beyond its rim.
  ShapePart strip = mark({0.08, 1.36, 0.09}, {0.04, 0.0009, 0.0013}, ShapeOperation::Add);
  strip.bend = Vec3(17.6, 394.9, -9.5);
  const ShapeField field(BoneShape{false, {strip}});
  const Box box = field.bounds();
  std::vector<int> active{0};
  for (int k = 0; k < 200; ++k) {
    const Vec3 p =
        strip.center + 0.07 * Vec3(std::sin(1.7 * k), std::sin(2.3 * k + 1), std::sin(3.1 * k + 2));
    const double away = (p - p.cwiseMax(box.min).cwiseMin(box.max)).norm();
    // The bounds of the whole are those of its part and its blend.
    EXPECT_GE(field.distanceFromBoxes(p, active), away);
    EXPECT_GE(field.distanceFromBoxes(p, active), field.distance(p, active));
  }
  EXPECT_LT(field.distanceFromBoxes(strip.center, active), 0);
}

}  // namespace
}  // namespace pneuma::anatomy::internal
