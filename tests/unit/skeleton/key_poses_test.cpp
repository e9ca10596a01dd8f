#include "pneuma/skeleton/key_poses.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "pneuma/skeleton/configuration.h"
#include "tests/support/human_body.h"

namespace pneuma::skeleton {
namespace {

const test::HumanBody& whole() {
  return test::humanBody("whole");
}

TEST(KeyPoses, SettingsMayNameTheirUnit) {
  const double right = kPi / 2;
  for (const char* text : {"elbow_r=90", "elbow_r=90deg"})
    EXPECT_NEAR(parseJointSetting(text, "t").value, right, 1e-12) << text;
  EXPECT_NEAR(parseJointSetting("elbow_r=1.5rad", "t").value, 1.5, 1e-12);
  for (const char* text : {"elbow_r", "elbow_r=", "elbow_r=ninety", "elbow_r=90grad"})
    EXPECT_THROW(parseJointSetting(text, "t"), InputError) << text;
}

TEST(KeyPoses, JointsAreReachedAfterASecondAndHeld) {
  const KeyPoses keys =
      posesOfJoints(whole().compiled, whole().model, {"shoulder_l.flexion=80", "spine.torsion=20"});
  const PoseTrack track = makePoseTrack(whole().model, keys);
  VecX q(whole().model.positionCount());
  track.sample(0, q);
  EXPECT_LT(configurationDifference(whole().model, whole().model.neutral, q).norm(), 1e-12);
  track.sample(3, q);
  EXPECT_LT(configurationDifference(whole().model, keys.q.back(), q).norm(), 1e-12);
}

TEST(KeyPoses, ATableOfPosesIsReadAndItsMistakesNameTimeAndJoint) {
  const auto path = std::filesystem::temp_directory_path() / "pneuma_key_poses_test.csv";
  std::ofstream(path) << "time,r_elbow,neck.torsion\n0,0,0\n0.5,60,30\n1,20,-30\n";
  const KeyPoses keys = readPoses(path, whole().compiled, whole().model);
  ASSERT_EQ(keys.q.size(), 3u);
  const Link& ulna =
      whole().model.links[static_cast<std::size_t>(whole().model.linkIndex("ulna_r"))];
  EXPECT_NEAR(keys.q[1][ulna.firstPosition], kPi / 3, 1e-12);
  const KeyPoses even = resampled(whole().model, makePoseTrack(whole().model, keys), 10);
  ASSERT_EQ(even.times.size(), 11u);
  EXPECT_NEAR(even.q[5][ulna.firstPosition], kPi / 3, 1e-12);

  std::ofstream(path) << "time,r_elbow\n0,0\n0.5,160\n";
  try {
    readPoses(path, whole().compiled, whole().model);
    FAIL() << "must throw";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("time 0.5 s"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("between -5 and 145"), std::string::npos) << e.what();
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pneuma::skeleton
