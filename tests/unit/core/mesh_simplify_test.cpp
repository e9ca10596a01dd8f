#include "pneuma/core/mesh_simplify.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace pneuma
