// Coarsening and edge flips of half a surface, on a half ball.
#include <gtest/gtest.h>

#include <cmath>

#include "anatomy/skin/mesh_collapse.h"
#include "anatomy/skin/mesh_flip.h"
#include "anatomy/skin/symmetric_mesh.h"
#include "pneuma/anatomy/skin_surface.h"

namespace pneuma::anatomy::internal {
namespace {

/// Half a ball, x >= 0, as latitudes and longitudes around the x axis.
TriangleMesh halfBall(int rings, int columns) {
  TriangleMesh m;
  m.positions.emplace_back(1, 0, 0);
  for (int r = 1; r <= rings; ++r)
    for (int c = 0; c < columns; ++c) {
      const double fall = kPi / 2 * r / rings, turn = 2 * kPi * c / columns;
      m.positions.emplace_back(r == rings ? 0 : std::cos(fall), std::sin(fall) * std::cos(turn),
                               std::sin(fall) * std::sin(turn));
    }
  const auto node = [&](int r, int c) { return r == 0 ? 0 : 1 + (r - 1) * columns + c % columns; };
  for (int c = 0; c < columns; ++c) {
    m.triangles.push_back({0, node(1, c), node(1, c + 1)});
    for (int r = 1; r < rings; ++r) {
      m.triangles.push_back({node(r, c), node(r + 1, c), node(r + 1, c + 1)});
      m.triangles.push_back({node(r, c), node(r + 1, c + 1), node(r, c + 1)});
    }
  }
  return m;
}

CollapseRules onTheBall(std::size_t target) {
  return {.target = target,
          .wanted = [](const Vec3&) { return 1.0; },
          .redraw =
              [](const Vec3& p) {
                const Vec3 q = p.normalized();
                return p.x() == 0 ? Vec3(0, q.y(), q.z()).normalized().eval() : q;
              }};
}

double worstAspect(const TriangleMesh& m) {
  double worst = 0;
  for (const Triangle& t : m.triangles)
    worst = std::max(
        worst, triangleAspect(m.positions[at(t[0])], m.positions[at(t[1])], m.positions[at(t[2])]));
  return worst;
}

TEST(MeshCollapse, ReachesItsTargetAndStaysHalfABall) {
  const TriangleMesh fine = halfBall(20, 60), coarse = collapsed(fine, onTheBall(500));
  EXPECT_LE(coarse.triangleCount(), 500u);
  EXPECT_GT(coarse.triangleCount(), 450u);
  const MeshTopology topology = analyzeTopology(coarse);
  EXPECT_EQ(topology.nonManifoldEdges, 0u);
  EXPECT_EQ(topology.eulerNumber, 1);  // a disc
  EXPECT_EQ(topology.unusedVertices, 0u);
  for (const Vec3& p : coarse.positions) EXPECT_NEAR(p.norm(), 1, 1e-12);
}

TEST(MeshCollapse, TheCutStaysInTheMidPlaneAndClosesWithItsImage) {
  const TriangleMesh coarse = collapsed(halfBall(20, 60), onTheBall(300));
  const SymmetricMesh whole = joinedHalves(coarse);
  EXPECT_TRUE(analyzeTopology(whole.mesh).watertight());
  EXPECT_EQ(analyzeTopology(whole.mesh).eulerNumber, 2);
  const double exact = 4.0 / 3 * kPi;
  EXPECT_NEAR(enclosedVolume(whole.mesh), exact, 0.04 * exact);
}

TEST(MeshCollapse, TurnsSliversAtThePoleIntoEvenTriangles) {
  const TriangleMesh fine = halfBall(20, 60);
  EXPECT_GT(worstAspect(fine), 5);
  EXPECT_LT(worstAspect(collapsed(fine, onTheBall(500))), 4);
}

TEST(MeshCollapse, IsFinerWhereWanted) {
  CollapseRules rules = onTheBall(600);
  rules.wanted = [](const Vec3& p) { return p.y() > 0 ? 0.5 : 1.0; };
  std::size_t above = 0, below = 0;
  for (const Vec3& p : collapsed(halfBall(24, 72), rules).positions) (p.y() > 0 ? above : below)++;
  EXPECT_GT(static_cast<double>(above), 2.5 * static_cast<double>(below));
}

TEST(MeshFlip, MakesALongDiagonalShort) {
  // Two triangles of a level diamond along its long diagonal.
  TriangleMesh m{{{1, 0, 0}, {5, 0, 0}, {3, 0.5, 0}, {3, -0.5, 0}}, {{0, 1, 2}, {0, 3, 1}}};
  flipToDelaunay(m);
  for (const Triangle& t : m.triangles) {
    int tips = 0;
    for (const std::int32_t v : t) tips += v == 0 || v == 1;
    EXPECT_EQ(tips, 1);  // the long diagonal is gone
  }
  EXPECT_EQ(analyzeTopology(m).nonManifoldEdges, 0u);
}

TEST(MeshFlip, KeepsTheEdgeOfARoof) {
  TriangleMesh roof{{{1, 0, 0}, {5, 0, 0}, {3, 0.5, -2}, {3, -0.5, -2}}, {{0, 1, 2}, {0, 3, 1}}};
  const std::vector<Triangle> before = roof.triangles;
  flipToDelaunay(roof);
  EXPECT_EQ(roof.triangles, before);
}

TEST(MeshFlip, ChangesNothingOnSecondThought) {
  TriangleMesh m = collapsed(halfBall(20, 60), onTheBall(400));
  flipToDelaunay(m);
  const std::vector<Triangle> once = m.triangles;
  flipToDelaunay(m);
  EXPECT_EQ(m.triangles, once);
}

}  // namespace
}  // namespace pneuma::anatomy::internal
