#include "pneuma/skin/subdivision.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"

namespace pneuma::skin {
namespace {

/// n x n quads in the plane.
QuadNet gridNet(int n) {
  QuadNet net{(n + 1) * (n + 1), {}};
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j;
      net.quads.push_back({a, a + 1, a + n + 2, a + n + 1});
    }
  return net;
}

QuadNet cube() {
  return {8, {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
}
std::vector<Vec3> cubeCorners() {
  return {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
          {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
}

TEST(SplineSurface, IsTheBicubicSplineOnARegularNet) {
  // One halving of the uniform cubic B-spline: vertices 1/8 6/8 1/8, edges 1/2 1/2, in both
  // directions; written out here for the middle of a grid of random points.
  const int n = 6;
  Random random(7);
  std::vector<Vec3> control;
  for (int i = 0; i < (n + 1) * (n + 1); ++i)
    control.emplace_back(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  const auto c = [&](int i, int j) { return control[static_cast<std::size_t>(i * (n + 1) + j)]; };
  std::vector<Vec3> surface;
  SplineSurface(gridNet(n), 1).evaluate(control, surface);
  const double w[3] = {1.0 / 8, 6.0 / 8, 1.0 / 8};
  Vec3 expected = Vec3::Zero();
  for (int a = -1; a <= 1; ++a)
    for (int b = -1; b <= 1; ++b) expected += w[a + 1] * w[b + 1] * c(3 + a, 3 + b);
  EXPECT_LT((surface[3 * (n + 1) + 3] - expected).norm(), 1e-14);
}

TEST(SplineSurface, ReproducesAPlaneAndIsAffinelyInvariant) {
  std::vector<Vec3> control = cubeCorners(), surface, moved;
  const SplineSurface spline(cube(), 2);
  spline.evaluate(control, surface);
  const Mat3 m = (Mat3() << 1, 0.2, 0, -0.3, 2, 0.1, 0, 0.4, 0.7).finished();
  const Vec3 shift(3, -1, 2);
  for (Vec3& p : control) p = m * p + shift;
  spline.evaluate(control, moved);
  for (std::size_t i = 0; i < moved.size(); ++i)
    EXPECT_LT((moved[i] - (m * surface[i] + shift)).norm(), 1e-13);
}

TEST(SplineSurface, KeepsAClosedNetClosedAndOriented) {
  const SplineSurface spline(cube(), 3);
  TriangleMesh mesh{{}, spline.triangles()};
  spline.evaluate(cubeCorners(), mesh.positions);
  const MeshTopology topology = analyzeTopology(mesh);
  EXPECT_TRUE(topology.watertight());
  EXPECT_EQ(topology.eulerNumber, 2);
  EXPECT_GT(enclosedVolume(mesh), 0);
}

TEST(SplineSurface, BoundaryIsTheCubicCurve) {
  const int n = 4;
  std::vector<Vec3> control;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) control.emplace_back(j, i, 0.1 * j * j * (i == 0));
  std::vector<Vec3> surface;
  const SplineSurface spline(gridNet(n), 1);
  spline.evaluate(control, surface);
  const Vec3 expected = 0.125 * control[1] + 0.75 * control[2] + 0.125 * control[3];
  EXPECT_LT((surface[2] - expected).norm(), 1e-14);
  EXPECT_EQ(spline.boundaryFrom(0).size(), static_cast<std::size_t>(8 * n));
}

TEST(SplineSurface, RefusesNetsThatAreNoSurface) {
  EXPECT_THROW(SplineSurface({4, {{0, 1, 2, 9}}}, 1), InputError);
  EXPECT_THROW(SplineSurface({4, {{0, 0, 2, 3}}}, 1), InputError);
  EXPECT_THROW(SplineSurface(cube(), 9), InputError);
  EXPECT_THROW(SplineSurface({8, {{0, 1, 2, 3}, {1, 0, 4, 5}, {0, 1, 6, 7}}}, 1), InputError);
}

}  // namespace
}  // namespace pneuma::skin
