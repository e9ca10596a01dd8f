#include "pneuma/core/smooth_surface.h"

#include <gtest/gtest.h>

namespace pneuma {
namespace {

TEST(SmoothSurface, KeepsAPlaneAPlaneAndItsBoundaryASpline) {
  // A square of two triangles, in the plane z = x + y.
  const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 1}, {1, 1, 2}, {0, 1, 1}};
  const SmoothSurface smooth(std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}, 4, 3);
  EXPECT_EQ(smooth.triangles().size(), 2u * 64);
  for (const Vec3& p : smooth.refine(corners)) {
    EXPECT_NEAR(p.z(), p.x() + p.y(), 1e-12);
    EXPECT_GE(std::min(p.x(), p.y()), -1e-12);
    EXPECT_LE(std::max(p.x(), p.y()), 1 + 1e-12);
  }
}

TEST(SmoothSurface, RoundsAClosedMeshAndLeavesItClosed) {
  const std::vector<Vec3> corners{{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                  {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
  const std::vector<Triangle> octahedron{{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                         {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  const SmoothSurface smooth(octahedron, corners.size(), 3);
  const TriangleMesh mesh{smooth.refine(corners), smooth.triangles()};
  EXPECT_TRUE(analyzeTopology(mesh).watertight());
  EXPECT_EQ(analyzeTopology(mesh).eulerNumber, 2);
  double least = 1, most = 0;
  for (const Vec3& p : mesh.positions) {
    least = std::min(least, p.norm());
    most = std::max(most, p.norm());
  }
  EXPECT_GT(least / most, 0.8);  // the octahedron's is 0.58
}

TEST(SmoothSurface, GivesTheSymmetricMeshOfASymmetricOne) {
  const SmoothSurface smooth(std::vector<Triangle>{{0, 1, 2}}, 3, 2);
  const std::vector<Vec3> left = smooth.refine({{-1, 0, 0}, {1, 0, 0}, {0, 2, 0}}),
                          right = smooth.refine({{1, 0, 0}, {-1, 0, 0}, {0, 2, 0}});
  for (std::size_t v = 0; v < left.size(); ++v)
    EXPECT_LT((left[v] - right[v].cwiseProduct(Vec3(-1, 1, 1))).norm(), 1e-15);
}

}  // namespace
}  // namespace pneuma
