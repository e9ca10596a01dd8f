#include "pneuma/control/muscle_controller.h"

#include <gtest/gtest.h>

#include "pneuma/control/exercise.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/pose_maker.h"
#include "tests/support/count_allocations.h"
#include "tests/support/human.h"

namespace pneuma::control {
namespace {

const anatomy::CompiledBody& upperBody() {
  static const anatomy::CompiledBody body =
      anatomy::compileBody(test::humanAsBuilt(), "upper-body").valueOrThrow();
  return body;
}

/// The upper body with its controller and a target.
struct Actor {
  muscle::DrivenBody body;
  MuscleController controller;
  MotionTarget target;

  explicit Actor(const ControlConfig& config = {})
      : body(upperBody(), actingBodyConfig()),
        controller(body, upperBody(), config),
        target(body.model()) {}

  void aim(const std::vector<skeleton::JointSetting>& joints) {
    target.q = skeleton::PoseMaker(upperBody(), body.model()).make(joints);
  }
  void follow(const skeleton::PoseTrack& track) {
    track.sample(body.state().skeleton.time, target.q, target.v, target.vDot);
    controller.step(target);
  }
  /// Largest error of a joint that muscles drive [rad].
  double error(const skeleton::PoseTrack& track) {
    track.sample(body.state().skeleton.time, target.q, target.v, target.vDot);
    const VecX e =
        skeleton::configurationDifference(body.model(), body.state().skeleton.q, target.q);
    double worst = 0;
    for (const int j : controller.plan().driven()) worst = std::max(worst, std::abs(e[j]));
    return worst;
  }
  void hold(double mass, const std::string& link) {
    const int l = body.model().linkIndex(link);
    controller.loads().add({.name = link,
                            .link = l,
                            .local = body.model().links[static_cast<std::size_t>(l)].inertia.center,
                            .mass = mass});
  }
};

TEST(MuscleController, StepEqualsThePlan) {
  Actor actor;
  actor.aim({{"elbow.flexion", 0.05}, {"spine.flexion", 0.02}});
  actor.controller.settle(actor.target);
  for (int k = 0; k < 5; ++k) actor.controller.step(actor.target);
  // A (v' - plan) is -h r at driven joints and nothing at the others.
  const skeleton::StepWorkspace& w = actor.body.workspace();
  const VecX& plan = actor.controller.plannedVelocity();
  VecX missing = w.loads.matrix * (actor.body.state().skeleton.v - plan);
  const double h = actor.body.config().step;
  for (int r = 0; r < actor.controller.plan().rowCount(); ++r)
    missing[actor.controller.plan().driven()[static_cast<std::size_t>(r)]] +=
        h * actor.controller.report().slack[r];
  EXPECT_LT(missing.norm(), 1e-9 * (h * actor.controller.report().demand.norm()));
}

TEST(MuscleController, MeetsReachableTorqueToAMillionthWithinBounds) {
  Actor actor;
  actor.aim({{"elbow.flexion", 0.05}});
  for (int k = 0; k < 10; ++k) actor.controller.step(actor.target);
  const ControlReport& report = actor.controller.report();
  EXPECT_LT(report.slack.norm(), 1e-6 * report.demand.norm());
  EXPECT_LE(report.effort.residual, 1e-7);
  EXPECT_GE(actor.body.state().muscles.activation.minCoeff(), 0.0);
  EXPECT_LE(actor.body.state().muscles.activation.maxCoeff(), 1.0);
}

TEST(MuscleController, CoactivationStiffensMusclesWithoutMovingTheBody) {
  Actor slackArm, tenseArm;
  tenseArm.controller.coactivation()[BodyPart::ArmRight] = 1;
  double stiffness[2] = {};
  const int ulna = slackArm.body.model().linkIndex("ulna_r");
  const int elbow = slackArm.body.model().links[static_cast<std::size_t>(ulna)].firstDof;
  for (Actor* actor : {&slackArm, &tenseArm}) {
    actor->aim({{"elbow.flexion", degreesToRadians(60)}});
    actor->body.state().skeleton.q = actor->target.q;
    actor->controller.settle(actor->target);
    actor->controller.step(actor->target);
    const ControlReport& report = actor->controller.report();
    EXPECT_LT(report.slack.norm(), 1e-6 * report.demand.norm());
    // Of the muscles themselves, p^2 df/dl; what their lines add by turning may be negative.
    const muscle::MuscleWorkspace& m = actor->body.muscleResults();
    const muscle::PathSet& paths = actor->body.muscles().paths;
    for (int i = 0; i < paths.muscleCount(); ++i) {
      const double arm =
          muscle::momentArms(paths, m.paths, i, actor->body.model().dofCount())[elbow];
      stiffness[actor == &tenseArm] += arm * arm * m.dLength[i];
    }
  }
  EXPECT_GT(stiffness[1], 1.05 * stiffness[0]);
  EXPECT_NEAR(slackArm.body.state().skeleton.v[elbow], tenseArm.body.state().skeleton.v[elbow],
              1e-6);
}

TEST(MuscleController, MirroredTargetsGiveMirroredActivations) {
  Actor left, right;
  left.aim({{"elbow_l.flexion", 0.3}});
  right.aim({{"elbow_r.flexion", 0.3}});
  for (int k = 0; k < 3; ++k)
    left.controller.step(left.target), right.controller.step(right.target);
  const muscle::MuscleModel& m = left.body.muscles();
  int compared = 0;
  for (int i = 0; i < m.count(); ++i) {
    std::string name = m.names[static_cast<std::size_t>(i)];
    if (!name.ends_with("_l")) continue;
    name.back() = 'r';
    if (m.find(name) < 0) continue;
    ++compared;
    EXPECT_NEAR(left.body.state().muscles.activation[i],
                right.body.state().muscles.activation[m.find(name)], 1e-5)
        << name;
  }
  EXPECT_GT(compared, 300);
}

TEST(MuscleController, CurlsFiveKilogramsWithinAHundredthOfARadian) {
  Actor actor;
  const Exercise curl = makeExercise("curl", upperBody(), actor.body.model());
  actor.hold(5, "hand_l");
  actor.hold(5, "hand_r");
  curl.track.sample(0, actor.target.q, actor.target.v, actor.target.vDot);
  actor.controller.settle(actor.target);
  double worst = 0;
  while (actor.body.state().skeleton.time < 1.8) {
    actor.follow(curl.track);
    // The start is the neutral pose, not the first key.
    if (actor.body.state().skeleton.time > 0.4) worst = std::max(worst, actor.error(curl.track));
  }
  EXPECT_LE(worst, 0.01);
  RecordProperty("error_mrad", static_cast<int>(1e3 * worst));
}

TEST(MuscleController, GoesOnWithTheSameBitsFromASavedState) {
  Actor one, other;
  one.aim({{"elbow.flexion", 0.3}});
  other.aim({{"elbow.flexion", 0.3}});
  one.hold(3, "hand_r");
  other.hold(3, "hand_r");
  for (int k = 0; k < 4; ++k) one.controller.step(one.target);
  io::StateWriter out;
  one.controller.save(out);
  io::StateReader in(out.bytes());
  other.controller.load(in);
  for (int k = 0; k < 3; ++k) one.controller.step(one.target), other.controller.step(other.target);
  EXPECT_EQ(one.body.state().skeleton.q, other.body.state().skeleton.q);
  EXPECT_EQ(one.body.state().muscles.activation, other.body.state().muscles.activation);
}

TEST(MuscleController, StepsWithoutAllocations) {
  Actor actor;
  actor.hold(3, "hand_r");
  actor.aim({{"elbow.flexion", 0.1}});
  actor.controller.step(actor.target);
  const test::AllocationCount count;
  actor.controller.step(actor.target);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

TEST(MuscleController, KeepsActivationsWithinWhatExcitationCanReach) {
  Actor actor({.excitation = true});
  actor.aim({{"elbow.flexion", 0.3}});
  actor.controller.settle(actor.target);
  const muscle::ActivationDynamics lag = actor.body.config().activation;
  const double h = actor.body.config().step;
  const VecX before = actor.body.state().muscles.activation;
  actor.controller.step(actor.target);
  const VecX& after = actor.body.state().muscles.activation;
  std::vector<double> excitation;
  actor.controller.computeExcitations(before, excitation);
  for (Eigen::Index i = 0; i < after.size(); ++i) {
    EXPECT_GE(after[i], before[i] * std::exp(-h / lag.fallTime) - 1e-12);
    EXPECT_LE(after[i], 1 - (1 - before[i]) * std::exp(-h / lag.riseTime) + 1e-12);
    EXPECT_NEAR(muscle::stepActivation(lag, before[i], excitation[static_cast<std::size_t>(i)], h),
                after[i], 1e-9);
  }
}

TEST(MuscleController, NamesTheJointsThatHang) {
  Actor actor;
  std::vector<std::string> names;
  for (const UncontrolledDof& u : actor.controller.uncontrolled()) names.push_back(u.name);
  EXPECT_EQ(names, (std::vector<std::string>{"thyroid.elevation"}));
}

}  // namespace
}  // namespace pneuma::control
