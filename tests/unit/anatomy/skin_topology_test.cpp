// The parts of the skin's topology on small shapes: subdivision, rings, flattening, packing.
#include <gtest/gtest.h>

#include <cmath>

#include "anatomy/skin/chart_flatten.h"
#include "anatomy/skin/chart_pack.h"
#include "anatomy/skin/skin_relax.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy {
namespace {

using internal::SymmetricMesh;

/// A tetrahedron with an edge in the mid-plane, as a half: the two faces with x >= 0.
SymmetricMesh roof() {
  TriangleMesh half;
  half.positions = {{0, 0, -1}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  half.triangles = {{0, 3, 2}, {3, 1, 2}, {0, 2, 1}};
  return internal::joinedHalves(half);
}

TEST(SymmetricMesh, IsClosedAndKeepsItsImage) {
  const SymmetricMesh mesh = roof();
  EXPECT_TRUE(analyzeTopology(mesh.mesh).watertight());
  EXPECT_EQ(mesh.mesh.vertexCount(), 5u);
  for (std::size_t v = 0; v < mesh.mesh.vertexCount(); ++v) {
    const Vec3 &p = mesh.mesh.positions[v],
               &q = mesh.mesh.positions[static_cast<std::size_t>(mesh.mirror[v])];
    EXPECT_EQ(p, Vec3(q.x() == 0 ? 0.0 : -q.x(), q.y(), q.z()));
  }
}

TEST(SymmetricMesh, SubdivisionIsNestedClosedAndSymmetric) {
  const SymmetricMesh coarse = roof(), fine = internal::subdivided(coarse);
  EXPECT_EQ(fine.mesh.triangleCount(), 4 * coarse.mesh.triangleCount());
  EXPECT_TRUE(analyzeTopology(fine.mesh).watertight());
  EXPECT_EQ(analyzeTopology(fine.mesh).eulerNumber, 2);
  for (std::size_t v = 0; v < coarse.mesh.vertexCount(); ++v)
    EXPECT_EQ(fine.mesh.positions[v], coarse.mesh.positions[v]);
  for (std::size_t v = 0; v < fine.mirror.size(); ++v)
    EXPECT_EQ(fine.mirror[static_cast<std::size_t>(fine.mirror[v])], static_cast<std::int32_t>(v));
  EXPECT_NEAR(enclosedVolume(fine.mesh), enclosedVolume(coarse.mesh), 1e-15);
}

TEST(TriangleAspect, IsOneForEqualSidesAndGrowsForSlivers) {
  EXPECT_NEAR(triangleAspect({0, 0, 0}, {1, 0, 0}, {0.5, std::sqrt(0.75), 0}), 1, 1e-12);
  EXPECT_NEAR(triangleAspect({0, 0, 0}, {1, 0, 0}, {0, 1, 0}),
              std::sqrt(2.0) / (2 * std::sqrt(3.0)) / (1 - std::sqrt(0.5)), 1e-12);
  EXPECT_GT(triangleAspect({0, 0, 0}, {1, 0, 0}, {0.5, 0.01, 0}), 50);
  EXPECT_TRUE(std::isinf(triangleAspect({0, 0, 0}, {1, 0, 0}, {2, 0, 0})));
}

TEST(SkinRelax, MovesNothingWhenOffsetsAreHeld) {
  SymmetricMesh mesh = internal::subdivided(internal::subdivided(roof()));
  const internal::VertexRings rings(mesh.mesh);
  internal::RingRest rest = internal::meanValueWeights(mesh, rings);
  internal::holdOffsets(rest, mesh, rings);
  const std::vector<Vec3> before = mesh.mesh.positions;
  std::vector<Vec3> normals = vertexNormals(mesh.mesh);
  const internal::Draw stay = [](const Vec3& p, double) {
    return internal::Drawn{p, Vec3::Zero()};
  };
  internal::relax(mesh, rings, rest, 0.5, stay, 1, normals);
  for (std::size_t v = 0; v < before.size(); ++v)
    EXPECT_NEAR((mesh.mesh.positions[v] - before[v]).norm(), 0, 1e-12);
}

TEST(SkinRelax, HasTheSameBitsForAnyThreadCount) {
  const internal::Draw ontoSphere = [](const Vec3& p, double) {
    const Vec3 center(0, 0.3, 0), n = (p - center).normalized();
    return internal::Drawn{center + n, n};
  };
  std::vector<std::vector<Vec3>> results;
  for (const int threads : {1, 2, 4}) {
    setThreadCount(threads);
    SymmetricMesh mesh = roof();
    for (int k = 0; k < 5; ++k) mesh = internal::subdivided(mesh);
    const internal::VertexRings rings(mesh.mesh);
    const internal::RingRest rest =
        internal::evenWeights(mesh, rings, [](const Vec3& p) { return 1.5 + p.y(); });
    std::vector<Vec3> normals = vertexNormals(mesh.mesh);
    for (int pass = 0; pass < 5; ++pass)
      internal::relax(mesh, rings, rest, 0.5, ontoSphere, 1, normals);
    const std::vector<char> all(mesh.mesh.vertexCount(), 1);
    EXPECT_LT(internal::mend(mesh, rings, all, {}, ontoSphere), 6);
    results.push_back(mesh.mesh.positions);
  }
  setThreadCount(0);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

/// A bent sheet: a cylinder's quarter, which can be laid flat without any distortion.
TriangleMesh bentSheet(int n) {
  TriangleMesh sheet;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      const double angle = 0.5 * kPi * i / n;
      sheet.positions.emplace_back(std::sin(angle), 1.0 * j / n, std::cos(angle));
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1;
      sheet.triangles.push_back({a, b, b + 1});
      sheet.triangles.push_back({a, b + 1, a + 1});
    }
  return sheet;
}

TEST(ChartFlatten, LaysADevelopableSheetFlatWithoutStretch) {
  const TriangleMesh sheet = bentSheet(12);
  for (const bool mirrored : {false, true}) {
    std::vector<char> onMirror(sheet.vertexCount(), 0);
    for (std::size_t v = 0; v < onMirror.size(); ++v)
      onMirror[v] = mirrored && sheet.positions[v].x() == 0;
    const std::vector<Vec2> uv = internal::flattened(sheet, onMirror);
    for (const Triangle& t : sheet.triangles) {
      const auto i = [&](std::size_t k) { return static_cast<std::size_t>(t[k]); };
      EXPECT_GT(internal::signedArea2(uv[i(0)], uv[i(1)], uv[i(2)]), 0);
      const internal::ChartStretch s =
          internal::stretchOf(sheet.positions[i(0)], sheet.positions[i(1)], sheet.positions[i(2)],
                              uv[i(0)], uv[i(1)], uv[i(2)]);
      EXPECT_NEAR(s.largest, 1, 1e-3);
      EXPECT_NEAR(s.smallest, 1, 1e-3);
    }
    for (std::size_t v = 0; v < onMirror.size(); ++v)
      if (onMirror[v]) {
        EXPECT_EQ(uv[v].x(), 0);
      }
  }
}

TEST(ChartPack, PlacesChartsApartWithinTheHalfSquare) {
  const auto square = [](double w, double h, bool wall) {
    internal::FlatChart c;
    c.points = {{0, 0}, {w, 0}, {w, h}, {0, h}};
    c.triangles = {{0, 1, 2}, {0, 2, 3}};
    c.atWall = wall;
    return c;
  };
  const std::vector<internal::FlatChart> charts{square(1, 2, true), square(1, 1, true),
                                                square(1.5, 1, false), square(0.5, 2, false)};
  const internal::ChartLayout layout = internal::packed(charts);
  std::vector<std::pair<Vec2, Vec2>> boxes;
  double area = 0;
  for (std::size_t c = 0; c < charts.size(); ++c) {
    const Vec2 low = layout.offset[c], high = layout.scale * charts[c].points[2] + low;
    EXPECT_GE(low.minCoeff(), 0);
    EXPECT_LE(high.x(), 0.5);
    EXPECT_LE(high.y(), 1);
    if (charts[c].atWall) {
      EXPECT_EQ(low.x(), 0);
    }
    for (const auto& [a, b] : boxes)
      EXPECT_TRUE(low.x() > b.x() || a.x() > high.x() || low.y() > b.y() || a.y() > high.y());
    boxes.emplace_back(low, high);
    area += (high - low).prod();
  }
  EXPECT_GT(area, 0.25);  // at least half of the half square
}

TEST(SkinLevel, IsTheNearestInRatio) {
  EXPECT_EQ(skinLevelOf(2000), 0);
  EXPECT_EQ(skinLevelOf(20000), 0);
  EXPECT_EQ(skinLevelOf(80000), 1);
  EXPECT_EQ(skinLevelOf(300000), 2);
  EXPECT_THROW(skinLevelOf(1000), std::exception);
}

TEST(SkinAtlas, TangentsFollowTheTexture) {
  // A square whose u runs along x and v along y, and the same mirrored.
  const std::vector<Vec3> square = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  SkinAtlas atlas;
  atlas.triangles = {{0, 1, 2}, {0, 2, 3}};
  atlas.vertexOf = {0, 1, 2, 3};
  atlas.uv = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (const Vec4& t : skinTangents(atlas, square))
    EXPECT_NEAR((t - Vec4(1, 0, 0, 1)).norm(), 0, 1e-12);
  for (Vec2& uv : atlas.uv) uv.x() = 1 - uv.x();
  for (const Vec4& t : skinTangents(atlas, square))
    EXPECT_NEAR((t - Vec4(-1, 0, 0, -1)).norm(), 0, 1e-12);
}

}  // namespace
}  // namespace pneuma::anatomy
