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

/// Solves poses of the default man.
ordered_json posed(const MotionSource& motion, const std::vector<std::string>& activations) {
  FleshPosesRequest request{.framesPerSecond = 2, .activations = activations};
  request.flesh.level = "preview";
  FleshPoses poses(*test::humanBody(), test::humanBody()->person, motion, request);
  SilentProgress silent;
  poses.solve(silent);
  return poses.json();
}

void expectSound(const ordered_json& j) {
  EXPECT_EQ(j["flesh_inverted"], 0);
  EXPECT_GT(j["flesh_least_j"], 0.05);
  EXPECT_LT(std::abs(j["flesh_volume_pct"].get<double>()), 0.5);
  EXPECT_LT(std::abs(j["flesh_muscle_volume_pct"].get<double>()), 2) << j["flesh_worst_muscle"];
  EXPECT_GT(j["flesh_bone_depth_mm"], 0) << j["flesh_shallowest_bone"];
  EXPECT_GT(j["flesh_muscles_pct"].size(), 60u);
}

TEST(FleshPoses, ABentElbowIsSoundAndItsActiveFlexorsAreThicker) {
  const MotionSource bent{.joints = {"elbow_r.flexion=90"}};
  const ordered_json relaxed = posed(bent, {});
  expectSound(relaxed);
  ASSERT_EQ(relaxed["poses"].size(), 3u);  // rest, half way, there
  const auto girth = [](const ordered_json& pose, const char* arm) {
    return pose[arm].get<double>();
  };
  // A man of 73 kg: 29.8 +- 1.9 cm of junior rowers [Bourgois 2000] and what is near it.
  EXPECT_NEAR(girth(relaxed["poses"][0], "upper_arm_r_mm"), 300, 40);
  EXPECT_NEAR(girth(relaxed["poses"][2], "upper_arm_l_mm"),
              girth(relaxed["poses"][0], "upper_arm_l_mm"), 0.5);
  const ordered_json tense =
      posed(bent, {"biceps_brachii_r=0.5", "brachialis_r=0.5", "brachioradialis_r=0.5"});
  expectSound(tense);
  EXPECT_GT(girth(tense["poses"][2], "upper_arm_r_mm"),
            girth(relaxed["poses"][2], "upper_arm_r_mm") + 1);
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
