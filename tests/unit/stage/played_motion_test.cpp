#include "pneuma/stage/played_motion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "pneuma/skeleton/configuration.h"
#include "tests/support/human.h"

namespace pneuma::stage {
namespace {

/// Angles by name [deg] of a pose with one joint set, in an articulation; those that differ from 0.
std::map<std::string, double> namedAngles(const char* articulation, const std::string& setting) {
  const auto& body = *test::humanBody();
  const PlayedMotion m = makePlayedMotion({.joints = {setting}, .rhythm = false}, body,
                                          body.subject, articulation, 30);
  const std::vector<std::string> names = dofNames(m);
  const VecX values = namedValues(
      m.compiled, m.model, skeleton::configurationDifference(m.model, m.model.neutral, m.q.back()));
  std::map<std::string, double> turned;
  for (std::size_t i = 6; i < names.size(); ++i)
    if (const double angle = values[static_cast<Eigen::Index>(i)]; std::abs(angle) > 1e-9)
      turned[names[i]] = radiansToDegrees(angle);
  return turned;
}

/// A table names an angle as the pose did, with its sign: the shoulder of `whole` is a ball, whose
/// three components lie along the body's axes and not in the order of its freedoms.
TEST(PlayedMotion, TablesNameTheAnglesThatWereSet) {
  for (const char* articulation : {"figure", "whole"})
    for (const char* joint :
         {"shoulder_l.abduction", "shoulder_r.abduction", "shoulder_l.flexion",
          "shoulder_r.flexion", "elbow_r.flexion", "hip_l.flexion", "knee_r.flexion"}) {
      const auto turned = namedAngles(articulation, std::string(joint) + "=20");
      ASSERT_EQ(turned.size(), 1u) << articulation << " " << joint;
      const auto& [name, angle] = *turned.begin();
      const std::string joints(joint), side = joints.substr(joints.find('.') - 1, 1);
      EXPECT_NE(name.find(joints.substr(0, joints.find('_'))), std::string::npos) << name;
      // "abduct" of the figure is "abduction" elsewhere.
      EXPECT_NE(name.find(joints.substr(joints.find('.') + 1, 6)), std::string::npos) << name;
      EXPECT_TRUE(name.starts_with(side + "_") || name.find("_" + side) != std::string::npos);
      EXPECT_NEAR(angle, 20, 1e-6) << articulation << " " << joint;
    }
}

}  // namespace
}  // namespace pneuma::stage
