#include "pneuma/skeleton/pose_maker.h"

#include <gtest/gtest.h>

#include <numeric>

#include "pneuma/skeleton/kinematics.h"
#include "tests/support/human_body.h"

namespace pneuma::skeleton {
namespace {

using test::humanBody;

constexpr double kDegree = kPi / 180;

VecX pose(const std::string& articulation, const std::vector<JointSetting>& settings,
          const PoseMakerOptions& options = {}) {
  const test::HumanBody& b = humanBody(articulation);
  return PoseMaker(b.compiled, b.model).make(settings, options);
}

double angleOf(const std::string& articulation, const VecX& q, const std::string& name) {
  const test::HumanBody& b = humanBody(articulation);
  const PoseMaker maker(b.compiled, b.model);
  const Freedom& f = maker.freedoms()[static_cast<std::size_t>(maker.find(name).front())];
  return q[f.position] / kDegree;
}

Mat3 rotationOf(const std::string& articulation, const VecX& q, const std::string& link) {
  const Model& model = humanBody(articulation).model;
  Kinematics k(model);
  computePoses(model, q, k);
  return k.X_WL[static_cast<std::size_t>(model.linkIndex(link))].rotation;
}

std::string messageOf(const std::vector<JointSetting>& settings) {
  try {
    pose("whole", settings);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(PoseMaker, ASumTurnsTheTopVertebraByTheAngleAskedFor) {
  for (const char* articulation : {"figure", "upper-body", "whole"})
    for (const double asked : {-15.0, 10.0, 40.0}) {
      const VecX q = pose(articulation, {{"spine.flexion", asked * kDegree}});
      const char* top = std::string(articulation) == "figure" ? "vt6" : "t01";
      const Eigen::AngleAxisd turn(rotationOf(articulation, q, top));
      EXPECT_NEAR(turn.angle() * turn.axis().x() / kDegree, asked, 1e-9) << articulation;
    }
}

TEST(PoseMaker, VertebraeTakeTheirPartsUntilOneMeetsItsLimit) {
  const VecX q = pose("whole", {{"spine.flexion", 20 * kDegree}});
  EXPECT_NEAR(angleOf("whole", q, "l1.flexion") / angleOf("whole", q, "l4.flexion"), 0.255 / 0.185,
              0.02);  // parts have three digits
  // The upper lumbar vertebrae stop at 9 degrees; the others go on.
  const VecX deep = pose("whole", {{"spine.flexion", 90 * kDegree}});
  EXPECT_NEAR(angleOf("whole", deep, "l1.flexion"), 9, 1e-9);
  EXPECT_GT(angleOf("whole", deep, "l5.flexion"), 4 * angleOf("whole", q, "l5.flexion"));
  const Eigen::AngleAxisd turn(rotationOf("whole", deep, "t01"));
  EXPECT_NEAR(turn.angle() / kDegree, 90, 1e-9);
}

TEST(PoseMaker, AStatedVertebraKeepsItsAngleAndTheOthersMakeUpForIt) {
  const VecX q = pose("whole", {{"spine.torsion", 20 * kDegree}, {"t05.torsion", -3 * kDegree}});
  EXPECT_NEAR(angleOf("whole", q, "t05.torsion"), -3, 1e-12);
  const Eigen::AngleAxisd turn(rotationOf("whole", q, "t01"));
  EXPECT_NEAR(turn.angle() / kDegree, 20, 1e-9);
}

TEST(PoseMaker, ABallIsTurnedAsThreeHingesWould) {
  const std::vector<JointSetting> arm{{"shoulder_l.flexion", 50 * kDegree},
                                      {"shoulder_l.abduction", 20 * kDegree},
                                      {"shoulder_l.twisting", -30 * kDegree}};
  const Mat3 ball = rotationOf("whole", pose("whole", arm), "humerus_l");
  const Mat3 hinges = rotationOf("figure", pose("figure", arm), "humerus_l");
  EXPECT_LT((ball - hinges).norm(), 1e-5);  // hinges are fitted beside collar bone and blade
  const VecX q = pose("whole", arm);
  const Model& model = humanBody("whole").model;
  const Link& humerus = model.links[static_cast<std::size_t>(model.linkIndex("humerus_l"))];
  EXPECT_NEAR(q.segment<4>(humerus.firstPosition).norm(), 1, 1e-12);
}

TEST(PoseMaker, TheRaisedArmOfTheWholeBodyTakesTheCollarBoneAlong) {
  const VecX q = pose("whole", {{"shoulder_r.abduction", 100 * kDegree}});
  // Two fifths of what goes beyond the setting phase, less what the ribs ask for (glide_test).
  EXPECT_NEAR(angleOf("whole", q, "scapula_r.upward"), 0.4 * 70, 4);
  EXPECT_GT(angleOf("whole", q, "clavicle_r.elevation"), 2);
  const Eigen::AngleAxisd turn(rotationOf("whole", q, "humerus_r"));
  EXPECT_NEAR(turn.angle() / kDegree, 100, 1e-9);
  const VecX bare = pose("whole", {{"shoulder_r.abduction", 100 * kDegree}}, {.rhythm = false});
  EXPECT_EQ(angleOf("whole", bare, "clavicle_r.elevation"), 0);
  EXPECT_EQ(angleOf("whole", bare, "scapula_r.upward"), 0);
}

TEST(PoseMaker, EveryWayToNameAJointMeansTheSame) {
  const double a = 30 * kDegree;
  const VecX q = pose("whole", {{"elbow_r.flexion", a}});
  for (const char* name : {"r_elbow_flexion", "elbow_r", "r_elbow"})
    EXPECT_EQ(pose("whole", {{name, a}}), q) << name;
  const VecX both = pose("whole", {{"elbow_r.flexion", a}, {"elbow_l.flexion", a}});
  for (const char* name : {"elbow.flexion", "elbow"})
    EXPECT_EQ(pose("whole", {{name, a}}), both) << name;
  EXPECT_EQ(pose("figure", {{"forearm_l.pronation", a}}),
            pose("figure", {{"elbow_l.twisting", a}}));
}

TEST(PoseMaker, MirroredSettingsGiveMirroredPoses) {
  const Mat3 mirror = Vec3(-1, 1, 1).asDiagonal();
  for (const char* articulation : {"figure", "whole"}) {
    const VecX q = pose(articulation, {{"shoulder", 0.5},
                                       {"shoulder.abduction", 0.4},
                                       {"elbow", 0.7},
                                       {"hip", 0.6},
                                       {"hip.twisting", 0.2}});
    for (const char* link : {"humerus_", "ulna_", "femur_"}) {
      const Mat3 left = rotationOf(articulation, q, std::string(link) + "l");
      const Mat3 right = rotationOf(articulation, q, std::string(link) + "r");
      EXPECT_LT((mirror * left * mirror - right).norm(), 1e-9) << articulation << " " << link;
    }
  }
}

TEST(PoseMaker, WrongSettingsNameTheNearestJointOrTheRange) {
  EXPECT_NE(messageOf({{"elbo_r", 1}}).find("did you mean 'elbow_r'"), std::string::npos);
  EXPECT_NE(messageOf({{"r_elbwo", 1}}).find("did you mean 'r_elbow'"), std::string::npos);
  EXPECT_NE(messageOf({{"elbow_r", 3}}).find("between -5 and 145 degrees"), std::string::npos);
  EXPECT_NE(messageOf({{"spine.flexion", 3}}).find("'spine.flexion' is 171.887 degrees"),
            std::string::npos);
  EXPECT_NE(messageOf({{"elbow_r", std::nan("")}}).find("expected a number"), std::string::npos);
  EXPECT_EQ(messageOf({{"elbow_r", 1}}), "");
}

TEST(PoseMaker, NamesOfAnotherArticulationCanBePassedOver) {
  EXPECT_THROW(pose("upper-body", {{"hip.flexion", 1}}), InputError);
  EXPECT_EQ(pose("upper-body", {{"hip.flexion", 1}}, {.skipUnknown = true}),
            humanBody("upper-body").model.neutral);
}

}  // namespace
}  // namespace pneuma::skeleton
