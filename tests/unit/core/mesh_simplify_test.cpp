#include "pneuma/core/mesh_simplify.h"

#include <gtest/gtest.h>

#include <numeric>

#include "pneuma/core/error.h"
#include "pneuma/core/surface_query.h"

namespace pneuma {
namespace {

/// How far the points of one surface lie from the other [m].
double farthest(const TriangleMesh& points, const TriangleMesh& surface) {
  const SurfaceQuery query(surface);
  double most = 0;
  for (const Vec3& p : points.positions) most = std::max(most, query.closest(p).distance);
  return most;
}

/// A flattened ball, thin at its rim like the edge of a rib.
TriangleMesh makeLens() {
  TriangleMesh lens = makeSphere(0.05, 6);
  for (Vec3& p : lens.positions) p.z() *= 0.1;
  return lens;
}

TEST(MeshSimplify, AFlatSheetKeepsItsAreaWithoutItsInside) {
  constexpr int n = 16;
  TriangleMesh sheet;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) sheet.positions.emplace_back(i / 16.0, j / 16.0, 0);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const std::int32_t a = i * (n + 1) + j, b = a + n + 1;
      sheet.triangles.push_back({a, b, b + 1});
      sheet.triangles.push_back({a, b + 1, a + 1});
    }
  const TriangleMesh lighter = simplified(sheet, 1e-3);
  EXPECT_LT(lighter.triangleCount(), 20u);
  EXPECT_NEAR(surfaceArea(lighter), 1, 1e-6);
}

TEST(MeshSimplify, StaysWithinTwiceTheTolerance) {
  const TriangleMesh lens = makeLens();
  for (const double tolerance : {5e-5, 1e-4, 4e-4}) {
    const TriangleMesh lighter = simplified(lens, tolerance);
    EXPECT_LT(lighter.triangleCount(), lens.triangleCount() / 4);
    EXPECT_TRUE(analyzeTopology(lighter).watertight());
    EXPECT_LT(farthest(lens, lighter), 2 * tolerance);
    EXPECT_LT(farthest(lighter, lens), 1e-9);  // corners keep their place
  }
}

TEST(MeshSimplify, RefusesAToleranceThatIsNoLength) {
  EXPECT_THROW(simplified(makeLens(), 0), InputError);
  EXPECT_THROW(simplified(makeLens(), std::nan("")), InputError);
  EXPECT_TRUE(simplified({}, 1e-3).empty());
}

TEST(MeshSimplify, CoarserTrianglesUseTheSameCornersAndKeepSeamsClosed) {
  const TriangleMesh ball = makeSphere(1, 4);
  // A texture seam: corners where two halves meet exist twice, at the same places.
  TriangleMesh cut = ball;
  std::vector<std::int32_t> copy(ball.vertexCount(), -1), original(ball.vertexCount());
  std::iota(original.begin(), original.end(), 0);
  const auto isLeft = [&](const Triangle& t) {
    double x = 0;
    for (const std::int32_t v : t) x += ball.positions[static_cast<std::size_t>(v)].x();
    return x > 0;
  };
  std::vector<bool> onLeft(ball.vertexCount(), false);
  for (const Triangle& t : ball.triangles)
    for (const std::int32_t v : t)
      if (isLeft(t)) onLeft[static_cast<std::size_t>(v)] = true;
  for (Triangle& t : cut.triangles) {
    if (isLeft(t)) continue;
    for (std::int32_t& v : t) {
      if (!onLeft[static_cast<std::size_t>(v)]) continue;
      std::int32_t& twin = copy[static_cast<std::size_t>(v)];
      if (twin < 0) {
        twin = static_cast<std::int32_t>(cut.positions.size());
        cut.positions.push_back(ball.positions[static_cast<std::size_t>(v)]);
        original.push_back(v);
      }
      v = twin;
    }
  }
  TriangleMesh coarse{ball.positions, coarserTriangles(cut, 1000)};
  EXPECT_NEAR(static_cast<double>(coarse.triangleCount()), 1000, 20);
  for (Triangle& t : coarse.triangles)
    for (std::int32_t& v : t) v = original[static_cast<std::size_t>(v)];
  EXPECT_TRUE(analyzeTopology(coarse).watertight());
  EXPECT_NEAR(enclosedVolume(coarse) / enclosedVolume(ball), 1, 0.02);
  EXPECT_TRUE(coarserTriangles({}, 10).empty());
}

TEST(MeshSimplify, ForLooksASurfaceBecomesLighterInAnyCase) {
  const TriangleMesh ball = makeSphere(1, 5);
  const TriangleMesh light = lightened(ball, 0.01);
  EXPECT_LT(light.triangleCount(), ball.triangleCount() / 4);
  EXPECT_NEAR(enclosedVolume(light) / enclosedVolume(ball), 1, 0.03);
  EXPECT_TRUE(lightened({}, 0.01).empty());
  EXPECT_THROW(lightened(ball, 0), InputError);
}

}  // namespace
}  // namespace pneuma
