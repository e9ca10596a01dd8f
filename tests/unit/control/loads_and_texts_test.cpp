#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pneuma/control/activation_planner.h"
#include "pneuma/control/desired_acceleration.h"
#include "pneuma/control/load_text.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/model_builder.h"

namespace pneuma::control {
namespace {

using testing::HasSubstr;

/// An arm of 0.4 m that hangs on a hinge about z, and a ball at its end.
skeleton::Model pendulum() {
  skeleton::ModelBuilder builder;
  skeleton::LinkDescription upper;
  upper.name = "upper";
  upper.joint = skeleton::Joint::hinge(Vec3::UnitZ());
  upper.inertia = {.mass = 2, .center = Vec3(0.2, 0, 0), .inertia = 0.01 * Mat3::Identity()};
  builder.add(upper);
  skeleton::LinkDescription lower;
  lower.name = "lower", lower.parent = "upper";
  lower.joint = skeleton::Joint::ball();
  lower.jointPose.position = Vec3(0.4, 0, 0);
  lower.inertia = {.mass = 1, .center = Vec3(0.6, 0, 0), .inertia = 0.01 * Mat3::Identity()};
  builder.add(lower);
  return builder.build();
}

template <class Call>
std::string messageOf(Call&& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(HeldLoads, AreSensedByTheExponentialOfEquation17) {
  const skeleton::Model model = pendulum();
  HeldLoads loads(model);
  loads.add({.name = "weight", .link = 1, .mass = 2});
  loads.setMass(0, 5);
  for (int k = 0; k < 100; ++k) loads.sense(5, 0.01);
  EXPECT_NEAR(loads.sensedMass(0), 5 - 3 * std::exp(-5.0), 1e-12);
}

TEST(HeldLoads, AddsTheInertiaAndWeightOfItsMass) {
  const skeleton::Model model = pendulum();
  skeleton::State state = skeleton::makeState(model);
  state.v[0] = 0.7;
  HeldLoads held(model);
  held.add({.name = "weight", .link = 0, .local = Vec3(0.4, 0, 0), .mass = 3});
  skeleton::StepWorkspace with(model, {&held}), without(model);
  const std::vector<std::uint8_t> none(4);
  for (skeleton::StepWorkspace* w : {&with, &without})
    skeleton::assembleImplicitSystem(model, none, VecX::Zero(4), state, *w, 0.01);
  EXPECT_NEAR(with.loads.matrix(0, 0) - without.loads.matrix(0, 0), 3 * 0.16, 2e-2);
  EXPECT_NEAR(with.rhs[0] - without.rhs[0], 3 * 0.16 * 0.7 - 0.01 * 3 * 0.4 * kGravity, 1e-12);
}

TEST(HeldLoads, UnsensedLoadsMakeTheSystemThatOfTheTrueLoad) {
  const skeleton::Model model = pendulum();
  skeleton::State state = skeleton::makeState(model);
  state.v << 0.7, 0.1, -0.2, 0.4;
  HeldLoads wrong(model), right(model);
  wrong.add({.name = "weight", .link = 1, .local = Vec3(0.1, 0, 0.1), .mass = 1});
  wrong.setMass(0, 4);
  wrong.setForce(0, Vec3(1, 2, 3));
  right.add(
      {.name = "weight", .link = 1, .local = Vec3(0.1, 0, 0.1), .mass = 4, .force = {1, 2, 3}});
  skeleton::StepWorkspace a(model, {&wrong}), b(model, {&right});
  // Every joint prescribed: the point of linearisation does not depend on the load.
  const std::vector<std::uint8_t> all(4, 1);
  for (skeleton::StepWorkspace* w : {&a, &b})
    skeleton::assembleImplicitSystem(model, all, VecX::Zero(4), state, *w, 0.01);
  wrong.addUnsensed(state, a, 0.01);
  EXPECT_LT((a.loads.matrix - b.loads.matrix).norm(), 1e-12);
  EXPECT_LT((a.rhs - b.rhs).norm(), 1e-12);
}

TEST(DesiredAcceleration, IsThePdLawOfEquation12) {
  const skeleton::Model model = pendulum();
  skeleton::State state = skeleton::makeState(model);
  MotionTarget target(model);
  target.q[0] = 0.1;
  target.v[0] = 0.5;
  target.vDot[0] = 2;
  VecX vDot = VecX::Zero(4);
  computeDesiredAcceleration(model, state, target, {}, vDot);
  EXPECT_NEAR(vDot[0], 400 * 0.1 + 40 * 0.5 + 2, 1e-12);
  target.q[0] = 3;  // beyond the largest error that counts
  computeDesiredAcceleration(model, state, target, {}, vDot);
  EXPECT_NEAR(vDot[0], 400 * TrackingGains{}.largestError + 40 * 0.5 + 2, 1e-12);
}

TEST(DesiredAcceleration, TurnsABallAboutItsOwnAxes) {
  const skeleton::Model model = pendulum();
  skeleton::State state = skeleton::makeState(model);
  MotionTarget target(model);
  VecX step = VecX::Zero(4);
  step[2] = 0.1;
  skeleton::integrateConfiguration(model, step, target.q);
  target.v[3] = 1;  // about the target's own z, which lies 0.1 rad about y from ours
  VecX vDot = VecX::Zero(4);
  computeDesiredAcceleration(model, state, target, {}, vDot);
  EXPECT_NEAR(vDot[2], 400 * 0.1, 1e-9);
  EXPECT_NEAR(vDot[1], 40 * std::sin(0.1), 1e-9);
  EXPECT_NEAR(vDot[3], 40 * std::cos(0.1), 1e-9);
}

TEST(DesiredAcceleration, RefusesGainsThatAStepCannotFollow) {
  EXPECT_NO_THROW(validate(TrackingGains{}, 0.007));
  EXPECT_THROW(validate(TrackingGains{.velocity = 300}, 0.007), InputError);
  EXPECT_THROW(validate(TrackingGains{.position = -1}, 0.007), InputError);
}

TEST(LoadText, ReadsMassesForcesAndChanges) {
  const skeleton::Model model = pendulum();
  EXPECT_EQ(parseLoad("5kg@lower", model, "").load.mass, 5);
  EXPECT_EQ(parseLoad("0/-30/1N@lower", model, "").load.force, Vec3(0, -30, 1));
  const LoadSchedule s = parseLoad("2kg,3s:8kg,5s:0kg@lower", model, "");
  EXPECT_EQ(s.at(0).mass, 2);
  EXPECT_EQ(s.at(3).mass, 8);
  EXPECT_EQ(s.at(9).mass, 0);
}

TEST(LoadText, RefusesWhatItDoesNotUnderstand) {
  const skeleton::Model model = pendulum();
  const auto message = [&](const char* text) {
    return messageOf([&] { parseLoad(text, model, "option '--load'"); });
  };
  EXPECT_THAT(message("-5kg@lower"), HasSubstr("mass '-5kg' is negative"));
  EXPECT_THAT(message("5kg@lowr"), HasSubstr("did you mean 'lower'"));
  EXPECT_THAT(message("5@lower"), HasSubstr("found '5'"));
  EXPECT_THAT(message("2kg,4s:1kg,3s:2kg@lower"), HasSubstr("do not rise"));
  EXPECT_THAT(message("5kg"), HasSubstr("such as 5kg@hand_r"));
}

TEST(PerPart, ReadsPartsAndRefusesOthers) {
  EXPECT_EQ(parsePerPart("arms=0.5,neck=0.2", "")[BodyPart::ArmRight], 0.5);
  EXPECT_EQ(parsePerPart("0.3", "")[BodyPart::Torso], 0.3);
  const auto message = [](const char* text) {
    return messageOf([&] { parsePerPart(text, "option '--coactivation'"); });
  };
  EXPECT_THAT(message("arm=1"), HasSubstr("did you mean 'arms'"));
  EXPECT_THAT(message("arms=-1"), HasSubstr("below 0"));
  EXPECT_THAT(message("arms=much"), HasSubstr("found 'arms=much'"));
}

/// Two parts whose muscles partly reach each other's rows.
struct TwoParts {
  MuscleColumns columns{2};
  ActivationProblem problem{2, 4};
  std::vector<BodyPart> rows{BodyPart::ArmLeft, BodyPart::Torso};
  std::vector<BodyPart> muscles{BodyPart::ArmLeft, BodyPart::ArmLeft, BodyPart::Torso,
                                BodyPart::Torso};
  TwoParts() {
    columns = denseColumns((MatX(2, 4) << 2, -2, 0, 0, 1, -0.5, 5, -5).finished());
    problem.demand << 0.4, 1;
    problem.slackScale.setConstant(0.01);
  }
};

TEST(ActivationPlanner, GivesTheTorqueForAnyCoactivationGroupedOrNot) {
  for (const bool grouped : {false, true})
    for (const double gamma : {0.0, 0.5, 1.0}) {
      TwoParts t;
      ActivationPlanner planner(t.columns, t.rows, t.muscles, {.grouped = grouped});
      planner.coactivation[BodyPart::ArmLeft] = gamma;
      planner.coactivation[BodyPart::Torso] = 0.2;
      VecX a = VecX::Zero(4), slack = VecX::Zero(2);
      planner.solve(t.columns, t.problem, a, slack);
      EXPECT_LT(slack.norm(), 1e-6) << grouped << " " << gamma;
      EXPECT_GE(a[1], 0.99 * gamma * 0.2 * grouped);  // the antagonist of Eq. 16
    }
}

TEST(ActivationPlanner, OneProblemCostsNoMoreEffortThanGroups) {
  double effort[2];
  for (const bool grouped : {false, true}) {
    TwoParts t;
    ActivationPlanner planner(t.columns, t.rows, t.muscles, {.grouped = grouped});
    VecX a = VecX::Zero(4), slack = VecX::Zero(2);
    planner.solve(t.columns, t.problem, a, slack);
    effort[grouped] = a.squaredNorm();
  }
  EXPECT_LE(effort[0], effort[1] + 1e-9);
}

}  // namespace
}  // namespace pneuma::control
