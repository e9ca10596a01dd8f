#include "pneuma/anatomy/taper.h"

#include <gtest/gtest.h>

namespace pneuma::anatomy {
namespace {

Taper narrow() {
  Taper taper({0.1, 1, 0.05}, {0.14, 0.6, 0.08}, -0.4, 1.4, 16);
  for (std::size_t k = 0; k < taper.stations().size(); ++k)
    taper.stations()[k] = {1 - 0.02 * static_cast<double>(k), 0.9, 0.001 * static_cast<double>(k),
                           -0.002};
  return taper;
}

TEST(Taper, ChangesNothingUntilStationsAreSet) {
  const Taper taper({0, 1, 0}, {0, 0, 0}, 0, 1, 8);
  EXPECT_FALSE(taper.any());
  const Vec3 p(0.02, 0.4, -0.03);
  EXPECT_LT((taper(p) - p).norm(), 1e-15);  // weights sum to 1 up to rounding
  EXPECT_LT((taper.jacobian(p) - Mat3::Identity()).norm(), 1e-13);
  EXPECT_EQ(Taper()(p), p);
}

TEST(Taper, NothingMovesAlongTheAxis) {
  const Taper taper = narrow();
  const Vec3 along = Vec3(0.04, -0.4, 0.03).normalized();
  for (const double y : {1.3, 0.95, 0.8, 0.62, 0.2}) {
    const Vec3 p(0.15, y, 0.1);
    EXPECT_GT((taper(p) - p).norm(), 1e-4);
    EXPECT_NEAR(along.dot(taper(p) - p), 0, 1e-15);
  }
}

TEST(Taper, JacobianIsTheDerivative) {
  const Taper taper = narrow();
  constexpr double kStep = 1e-6;
  for (const Vec3& p : {Vec3(0.15, 0.9, 0.1), Vec3(0.1, 0.71, 0.02), Vec3(0.2, 1.4, 0)}) {
    const Mat3 j = taper.jacobian(p);
    for (int k = 0; k < 3; ++k) {
      const Vec3 d = kStep * Vec3::Unit(k);
      EXPECT_LT(((taper(p + d) - taper(p - d)) / (2 * kStep) - j.col(k)).norm(), 1e-7);
    }
  }
}

}  // namespace
}  // namespace pneuma::anatomy
