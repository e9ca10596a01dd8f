#include "pneuma/fit/armature.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace pneuma::fit {
namespace {

std::vector<io::GltfJoint> named(const std::vector<std::string>& names) {
  std::vector<io::GltfJoint> joints;
  for (std::size_t i = 0; i < names.size(); ++i)
    joints.push_back({.name = names[i], .position = Vec3(static_cast<double>(i), 0, 0)});
  return joints;
}

/// Number of the joint that was taken for a role, or -1.
int taken(const std::vector<Landmark>& found, const std::string& role) {
  const auto it = std::ranges::find(found, role, &Landmark::name);
  return it == found.end() ? -1 : static_cast<int>(it->place.x());
}

TEST(Armature, KnowsTheNamesOfCommonRigs) {
  const std::vector<std::vector<std::string>> rigs{
      {"mixamorig:LeftArm", "mixamorig:RightArm", "mixamorig:LeftForeArm", "mixamorig:RightForeArm",
       "mixamorig:LeftHand", "mixamorig:RightHand", "mixamorig:LeftUpLeg", "mixamorig:RightUpLeg",
       "mixamorig:LeftLeg", "mixamorig:RightLeg", "mixamorig:LeftFoot", "mixamorig:RightFoot"},
      {"DEF-upper_arm.L", "DEF-upper_arm.R", "DEF-forearm.L", "DEF-forearm.R", "DEF-hand.L",
       "DEF-hand.R", "DEF-thigh.L", "DEF-thigh.R", "DEF-shin.L", "DEF-shin.R", "DEF-foot.L",
       "DEF-foot.R"},
      {"upperarm_l", "upperarm_r", "lowerarm_l", "lowerarm_r", "hand_l", "hand_r", "thigh_l",
       "thigh_r", "calf_l", "calf_r", "foot_l", "foot_r"},
      {"J_Bip_L_UpperArm", "J_Bip_R_UpperArm", "J_Bip_L_LowerArm", "J_Bip_R_LowerArm",
       "J_Bip_L_Hand", "J_Bip_R_Hand", "J_Bip_L_UpperLeg", "J_Bip_R_UpperLeg", "J_Bip_L_LowerLeg",
       "J_Bip_R_LowerLeg", "J_Bip_L_Foot", "J_Bip_R_Foot"},
      {"LeftUpperArm", "RightUpperArm", "LeftLowerArm", "RightLowerArm", "LeftHand", "RightHand",
       "LeftUpperLeg", "RightUpperLeg", "LeftLowerLeg", "RightLowerLeg", "LeftFoot", "RightFoot"},
      {"Bip01 L UpperArm", "Bip01 R UpperArm", "Bip01 L Forearm", "Bip01 R Forearm", "Bip01 L Hand",
       "Bip01 R Hand", "Bip01 L Thigh", "Bip01 R Thigh", "Bip01 L Calf", "Bip01 R Calf",
       "Bip01 L Foot", "Bip01 R Foot"}};
  const char* roles[] = {"shoulder", "elbow", "wrist", "hip", "knee", "ankle"};
  for (const auto& rig : rigs) {
    const std::vector<Landmark> found = armatureJoints(named(rig));
    ASSERT_EQ(found.size(), 12u) << rig.front();
    for (int r = 0; r < 6; ++r) {
      EXPECT_EQ(taken(found, std::string(roles[r]) + "_l"), 2 * r) << rig.front();
      EXPECT_EQ(taken(found, std::string(roles[r]) + "_r"), 2 * r + 1) << rig.front();
    }
  }
}

TEST(Armature, AClavicleCalledShoulderIsNotTheShoulderJoint) {
  const auto found =
      armatureJoints(named({"LeftShoulder", "RightShoulder", "LeftUpperArm", "RightUpperArm"}));
  EXPECT_EQ(taken(found, "shoulder_l"), 2);
  EXPECT_EQ(taken(found, "shoulder_r"), 3);
}

TEST(Armature, HalfAPairAndOtherJointsAreLeftOut) {
  EXPECT_TRUE(armatureJoints(named({"hips", "chest", "head", "upper_arm.L", "tail"})).empty());
  EXPECT_TRUE(armatureJoints({}).empty());
}

}  // namespace
}  // namespace pneuma::fit
