#include "pneuma/io/bvh.h"

#include <gtest/gtest.h>

#include "tests/support/shared_data.h"

namespace pneuma::io {
namespace {

using test::sharedData;

const char* kArm =
    "HIERARCHY\r\nROOT Hips\r\n{\r\n OFFSET 0 0 0\r\n"
    " CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\r\n"
    " JOINT Upper Arm\r\n {\r\n  OFFSET 0 2 0\r\n  CHANNELS 3 Xrotation Zrotation Yrotation\r\n"
    "  End Site\r\n  {\r\n   OFFSET 1 0 0\r\n  }\r\n }\r\n}\r\n"
    "MOTION\r\nFrames: 2\r\nFrame Time: .0083333\r\n"
    "0.0000 0.0000 0.0000 0.0000 0 0 0 0 0\r\n1 -.5 0 90 0 0 0 0 90\r\n";

TEST(Bvh, ReadsAnyOrderOfChannelsWindowsLinesAndBareDecimals) {
  const Bvh bvh = parseBvh(kArm, "a.bvh").valueOrThrow();
  ASSERT_EQ(bvh.joints.size(), 3u);
  EXPECT_EQ(bvh.joints[1].name, "Upper Arm");
  EXPECT_EQ(bvh.joints[2].name, "Upper Arm_end");
  EXPECT_TRUE(bvh.joints[2].isEnd);
  EXPECT_EQ(bvh.joints[2].parent, 1);
  EXPECT_EQ(bvh.channelCount, 9u);
  EXPECT_EQ(bvh.frameTime, 0.0083333);
  EXPECT_EQ(bvh.frame(1)[1], -0.5);
}

TEST(Bvh, ForwardKinematicsAppliesRotationsInChannelOrder) {
  const Bvh bvh = parseBvh(kArm, "a.bvh").valueOrThrow();
  const auto rest = bvh.poses(0);
  EXPECT_NEAR((rest[2].position - Vec3(1, 2, 0)).norm(), 0, 1e-12);
  // Root turned 90 degrees about z at (1, -0.5, 0): the arm's origin (0, 2, 0) goes to (-2, 0, 0);
  // the arm itself turned 90 degrees about y sends x to -z.
  const auto turned = bvh.poses(1, 0.1);
  EXPECT_NEAR((turned[1].position - Vec3(-0.1, -0.05, 0)).norm(), 0, 1e-12);
  EXPECT_NEAR((turned[2].position - Vec3(-0.1, -0.05, -0.1)).norm(), 0, 1e-12);
}

std::string bvhError(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  const auto result = parseBvh(text.replace(at, from.size(), to), "a.bvh");
  return result ? "" : toString(result.diagnostics());
}

TEST(Bvh, ErrorsNameTheLineAndWhatWasExpected) {
  EXPECT_EQ(bvhError(kArm, "Yrotation Xrotation", "Yrotatoin Xrotation"),
            "a.bvh:5: unknown channel 'Yrotatoin'; expected such as Xposition or Zrotation (did "
            "you mean 'Yrotation'?)");
  EXPECT_EQ(bvhError(kArm, "OFFSET 0 2 0", "OFFSET 0 two 0"),
            "a.bvh:8: found 'two'; expected three numbers after OFFSET");
  EXPECT_EQ(bvhError(kArm, "Frames: 2", "Frames: 3"),
            "a.bvh:20: the file ends here; expected value 1 of 9 of frame 3 of 3");
  EXPECT_EQ(bvhError(kArm, "Frames: 2", "Frames: 999999999"),
            "a.bvh:18: says 999999999 frames of 9 values, but the file is too short for them");
  EXPECT_EQ(bvhError(kArm, " }\r\n}", " }\r\n"),
            "a.bvh:16: found 'MOTION'; expected JOINT, End Site or '}'");
  EXPECT_EQ(bvhError(kArm, "HIERARCHY", "HIERACHY"),
            "a.bvh: is not a BVH file: it does not begin with HIERARCHY");
}

TEST(Bvh, ReadsTheRecordedWalkWithRigidLimbs) {
  const auto motion = sharedData("motion");
  if (motion.empty()) GTEST_SKIP() << "no motion clips at hand";
  const Bvh bvh = readBvh(motion / "cmu_02_01_walk.bvh").valueOrThrow();
  EXPECT_EQ(bvh.frameCount, 344u);
  const auto knee = static_cast<std::size_t>(bvh.find("LeftLeg"));
  const auto hip = static_cast<std::size_t>(bvh.find("LeftUpLeg"));
  constexpr double kScale = 0.0564444;  // metres per unit, stated with the data
  double travelled = 0;
  Vec3 last = bvh.poses(1, kScale)[0].position;
  for (std::size_t i = 1; i < bvh.frameCount; ++i) {
    const auto poses = bvh.poses(i, kScale);
    EXPECT_NEAR((poses[knee].position - poses[hip].position).norm(), 0.429, 5e-4);
    travelled += (poses[0].position - last).norm();
    last = poses[0].position;
  }
  // A walk of 2.9 s at human speed.
  EXPECT_GT(travelled / (343 * bvh.frameTime), 0.8);
  EXPECT_LT(travelled / (343 * bvh.frameTime), 1.8);
  // Frame 0 is a T-pose: hands as high as shoulders, arms along x.
  const auto rest = bvh.poses(0, kScale);
  const Vec3 arm = rest[static_cast<std::size_t>(bvh.find("LeftHand"))].position -
                   rest[static_cast<std::size_t>(bvh.find("LeftArm"))].position;
  EXPECT_GT(arm.x() / arm.norm(), 0.99);
}

}  // namespace
}  // namespace pneuma::io
