#include "skin/bone_path.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pneuma::skin::internal {
namespace {

Pose turnAbout(const Vec3& centre, const Vec3& axis, double angle) {
  const Mat3 R = Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
  return {R, centre - R * centre};
}

double distance(const Pose& a, const Pose& b) {
  return (a.rotation - b.rotation).norm() + (a.position - b.position).norm();
}

/// Trunk, upper arm and forearm hanging down, shoulder at 1.4 m, elbow at 1.1 m; the hand is at
/// 0.8 m.
struct Arm {
  std::vector<std::int32_t> parents{-1, 0, 1};
  Vec3 shoulder{0.2, 1.4, 0}, elbow{0.2, 1.1, 0}, hand{0.2, 0.8, 0};
  std::vector<Pose> pose(double raised, double bent) const {
    const Pose upper = turnAbout(shoulder, {0, 0, 1}, raised);
    return {Pose{}, upper, upper * turnAbout(elbow, {1, 0, 0}, bent)};
  }
};

TEST(BonePath, JointsTurnEvenlyAboutTheirCentres) {
  const Arm arm;
  const BonePath path(arm.parents);
  const std::vector<Pose> a = arm.pose(0.1, 0.2), b = arm.pose(2.7, 1.4);
  for (const double s : {0.0, 0.3, 0.5, 1.0}) {
    const std::vector<Pose> now = path.between(a, b, s),
                            wanted = arm.pose(0.1 + 2.6 * s, 0.2 + 1.2 * s);
    for (std::size_t i = 0; i < now.size(); ++i) EXPECT_LT(distance(now[i], wanted[i]), 1e-12) << i;
  }
}

/// Half-way up, the hand is at arm's length, not drawn through the shoulder.
TEST(BonePath, ARaisedArmStaysStretched) {
  const Arm arm;
  const BonePath path(arm.parents);
  const std::vector<Pose> half = path.between(arm.pose(0, 0), arm.pose(2.6, 0), 0.5);
  EXPECT_NEAR((half[2] * arm.hand - arm.shoulder).norm(), 0.6, 1e-12);
}

TEST(BonePath, TheLargestTurnIsThatOfAJoint) {
  const Arm arm;
  const BonePath path(arm.parents);
  EXPECT_NEAR(path.largestTurn(arm.pose(0, 0), arm.pose(0.8, 0.5)), 0.8, 1e-12);
  // The whole body turned: its trunk against the world.
  std::vector<Pose> turned = arm.pose(0, 0);
  for (Pose& p : turned) p = turnAbout({0, 0, 0}, {0, 1, 0}, 1) * p;
  EXPECT_NEAR(path.largestTurn(arm.pose(0, 0), turned), 1, 1e-12);
}

TEST(BonePath, AMotionWithoutTurnGoesStraight) {
  const Pose a{Mat3::Identity(), {1, 2, 3}}, b{Mat3::Identity(), {3, 2, 1}};
  EXPECT_LT(distance(screwBetween(a, b, 0.25), {Mat3::Identity(), {1.5, 2, 2.5}}), 1e-15);
}

TEST(BonePath, ParentsMayComeLater) {
  const Arm arm;
  const BonePath path(std::vector<std::int32_t>{1, 2, -1});
  std::vector<Pose> a = arm.pose(0, 0), b = arm.pose(2, 1);
  std::ranges::reverse(a), std::ranges::reverse(b);
  std::vector<Pose> wanted = arm.pose(1, 0.5);
  std::ranges::reverse(wanted);
  const std::vector<Pose> now = path.between(a, b, 0.5);
  for (std::size_t i = 0; i < now.size(); ++i) EXPECT_LT(distance(now[i], wanted[i]), 1e-12) << i;
}

}  // namespace
}  // namespace pneuma::skin::internal
