#include "pneuma/skeleton/key_poses.h"
#include "tests/verify/control/watch.h"

namespace pneuma::control {
namespace {

TEST(Overload, TwentyTwoKilogramsInOneHandSinkAndAreRecoveredFrom) {
  Performance p(upperBody());
  p.set(makeExercise("hold", upperBody(), p.body().model()));
  p.hold("2kg,0.1s:22kg,0.8s:2kg@hand_r");
  p.start();
  const Watched before = watch(p, 0.1), during = watch(p, 0.8);
  EXPECT_LT(before.error, 1e-3);
  EXPECT_LT(during.least, 0.9) << "out of strength, and said so";
  EXPECT_GT(during.error, 0.1);
  EXPECT_LT(during.error, 1.6) << "the forearm may sink to hang, nothing more";
  EXPECT_LT(during.speed, 15);
  watch(p, 1.6);
  EXPECT_LT(watch(p, 1.9).error, 0.05) << "no wind-up";
  EXPECT_LE(during.residual, 1e-7);
}

TEST(Overload, ATargetOutOfReachIsApproachedAndLeftAgain) {
  Performance p(upperBody());
  const skeleton::PoseMaker maker(upperBody(), p.body().model());
  Exercise turn{.name = "turn", .seconds = 1.6};
  const VecX rest = p.body().model().neutral;
  const VecX far = maker.make(std::vector<skeleton::JointSetting>{{"neck.torsion", 0.8}});
  turn.track = skeleton::makePoseTrack(
      p.body().model(), skeleton::KeyPoses{{0, 0.5, 0.9, 1.3}, {rest, far, far, rest}});
  p.set(turn);
  p.start();
  const Watched there = watch(p, 0.9);
  EXPECT_LT(there.error, 0.6);
  EXPECT_LT(there.speed, 15);
  watch(p, 1.3);
  EXPECT_LT(watch(p, 1.6).error, 0.1);
}

TEST(Groups, PartByPartTracksAsWellAsAllAtOnce) {
  ControlConfig grouped;
  grouped.planner.grouped = true;
  for (const char* exercise : {"breathe-ribs", "curl", "trunk-bend"}) {
    Performance p(upperBody(), grouped);
    p.set(makeExercise(exercise, upperBody(), p.body().model()));
    for (const std::string& load : p.exercise().loads) p.hold(load);
    p.start();
    EXPECT_LT(watch(p, 0.7).error, 0.01) << exercise;
  }
}

TEST(PectoralDance, HoldsThePoseWhileTheChestMusclesSwell) {
  Performance p(upperBody());
  p.set(makeExercise("pectoral-dance", upperBody(), p.body().model()));
  ASSERT_EQ(p.exercise().given.size(), 12u);
  p.start();
  const Watched w = watch(p, 0.75);  // the left is at its height, the right begins
  EXPECT_LT(w.error, 0.01);
  for (const GivenActivation& g : p.exercise().given)
    EXPECT_NEAR(p.body().state().muscles.activation[g.muscle],
                g.at(p.time() - p.body().config().step), 1e-12);
}

}  // namespace
}  // namespace pneuma::control
