#include "pneuma/skin/under_skin.h"

#include <gtest/gtest.h>

namespace pneuma::skin {
namespace {

TEST(UnderSkin, CarriesWhatLiesNearAlongAndLeavesWhatLiesDeep) {
  const TriangleMesh ball = makeSphere(0.1, 3, Vec3::Zero());
  std::vector<Vec3> points{{0.099, 0, 0}, {0.085, 0, 0}, {0.06, 0, 0}, {-0.099, 0, 0}};
  const UnderSkin under(ball, points);
  // The half towards x is moved.
  std::vector<Vec3> moves;
  std::vector<Vec3> now = ball.positions;
  for (Vec3& p : now) moves.push_back(p.x() > 0 ? Vec3(0, 0.01, 0) : Vec3::Zero());
  for (std::size_t v = 0; v < now.size(); ++v) now[v] += moves[v];
  const std::vector<Vec3> before = points;
  under.follow(now, moves, points);
  EXPECT_GT(points[0].y(), 0.0099);
  EXPECT_NEAR(points[1].y(), 0.005, 0.0005);  // half-way down
  EXPECT_EQ(points[2], before[2]);
  EXPECT_EQ(points[3], before[3]);
  points = before;
  under.follow(ball.positions, {}, points);
  EXPECT_EQ(points, before);
}

/// The patches of a flexed biceps that stood out of the skin.
TEST(UnderSkin, KeepsAPartOfItsDepth) {
  const TriangleMesh ball = makeSphere(0.1, 3, Vec3::Zero());
  const std::vector<Vec3> rest{{0.094, 0.002, 0.001}};
  const UnderSkin under(ball, rest);
  std::vector<Vec3> points{{0.108, 0.002, 0.001}};  // the flesh has it outside
  under.follow(ball.positions, {}, points);
  EXPECT_NEAR(points[0].x(), 0.098, 0.0005);
}

}  // namespace
}  // namespace pneuma::skin
