#include "pneuma/muscle/muscle_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "scenes/skeleton_trees.h"

namespace pneuma::muscle {
namespace {

MuscleDescription biceps() {
  return {.name = "biceps_l",
          .group = "arm_l",
          .points = {{"clavicle_l", {0.17, 1.42, 0.02}}, {"radius_l", {0.31, 1.08, 0.01}}},
          .force = makeLinearHill(0.35, 4e-4)};
}

std::string messageOf(const std::vector<MuscleDescription>& muscles) {
  try {
    compileMuscles(scenes::makeUpperBody(), muscles);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(MuscleModel, KeepsOrderNamesAndRestLength) {
  MuscleDescription other = biceps();
  other.name = "other";
  other.force = SpringElement{};
  const MuscleModel m = compileMuscles(scenes::makeUpperBody(), std::vector{other, biceps(), [] {
                                                                              MuscleDescription d =
                                                                                  biceps();
                                                                              d.name = "third";
                                                                              return d;
                                                                            }()});
  EXPECT_EQ(m.find("biceps_l"), 1);
  EXPECT_EQ(m.find("nobody"), -1);
  EXPECT_EQ(m.runs.size(), 2u);
  EXPECT_NEAR(m.restLength[1], restLength(biceps()), 1e-15);
}

TEST(MuscleModel, CollectsAllErrorsWithNames) {
  MuscleDescription wrong = biceps();
  wrong.points[1].link = "radius_L";
  MuscleDescription weak = biceps();
  weak.name = "weak";
  weak.force = SpringElement{.restLength = -1};
  MuscleDescription single = biceps();
  single.name = "single";
  single.points.resize(1);
  const std::string text = messageOf({biceps(), wrong, weak, single});
  EXPECT_THAT(text, testing::HasSubstr("muscle 'biceps_l': field 'name': is used twice"));
  EXPECT_THAT(text, testing::HasSubstr("unknown link 'radius_L' (did you mean 'radius_l'?)"));
  EXPECT_THAT(text, testing::HasSubstr("muscle 'weak': field 'restLength'"));
  EXPECT_THAT(text, testing::HasSubstr("muscle 'single': field 'points': 1 given"));
}

TEST(MuscleModel, RefusesPointsInsideTheirSurface) {
  MuscleDescription m = biceps();
  m.wraps.push_back({.afterPoint = 0,
                     .link = "humerus_l",
                     .pose = {Mat3::Identity(), m.points[1].position},
                     .shape = WrapCylinder{0.02}});
  EXPECT_THAT(messageOf({m}), testing::HasSubstr("point 1 lies 0.02 m inside the surface"));
  m.wraps[0].afterPoint = 3;
  EXPECT_THAT(messageOf({m}), testing::HasSubstr("after point 3"));
}

}  // namespace
}  // namespace pneuma::muscle
