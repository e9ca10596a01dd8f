#include <gtest/gtest.h>

#include <limits>

#include "pneuma/control/muscle_controller.h"
#include "pneuma/control/target_follower.h"
#include "pneuma/core/error.h"
#include "pneuma/skeleton/configuration.h"
#include "tests/support/human.h"

namespace pneuma::control {
namespace {

/// The upper body, its target jumping by a radian in one joint after the other, there and back.
struct Jumper {
  const anatomy::CompiledBody compiled =
      anatomy::compileBody(test::humanAsBuilt(), "upper-body").valueOrThrow();
  muscle::DrivenBody body{compiled, actingBodyConfig()};
  MuscleController controller{body, compiled};
  TargetFollower follower{body.model(), controller.plan().prescribed()};
  MotionTarget target{body.model()};
  const VecX home = body.state().skeleton.q;
  double fastest = 0;  // [rad/s]

  /// Everywhere at once for a joint -1.
  VecX jumped(int dof, double by) const {
    VecX q = home, step = VecX::Zero(body.model().dofCount());
    if (dof >= 0) step[dof] = by;
    for (const int j : controller.plan().driven())
      if (dof < 0) step[j] = by;
    skeleton::integrateConfiguration(body.model(), step, q);
    return q;
  }
  void go(const VecX& goal, bool led, int steps) {
    for (int k = 0; k < steps; ++k) {
      target.q = goal;
      controller.step(led ? follower.lead(goal, body.config().step) : target);
      for (const int j : controller.plan().driven())
        fastest = std::max(fastest, std::abs(body.state().skeleton.v[j]));
    }
  }
  double error() const {
    const VecX e = skeleton::configurationDifference(body.model(), body.state().skeleton.q, home);
    double largest = 0;
    for (const int j : controller.plan().driven()) largest = std::max(largest, std::abs(e[j]));
    return largest;
  }
};

TEST(Jumps, OfEveryJointByARadianAreLedThereAndBack) {
  Jumper j;
  j.follower.start(j.home, j.body.state().skeleton.v);
  double sign = 1;
  for (const int dof : j.controller.plan().driven()) j.go(j.jumped(dof, sign = -sign), true, 6);
  j.go(j.home, true, 150);
  EXPECT_LT(j.fastest, 25);
  EXPECT_LT(j.error(), 0.02);
}

TEST(Jumps, OfEveryJointStraightIntoTheControllerStayBoundedAndAreRecoveredFrom) {
  Jumper j;
  double sign = 1;
  for (const int dof : j.controller.plan().driven()) j.go(j.jumped(dof, sign = -sign), false, 3);
  j.go(j.home, false, 150);
  EXPECT_LT(j.fastest, 60);
  EXPECT_LT(j.error(), 0.1);
}

TEST(Jumps, OfAllJointsAtOnceAreSurvived) {
  Jumper j;
  j.follower.start(j.home, j.body.state().skeleton.v);
  j.go(j.jumped(-1, 3), true, 40);
  EXPECT_GT(j.follower.outOfRange(), 50);
  j.go(j.home, true, 200);
  EXPECT_LT(j.fastest, 25);
  EXPECT_LT(j.error(), 0.05);
}

TEST(Jumps, LeadToTheGoalNoFasterThanSaidAndRefuseWhatIsNotFinite) {
  Jumper j;
  j.follower.start(j.home, VecX::Zero(j.body.model().dofCount()));
  const int elbow =
      j.body.model().links[static_cast<std::size_t>(j.body.model().linkIndex("ulna_r"))].firstDof;
  const VecX goal = j.jumped(elbow, 1);
  const double h = j.body.config().step;
  double fastest = 0;
  VecX q = j.home;
  for (int k = 0; k < 300; ++k) {
    const MotionTarget& t = j.follower.lead(goal, h);
    fastest = std::max(fastest, std::abs(t.v[elbow]));
    q = t.q;
  }
  const FollowerConfig config;
  EXPECT_LT(fastest, 0.5 * config.rate * config.largestTurn);
  EXPECT_LT((q - goal).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_THROW(
      j.follower.lead(VecX::Constant(q.size(), std::numeric_limits<double>::quiet_NaN()), h),
      InputError);
}

}  // namespace
}  // namespace pneuma::control
