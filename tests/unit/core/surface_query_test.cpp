#include "pneuma/core/surface_query.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"

namespace pneuma {
namespace {

Vec3 randomDirection(Random& random) {
  return Vec3(random.normal(), random.normal(), random.normal()).normalized();
}

TEST(SurfaceQuery, ClosestPointEqualsTheSearchOverAllTriangles) {
  const TriangleMesh sphere = makeSphere(0.3, 3, Vec3(0.1, 1.2, -0.4));
  const SurfaceQuery query(sphere);
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Vec3 p = Vec3(0.1, 1.2, -0.4) + random.uniform(0, 0.8) * randomDirection(random);
    double best = 1e9;
    for (const Triangle& t : sphere.triangles)
      best =
          std::min(best, (closestPointOnTriangle(p, sphere.positions[t[0]], sphere.positions[t[1]],
                                                 sphere.positions[t[2]]) -
                          p)
                             .norm());
    EXPECT_NEAR(query.closest(p).distance, best, 1e-12);
  }
}

TEST(SurfaceQuery, RaysFindTheFirstAndTheOutermostSurface) {
  // Two nested spheres: from the centre the first hit is the inner one, the last the outer one.
  TriangleMesh shells = makeSphere(1, 4);
  append(shells, makeSphere(2, 4));
  const SurfaceQuery query(shells);
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    const Vec3 d = randomDirection(random);
    EXPECT_NEAR(query.firstHit(Vec3::Zero(), d, 10)->distance, 1, 0.01);
    EXPECT_NEAR(query.lastHit(Vec3::Zero(), d, 10)->distance, 2, 0.02);
    EXPECT_FALSE(query.firstHit(Vec3::Zero(), d, 0.5));
  }
}

TEST(SurfaceQuery, InsideAndSignedDistanceAgreeWithASphere) {
  const SurfaceQuery query(makeSphere(1, 5));
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const double r = random.uniform(0, 2);
    if (std::abs(r - 1) < 0.01) continue;
    const Vec3 p = r * randomDirection(random);
    EXPECT_EQ(query.inside(p), r < 1);
    EXPECT_NEAR(query.signedDistance(p), r - 1, 0.002);
  }
}

TEST(SurfaceQuery, RefusesWhatCannotBeSearched) {
  EXPECT_THROW(SurfaceQuery(TriangleMesh{}), InputError);
  TriangleMesh broken = makeBox(Vec3::Ones());
  broken.positions[3].x() = std::nan("");
  EXPECT_THROW(SurfaceQuery{broken}, InputError);
}

}  // namespace
}  // namespace pneuma
