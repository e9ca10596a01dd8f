#include "anatomy/skin/head_surface.h"

#include <gtest/gtest.h>

#include <cmath>

#include "anatomy/skin/head_join.h"
#include "pneuma/core/error.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr int kSize = 33;
constexpr double kHeadRadius = 0.1;
const Vec3 kMiddle(0, 1.5, 0);

/// The left half of a ball above its southern cap, as a head's table: the mid-line along three
/// sides. Each place of the square is a direction (a half disc of directions, laid over it).
ShapePart ballTable(double radius) {
  ShapePart part;
  part.kind = ShapeKind::Plate;
  part.rows = part.columns = kSize;
  for (int j = 0; j < kSize; ++j)
    for (int i = 0; i < kSize; ++i) {
      const double u = i / (kSize - 1.0), v = j / (kSize - 1.0);
      // From throat (front, low) over the side to the nape; up to the mid-line on top.
      const double around = kPi * u, up = -0.6 + (kPi / 2 + 0.6) * v;
      Vec3 p = kMiddle + radius * Vec3(std::cos(up) * std::sin(around), std::sin(up),
                                       std::cos(up) * std::cos(around));
      if (i == 0 || i == kSize - 1 || j == kSize - 1) p.x() = 0;
      part.grid.push_back(p);
    }
  return part;
}

/// The left half of a ball up to some height above its middle, in place of a body: the row at its
/// lowest point lies in the mid-plane.
TriangleMesh lowerHalf(double radius) {
  constexpr int kAround = 60, kUp = 60;
  TriangleMesh half;
  for (int j = 0; j <= kUp; ++j)
    for (int i = 0; i <= kAround; ++i) {
      const double around = kPi * i / kAround, up = -kPi / 2 + (kPi / 2 + 0.5) * j / kUp;
      Vec3 p = kMiddle + radius * Vec3(std::cos(up) * std::sin(around), std::sin(up),
                                       std::cos(up) * std::cos(around));
      if (i == 0 || i == kAround || j == 0) p.x() = 0;
      half.positions.push_back(p);
    }
  for (int j = 0; j < kUp; ++j)
    for (int i = 0; i < kAround; ++i) {
      const std::int32_t a = j * (kAround + 1) + i, b = a + 1, c = a + kAround + 1, d = c + 1;
      // No diagonal ties two vertices of the mid-plane together.
      if (i == 0)
        half.triangles.insert(half.triangles.end(), {{a, b, d}, {a, d, c}});
      else
        half.triangles.insert(half.triangles.end(), {{a, b, c}, {b, d, c}});
    }
  return half;
}

TEST(HeadTable, IsCubicBetweenItsPointsAndEndsInTheMidPlane) {
  const HeadTable table(ballTable(kHeadRadius), ballTable(0.9 * kHeadRadius));
  double worst = 0;
  for (double u = 0.02; u < 1; u += 0.037)
    for (double v = 0.02; v < 0.9; v += 0.041) {
      worst = std::max(worst,
                       std::abs((table.point(Sex::Male, {u, v}) - kMiddle).norm() - kHeadRadius));
      EXPECT_GT(table.point(Sex::Male, {u, v}).x(), 0);
    }
  EXPECT_LT(worst, 2e-5) << "the chord of a cell lies 0.1 mm inside";
  EXPECT_EQ(table.point(Sex::Male, {0, 0.317}).x(), 0);
  EXPECT_EQ(table.point(Sex::Female, {1, 0.7}).x(), 0);
}

TEST(HeadTable, PointsOutwardsAndTellsBentPlacesFromFlatOnes) {
  const HeadTable table(ballTable(kHeadRadius), ballTable(kHeadRadius));
  const Vec3 p = table.point(Sex::Male, {0.4, 0.5});
  EXPECT_GT(table.outward(Sex::Male, {0.4, 0.5}).dot((p - kMiddle).normalized()), 0.99);
  const HeadTable small(ballTable(0.006), ballTable(0.006));
  EXPECT_GT(small.detail({0.4, 0.3}), 1.5 * table.detail({0.4, 0.3}));
}

TEST(HeadTable, IsASolidThatEndsWithinTheNeck) {
  const HeadTable table(ballTable(kHeadRadius), ballTable(1.1 * kHeadRadius));
  for (const Sex sex : {Sex::Male, Sex::Female}) {
    const TriangleMesh solid = table.solid(sex);
    EXPECT_TRUE(analyzeTopology(solid).watertight());
    const double r = sex == Sex::Male ? kHeadRadius : 1.1 * kHeadRadius;
    // The ball, cut off below and closed.
    EXPECT_GT(enclosedVolume(solid), 0.85 * 4 / 3 * kPi * r * r * r);
    EXPECT_LT(enclosedVolume(solid), 1.02 * 4 / 3 * kPi * r * r * r);
    EXPECT_LT(boundingBox(solid.positions).min.y(), kMiddle.y() - r * std::sin(0.6));
  }
}

TEST(HeadTable, OtherSizesAreRefused) {
  ShapePart other = ballTable(kHeadRadius);
  other.rows = kSize - 1;
  EXPECT_THROW(HeadTable(ballTable(kHeadRadius), other), InputError);
}

TEST(HeadSurface, FindsThePlaceItsPointsComeFrom) {
  const HeadTable table(ballTable(kHeadRadius), ballTable(kHeadRadius));
  const HeadSurface surface(table);
  for (const Vec2& place : {Vec2(0.3, 0.4), Vec2(0.71, 0.2), Vec2(0.5, 0.6)}) {
    const HeadSurface::Place found = surface.closest(table.point(Sex::Male, place));
    EXPECT_LT((found.place - place).norm(), 0.002);
    EXPECT_LT(found.distance, 3e-4);
    EXPECT_EQ(found.share, 1);
  }
  EXPECT_EQ(surface.closest(table.point(Sex::Male, {0, 0.4})).place.x(), 0);
}

TEST(HeadSurface, LeavesTheBodyBelowItsRimAlone) {
  const HeadTable table(ballTable(kHeadRadius), ballTable(kHeadRadius));
  const HeadSurface surface(table);
  EXPECT_EQ(surface.closest(table.point(Sex::Male, {0.5, 0})).share, 0);
  EXPECT_FALSE(surface.covers(kMiddle + kHeadRadius * Vec3(0.3, -0.95, 0).normalized(), 0.004));
  EXPECT_TRUE(surface.covers(kMiddle + kHeadRadius * Vec3(1, 0.3, 0).normalized(), 0.004));
}

TEST(HeadJoin, GivesAClosedSurfaceOnceMirrored) {
  const HeadTable table(ballTable(kHeadRadius), ballTable(kHeadRadius));
  const HeadSurface surface(table);
  const TriangleMesh half = lowerHalf(0.998 * kHeadRadius);
  const SymmetricMesh whole = joinedHalves(withMeasuredHead(half, surface));
  const MeshTopology topology = analyzeTopology(whole.mesh);
  EXPECT_TRUE(topology.watertight());
  EXPECT_EQ(topology.components, 1u);
  EXPECT_EQ(topology.eulerNumber, 2);
  EXPECT_NEAR(enclosedVolume(whole.mesh), 4.0 / 3 * kPi * std::pow(kHeadRadius, 3), 3e-5);
}

TEST(HeadPlaces, OfAFinerMeshLieInTheMiddleOfEdges) {
  const std::vector<Triangle> triangles{{0, 1, 2}};
  const HeadPlaces coarse{{{0, 0}, {0.2, 0}, {0, 0.4}}, {1, 0.5, 0}};
  const HeadPlaces fine = subdivided(coarse, triangles);
  ASSERT_EQ(fine.share.size(), 6u);
  EXPECT_EQ(fine.place[3], Vec2(0.1, 0));
  EXPECT_EQ(fine.share[3], 0.75);
  EXPECT_EQ(fine.share[4], 0) << "an end that is not held lets the middle go";
}

}  // namespace
}  // namespace pneuma::anatomy::internal
