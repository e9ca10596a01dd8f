#include "pneuma/anatomy/person.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/check.h"
#include "pneuma/anatomy/points.h"

namespace pneuma::anatomy {
namespace {

const Body& human() {
  static const Body body = loadBody(defaultBodyPath()).valueOrThrow();
  return body;
}

Vec3 at(const Body& body, const std::string& point) {
  std::vector<Diagnostic> findings;
  return PointTable(body, findings).find(point).valueOrThrow().position;
}

/// GLI 2021 without age splines: FRC, TLC, RV, VC in litres at 30 years.
TEST(LungVolumes, AreThoseOfTheReferenceEquations) {
  struct Case {
    Sex sex;
    double height, frc, tlc, rv, vc;
  };
  for (const Case& c : {Case{Sex::Male, 1.75, 3.19, 6.43, 1.38, 5.36},
                        Case{Sex::Female, 1.63, 2.53, 4.89, 1.14, 4.00},
                        Case{Sex::Male, 1.85, 3.72, 7.31, 1.57, 6.10},
                        Case{Sex::Female, 1.55, 2.22, 4.37, 1.02, 3.60}}) {
    Person p;
    p.sex = c.sex;
    p.height = c.height;
    const LungVolumes v = lungVolumes(p);
    // The published figures have two decimals.
    EXPECT_NEAR(1e3 * v.functionalResidual, c.frc, 0.006);
    EXPECT_NEAR(1e3 * v.total, c.tlc, 0.006);
    EXPECT_NEAR(1e3 * v.residual, c.rv, 0.006);
    EXPECT_NEAR(1e3 * v.vital, c.vc, 0.006);
  }
}

TEST(Person, DefaultManHasPublishedMassFractions) {
  const Body man = fitToPerson(human(), human().person);
  EXPECT_NEAR(segmentMass(man), 73, 1e-9);
  for (const MassFraction& f : massFractions(man))
    EXPECT_LT(std::abs(f.fraction - f.published), 2 * f.deviation) << f.group;
}

TEST(Person, MassIsWhatWasAskedFor) {
  for (const Sex sex : {Sex::Male, Sex::Female})
    for (const double height : {1.5, 1.75, 2.0})
      for (const double index : {15.0, 22.0, 40.0}) {
        Person p;
        p.sex = sex;
        p.height = height;
        p.mass = index * height * height;
        const Body fitted = fitToPerson(human(), p);
        EXPECT_NEAR(segmentMass(fitted) / p.mass, 1, 1e-12);
        for (const Segment& s : fitted.segments) EXPECT_GT(s.mass, 0) << s.bone;
        EXPECT_TRUE(checkSymmetry(fitted).empty());
      }
}

TEST(Person, HeavierPeopleCarryMoreOfTheirMassOnTheTrunk) {
  Person thin, heavy;
  thin.mass = 55;
  heavy.mass = 120;
  const auto trunk = [](const Person& p) {
    return massFractions(fitToPerson(human(), p))[1].fraction;
  };
  EXPECT_GT(trunk(heavy), trunk(thin) + 0.02);
}

TEST(Person, TheSubjectHimselfIsUnchanged) {
  const Body same = fitToPerson(human(), human().subject);
  for (const char* point :
       {"femur_l:head_center", "skull:atlanto_occipital", "hand_r:wrist_center"})
    EXPECT_LT((at(same, point) - at(human(), point)).norm(), 1e-12) << point;
}

TEST(Person, HeightScalesEveryLandmark) {
  Person tall = human().subject;
  tall.height = 1.1 * human().subject.height;
  const Body fitted = fitToPerson(human(), tall);
  for (const char* point :
       {"femur_l:head_center", "skull:atlanto_occipital", "rib_05_l:costovertebral"})
    EXPECT_LT((at(fitted, point) - 1.1 * at(human(), point)).norm(), 1e-12) << point;
}

/// Nedel's spine ratio: longer legs at the same height.
TEST(Person, SpineRatioKeepsTheHeight) {
  Person p = human().subject;
  p.spineRatio = 1.05;
  const Body fitted = fitToPerson(human(), p);
  const double origin = at(human(), "sacrum:promontory").y();
  EXPECT_NEAR(at(fitted, "sacrum:promontory").y(), 1.05 * origin, 1e-12);
  EXPECT_NEAR(at(fitted, "femur_l:knee_center").y(), 1.05 * at(human(), "femur_l:knee_center").y(),
              1e-12);
  // The map above the origin takes the old vertex to the same height.
  const double slope = (at(fitted, "skull:atlanto_occipital").y() - 1.05 * origin) /
                       (at(human(), "skull:atlanto_occipital").y() - origin);
  EXPECT_NEAR(1.05 * origin + slope * (p.height - origin), p.height, 1e-12);
}

TEST(Person, LateralScalesWidenTheirHalfOnly) {
  Person p = human().subject;
  p.highLateralScale = 0.9;
  p.lowLateralScale = 1.1;
  const Body fitted = fitToPerson(human(), p);
  EXPECT_NEAR(at(fitted, "humerus_l:head_center").x(),
              0.9 * at(human(), "humerus_l:head_center").x(), 1e-12);
  EXPECT_NEAR(at(fitted, "femur_l:head_center").x(), 1.1 * at(human(), "femur_l:head_center").x(),
              1e-12);
}

TEST(Person, WomenHaveNarrowShouldersAndWideHips) {
  Person woman = human().person;
  woman.sex = Sex::Female;
  const Body f = fitToPerson(human(), woman), m = fitToPerson(human(), human().person);
  EXPECT_LT(at(f, "humerus_l:head_center").x(), at(m, "humerus_l:head_center").x());
  EXPECT_GT(at(f, "femur_l:head_center").x(), at(m, "femur_l:head_center").x());
  EXPECT_GT(bodyFatFraction(woman), bodyFatFraction(human().person));
}

TEST(Person, ImpossiblePeopleAreRefusedWithTheRange) {
  Person p;
  p.height = 17.5;
  p.mass = -3;
  try {
    checkPerson(p);
    FAIL();
  } catch (const InputError& e) {
    ASSERT_EQ(e.diagnostics().size(), 2u);
    EXPECT_EQ(e.diagnostics()[0].field, "height");
    EXPECT_EQ(e.diagnostics()[0].expected, "0.5 to 2.6 m");
  }
  p.height = 1.8;
  p.mass = 20;
  EXPECT_THROW(checkPerson(p), InputError);
}

}  // namespace
}  // namespace pneuma::anatomy
