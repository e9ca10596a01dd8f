#include <gtest/gtest.h>

#include <limits>

#include "pneuma/control/joint_stiffness.h"
#include "pneuma/control/performance.h"
#include "tests/support/human.h"

namespace pneuma::control {
namespace {

/// The right arm tensed, the forearm level.
struct TenseArm {
  anatomy::CompiledBody compiled =
      anatomy::compileBody(test::humanAsBuilt(), "upper-body").valueOrThrow();
  Performance p{compiled};
  int elbow;

  explicit TenseArm(double coactivation) {
    p.set(makeExercise("hold", compiled, p.body().model()));
    p.hold("0/0/0N@hand_r");
    p.controller().coactivation()[BodyPart::ArmRight] = coactivation;
    p.start();
    for (int k = 0; k < 5; ++k) p.step();
    const skeleton::Model& m = p.body().model();
    elbow = m.links[static_cast<std::size_t>(m.linkIndex("ulna_r"))].firstDof;
  }
  /// Net torque of the muscles about the elbow.
  double torque() {
    p.body().refresh();
    return p.body().muscleResults().generalizedForce[elbow];
  }
  /// Turn of the elbow by 20 N at the hand for 50 ms that no activation answers.
  double yields() {
    const VecX a = p.body().state().muscles.activation;
    const std::vector<double> steady(a.begin(), a.end());
    p.controller().loads().setForce(0, Vec3(0, -20, 0));
    p.controller().loads().sense(std::numeric_limits<double>::infinity(), 1);
    const double before = p.error()[elbow];
    for (int k = 0; k < 7; ++k) p.body().step(steady);
    return std::abs(p.error()[elbow] - before);
  }
};

TEST(JointStiffness, GrowsWithCoactivationWhileTheTorqueStays) {
  TenseArm loose(0), tense(0.5), tenser(1);
  const double torque = loose.torque();
  double before = 0, yielded = std::numeric_limits<double>::infinity();
  for (TenseArm* arm : {&loose, &tense, &tenser}) {
    EXPECT_NEAR(arm->torque(), torque, 1e-6 * std::abs(torque));
    EXPECT_LT(arm->p.body().state().muscles.activation.maxCoeff(), 1.0 + 1e-12);
    const JointStiffness k = measureStiffness(arm->p.body(), arm->compiled, arm->elbow);
    EXPECT_GT(k.quick(), 1.1 * before);
    EXPECT_GT(k.elements, 0);
    before = k.quick();
    const double yields = arm->yields();
    EXPECT_LT(yields, yielded);
    yielded = yields;
  }
}

TEST(JointStiffness, OfTheSimulationIsTheSlopeOfItsTorque) {
  TenseArm arm(0.5);
  const JointStiffness k = measureStiffness(arm.p.body(), arm.compiled, arm.elbow);
  skeleton::State& s = arm.p.body().state().skeleton;
  const double step = 1e-3;
  const skeleton::Model& m = arm.p.body().model();
  s.v.setZero();
  const double rest = arm.torque();
  s.q[m.links[static_cast<std::size_t>(m.linkIndex("ulna_r"))].firstPosition] += step;
  EXPECT_NEAR(-(arm.torque() - rest) / step, k.slow(), 0.02 * std::abs(k.slow()));
}

}  // namespace
}  // namespace pneuma::control
