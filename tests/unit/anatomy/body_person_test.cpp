#include "pneuma/anatomy/person.h"

#include <gtest/gtest.h>

#include <array>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/check.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/points.h"

namespace pneuma::anatomy {
namespace {

const Body& measuredHuman() {
  static const Body body = loadBody(defaultBodyPath()).valueOrThrow();
  return body;
}

Vec3 pointAt(const Body& body, const std::string& point) {
  std::vector<Diagnostic> findings;
  return PointTable(body, findings).find(point).valueOrThrow().position;
}

/// GLI 2021 without age splines: FRC, TLC and RV in litres at 30 years and a body mass index of 22.
TEST(LungVolumes, AreThoseOfTheReferenceEquations) {
  struct Case {
    Sex sex;
    double height, frc, tlc, rv;
  };
  for (const Case& c :
       {Case{Sex::Male, 1.75, 3.19, 6.43, 1.38}, Case{Sex::Female, 1.63, 2.53, 4.89, 1.14},
        Case{Sex::Male, 1.85, 3.72, 7.31, 1.57}, Case{Sex::Female, 1.55, 2.22, 4.37, 1.02}}) {
    Person p;
    p.sex = c.sex;
    p.height = c.height;
    p.mass = 22 * c.height * c.height;
    const LungVolumes v = lungVolumes(p);
    // The published figures have two decimals.
    EXPECT_NEAR(1e3 * v.functionalResidual, c.frc, 0.006);
    EXPECT_NEAR(1e3 * v.total, c.tlc, 0.006);
    EXPECT_NEAR(1e3 * v.residual, c.rv, 0.006);
    EXPECT_EQ(v.vital, v.total - v.residual);
  }
}

TEST(LungVolumes, FatLowersTheRestingVolumeAlone) {
  Person lean, heavy;
  lean.mass = 20 * lean.height * lean.height;
  heavy.mass = 30 * heavy.height * heavy.height;
  const LungVolumes a = lungVolumes(lean), b = lungVolumes(heavy);
  // Jones & Nzekwu 2006: 75 % at a body mass index of 30 against 20.
  EXPECT_NEAR(b.functionalResidual / a.functionalResidual, 0.75, 0.005);
  EXPECT_EQ(a.total, b.total);
  EXPECT_EQ(a.vital, b.vital);
  heavy.age = 80;
  heavy.mass = 250;
  EXPECT_EQ(lungVolumes(heavy).functionalResidual, lungVolumes(heavy).residual);
}

TEST(LungVolumes, StayInOrderFromChildrenToTheOld) {
  for (const Sex sex : {Sex::Male, Sex::Female})
    for (const auto& [age, height, mass] :
         {std::array{5.0, 1.05, 17.0}, {8.0, 1.28, 26.0}, {20.0, 1.7, 60.0}, {80.0, 1.65, 70.0}}) {
      Person p;
      p.sex = sex;
      p.height = height;
      p.mass = mass;
      p.age = age;
      const LungVolumes v = lungVolumes(p);
      EXPECT_LT(0, v.residual);
      EXPECT_LE(v.residual, v.functionalResidual) << age;
      EXPECT_LT(v.functionalResidual, v.total) << age;
      EXPECT_LT(v.vital, v.total) << age;
    }
}

TEST(LungVolumes, TissueOfTheDefaultManIsAsStated) {
  EXPECT_NEAR(predictThoracicTissue(Person{}), 1.4e-3, 1e-15);
  Person small;
  small.height = 1.55;
  EXPECT_LT(predictThoracicTissue(small), 1.1e-3);
}

TEST(LungVolumes, MeasuredRestingLungReplacesThePrediction) {
  Person p;
  p.restingLung = 2.5e-3;
  EXPECT_EQ(lungVolumes(p).functionalResidual, 2.5e-3);
  EXPECT_NEAR(lungTargets(p, measuredHuman().subject).rest, 3.9e-3, 1e-12);
}

TEST(Person, TissueIsLighterWithMoreFat) {
  Person lean, heavy;
  heavy.mass = 120;
  EXPECT_GT(tissueDensity(lean), tissueDensity(heavy));
  EXPECT_GT(tissueDensity(heavy), 900.7);
  EXPECT_LT(tissueDensity(lean), 1100);
}

TEST(Person, DefaultManHasPublishedMassFractions) {
  const Body man = fitToPerson(measuredHuman(), measuredHuman().person);
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
        const Body fitted = fitToPerson(measuredHuman(), p);
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
    return massFractions(fitToPerson(measuredHuman(), p))[1].fraction;
  };
  EXPECT_GT(trunk(heavy), trunk(thin) + 0.02);
}

/// His own lungs are stated in the body file, to a microlitre.
TEST(Person, TheSubjectHimselfIsUnchanged) {
  const Body same = fitToPerson(measuredHuman(), measuredHuman().subject);
  for (const char* point : {"femur_l:head_center", "skull:atlanto_occipital", "hand_r:wrist_center",
                            "rib_05_l:costovertebral", "xiphoid_process:tip"})
    EXPECT_LT((pointAt(same, point) - pointAt(measuredHuman(), point)).norm(), 1e-6) << point;
}

TEST(Person, FittingAgainChangesNothing) {
  Person p = measuredHuman().person;
  p.sex = Sex::Female;
  p.height = 1.62;
  p.mass = 80;
  const Body once = fitToPerson(measuredHuman(), p), twice = fitToPerson(once, p);
  for (const char* point : {"femur_l:head_center", "rib_05_l:costovertebral", "hand_r:wrist_center",
                            "costal_cartilage_08_l:junction"})
    EXPECT_LT((pointAt(once, point) - pointAt(twice, point)).norm(), 1e-12) << point;
  for (std::size_t i = 0; i < once.trunk.diaphragm.radii.size(); ++i)
    EXPECT_NEAR(once.trunk.diaphragm.radii[i], twice.trunk.diaphragm.radii[i], 1e-12);
}

TEST(Person, HeightScalesEveryLandmark) {
  Person tall = measuredHuman().subject;
  tall.height = 1.1 * measuredHuman().subject.height;
  const Body fitted = fitToPerson(measuredHuman(), tall);
  for (const char* point :
       {"femur_l:head_center", "skull:atlanto_occipital", "hip_bone_l:symphysis"})
    EXPECT_LT((pointAt(fitted, point) - 1.1 * pointAt(measuredHuman(), point)).norm(), 1e-12)
        << point;
  // The chest follows the lungs in width and depth, and the height in height.
  EXPECT_NEAR(pointAt(fitted, "rib_05_l:costovertebral").y(),
              1.1 * pointAt(measuredHuman(), "rib_05_l:costovertebral").y(), 1e-12);
}

/// Nedel's spine ratio: longer legs at the same height.
TEST(Person, SpineRatioKeepsTheHeight) {
  Person p = measuredHuman().subject;
  p.spineRatio = 1.05;
  const Body fitted = fitToPerson(measuredHuman(), p);
  const double origin = pointAt(measuredHuman(), "sacrum:promontory").y();
  EXPECT_NEAR(pointAt(fitted, "sacrum:promontory").y(), 1.05 * origin, 1e-12);
  EXPECT_NEAR(pointAt(fitted, "femur_l:knee_center").y(),
              1.05 * pointAt(measuredHuman(), "femur_l:knee_center").y(), 1e-12);
  const PersonMap map(measuredHuman(), p);
  EXPECT_NEAR(map(MapBranch::Trunk, Vec3(0, p.height, 0)).y(), p.height, 1e-12);
}

TEST(Person, LateralScalesWidenTheirHalfOnly) {
  Person p = measuredHuman().subject;
  p.highLateralScale = 0.9;
  p.lowLateralScale = 1.1;
  const Body fitted = fitToPerson(measuredHuman(), p);
  EXPECT_NEAR(pointAt(fitted, "clavicle_l:acromial_end").x(),
              0.9 * pointAt(measuredHuman(), "clavicle_l:acromial_end").x(), 1e-12);
  EXPECT_NEAR(pointAt(fitted, "femur_l:head_center").x(),
              1.1 * pointAt(measuredHuman(), "femur_l:head_center").x(), 1e-12);
}

TEST(Person, WomenHaveNarrowShouldersAndWideHips) {
  Person woman = measuredHuman().person;
  woman.sex = Sex::Female;
  const Body f = fitToPerson(measuredHuman(), woman),
             m = fitToPerson(measuredHuman(), measuredHuman().person);
  EXPECT_LT(pointAt(f, "humerus_l:head_center").x(), pointAt(m, "humerus_l:head_center").x());
  EXPECT_GT(pointAt(f, "femur_l:head_center").x(), pointAt(m, "femur_l:head_center").x());
  EXPECT_GT(bodyFatFraction(woman), bodyFatFraction(measuredHuman().person));
}

/// Muscles of people of any proportions fit into their paths: a short neck, a flat chest, or an arm
/// that fat turns outwards leaves less path than fibres of the height's scale would take.
TEST(Person, FibresFitIntoPeopleOfAnyProportions) {
  const auto changed = [](auto change) {
    Person p = measuredHuman().person;
    change(p);
    return p;
  };
  const std::array people = {
      changed([](Person& p) { p.spineRatio = 1.2; }),
      changed([](Person& p) { p.spineRatio = 0.8; }),
      changed([](Person& p) { p.highLateralScale = 0.6; }),
      changed([](Person& p) { p.lowLateralScale = 0.6; }),
      changed([](Person& p) { p.frontalScale = 0.6; }),
      changed([](Person& p) { p.sex = Sex::Female, p.height = 1.83, p.mass = 190, p.age = 80; }),
      changed([](Person& p) { p.sex = Sex::Female, p.height = 1.50, p.mass = 110; })};
  for (const Person& person : people) {
    const Body fitted = fitToPerson(measuredHuman(), person);
    for (const char* articulation : {"whole", "figure", "upper-body"})
      EXPECT_TRUE(compileBody(fitted, articulation)) << articulation;
  }
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
