// What `pneuma act` offers, from beginning to end, and a minute of varied poses. Three exercises
// and a few seconds of poses in every run, all of them by `make prove-control`.
#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "pneuma/core/random.h"
#include "pneuma/skeleton/key_poses.h"
#include "tests/verify/control/watch.h"

namespace pneuma::control {
namespace {

bool proving() {
  return std::getenv("PNEUMA_PROVE") != nullptr;
}

void record(const std::string& motion, double seconds, const Watched& w) {
  const auto number = [](const char* key, double value) {
    testing::Test::RecordProperty(key, fmt::format("{}", value));
  };
  testing::Test::RecordProperty("motion", motion);
  number("seconds", seconds);
  number("largest_error_rad", w.error);
  testing::Test::RecordProperty("worst_joint", w.worst);
  testing::Test::RecordProperty(
      "out_of_strength", w.tired.empty() ? "none" : fmt::format("{}", fmt::join(w.tired, ", ")));
  number("fastest_rad_s", w.speed);
  number("kkt_residual", w.residual);
}

class Exercises : public testing::TestWithParam<std::string> {};

std::vector<std::string> exerciseNames() {
  std::vector<std::string> names;
  for (const ExerciseInfo& e : exercises()) names.push_back(e.name);
  return names;
}

TEST_P(Exercises, AreFollowedWithinAHundredthOfARadianAndWithinStrength) {
  const std::string& name = GetParam();
  constexpr std::array kAlways{"curl", "head-turn", "trunk-bend"};
  if (!proving() && std::ranges::find(kAlways, name) == kAlways.end())
    GTEST_SKIP() << "all exercises: make prove-control";
  Performance p(upperBody());
  p.set(makeExercise(name, upperBody(), p.body().model()));
  for (const std::string& load : p.exercise().loads) p.hold(load);
  p.start();
  const Watched w = watch(p, p.exercise().seconds);
  record(name, p.exercise().seconds, w);
  EXPECT_LE(w.error, 0.01) << w.worst;
  EXPECT_LE(w.residual, 1e-7);
  EXPECT_TRUE(w.tired.empty()) << *w.tired.begin();
}

INSTANTIATE_TEST_SUITE_P(All, Exercises, testing::ValuesIn(exerciseNames()), [](const auto& test) {
  std::string name = test.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

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
  record("varied poses", seconds, w);
  EXPECT_LT(w.error, 0.01) << w.worst;
  EXPECT_LT(w.speed, 12);
}

}  // namespace
}  // namespace pneuma::control
