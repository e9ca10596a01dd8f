#include "pneuma/core/interpolate.h"

#include <gtest/gtest.h>

#include <vector>

namespace pneuma {
namespace {

TEST(SmoothStep, IsLevelAtBothEndsAndHalfInTheMiddle) {
  for (const auto step : {+[](double s) { return smoothStep(s); }, &smootherStep}) {
    EXPECT_EQ(step(-1), 0);
    EXPECT_EQ(step(0), 0);
    EXPECT_EQ(step(0.5), 0.5);
    EXPECT_EQ(step(1), 1);
    EXPECT_EQ(step(3), 1);
    EXPECT_LT(step(1e-3), 1e-5);
    EXPECT_NEAR(step(0.3) + step(0.7), 1, 1e-15);
  }
  EXPECT_EQ(smoothStep(2, 4, 3), 0.5);
}

TEST(CatmullRom, PassesThroughItsPointsWithTheMeanSlope) {
  EXPECT_EQ(catmullRom(0.0, 1.0, 4.0, 9.0, 0), 1);
  EXPECT_EQ(catmullRom(0.0, 1.0, 4.0, 9.0, 1), 4);
  const double h = 1e-6;
  EXPECT_NEAR((catmullRom(0.0, 1.0, 4.0, 9.0, h) - 1) / h, 2, 1e-5);
  EXPECT_NEAR((4 - catmullRom(0.0, 1.0, 4.0, 9.0, 1 - h)) / h, 4, 1e-5);
}

TEST(InterpolateEven, KeepsAStraightLineAndStopsAtTheEnds) {
  const std::vector<double> line{1, 3, 5, 7};
  const auto at = [&](double s) {
    return interpolateEven<double>(line.size(), s, [&](std::size_t i) { return line[i]; });
  };
  for (const double s : {0.0, 0.4, 1.0, 2.7, 3.0}) EXPECT_NEAR(at(s), 1 + 2 * s, 1e-14);
  EXPECT_EQ(at(-2), 1);
  EXPECT_EQ(at(9), 7);
}

}  // namespace
}  // namespace pneuma
