#include "pneuma/skin/primitive.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/random.h"

namespace pneuma::skin {
namespace {

Vec3 randomDirection(Random& random) {
  return Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)).normalized();
}

Ellipsoid tilted() {
  return {Vec3(0.1, 0.2, -0.1),
          Eigen::AngleAxisd(0.7, Vec3(1, 2, 0.5).normalized()).toRotationMatrix(),
          Vec3(0.06, 0.03, 0.04)};
}

TEST(Primitive, RaysEndOnTheEllipsoid) {
  Random random(3);
  const Ellipsoid e = tilted();
  for (int i = 0; i < 100; ++i) {
    const Vec3 d = randomDirection(random);
    const auto hit = castUnblended(e, e.center, d, 1);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(e.scaledDistance(e.center + *hit * d), 1, 1e-12);
  }
  EXPECT_FALSE(castUnblended(e, e.center + Vec3(1, 0, 0), Vec3(1, 0, 0), 5));
}

TEST(Primitive, ASingleBlendingOneIsItsEllipsoid) {
  Random random(4);
  const Ellipsoid e = tilted();
  for (int i = 0; i < 50; ++i) {
    const Vec3 d = randomDirection(random);
    const auto hit = castBlended(std::span(&e, 1), e.center, d, 1);
    ASSERT_TRUE(hit);
    EXPECT_NEAR(*hit, *castUnblended(e, e.center, d, 1), 1e-6);
  }
}

TEST(Primitive, TwoBlendingOnesFillTheGapBetweenThem) {
  const Ellipsoid pair[2] = {{Vec3(-0.055, 0, 0), Mat3::Identity(), Vec3::Constant(0.05)},
                             {Vec3(0.055, 0, 0), Mat3::Identity(), Vec3::Constant(0.05)}};
  // Apart by 10 mm: as solids no ray leaves from the middle, blended one does.
  EXPECT_FALSE(castUnblended(pair[0], Vec3::Zero(), Vec3::UnitY(), 1));
  const auto hit = castBlended(pair, Vec3::Zero(), Vec3::UnitY(), 1);
  ASSERT_TRUE(hit);
  EXPECT_GT(*hit, 0.01);
  EXPECT_LT(*hit, 0.05);
}

TEST(Primitive, DensityFallsSmoothlyToItsReach) {
  EXPECT_NEAR(blendDensity(1), 1, 1e-15);
  EXPECT_EQ(blendDensity(kBlendReach), 0);
  for (double s = 0; s < 1.6; s += 0.01) EXPECT_GE(blendDensity(s), blendDensity(s + 0.01));
}

}  // namespace
}  // namespace pneuma::skin
