// What `pneuma act` offers, from beginning to end, and a minute of varied poses. PNEUMA_PROOF names
// a file for the figures (`make prove-control`).
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pneuma/core/random.h"
#include "pneuma/skeleton/key_poses.h"
#include "tests/verify/control/watch.h"

namespace pneuma::control {
namespace {

bool proving() {
  return std::getenv("PNEUMA_PROVE") != nullptr;
}

/// Figures by name, written when the program ends.
nlohmann::ordered_json& proof() {
  struct Proof {
    nlohmann::ordered_json json{{"what", "make prove-control"}};
    ~Proof() {
      if (const char* file = std::getenv("PNEUMA_PROOF"))
        std::ofstream(file) << json.dump(1) << '\n';
    }
  };
  static Proof all;
  return all.json;
}

void note(const std::string& name, double seconds, const Watched& w) {
  proof()[name] = {{"seconds", seconds},         {"largest_error_rad", w.error},
                   {"worst_joint", w.worst},     {"least_share_given", w.least},
                   {"out_of_strength", w.tired}, {"fastest_rad_s", w.speed},
                   {"kkt_residual", w.residual}};
}

Watched perform(const std::string& exercise) {
  Performance p(upperBody());
  p.set(makeExercise(exercise, upperBody(), p.body().model()));
  for (const std::string& load : p.exercise().loads) p.hold(load);
  p.start();
  const double end = p.exercise().seconds;
  const Watched w = watch(p, end);
  note(exercise, end, w);
  return w;
}

TEST(Exercises, CurlHeadTurnAndTrunkBendAreFollowedWithinAHundredthOfARadian) {
  for (const char* exercise : {"curl", "head-turn", "trunk-bend"}) {
    const Watched w = perform(exercise);
    EXPECT_LE(w.error, 0.01) << exercise << ", " << w.worst;
    EXPECT_LE(w.residual, 1e-7) << exercise;
    EXPECT_TRUE(w.tired.empty()) << exercise << ", " << *w.tired.begin();
  }
}

TEST(Exercises, TheOthersAreFollowedToo) {
  if (!proving()) GTEST_SKIP() << "all exercises: make prove-control";
  for (const ExerciseInfo& e : exercises()) {
    if (proof().contains(e.name)) continue;
    const Watched w = perform(e.name);
    EXPECT_LE(w.error, 0.01) << e.name << ", " << w.worst;
  }
}

/// Key poses every 0.8 s at random, arms, trunk and neck at once, 2 kg in one hand.
TEST(VariedPoses, AMinuteOfThemStaysOnItsWay) {
  const double seconds = proving() ? 60 : 3.2;
  Performance p(upperBody());
  const skeleton::PoseMaker maker(upperBody(), p.body().model());
  Random random(11);
  skeleton::KeyPoses keys{{0}, {p.body().model().neutral}};
  constexpr double kEvery = 0.8;
  for (int k = 1; k * kEvery <= seconds + 1e-9; ++k) {
    keys.times.push_back(k * kEvery);
    keys.q.push_back(maker.make(
        std::vector<skeleton::JointSetting>{{"elbow_l.flexion", random.uniform(0.1, 1.6)},
                                            {"elbow_r.flexion", random.uniform(0.1, 1.6)},
                                            {"shoulder_r.flexion", random.uniform(0, 1)},
                                            {"shoulder_l.abduction", random.uniform(0, 0.7)},
                                            {"spine.flexion", random.uniform(-0.1, 0.5)},
                                            {"spine.bending", random.uniform(-0.2, 0.2)},
                                            {"neck.torsion", random.uniform(-0.15, 0.15)}}));
  }
  Exercise varied{.name = "varied", .seconds = seconds};
  varied.track = skeleton::makePoseTrack(p.body().model(), keys);
  p.set(varied);
  p.hold("2kg@hand_r");
  p.start();
  const Watched w = watch(p, seconds);
  note("varied poses", seconds, w);
  EXPECT_LT(w.error, 0.01) << w.worst;
  EXPECT_LT(w.speed, 12);
}

}  // namespace
}  // namespace pneuma::control
