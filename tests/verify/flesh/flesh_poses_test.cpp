// Flesh in poses of the real body, as `pneuma flesh pose` and `make prove-flesh` solve them; here
// at the coarsest level and only a few.
#include "pneuma/stage/flesh_poses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "tests/support/human.h"

namespace pneuma::stage {
namespace {

using nlohmann::ordered_json;

TEST(FleshPoses, ABentElbowIsSoundAndItsActiveFlexorsAreThicker) {
  FleshPosesRequest request{
      .framesPerSecond = 2,
      .activations = {"biceps_brachii_r=0.5", "brachialis_r=0.5", "brachioradialis_r=0.5"}};
  request.flesh.level = "preview";
  FleshPoses poses(*test::humanBody(), test::humanBody()->person,
                   {.joints = {"elbow_r.flexion=90"}}, request);
  SilentProgress silent;
  poses.solve(silent);
  const ordered_json j = poses.json();
  EXPECT_EQ(j["flesh_inverted"], 0);
  EXPECT_GT(j["flesh_least_j"], 0.05);
  EXPECT_LT(std::abs(j["flesh_volume_pct"].get<double>()), 0.5);
  EXPECT_LT(std::abs(j["flesh_muscle_volume_pct"].get<double>()), 2) << j["flesh_worst_muscle"];
  EXPECT_GT(j["flesh_bone_depth_mm"], 0) << j["flesh_shallowest_bone"];
  EXPECT_GT(j["flesh_muscles_pct"].size(), 20u);
  ASSERT_EQ(j["poses"].size(), 3u);  // straight, half way, there
  for (const ordered_json& pose : j["poses"]) {
    const double relaxed = pose["upper_arm_l_mm"], active = pose["upper_arm_r_mm"];
    EXPECT_NEAR(relaxed, 298, 2 * 19);  // junior rowers, relaxed: 29.8 +- 1.9 cm [Bourgois 2000]
    EXPECT_GT(active, relaxed + 1);
    EXPECT_LT(active, 1.12 * relaxed);
  }
  // A flexed biceps bulges: people's arms grow by 6 to 10 % flexed and tensed, straight ones less.
  const auto growth = [&](std::size_t k) {
    const ordered_json& pose = j["poses"][k];
    return pose["upper_arm_r_mm"].get<double>() / pose["upper_arm_l_mm"].get<double>() - 1;
  };
  EXPECT_GT(growth(2), 0.03);
  EXPECT_GT(growth(2), growth(0) + 0.01);
}

TEST(FleshPoses, ActivationsGoToMusclesSidesAndLines) {
  const anatomy::CompiledBody lines =
      anatomy::compileBody(test::humanAsBuilt(), "whole").valueOrThrow();
  const auto count = [&](const std::vector<double>& a, double level) {
    return std::ranges::count(a, level);
  };
  const auto both = activationsOf({"biceps_brachii=0.5"}, lines);
  const auto right = activationsOf({"biceps_brachii_r=0.5"}, lines);
  EXPECT_GT(count(right, 0.5), 0);
  EXPECT_EQ(count(both, 0.5), 2 * count(right, 0.5));
  EXPECT_EQ(count(activationsOf({lines.muscles[0].name + "=1"}, lines), 1.0), 1);
  for (const char* wrong : {"biceps_brachii", "biceps_brachii=", "biceps_brachii=1.2", "=0.5",
                            "biceps_brachii=0.5x", "biceps_brachii=nan"})
    EXPECT_THROW(activationsOf({wrong}, lines), InputError) << wrong;
  try {
    activationsOf({"biceps_brachi_r=0.5"}, lines);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("biceps_brachii_r"));
  }
}

}  // namespace
}  // namespace pneuma::stage
