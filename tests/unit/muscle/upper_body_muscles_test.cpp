#include <gtest/gtest.h>

#include <map>

#include "pneuma/muscle/muscle_forces.h"
#include "scenes/muscle_upper_body.h"

namespace pneuma::muscle {
namespace {

TEST(UpperBodyMuscles, HaveTheCountsOfTableOne) {
  const skeleton::Model body = scenes::makeUpperBody();
  const MuscleModel m = compileMuscles(body, scenes::upperBodyMuscles(body));
  std::map<std::string, int> groups;
  for (const std::string& g : m.groups) ++groups[g];
  EXPECT_EQ(m.count(), 814);
  EXPECT_EQ(groups["neck"], 300);
  EXPECT_EQ(groups["trunk"], 432);
  EXPECT_EQ(groups["arm_l"], 41);
  EXPECT_EQ(groups["arm_r"], 41);
  RecordProperty("points", static_cast<int>(m.paths.points.size()));
  RecordProperty("arms", m.paths.armCount);
  EXPECT_GE(m.paths.points.size(), 2044u);  // the size of the speed goal
  EXPECT_EQ(m.runs.size(), 1u);
}

TEST(UpperBodyMuscles, PullNothingAtRestWithoutActivation) {
  const skeleton::Model body = scenes::makeUpperBody();
  const MuscleModel m = compileMuscles(body, scenes::upperBodyMuscles(body));
  skeleton::Kinematics kinematics(body);
  skeleton::Loads loads(body);
  MuscleWorkspace w(m, body.dofCount());
  const skeleton::State state = skeleton::makeState(body);
  skeleton::computeKinematics(body, state.q, state.v, kinematics);
  computeMuscleForces(body, m, kinematics, state.v, makeState(m), 0.007, w, loads);
  EXPECT_LT(loads.force.norm(), 1e-8);
}

}  // namespace
}  // namespace pneuma::muscle
