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

TEST(PersonRequest, MoreThanThreeMetresAreCentimetres) {
  EXPECT_NEAR(personOf({.height = 163}, bodyOf(1.75, 73)).height, 1.63, 1e-12);
}

TEST(PersonRequest, NobodyImpossibleIsMade) {
  EXPECT_THROW(personOf({.mass = -5}, bodyOf(1.75, 73)), InputError);
  EXPECT_THROW(personOf({.sex = "wman"}, bodyOf(1.75, 73)), InputError);
}

}  // namespace
}  // namespace pneuma::stage
