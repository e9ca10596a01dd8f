#include "pneuma/core/triangle_mesh.h"

#include <gtest/gtest.h>

#include <numbers>

namespace pneuma {
namespace {

TEST(TriangleMesh, BoxHasClosedFormVolumeCentroidAndInertia) {
  const Vec3 size(2, 3, 5), center(100, -7, 0.5);
  const TriangleMesh box = makeBox(size, center);
  EXPECT_TRUE(analyzeTopology(box).watertight());
  const SolidProperties s = solidProperties(box);
  EXPECT_NEAR(s.volume, 30, 1e-12);
  EXPECT_NEAR((s.centroid - center).norm(), 0, 1e-12);
  EXPECT_NEAR(s.inertia(0, 0), 30.0 / 12 * (9 + 25), 1e-9);
  EXPECT_NEAR(s.inertia(1, 1), 30.0 / 12 * (4 + 25), 1e-9);
  EXPECT_NEAR(s.inertia(2, 2), 30.0 / 12 * (4 + 9), 1e-9);
  EXPECT_NEAR(s.inertia(0, 1), 0, 1e-9);
}

TEST(TriangleMesh, SphereVolumeConvergesWithSecondOrder) {
  const double exact = 4.0 / 3 * std::numbers::pi;
  const double coarse = exact - enclosedVolume(makeSphere(1, 2));
  const double fine = exact - enclosedVolume(makeSphere(1, 3));
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1);  // edges halve, error falls fourfold
}

TEST(TriangleMesh, TopologyCountsBoundaryAndNonManifoldEdges) {
  TriangleMesh box = makeBox(Vec3::Ones());
  EXPECT_EQ(analyzeTopology(box).eulerNumber, 2);
  EXPECT_EQ(analyzeTopology(box).components, 1u);
  box.triangles.pop_back();
  EXPECT_EQ(analyzeTopology(box).boundaryEdges, 3u);
  box.triangles.push_back(box.triangles.front());
  EXPECT_GT(analyzeTopology(box).nonManifoldEdges, 0u);
  box.triangles.push_back({0, 0, 1});
  EXPECT_EQ(analyzeTopology(box).degenerateTriangles, 1u);
  box.triangles.push_back({0, 1, 99});
  EXPECT_EQ(analyzeTopology(box).outOfRangeIndices, 1u);
}

TEST(TriangleMesh, WeldJoinsCoincidentCornersOfATriangleSoup) {
  const TriangleMesh sphere = makeSphere(1, 2);
  TriangleMesh soup;
  for (const Triangle& t : sphere.triangles) {
    const auto i = static_cast<std::int32_t>(soup.positions.size());
    for (const auto v : t) soup.positions.push_back(sphere.positions[v]);
    soup.triangles.push_back({i, i + 1, i + 2});
  }
  EXPECT_FALSE(analyzeTopology(soup).closed());
  const TriangleMesh welded = weld(soup, 1e-9);
  EXPECT_EQ(welded.vertexCount(), sphere.vertexCount());
  EXPECT_TRUE(analyzeTopology(welded).watertight());
}

TEST(TriangleMesh, TubeIsClosedAndFacesOutwards) {
  const std::vector<Vec3> line{{0, 0, 0}, {0, 1, 0}, {0.3, 2, 0.1}, {1, 2.5, 0}};
  const std::vector<double> radii{0.1, 0.2, 0.15, 0.05};
  const TriangleMesh tube = makeTube(line, radii, 12);
  EXPECT_TRUE(analyzeTopology(tube).watertight());
  EXPECT_GT(enclosedVolume(tube), 0);
}

TEST(TriangleMesh, VertexNormalsOfASphereAreRadial) {
  const TriangleMesh sphere = makeSphere(2, 3);
  const auto normals = vertexNormals(sphere);
  for (std::size_t i = 0; i < normals.size(); ++i)
    EXPECT_GT(normals[i].dot(sphere.positions[i].normalized()), 0.9999);
}

}  // namespace
}  // namespace pneuma
