#include "survey/joint_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pneuma/core/error.h"
#include "survey/voxel_body.h"

namespace pneuma::survey::internal {
namespace {

/// A spool: a straight tube of changing radius, as the end of the humerus or the talus is.
TriangleMesh spool(const Vec3& from, const Vec3& to) {
  std::vector<Vec3> line;
  std::vector<double> radii;
  for (int i = 0; i <= 40; ++i) {
    const double t = i / 40.0;
    line.push_back(from + t * (to - from));
    radii.push_back(0.012 + 0.003 * std::cos(2 * std::numbers::pi * t));
  }
  return makeTube(line, radii, 64);
}

TEST(SurfaceSamples, CoverTheSurface) {
  const TriangleMesh ball = makeSphere(0.02, 2);
  double area = 0;
  for (const SurfaceSample& s : surfaceSamples(ball, 0.001)) area += s.area;
  EXPECT_NEAR(area, surfaceArea(ball), 1e-12);
}

TEST(RevolutionFit, FindsTheAxisOfASpoolFromAThirdOfIt) {
  const Vec3 from(0.02, 0.1, 0.03), to(0.06, 0.11, 0.025);
  std::vector<SurfaceSample> samples = surfaceSamples(spool(from, to));
  const Vec3 axis = (to - from).normalized();
  // The joint surface is open: only what faces down and forwards is seen.
  std::erase_if(samples, [&](const SurfaceSample& s) {
    return s.normal.dot(Vec3(0, -1, 1).normalized()) < 0.5;
  });
  const Axis fit = fitRevolution(samples);
  EXPECT_GT(std::abs(fit.direction.dot(axis)), std::cos(0.2 * std::numbers::pi / 180));
  const Vec3 off = fit.point - from;
  EXPECT_LT((off - off.dot(axis) * axis).norm(), 1e-4);
  EXPECT_LT(fit.rms, 0.05);  // flat facets
}

TEST(Contact, LiesHalfwayBetweenTwoBallsThatFaceEachOther) {
  const SurfaceQuery a(makeSphere(0.02, 4, {0, 0, 0})), b(makeSphere(0.01, 4, {0.033, 0, 0}));
  const Contact contact = findContact(a, b);
  EXPECT_NEAR(contact.gap, 0.003, 1e-4);
  EXPECT_NEAR(contact.center.y(), 0, 2e-4);
  EXPECT_NEAR(contact.center.z(), 0, 2e-4);
  EXPECT_NEAR(contact.center.x(), 0.0215, 5e-4);
}

TEST(Contact, WhereNothingIsSoughtIsAnError) {
  const SurfaceQuery a(makeSphere(0.02, 3)), b(makeSphere(0.01, 3, {0.033, 0, 0}));
  EXPECT_THROW(findContact(a, b, [](const Vec3&) { return false; }), InputError);
}

TEST(VoxelGrid, FillsTheVolumeOfABall) {
  Box box;
  box.add(Vec3::Constant(-0.06));
  box.add(Vec3::Constant(0.06));
  VoxelGrid grid(box, 0.002);
  const TriangleMesh ball = makeSphere(0.05, 5);
  grid.fill(ball, 7);
  double volume = 0;
  for (std::size_t i = 0; i < grid.count(); ++i) {
    volume += grid.at(i) == 7 ? 8e-9 : 0;
    const double depth = 0.05 - grid.center(i).norm();
    if (std::abs(depth) < 0.0005) continue;  // the ball's facets
    ASSERT_EQ(grid.at(i) == 7, depth > 0) << grid.center(i).transpose();
  }
  EXPECT_NEAR(volume, enclosedVolume(ball), 0.01 * enclosedVolume(ball));
}

/// The slow, plain search is the judge.
TEST(VoxelGrid, SpreadsTheNearestValue) {
  Box box;
  box.add(Vec3::Zero());
  box.add(Vec3(0.02, 0.03, 0.024));
  VoxelGrid grid(box, 0.002);
  const std::vector<std::size_t> seeds = {3, 511, 1202, 940};
  for (std::size_t i = 0; i < seeds.size(); ++i)
    grid.at(seeds[i]) = static_cast<std::uint8_t>(i + 1);
  const VoxelGrid before = grid;
  grid.spread();
  for (std::size_t i = 0; i < grid.count(); ++i) {
    double least = 1e300;
    for (std::size_t seed : seeds)
      least = std::min(least, (grid.center(i) - grid.center(seed)).norm());
    const std::size_t chosen = seeds[grid.at(i) - 1u];
    EXPECT_NEAR((grid.center(i) - grid.center(chosen)).norm(), least, 1e-12) << i;
  }
}

}  // namespace
}  // namespace pneuma::survey::internal
