#include "anatomy/shape/spline.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pneuma::anatomy::internal {
namespace {

/// A quarter of a circle of radius 1, unevenly sampled.
std::vector<Vec3> quarterCircle(int points) {
  std::vector<Vec3> arc;
  for (int i = 0; i < points; ++i) {
    const double share = static_cast<double>(i) / (points - 1);
    const double angle = kPi / 2 * share * (0.6 + 0.4 * share);
    arc.emplace_back(std::cos(angle), std::sin(angle), 0.2);
  }
  return arc;
}

TEST(CurveSpline, GoesThroughItsPointsWithChordLengthKnots) {
  const std::vector<Vec3> points = quarterCircle(7);
  const CurveSpline curve(points);
  ASSERT_EQ(curve.size(), 7);
  double chord = 0;
  for (int i = 0; i < 7; ++i) {
    EXPECT_LT((curve.position(i) - points[static_cast<std::size_t>(i)]).norm(), 1e-14);
    if (i > 0)
      chord +=
          (points[static_cast<std::size_t>(i)] - points[static_cast<std::size_t>(i) - 1]).norm();
    EXPECT_NEAR(curve.knots()[i], chord, 1e-14);
  }
}

TEST(CurveSpline, TangentsAreOfUnitLengthAndContinuousAtPoints) {
  const CurveSpline curve(quarterCircle(7));
  for (int i = 1; i < 6; ++i) {
    const Vec3 before = curve.tangent(i - 1e-9), after = curve.tangent(i + 1e-9);
    EXPECT_NEAR(before.norm(), 1, 1e-12);
    EXPECT_LT((before - after).norm(), 1e-7) << i;
  }
}

TEST(CurveSpline, ApproachesACircleFasterThanItsPointsMultiply) {
  const auto worst = [](int points) {
    const CurveSpline curve(quarterCircle(points));
    double error = 0;
    // Away from the ends, where slopes are one-sided.
    for (double u = 1; u <= points - 2; u += 0.05) {
      const Vec3 p = curve.position(u);
      error = std::max(error, std::abs(Vec2(p.x(), p.y()).norm() - 1));
    }
    return error;
  };
  const double order = std::log2(worst(9) / worst(17));
  EXPECT_GT(order, 2.5);
}

TEST(MonotoneInterpolation, NeverLeavesTheRangeOfItsNeighbours) {
  VecX knots(6), values(6);
  knots << 0, 1, 1.2, 3, 4, 7;
  values << 0, 0, 1, 1, 0.2, 0.9;
  bool overshoots = false;
  for (int i = 0; i < 5; ++i)
    for (double t = 0; t <= 1; t += 0.01) {
      const double low = std::min(values[i], values[i + 1]),
                   high = std::max(values[i], values[i + 1]);
      const double v = monotoneInterpolation(knots, values, i + t);
      EXPECT_GE(v, low - 1e-12);
      EXPECT_LE(v, high + 1e-12);
      const double s = smoothInterpolation(knots, values, i + t);
      overshoots |= s < low - 1e-3 || s > high + 1e-3;
    }
  EXPECT_TRUE(overshoots);  // the smooth one does: the case is not trivial
}

TEST(MonotoneInterpolation, ReproducesStraightLines) {
  VecX knots(4);
  knots << 0, 0.5, 2, 2.2;
  const VecX values = (2 * knots.array() + 1).matrix();
  for (double u = 0; u <= 3; u += 0.1) {
    const int i = std::min(2, static_cast<int>(u));
    const double x = knots[i] + (u - i) * (knots[i + 1] - knots[i]);
    EXPECT_NEAR(monotoneInterpolation(knots, values, u), 2 * x + 1, 1e-12);
    EXPECT_NEAR(smoothInterpolation(knots, values, u), 2 * x + 1, 1e-12);
  }
}

TEST(Polyline, ResamplingKeepsEndsAndSpacesEvenly) {
  const std::vector<Vec3> line{{0, 0, 0}, {0.1, 0, 0}, {0.1, 0.5, 0}, {0.1, 0.5, 1}};
  EXPECT_NEAR(polylineLength(line), 1.6, 1e-15);
  const std::vector<Vec3> even = resampledPolyline(line, 17);
  ASSERT_EQ(even.size(), 17u);
  EXPECT_LT((even.front() - line.front()).norm(), 1e-15);
  EXPECT_LT((even.back() - line.back()).norm(), 1e-15);
  for (std::size_t i = 0; i < even.size(); ++i)
    EXPECT_LT((even[i] - pointAlong(line, 0.1 * static_cast<double>(i))).norm(), 1e-12);
}

TEST(Polyline, PlacesBeyondTheEndsAreTheEnds) {
  const std::vector<Vec3> line{{0, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(pointAlong(line, -1), Vec3(0, 0, 0));
  EXPECT_EQ(pointAlong(line, 5), Vec3(1, 0, 0));
  EXPECT_NEAR(distanceToPolyline({2, 1, 0}, line), std::sqrt(2.0), 1e-15);
  EXPECT_NEAR(distanceToPolyline({0.5, 0, 2}, line), 2, 1e-15);
}

TEST(Polyline, SmoothingKeepsEndsAndStraightLinesAndShrinksWaves) {
  std::vector<Vec3> straight, wavy;
  for (int i = 0; i <= 20; ++i) {
    straight.emplace_back(0.05 * i, 0, 0);
    wavy.emplace_back(0.05 * i, i % 2 == 0 ? 0.01 : -0.01, 0);
  }
  const std::vector<Vec3> before = straight;
  smoothPolyline(straight, 5);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_LT((straight[i] - before[i]).norm(), 1e-14);
  smoothPolyline(wavy, 5);
  EXPECT_EQ(wavy.front(), Vec3(0, 0.01, 0));
  EXPECT_EQ(wavy.back(), Vec3(1, 0.01, 0));
  EXPECT_LT(std::abs(wavy[10].y()), 1e-3);
}

}  // namespace
}  // namespace pneuma::anatomy::internal
