#include "pneuma/skeleton/pose_maker.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/kinematics.h"

namespace pneuma::skeleton {
namespace {

struct Arms {
  anatomy::CompiledBody compiled =
      anatomy::compileBody(anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow(), "figure")
          .valueOrThrow();
  Model model = modelFromBody(compiled, {.freeRoot = true});

  PoseMaker maker{compiled, model};

  double& at(VecX& q, const std::string& freedom) const {
    return q[maker.freedoms()[static_cast<std::size_t>(maker.find(freedom).front())].position];
  }
  /// The pose that names these freedoms, completed [deg].
  VecX pose(const std::vector<std::pair<std::string, double>>& angles) const {
    std::vector<JointSetting> settings;
    for (const auto& [freedom, degrees] : angles)
      settings.push_back({freedom, degreesToRadians(degrees)});
    return maker.make(settings);
  }
};

Arms& arms() {
  static Arms a;
  return a;
}

/// The figure's shoulder is three hinges: where two of them turn about one axis, at 90 degrees in
/// the socket, collar bone and blade have to make up for it. Balls are exact (pose_maker_test).
TEST(Rhythm, TheWholeArmTurnsByTheAngleAskedFor) {
  for (const char* side : {"_l", "_r"})
    for (const double asked : {20.0, 45.0, 90.0, 120.0, 150.0}) {
      const VecX q = arms().pose({{std::string("shoulder") + side + ".abduct", asked}});
      Kinematics k(arms().model);
      computePoses(arms().model, q, k);
      const int arm = arms().model.linkIndex(std::string("humerus") + side);
      const Eigen::AngleAxisd turn(k.X_WL[static_cast<std::size_t>(arm)].rotation);
      EXPECT_NEAR(radiansToDegrees(turn.angle()), asked, 0.01);
      EXPECT_GT(std::abs(turn.axis().z()), std::cos(degreesToRadians(0.01)));
    }
}

TEST(Rhythm, APoseThatStatesTheCollarBoneKeepsIt) {
  VecX q = arms().pose({{"shoulder_l.abduct", 100}, {"clav_l.abduct", 5}});
  EXPECT_NEAR(radiansToDegrees(arms().at(q, "clav_l.abduct")), 5, 1e-12);
  VecX all = arms().pose({{"shoulder_l.abduct", 100},
                          {"clav_l.abduct", 5},
                          {"clav_l.rotate", 0},
                          {"scap_l.abduct", 10},
                          {"scap_l.rotate", 0}});
  EXPECT_NEAR(radiansToDegrees(arms().at(all, "shoulder_l.abduct")), 100, 1e-12);
}

TEST(Rhythm, FollowersStayWithinTheirRanges) {
  const VecX q = arms().pose({{"shoulder_l.abduct", 130}, {"shoulder_l.flexion", 170}});
  for (const Freedom& f : arms().maker.freedoms()) {
    if (f.position < 0 || !f.limited) continue;
    EXPECT_GE(q[f.position], f.lower - 1e-12) << f.name;
    EXPECT_LE(q[f.position], f.upper + 1e-12) << f.name;
  }
}

}  // namespace
}  // namespace pneuma::skeleton
