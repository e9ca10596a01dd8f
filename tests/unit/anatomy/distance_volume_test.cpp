#include "anatomy/shape/distance_volume.h"

#include <gtest/gtest.h>

#include "anatomy/shape/field_mesh.h"
#include "pneuma/core/triangle_mesh.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr double kRadius = 0.02, kCell = 0.001;

DistanceVolume ballVolume() {
  const std::vector<TriangleMesh> meshes{makeSphere(kRadius, 4, {0.01, 0.02, 0.03})};
  return makeDistanceVolume(meshes, kCell, 0.005);
}

TEST(DistanceVolume, SamplesTheDistanceToABall) {
  const DistanceVolume v = ballVolume();
  const Vec3 center(0.01, 0.02, 0.03);
  for (const double r : {0.0, 0.01, 0.019, 0.021, 0.024})
    for (const Vec3& way : {Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0.6, 0, 0.8)})
      EXPECT_NEAR(v.sample(center + r * way), r - kRadius, 0.4 * kCell) << r;
}

TEST(DistanceVolume, BeyondTheGridTheDistanceGoesOn) {
  const DistanceVolume v = ballVolume();
  const Vec3 center(0.01, 0.02, 0.03);
  EXPECT_NEAR(v.sample(center + Vec3(0.1, 0, 0)), 0.1 - kRadius, 0.5 * kCell);
}

TEST(DistanceVolume, GradientPointsOutwards) {
  const DistanceVolume v = ballVolume();
  const Vec3 way = Vec3(1, 2, -2).normalized();
  EXPECT_GT(v.gradient(Vec3(0.01, 0.02, 0.03) + kRadius * way).normalized().dot(way), 0.995);
}

TEST(DistanceVolume, CountsTheVolumeOfABall) {
  const double exact = 4.0 / 3 * kPi * std::pow(kRadius, 3);
  EXPECT_NEAR(ballVolume().volume(), exact, 0.01 * exact);
  const Box inside = ballVolume().interiorBounds();
  EXPECT_NEAR(inside.max.x() - inside.min.x(), 2 * kRadius, 2.1 * kCell);
}

TEST(DistanceVolume, NodesAndPlacesCorrespond) {
  const DistanceVolume v(Box{Vec3(-0.01, 0, 0.005), Vec3(0.01, 0.02, 0.02)}, kCell, 1);
  const Vec3 p = v.position(3, 4, 5);
  EXPECT_EQ(v.nearest(p), Eigen::Vector3i(3, 4, 5));
  EXPECT_EQ(v.position(v.index(3, 4, 5)), p);
  EXPECT_EQ(v.nearest(p + Vec3::Constant(0.4 * kCell)), Eigen::Vector3i(3, 4, 5));
  EXPECT_EQ(v.nearest(Vec3(-9, -9, -9)), Eigen::Vector3i(0, 0, 0));
  EXPECT_FALSE(v.inside(v.size()));
}

TEST(DistanceVolume, SmoothingKeepsLinearFieldsAndRoundsCorners) {
  DistanceVolume v(Box{Vec3(0, 0, 0), Vec3(0.02, 0.02, 0.02)}, kCell, 0);
  for (std::size_t i = 0; i < v.values().size(); ++i)
    v.at(i) = static_cast<float>(v.position(i).x());
  smoothen(v, 3);
  EXPECT_NEAR(v.sample({0.01, 0.01, 0.01}), 0.01, 1e-7);
  for (std::size_t i = 0; i < v.values().size(); ++i)
    v.at(i) = static_cast<float>(std::abs(v.position(i).x() - 0.01));
  smoothen(v, 3);
  EXPECT_GT(v.sample({0.01, 0.01, 0.01}), 0.3 * kCell);
}

TEST(DistanceVolume, MirrorAverageOfABallAndItsImageIsTheBall) {
  const std::vector<TriangleMesh> left{makeSphere(kRadius, 4, {0.05, 0, 0})},
      right{makeSphere(kRadius, 4, {-0.05, 0, 0})};
  const DistanceVolume a = makeDistanceVolume(left, kCell, 0.005),
                       b = makeDistanceVolume(right, kCell, 0.005), mean = mirrorAverage(a, b);
  for (const double x : {0.03, 0.05, 0.071})
    EXPECT_NEAR(mean.sample({x, 0, 0}), std::abs(x - 0.05) - kRadius, 0.5 * kCell);
}

TEST(FieldMesh, MeshesABallClosedAndOnTheSurface) {
  const BlockField blocks = [](const Box&, double) {
    return [](const Vec3& p) { return p.norm() - kRadius; };
  };
  const Box box{Vec3::Constant(-0.03), Vec3::Constant(0.03)};
  const TriangleMesh mesh = meshField(blocks, box, 0.002);
  EXPECT_TRUE(analyzeTopology(mesh).watertight());
  EXPECT_EQ(analyzeTopology(mesh).eulerNumber, 2);
  for (const Vec3& p : mesh.positions) EXPECT_NEAR(p.norm(), kRadius, 1e-4);
  const double exact = 4.0 / 3 * kPi * std::pow(kRadius, 3);
  EXPECT_NEAR(fieldVolume(blocks, box, 0.001), exact, 0.005 * exact);
}

TEST(FieldMesh, AnEmptyBlockIsOutside) {
  const BlockField nothing = [](const Box&, double) { return FieldFunction(); };
  const Box box{Vec3::Constant(-0.03), Vec3::Constant(0.03)};
  EXPECT_TRUE(meshField(nothing, box, 0.002).empty());
  EXPECT_EQ(fieldVolume(nothing, box, 0.002), 0);
}

TEST(FieldMesh, CrumbsAreDropped) {
  TriangleMesh mesh = makeSphere(0.02, 2, {0, 0, 0});
  const std::size_t kept = mesh.triangleCount();
  const TriangleMesh crumb = makeSphere(0.001, 1, {0.1, 0, 0});
  const auto first = static_cast<std::int32_t>(mesh.vertexCount());
  mesh.positions.insert(mesh.positions.end(), crumb.positions.begin(), crumb.positions.end());
  for (const Triangle& t : crumb.triangles)
    mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
  dropCrumbs(mesh, 1e-6);
  EXPECT_EQ(mesh.triangleCount(), kept);
  EXPECT_EQ(analyzeTopology(mesh).unusedVertices, 0u);
}

}  // namespace
}  // namespace pneuma::anatomy::internal
