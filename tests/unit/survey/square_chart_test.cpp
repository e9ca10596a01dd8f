#include "survey/square_chart.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/index.h"

namespace pneuma::survey::internal {
namespace {

/// The left half of a ball above a plane, from nodes in rings: a disc with its mid-line in x = 0.
TriangleMesh halfBall() {
  constexpr int kAround = 24, kUp = 14;
  TriangleMesh m;
  for (int j = 0; j <= kUp; ++j)
    for (int i = 0; i <= kAround; ++i) {
      const double a = kPi * i / kAround, up = -0.5 + (kPi / 2 - 0.02 + 0.5) * j / kUp;
      m.positions.emplace_back(std::cos(up) * std::sin(a), std::sin(up),
                               std::cos(up) * std::cos(a));
      if (i == 0 || i == kAround) m.positions.back().x() = 0;
      if (j == kUp) m.positions.back().x() = 0;
    }
  for (int j = 0; j < kUp; ++j)
    for (int i = 0; i < kAround; ++i) {
      const std::int32_t a = j * (kAround + 1) + i, c = a + kAround + 1;
      m.triangles.push_back({a, a + 1, c + 1});
      m.triangles.push_back({a, c + 1, c});
    }
  return m;
}

TEST(SquareChart, TurnsNoTriangleOverAndFillsTheSquare) {
  const TriangleMesh disc = halfBall();
  const std::vector<double> density(disc.vertexCount(), 1);
  const std::vector<Vec2> places = squareChart(disc, density);
  double area = 0;
  for (const Triangle& t : disc.triangles) {
    const Vec2 a = places[at(t[1])] - places[at(t[0])], b = places[at(t[2])] - places[at(t[0])];
    const double twice = a.x() * b.y() - a.y() * b.x();
    EXPECT_GT(twice, -1e-12);
    area += 0.5 * twice;
  }
  EXPECT_NEAR(area, 1, 0.02);
}

TEST(SquareChart, GivesDenserPlacesMoreRoom) {
  const TriangleMesh disc = halfBall();
  std::vector<double> density(disc.vertexCount(), 1);
  const auto roomBeside = [&](const std::vector<Vec2>& places) {
    double area = 0;
    for (const Triangle& t : disc.triangles) {
      const Vec3 middle =
          (disc.positions[at(t[0])] + disc.positions[at(t[1])] + disc.positions[at(t[2])]) / 3;
      if (middle.x() < 0.9) continue;
      const Vec2 a = places[at(t[1])] - places[at(t[0])], b = places[at(t[2])] - places[at(t[0])];
      area += 0.5 * (a.x() * b.y() - a.y() * b.x());
    }
    return area;
  };
  const double even = roomBeside(squareChart(disc, density));
  for (std::size_t v = 0; v < density.size(); ++v)
    if (disc.positions[v].x() > 0.85) density[v] = 3;
  EXPECT_GT(roomBeside(squareChart(disc, density)), 2 * even);
}

TEST(SquareChart, NodesComeBackToTheSurface) {
  const TriangleMesh disc = halfBall();
  const std::vector<double> density(disc.vertexCount(), 1);
  const std::vector<Vec2> places = squareChart(disc, density);
  constexpr int kSize = 20;
  const std::vector<ChartNode> nodes = chartNodes(disc, places, kSize);
  ASSERT_EQ(nodes.size(), 400u);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Triangle& t = disc.triangles[at(nodes[n].triangle)];
    Vec2 back = Vec2::Zero();
    for (std::size_t k = 0; k < 3; ++k)
      back += nodes[n].weights[static_cast<Eigen::Index>(k)] * places[at(t[k])];
    const Vec2 wanted(static_cast<double>(n % kSize) / (kSize - 1),
                      static_cast<double>(n / kSize) / (kSize - 1));
    EXPECT_LT((back - wanted).norm(), 0.01);
  }
}

}  // namespace
}  // namespace pneuma::survey::internal
