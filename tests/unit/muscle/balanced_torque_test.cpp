#include "muscle/balanced_torque.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "pneuma/core/random.h"
#include "pneuma/core/types.h"

namespace pneuma::muscle::internal {
namespace {

std::vector<MuscleTorque> drawMuscles(Random& random, int count) {
  std::vector<MuscleTorque> muscles;
  for (int i = 0; i < count; ++i)
    muscles.push_back({random.uniform(-10, 10), {random.uniform(-5, 5), random.uniform(-5, 5)}});
  return muscles;
}

/// Every basic solution of the linear programme: two muscles take what balances, the others are off
/// or fully on. The judge: slow, plain, for a handful of muscles.
double bestVertex(const std::vector<MuscleTorque>& muscles) {
  const int n = static_cast<int>(muscles.size());
  double best = 0;
  for (int i = 0; i < n; ++i)
    for (int k = i + 1; k < n; ++k)
      for (int on = 0; on < (1 << n); ++on) {
        if (on & (1 << i) || on & (1 << k)) continue;
        Eigen::Vector2d rest(0, 0);
        double torque = 0;
        for (int m = 0; m < n; ++m)
          if (on & (1 << m)) {
            torque += muscles[m].wanted;
            rest -= Eigen::Vector2d(muscles[m].other[0], muscles[m].other[1]);
          }
        Eigen::Matrix2d a;
        a << muscles[i].other[0], muscles[k].other[0], muscles[i].other[1], muscles[k].other[1];
        if (std::abs(a.determinant()) < 1e-9) continue;
        const Eigen::Vector2d x = a.inverse() * rest;
        if (x.minCoeff() < -1e-12 || x.maxCoeff() > 1 + 1e-12) continue;
        best = std::max(best, torque + x[0] * muscles[i].wanted + x[1] * muscles[k].wanted);
      }
  return best;
}

TEST(BalancedTorque, WithoutOtherAxesIsTheSumOfTheAgonists) {
  const std::vector<MuscleTorque> muscles{{3, {1, 0}}, {-2, {0, 1}}, {5, {-1, 2}}};
  EXPECT_DOUBLE_EQ(balancedTorque(muscles, 0).torque, 8);
}

TEST(BalancedTorque, MirroredPairBalancesAndKeepsAll) {
  const std::vector<MuscleTorque> muscles{{4, {3, 0}}, {4, {-3, 0}}};
  EXPECT_NEAR(balancedTorque(muscles, 1).torque, 8, 1e-12);
  EXPECT_NEAR(balancedTorque(muscles, 2).torque, 8, 1e-9);
}

TEST(BalancedTorque, MuscleThatNothingOpposesGivesNone) {
  const std::vector<MuscleTorque> muscles{{4, {3, 0}}, {6, {1, 0}}};
  EXPECT_NEAR(balancedTorque(muscles, 1).torque, 0, 1e-9);
}

TEST(BalancedTorque, AntagonistHelpsWhenItOpposesAnotherAxis) {
  // The second pulls back by 1 but lets the first give its 10.
  const std::vector<MuscleTorque> muscles{{10, {2, 0}}, {-1, {-2, 0}}};
  EXPECT_NEAR(balancedTorque(muscles, 1).torque, 9, 1e-12);
}

TEST(BalancedTorque, EqualsTheBestVertexOfTheLinearProgramme) {
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    const auto muscles = drawMuscles(random, 8);
    // Golden section closes the price to 1e-9 of the bracket.
    EXPECT_NEAR(balancedTorque(muscles, 2).torque, bestVertex(muscles), 1e-6) << round;
  }
}

TEST(BalancedTorque, NeverExceedsTheSumAndShrinksWithEveryAxis) {
  Random random(12);
  for (int round = 0; round < 20; ++round) {
    const auto muscles = drawMuscles(random, 60);
    const double all = balancedTorque(muscles, 0).torque, one = balancedTorque(muscles, 1).torque,
                 two = balancedTorque(muscles, 2).torque;
    EXPECT_LE(one, all + 1e-9);
    EXPECT_LE(two, one + 1e-6);
    EXPECT_GE(two, 0);
  }
}

}  // namespace
}  // namespace pneuma::muscle::internal
