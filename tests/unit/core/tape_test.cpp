#include "pneuma/core/tape.h"

#include <gtest/gtest.h>

namespace pneuma {
namespace {

TEST(Tape, GoesAroundASphereInAnyPlane) {
  const TriangleMesh sphere = makeSphere(0.1, 5, Vec3(1, 2, 3));
  for (const Vec3& n : {Vec3(0, 1, 0), Vec3(1, 1, 0).normalized().eval()}) {
    const Tape great = tapeAround(sphere.positions, sphere.triangles, Vec3(1, 2, 3), n);
    EXPECT_NEAR(great.length, 2 * kPi * 0.1, 1e-3 * 2 * kPi * 0.1);
    const Tape small = tapeAround(sphere.positions, sphere.triangles, Vec3(1, 2, 3) + 0.06 * n, n);
    EXPECT_NEAR(small.length, 2 * kPi * 0.08, 1e-3 * 2 * kPi * 0.08);
    for (const Vec3& p : small.outline) EXPECT_NEAR(n.dot(p - Vec3(1, 2, 3)), 0.06, 1e-12);
  }
}

TEST(Tape, SpansHollowsAndChoosesTheOutlineAroundItsPoint) {
  // A square with a corner pushed in: the tape goes straight across.
  EXPECT_NEAR(tapeLength({{0, 0}, {1, 0}, {1, 1}, {0.6, 0.4}, {0, 1}}), 4, 1e-12);
  TriangleMesh two = makeSphere(0.1, 4);
  append(two, makeSphere(0.05, 4, Vec3(0.3, 0, 0)));
  const Vec3 up = Vec3::UnitY();
  EXPECT_NEAR(tapeAround(two.positions, two.triangles, Vec3(0.3, 0, 0), up).length, 2 * kPi * 0.05,
              2e-3);
  EXPECT_NEAR(tapeAround(two.positions, two.triangles, Vec3(0.02, 0, 0), up).length, 2 * kPi * 0.1,
              3e-3);
  // Between them there is nothing to go around, nor above them.
  EXPECT_EQ(tapeAround(two.positions, two.triangles, Vec3(0.17, 0, 0), up).length, 0);
  EXPECT_EQ(tapeAround(two.positions, two.triangles, Vec3(0, 0.2, 0), up).length, 0);
}

}  // namespace
}  // namespace pneuma
