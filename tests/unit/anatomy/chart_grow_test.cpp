#include "anatomy/skin/chart_grow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "anatomy/skin/chart_border.h"
#include "anatomy/skin/chart_flatten.h"

namespace pneuma::anatomy::internal {
namespace {

constexpr double kInner = 0.05, kOuter = 0.08;  // radii of a ribbon [m]

/// A flat ribbon that winds around an axis by so many degrees, rising slowly.
TriangleMesh ribbon(double degrees) {
  constexpr int kPieces = 60;
  TriangleMesh mesh;
  for (int i = 0; i <= kPieces; ++i)
    for (const double r : {kInner, 0.5 * (kInner + kOuter), kOuter}) {
      const double angle = degreesToRadians(degrees) * i / kPieces;
      mesh.positions.emplace_back(r * std::cos(angle), r * std::sin(angle), 0.01 * angle);
    }
  for (int i = 0; i < kPieces; ++i)
    for (int k = 0; k < 2; ++k) {
      const int a = 3 * i + k, b = a + 3;
      mesh.triangles.push_back({a, a + 1, b + 1});
      mesh.triangles.push_back({a, b + 1, b});
    }
  return mesh;
}

double worstStretch(const TriangleMesh& mesh, const std::vector<Vec2>& uv) {
  double worst = 1;
  for (const Triangle& t : mesh.triangles) {
    const auto p = [&](std::size_t k) { return mesh.positions[static_cast<std::size_t>(t[k])]; };
    const auto q = [&](std::size_t k) { return uv[static_cast<std::size_t>(t[k])]; };
    const ChartStretch s = stretchOf(p(0), p(1), p(2), q(0), q(1), q(2));
    worst = std::max({worst, s.largest, 1 / s.smallest});
  }
  return worst;
}

TEST(ChartBorder, IsOneLoopAndKnowsWhenItCrossesItself) {
  const TriangleMesh mesh = ribbon(120);
  const ChartBorder border(mesh);
  EXPECT_EQ(border.loop().size(), 2u * 60 + 4);
  std::vector<Vec2> uv;
  for (const Vec3& p : mesh.positions) uv.emplace_back(p.x(), p.y());
  EXPECT_FALSE(border.crossesItself(uv));
  uv[0] = uv[100];  // one end across the middle
  EXPECT_TRUE(border.crossesItself(uv));
}

TEST(GrownApart, LaysAPieceThatFitsFlatTrueToSize) {
  const TriangleMesh mesh = ribbon(270);
  EXPECT_LT(worstStretch(mesh, grownApart(mesh, std::vector<char>(mesh.vertexCount(), 0))),
            1.05);  // the rise of the ribbon stretches a little
}

TEST(GrownApart, LiesNowhereOverItselfWhereThePlainWayDoes) {
  const TriangleMesh mesh = ribbon(420);
  std::vector<Vec2> onTop;
  for (const Vec3& p : mesh.positions) onTop.emplace_back(p.x(), p.y());
  const ChartBorder border(mesh);
  ASSERT_TRUE(border.crossesItself(onTop));
  const std::vector<Vec2> uv = flattened(mesh, std::vector<char>(mesh.vertexCount(), 0));
  EXPECT_FALSE(border.crossesItself(uv));
  for (const Triangle& t : mesh.triangles)
    EXPECT_GT(signedArea2(uv[static_cast<std::size_t>(t[0])], uv[static_cast<std::size_t>(t[1])],
                          uv[static_cast<std::size_t>(t[2])]),
              0);
  // The ribbon is bent open by a sixth of its turn.
  EXPECT_LT(worstStretch(mesh, uv), 2.5);
}

TEST(GrownApart, KeepsHalfOfASymmetricChartOnItsSideOfTheMirrorLine) {
  // The left half of a dome: a quarter of a sphere whose cut lies in the mid-plane.
  constexpr int kRings = 8, kParts = 16;
  TriangleMesh mesh;
  std::vector<char> onMirror;
  for (int i = 0; i <= kRings; ++i)
    for (int k = 0; k <= kParts; ++k) {
      const double down = 0.5 * kPi * (0.15 + 0.85 * i / kRings), turn = kPi * k / kParts;
      mesh.positions.emplace_back(std::sin(down) * std::sin(turn), -std::sin(down) * std::cos(turn),
                                  std::cos(down));
      onMirror.push_back(i > 0 && k == kParts);  // the upper half of the cut
    }
  for (int i = 0; i < kRings; ++i)
    for (int k = 0; k < kParts; ++k) {
      const int a = i * (kParts + 1) + k, b = a + kParts + 1;
      mesh.triangles.push_back({a, b, b + 1});
      mesh.triangles.push_back({a, b + 1, a + 1});
    }
  const std::vector<Vec2> uv = grownApart(mesh, onMirror);
  for (std::size_t v = 0; v < uv.size(); ++v) {
    if (onMirror[v])
      EXPECT_EQ(uv[v].x(), 0) << v;
    else
      EXPECT_GT(uv[v].x(), 0) << v;
  }
  EXPECT_FALSE(ChartBorder(mesh).crossesItself(uv));
  EXPECT_LT(worstStretch(mesh, uv), 2);
}

}  // namespace
}  // namespace pneuma::anatomy::internal
