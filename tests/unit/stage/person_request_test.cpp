#include "pneuma/stage/person_request.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"

namespace pneuma::stage {
namespace {

anatomy::Body bodyOf(double height, double mass) {
  anatomy::Body body;
  body.person.height = height;
  body.person.mass = mass;
  return body;
}

TEST(PersonRequest, NothingAskedIsTheBodysOwnPerson) {
  const anatomy::Person p = personOf({}, bodyOf(1.75, 73));
  EXPECT_EQ(p.height, 1.75);
  EXPECT_EQ(p.mass, 73);
}

TEST(PersonRequest, AHeightAloneKeepsTheBodyMassIndex) {
  const anatomy::Person p = personOf({.height = 1.60}, bodyOf(1.75, 73));
  EXPECT_NEAR(p.mass / (p.height * p.height), 73 / (1.75 * 1.75), 1e-12);
  EXPECT_EQ(personOf({.height = 1.60, .mass = 80}, bodyOf(1.75, 73)).mass, 80);
}

/// CDC 2000, medians of boys of six: 1.157 m of 1.768, 15.4 kg/m^2 of 23.0.
TEST(PersonRequest, AnAgeAloneMakesAChildOfThatAge) {
  const anatomy::Person six = personOf({.age = 6}, bodyOf(1.768, 73));
  EXPECT_NEAR(six.height, 1.157, 1e-3);
  EXPECT_NEAR(six.mass / (six.height * six.height), 73 / (1.768 * 1.768) * 15.4 / 23, 0.05);
  EXPECT_EQ(personOf({.height = 1.15, .age = 6}, bodyOf(1.75, 73)).height, 1.15);
  EXPECT_EQ(personOf({.mass = 20, .age = 6}, bodyOf(1.75, 73)).mass, 20);
  const anatomy::Person old = personOf({.age = 70}, bodyOf(1.75, 73));
  EXPECT_EQ(old.height, 1.75);
  EXPECT_EQ(old.mass, 73);
}

/// CDC 2000, medians of girls of six: 1.149 m and 15.2 kg/m^2, where men have 1.768 and 23.0. Her
/// share of a woman taken of the measured man would give 1.24 m.
TEST(PersonRequest, AGirlHasTheHeightOfGirls) {
  const anatomy::Person six = personOf({.sex = "female", .age = 6}, bodyOf(1.768, 73));
  EXPECT_NEAR(six.height, 1.149, 1e-3);
  EXPECT_NEAR(six.mass / (six.height * six.height), 73 / (1.768 * 1.768) * 15.2 / 23, 0.05);
  EXPECT_EQ(personOf({.sex = "girl", .age = 6}, bodyOf(1.768, 73)).height, six.height);
  EXPECT_NEAR(personOf({.sex = "girl", .age = 12}, bodyOf(1.768, 73)).height, 1.514, 1e-3);
  EXPECT_EQ(personOf({.sex = "female"}, bodyOf(1.768, 73)).height, 1.768);
}

TEST(PersonRequest, MoreThanThreeMetresAreCentimetres) {
  EXPECT_NEAR(personOf({.height = 163}, bodyOf(1.75, 73)).height, 1.63, 1e-12);
}

TEST(PersonRequest, NobodyImpossibleIsMade) {
  EXPECT_THROW(personOf({.mass = -5}, bodyOf(1.75, 73)), InputError);
  EXPECT_THROW(personOf({.sex = "wman"}, bodyOf(1.75, 73)), InputError);
}

}  // namespace
}  // namespace pneuma::stage
