#include "survey/polygon_mesh.h"

#include <gtest/gtest.h>

#include "pneuma/core/index.h"

namespace pneuma::survey::internal {
namespace {

/// A box of 2 x 2 x 2 around `center`, of quads, without the faces named.
PolygonMesh box(const Vec3& center, double half, bool inward = false) {
  PolygonMesh m;
  for (int i = 0; i < 8; ++i)
    m.positions.push_back(center + half * Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  m.faces = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  if (inward)
    for (Polygon& f : m.faces) std::reverse(f.begin(), f.end());
  return m;
}

TEST(PolygonMesh, SubdivisionOfACubeNearsARoundBodyInsideIt) {
  PolygonMesh m = box(Vec3::Zero(), 1);
  for (int k = 0; k < 4; ++k) m = catmullClark(m);
  const TriangleMesh fine = triangulated(m);
  EXPECT_TRUE(analyzeTopology(fine).watertight());
  for (const Vec3& p : fine.positions) {
    EXPECT_LT(p.norm(), 1);
    EXPECT_GT(p.norm(), 0.7);
  }
}

TEST(PolygonMesh, SubdivisionKeepsAFlatSheetFlatAndItsRimInPlace) {
  PolygonMesh sheet;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) sheet.positions.emplace_back(i, j, 0);
  for (int j = 0; j < 3; ++j)
    for (int i = 0; i < 3; ++i)
      sheet.faces.push_back({4 * j + i, 4 * j + i + 1, 4 * j + i + 5, 4 * j + i + 4});
  for (const Vec3& p : catmullClark(sheet).positions) EXPECT_EQ(p.z(), 0);
}

TEST(PolygonMesh, InnerPocketsAreNotSeenFromOutside) {
  PolygonMesh m = box(Vec3::Zero(), 1);
  const PolygonMesh pocket = box(Vec3::Zero(), 0.3, true);
  for (Polygon f : pocket.faces) {
    for (std::int32_t& v : f) v += 8;
    m.faces.push_back(f);
  }
  m.positions.insert(m.positions.end(), pocket.positions.begin(), pocket.positions.end());
  const std::vector<char> seen = seenFromOutside(m, 0.03);
  for (std::size_t f = 0; f < 12; ++f) EXPECT_EQ(seen[f] != 0, f < 6) << f;
  keepFaces(m, seen);
  EXPECT_EQ(m.faces.size(), 6u);
  EXPECT_EQ(m.positions.size(), 8u);
}

TEST(PolygonMesh, HolesAreClosedButTheLongestStays) {
  PolygonMesh m = catmullClark(box(Vec3::Zero(), 1));
  std::vector<char> wanted(m.faces.size(), 1);
  wanted[0] = 0;                                        // a small hole
  for (std::size_t f = 20; f < 24; ++f) wanted[f] = 0;  // a whole side
  keepFaces(m, wanted);
  closeHoles(m);
  const MeshTopology topology = analyzeTopology(triangulated(m));
  EXPECT_EQ(topology.boundaryEdges, 8u);
  EXPECT_EQ(topology.nonManifoldEdges, 0u);
}

TEST(PolygonMesh, TheMirrorImageOfTheLeftHalfTakesThePlaceOfTheRight) {
  PolygonMesh m = catmullClark(box(Vec3::Zero(), 1));
  for (Vec3& p : m.positions)
    if (p.x() < -0.1) p.y() += 0.05;
  const PolygonMesh even = madeSymmetric(m, 1e-9);
  EXPECT_TRUE(analyzeTopology(triangulated(even)).watertight());
  EXPECT_EQ(even.positions.size(), m.positions.size());
  double sum = 0;
  for (const Vec3& p : even.positions) sum += p.x();
  EXPECT_NEAR(sum, 0, 1e-12);
}

}  // namespace
}  // namespace pneuma::survey::internal
