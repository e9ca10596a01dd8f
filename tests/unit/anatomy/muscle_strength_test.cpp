#include "pneuma/anatomy/muscle_strength.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/person.h"

namespace pneuma::anatomy {
namespace {

TEST(MuscleStrength, StatedPeakForceWinsOverCrossSection) {
  Muscle m;
  m.pcsa = 4e-4;
  m.tension = 5e5;
  EXPECT_DOUBLE_EQ(peakForce(m, 0.1), 200);
  m.peakForce = 624;
  EXPECT_DOUBLE_EQ(peakForce(m, 0.1), 624);
}

TEST(MuscleStrength, LineWithoutCrossSectionTakesVolumeOverFibreLength) {
  Muscle m;
  m.volume = 1e-4;
  m.tension = 3e5;
  m.fiberLength = 0.1;
  const MuscleArchitecture a = architectureOf(m, 0.3);
  EXPECT_DOUBLE_EQ(a.crossSection, 1e-3);
  EXPECT_DOUBLE_EQ(a.peakForce, 300);
}

TEST(MuscleStrength, LineThatStatesNothingOnlyGuides) {
  EXPECT_EQ(architectureOf(Muscle{}, 0.3).peakForce, 0);
  EXPECT_EQ(architectureOf(Muscle{}, 0.3).crossSection, 0);
}

TEST(MuscleStrength, FibreAndTendonFillThePathAtRest) {
  Muscle m;
  m.fiberLength = 0.08;
  m.restFiber = 1.25;
  m.pennation = 0.4;
  const MuscleArchitecture a = architectureOf(m, 0.3);
  // The thickness stays: the fibre of 0.1 m at rest lies flatter than at its optimal length.
  const double across = 0.08 * std::sin(0.4), along = std::sqrt(0.1 * 0.1 - across * across);
  EXPECT_NEAR(a.tendonLength + along, 0.3, 1e-15);
}

TEST(MuscleStrength, FibresByDefaultArePathLessTendons) {
  Muscle m;
  m.tendonOrigin = 0.1;
  m.tendonInsertion = 0.3;
  EXPECT_NEAR(architectureOf(m, 0.5).fiberLength, 0.3, 1e-15);
  EXPECT_NEAR(architectureOf(m, 0.5).tendonLength, 0.2, 1e-15);
}

class StrengthRatio : public testing::Test {
 protected:
  const Person man{.sex = Sex::Male, .height = 1.75, .mass = 73, .age = 30};
  Person other = man;
};

TEST_F(StrengthRatio, IsOneForTheSamePerson) {
  EXPECT_DOUBLE_EQ(strengthRatio(man, man, MuscleRegion::Arm), 1);
}

TEST_F(StrengthRatio, MenAreHalfAgainToTwiceAsStrongAsWomen) {
  // Torque follows force times arm, the arm height [Danneskiold-Samsoe 2009: 1.5 to 2 times].
  const Person woman{.sex = Sex::Female, .height = 1.63, .mass = 62, .age = 30};
  const double arm = strengthRatio(woman, man, MuscleRegion::Arm) * woman.height / man.height;
  const double leg = strengthRatio(woman, man, MuscleRegion::Leg) * woman.height / man.height;
  EXPECT_GT(arm, 0.5);
  EXPECT_LT(arm, 0.67);
  EXPECT_GT(leg, arm);
  EXPECT_LT(leg, 0.75);
}

TEST_F(StrengthRatio, FallsWithAgeAsPeopleDo) {
  other.age = 25;
  const Person young = other;
  double last = 1;
  for (const double age : {40.0, 55.0, 65.0, 75.0, 85.0}) {
    other.age = age;
    const double ratio = strengthRatio(other, young, MuscleRegion::Leg);
    EXPECT_LT(ratio, last) << age;
    last = ratio;
  }
  other.age = 75;
  EXPECT_NEAR(strengthRatio(other, young, MuscleRegion::Leg), 0.715, 1e-9);
}

TEST_F(StrengthRatio, GrowsWithMassButLessThanMass) {
  other.mass = 100;
  const double ratio = strengthRatio(other, man, MuscleRegion::Trunk);
  EXPECT_GT(ratio, 1);
  EXPECT_LT(ratio, 100.0 / 73);
}

TEST_F(StrengthRatio, FittedBodyCarriesItToEveryStatedForce) {
  Body body;
  body.subject = body.person = man;
  Muscle stated, derived;
  stated.region = derived.region = MuscleRegion::Arm;
  stated.peakForce = 500;
  derived.pcsa = 1e-3;
  body.muscles = {stated, derived};
  const Person woman{.sex = Sex::Female, .height = 1.63, .mass = 62, .age = 30};
  const Body fitted = fitToPerson(body, woman);
  const double ratio = strengthRatio(woman, man, MuscleRegion::Arm);
  EXPECT_NEAR(*fitted.muscles[0].peakForce, 500 * ratio, 1e-9);
  EXPECT_NEAR(peakForce(fitted.muscles[1], 0.1), 300 * ratio, 1e-9);
  // Volume follows lean mass alone: the same muscle is less strong, not less large.
  EXPECT_GT(fitted.muscles[1].pcsa, 1e-3 * ratio);
}

}  // namespace
}  // namespace pneuma::anatomy
