#include "pneuma/skeleton/key_poses.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skeleton/pose_fit.h"
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

/// Head and chest by place and turn, hands by place: the links are where the file says.
TEST(KeyPoses, PlacesOfHeadChestAndHandsAreMetByInverseKinematics) {
  const Model& model = whole().model;
  const auto path = std::filesystem::temp_directory_path() / "pneuma_pose_places_test.csv";
  std::ofstream(path) << "time,t01@z [cm],skull@turn_y,hand_r@x,hand_r@y,hand_r@z\n"
                      << "0,0,0,0,0,0\n1,9,8,0.05,0.3,0.25\n";
  const KeyPoses keys = readPoses(path, whole().compiled, model);
  ASSERT_EQ(keys.q.size(), 2u);
  EXPECT_LT(configurationDifference(model, model.neutral, keys.q[0]).norm(), 1e-6);
  Kinematics k(model);
  computePoses(model, keys.q[1], k);
  const auto moved = [&](const char* name) {
    const Link& link = model.links[static_cast<std::size_t>(model.linkIndex(name))];
    const Pose& X = k.X_WL[static_cast<std::size_t>(model.linkIndex(name))];
    return std::pair{Vec3(X * link.inertia.center - link.X_WL_rest * link.inertia.center),
                     rotationVector(X.rotation * link.X_WL_rest.rotation.transpose())};
  };
  EXPECT_LT((moved("hand_r").first - Vec3(0.05, 0.3, 0.25)).norm(), 2e-3);
  EXPECT_NEAR(moved("t01").first.z(), 0.09, 2e-3);
  EXPECT_NEAR(moved("t01").first.y(), 0, 0.02) << "not stated";
  EXPECT_NEAR(moved("skull").second.y(), degreesToRadians(8), degreesToRadians(1));
  // The left arm, which nothing asks for, hangs as it did on its shoulder.
  const Link& elbow = model.links[static_cast<std::size_t>(model.linkIndex("ulna_l"))];
  EXPECT_NEAR(keys.q[1][elbow.firstPosition], model.neutral[elbow.firstPosition], 1e-9);

  const auto messageOf = [&](const char* text) -> std::string {
    std::ofstream(path) << text;
    try {
      readPoses(path, whole().compiled, model);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  };
  for (const auto& [text, said] : {std::pair{"time,skul@z\n0,0\n1,0.1\n", "did you mean 'skull'"},
                                   {"time,skull@w\n0,0\n1,0.1\n", "unknown axis 'w'"},
                                   {"time,skull@z [in]\n0,0\n1,0.1\n", "m, cm or mm"},
                                   {"time,hand_r@z\n0,0\n1,3\n", ":3: time 1 s: 'hand_r' stays"}})
    EXPECT_NE(messageOf(text).find(said), std::string::npos) << messageOf(text);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pneuma::skeleton
