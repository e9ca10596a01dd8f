#include "pneuma/skeleton/motion_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/random.h"
#include "pneuma/skeleton/model_builder.h"
#include "skeleton/motion/floor_forces.h"

namespace pneuma::skeleton {
namespace {

/// A free block with a hanging leg: a foot below it by a hinge.
Model blockWithLeg() {
  ModelBuilder builder;
  LinkDescription block;
  block.name = "block";
  block.joint = Joint::free();
  block.jointPose.position = Vec3(0, 1, 0);
  block.inertia = {8, Vec3(0, 1.1, 0), Mat3::Identity() * 0.1};
  builder.add(block);
  LinkDescription leg;
  leg.name = "leg";
  leg.parent = "block";
  leg.joint = Joint::hinge(Vec3::UnitX());
  leg.jointPose.position = Vec3(0.2, 0.9, 0);
  leg.inertia = {2, Vec3(0.2, 0.5, 0), Mat3::Identity() * 0.05};
  builder.add(leg);
  return builder.build();
}

/// Four corners around a point of a link.
void addSole(std::vector<FloorPoint>& points, int foot, int link, const Vec3& middle, double halfX,
             double halfZ) {
  for (const double x : {-halfX, halfX})
    for (const double z : {-halfZ, halfZ}) points.push_back({foot, link, middle + Vec3(x, 0, z)});
}

// The cost of forces leaves 1e-4 of them at the root.
TEST(MotionDynamics, AStandingBodyIsCarriedByItsFootWithThePressureBelowItsMass) {
  const Model model = blockWithLeg();
  const std::vector<VecX> still(20, model.neutral);
  MotionDynamicsConfig config;
  addSole(config.points, 0, model.linkIndex("leg"), Vec3(0, -0.9, 0), 0.3, 0.1);
  const MotionDynamics d = computeMotionDynamics(model, still, 0.01, config);
  EXPECT_NEAR((d.groundForce[5] - Vec3(0, 10 * kGravity, 0)).norm(), 0, 1e-3 * 10 * kGravity);
  EXPECT_LT(d.residualForce[5].norm(), 1e-3 * 10 * kGravity);
  EXPECT_NEAR(d.pressure[5][0].x(), 0.04, 1e-3);  // (8 * 0 + 2 * 0.2) / 10
  // All weight passes through the leg's hinge; both centres of mass lie in its plane, z = 0.
  EXPECT_NEAR(d.torque[5][6], 0, 1e-3);
}

// A sole that does not reach below the mass cannot hold it: the pressure stays at its edge, and the
// moment that is missing is told.
TEST(MotionDynamics, ThePressureNeverLeavesTheSole) {
  const Model model = blockWithLeg();
  const std::vector<VecX> still(20, model.neutral);
  MotionDynamicsConfig config;
  addSole(config.points, 0, model.linkIndex("leg"), Vec3(0, -0.9, 0), 0.05, 0.1);
  const MotionDynamics d = computeMotionDynamics(model, still, 0.01, config);
  EXPECT_NEAR(d.pressure[5][0].x(), 0.15, 1e-6);
  // Friction, a metre below the root, takes most of the missing 10.8 N m and leaves a force
  // instead.
  EXPECT_GT(d.residualForce[5].norm() + d.residualMoment[5].norm(), 5);
  // What the root needs in the table is what is left.
  EXPECT_NEAR((d.torque[5].head<3>() - d.residualForce[5]).norm(), 0, 1e-9);
}

TEST(MotionDynamics, NoFootPulls) {
  const Model model = blockWithLeg();
  std::vector<VecX> jump;
  for (int i = 0; i < 30; ++i) {
    VecX q = model.neutral;
    q[1] -= 0.5 * 20 * std::pow(0.01 * (i - 15), 2);  // falls faster than things fall
    jump.push_back(q);
  }
  MotionDynamicsConfig config{.smoothing = 0, .contactHeight = 1, .contactSpeed = 10};
  addSole(config.points, 0, model.linkIndex("leg"), Vec3(0, -0.9, 0), 0.3, 0.1);
  const MotionDynamics d = computeMotionDynamics(model, jump, 0.01, config);
  EXPECT_GE(d.groundForce[15].y(), 0);
  EXPECT_NEAR(d.residualForce[15].y(), 10 * (kGravity - 20), 0.1);
}

/// A block on two legs beside one another, its centre of mass at x.
Model blockOnTwoLegs(double x) {
  ModelBuilder builder;
  LinkDescription block;
  block.name = "block";
  block.joint = Joint::free();
  block.jointPose.position = Vec3(0, 1, 0);
  block.inertia = {10, Vec3(x, 1.1, 0), Mat3::Identity() * 0.1};
  builder.add(block);
  for (const double side : {-0.1, 0.1}) {
    LinkDescription leg;
    leg.name = side < 0 ? "right" : "left";
    leg.parent = "block";
    leg.joint = Joint::hinge(Vec3::UnitZ());
    leg.jointPose.position = Vec3(side, 0.9, 0);
    leg.inertia = {1e-6, Vec3(side, 0.5, 0), Mat3::Identity() * 1e-9};
    builder.add(leg);
  }
  return builder.build();
}

// Two feet 0.2 m apart: the lever rule.
TEST(MotionDynamics, TwoFeetShareTheWeightAsTheCentreOfPressureAsks) {
  for (const double x : {0.0, 0.05, 0.1}) {
    const Model model = blockOnTwoLegs(x);
    const std::vector<VecX> still(9, model.neutral);
    MotionDynamicsConfig config;
    addSole(config.points, 0, model.linkIndex("right"), Vec3(0, -0.9, 0), 0.01, 0.1);
    addSole(config.points, 1, model.linkIndex("left"), Vec3(0, -0.9, 0), 0.01, 0.1);
    const MotionDynamics d = computeMotionDynamics(model, still, 0.01, config);
    EXPECT_NEAR(d.footForce[4][1].y() / (10 * kGravity), 0.5 + 0.5 * x / 0.1, 0.06) << x;
    EXPECT_NEAR((d.footForce[4][0] + d.footForce[4][1] - d.groundForce[4]).norm(), 0, 1e-9);
    EXPECT_LT(d.residualForce[4].norm(), 1e-3 * 10 * kGravity);
  }
}

TEST(MotionDynamics, AFallingBodyNeedsNothing) {
  const Model model = blockWithLeg();
  std::vector<VecX> fall;
  for (int i = 0; i < 40; ++i) {
    VecX q = model.neutral;
    const double t = 0.01 * i;
    q[0] += 1.5 * t;
    q[1] += 5 + 2 * t - 0.5 * kGravity * t * t;
    fall.push_back(q);
  }
  MotionDynamicsConfig config{.smoothing = 0};
  addSole(config.points, 0, model.linkIndex("leg"), Vec3(0, -0.9, 0), 0.05, 0.1);
  const MotionDynamics d = computeMotionDynamics(model, fall, 0.01, config);
  // Central differences are exact for a parabola, away from the ends.
  for (std::size_t i = 2; i + 2 < fall.size(); ++i) {
    EXPECT_TRUE(d.flight[i]) << i;
    EXPECT_LT(d.residualForce[i].norm(), 1e-6) << i;
    EXPECT_LT(d.torque[i].cwiseAbs().maxCoeff(), 1e-6) << i;
  }
}

TEST(MotionDynamics, NonNegativeLeastSquaresMeetsItsConditions) {
  Random random(11);
  for (int trial = 0; trial < 20; ++trial) {
    MatX M(12, 9);
    VecX b(12);
    for (int i = 0; i < M.size(); ++i) M.data()[i] = random.normal();
    for (int i = 0; i < b.size(); ++i) b[i] = random.normal();
    const VecX x = internal::solveNonNegative(M, b);
    const VecX slope = M.transpose() * (M * x - b);
    for (int i = 0; i < x.size(); ++i) {
      EXPECT_GE(x[i], 0);
      EXPECT_GE(slope[i], -1e-8);             // nothing gains by growing
      EXPECT_NEAR(x[i] * slope[i], 0, 1e-8);  // nor what is free by anything
    }
  }
}

TEST(MotionDynamics, SmoothingKeepsALineAndAParabolasShape) {
  const Model model = blockWithLeg();
  std::vector<VecX> motion;
  for (int i = 0; i < 60; ++i) {
    VecX q = model.neutral;
    q[0] += 0.1 * i;
    q[7] = 0.02 * i;
    motion.push_back(q);
  }
  const std::vector<VecX> smooth = smoothedMotion(model, motion, 0.01, 0.03);
  for (std::size_t i = 0; i < motion.size(); ++i)
    EXPECT_LT((smooth[i] - motion[i]).norm(), 1e-12) << i;
}

/// Jitter of a marker is a large acceleration; smoothed, little of it is left, at the ends as well.
TEST(MotionDynamics, SmoothingTakesOutTheAccelerationsOfNoiseUpToTheEnds) {
  const Model model = blockWithLeg();
  Random random(5);
  constexpr double kInterval = 1.0 / 120, kJitter = 1e-3;
  std::vector<VecX> motion;
  for (int i = 0; i < 240; ++i) {
    VecX q = model.neutral;
    q[1] += 0.02 * std::sin(2 * 3.141592653589793 * 2 * i * kInterval) + kJitter * random.normal();
    motion.push_back(q);
  }
  const std::vector<VecX> smooth = smoothedMotion(model, motion, kInterval, 0.02);
  const auto strongest = [&](const std::vector<VecX>& q) {
    double most = 0;
    for (std::size_t i = 1; i + 1 < q.size(); ++i)
      most = std::max(most, std::abs(q[i + 1][1] - 2 * q[i][1] + q[i - 1][1]));
    return most / (kInterval * kInterval);
  };
  EXPECT_GT(strongest(motion), 40);  // [m/s^2]; the motion itself 3.2
  EXPECT_LT(strongest(smooth), 6);
}

}  // namespace
}  // namespace pneuma::skeleton
