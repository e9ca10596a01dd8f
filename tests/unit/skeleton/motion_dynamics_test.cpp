#include "pneuma/skeleton/motion_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/skeleton/model_builder.h"

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

TEST(MotionDynamics, AStandingBodyIsCarriedByItsFoot) {
  const Model model = blockWithLeg();
  const std::vector<VecX> still(20, model.neutral);
  const MotionDynamics d = computeMotionDynamics(
      model, still, 0.01, {.feet = {model.linkIndex("leg")}, .soles = {Vec3(0, -0.9, 0)}});
  EXPECT_NEAR((d.groundForce[5] - Vec3(0, 10 * kGravity, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR(d.torque[5].head<6>().cwiseAbs().maxCoeff(), 0, 1e-9);
  // All weight passes through the leg's hinge; both centres of mass lie in its plane, z = 0.
  EXPECT_NEAR(d.torque[5][6], 0, 1e-9);
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

// Two feet 0.2 m apart: the lever rule, but for small couples. Forces lean towards the pelvis.
TEST(MotionDynamics, TwoFeetShareTheWeightAsTheCentreOfPressureAsks) {
  for (const double x : {0.0, 0.05, 0.1}) {
    const Model model = blockOnTwoLegs(x);
    const std::vector<VecX> still(9, model.neutral);
    const MotionDynamics d =
        computeMotionDynamics(model, still, 0.01,
                              {.feet = {model.linkIndex("right"), model.linkIndex("left")},
                               .soles = {Vec3(0, -0.9, 0), Vec3(0, -0.9, 0)}});
    EXPECT_NEAR(d.footForce[4][1].y() / (10 * kGravity), 0.5 + 0.5 * x / 0.1, 0.02) << x;
    EXPECT_LE(d.footForce[4][1].x(), 1e-9);
    EXPECT_NEAR((d.footForce[4][0] + d.footForce[4][1] - d.groundForce[4]).norm(), 0, 1e-9);
    EXPECT_NEAR(d.torque[4].head<6>().cwiseAbs().maxCoeff(), 0, 1e-9);
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
  const MotionDynamics d = computeMotionDynamics(
      model, fall, 0.01,
      {.smoothing = 0, .feet = {model.linkIndex("leg")}, .soles = {Vec3(0, -0.9, 0)}});
  // Central differences are exact for a parabola, away from the ends.
  for (std::size_t i = 2; i + 2 < fall.size(); ++i) {
    EXPECT_LT(d.unsupported[i], 1e-6) << i;
    EXPECT_LT(d.torque[i].cwiseAbs().maxCoeff(), 1e-6) << i;
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

}  // namespace
}  // namespace pneuma::skeleton
