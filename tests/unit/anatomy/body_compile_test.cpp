#include "pneuma/anatomy/compile.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/body_file.h"

namespace pneuma::anatomy {
namespace {

const Body& human() {
  static const Body body = loadBody(defaultBodyPath()).valueOrThrow();
  return body;
}

BodySummary summaryOf(const std::string& articulation) {
  const Body fitted = fitToPerson(human(), human().person);
  return summarize(fitted, compileBody(fitted, articulation).valueOrThrow());
}

TEST(Articulation, TorsoHasZordansBodies) {
  const BodySummary s = summaryOf("torso");
  EXPECT_EQ(s.bodies, 28);
  EXPECT_EQ(s.springs, 20);
}

TEST(Articulation, FigureHasNedelsJointsFreedomsAndBones) {
  const BodySummary s = summaryOf("figure");
  EXPECT_EQ(s.joints, 31);
  EXPECT_EQ(s.dofs, 62);
  EXPECT_EQ(s.bones, 73);
}

TEST(Articulation, UpperBodyHasLeesBonesAndFreedoms) {
  const BodySummary s = summaryOf("upper-body");
  EXPECT_EQ(s.bones, 68);
  EXPECT_EQ(s.dofs, 147);
  EXPECT_EQ(s.dofsHeadNeckTrunk, 133);
  EXPECT_EQ(s.dofsArms, 14);
  EXPECT_EQ(s.dofsPassive, 36);
  EXPECT_EQ(s.springs, 20);
}

TEST(Articulation, SecondReadingOfTheUpperBodyClosesToo) {
  const BodySummary s = summaryOf("upper-body-p2");
  EXPECT_EQ(s.bones, 68);
  EXPECT_EQ(s.dofs, 147);
  EXPECT_EQ(s.dofsHeadNeckTrunk, 133);
  EXPECT_EQ(s.dofsPassive, 32);
}

TEST(Articulation, WholeIsTheUpperBodyWithWristsBladesAndTheFiguresLegsOnAFreePelvis) {
  const BodySummary whole = summaryOf("whole"), upper = summaryOf("upper-body"),
                    figure = summaryOf("figure");
  EXPECT_EQ(whole.dofs, 147 + 4 + 6 + 18);
  EXPECT_EQ(whole.dofsHeadNeckTrunk, upper.dofsHeadNeckTrunk);
  EXPECT_EQ(whole.dofsArms, upper.dofsArms + 4 + 6);
  EXPECT_EQ(whole.dofsLegs, figure.dofsLegs);
  EXPECT_EQ(whole.dofsPassive, upper.dofsPassive);
  EXPECT_EQ(whole.bodies, upper.bodies + 12 + 1 + 2);
  EXPECT_EQ(whole.springs, upper.springs);
  EXPECT_EQ(whole.musclesLegs, figure.musclesLegs);
  EXPECT_EQ(whole.musclesTrunk, upper.musclesTrunk);
  EXPECT_EQ(whole.lines, upper.lines + figure.musclesLegs);
  const CompiledBody c = compileBody(human(), "whole").valueOrThrow();
  EXPECT_EQ(c.links.front().joint, JointType::Free);
  EXPECT_EQ(c.links.front().name, "pelvis");
}

TEST(Articulation, SumsOfAVertebralColumnAreSharedWhole) {
  int sums = 0;
  for (const char* name : {"figure", "upper-body", "whole"})
    for (const Rhythm& r : compileBody(human(), name).valueOrThrow().rhythms) {
      double parts = 0;
      for (const RhythmPart& p : r.parts) parts += p.part;
      EXPECT_NEAR(parts, 1, 1e-12) << name << ": " << r.name;
      sums += r.parts.size() > 1;
    }
  EXPECT_EQ(sums, 3 * 6);
}

TEST(Articulation, FigureAndWholeCarryTheWholeMass) {
  for (const double mass : {45.0, 73.0, 130.0})
    for (const char* name : {"figure", "whole"}) {
      Person person;
      person.mass = mass;
      const Body fitted = fitToPerson(human(), person);
      const CompiledBody compiled = compileBody(fitted, name).valueOrThrow();
      EXPECT_NEAR(compiled.mass(), mass, 1e-9 * mass) << name;
    }
}

TEST(Articulation, LeftAndRightMirrorExactly) {
  const Body fitted = fitToPerson(human(), human().person);
  const Vec3 mirror(-1, 1, 1);
  for (const char* name : {"torso", "figure", "upper-body", "upper-body-p2", "whole"}) {
    const CompiledBody c = compileBody(fitted, name).valueOrThrow();
    int pairs = 0;
    for (const CompiledLink& left : c.links) {
      if (!left.name.ends_with("_l")) continue;
      const int index = c.findLink(left.name.substr(0, left.name.size() - 1) + "r");
      ASSERT_GE(index, 0) << left.name;
      const CompiledLink& right = c.links[static_cast<std::size_t>(index)];
      EXPECT_LT((mirror.cwiseProduct(left.center) - right.center).norm(), 1e-12) << left.name;
      EXPECT_LT((mirror.cwiseProduct(left.inertia.center) - right.inertia.center).norm(), 1e-12);
      ASSERT_EQ(left.dofs.size(), right.dofs.size());
      for (std::size_t i = 0; i < left.dofs.size(); ++i) {
        // A reflected rotation turns about the reversed reflected axis.
        const double sense = left.dofs[i].kind == DofKind::Rotation ? -1 : 1;
        const Vec3 expected = sense * mirror.cwiseProduct(left.dofs[i].axis);
        // A ball without described axes has the body's x, y, z on both sides.
        if (left.dofs[i].name.ends_with(".x") || left.dofs[i].name.ends_with(".y") ||
            left.dofs[i].name.ends_with(".z"))
          continue;
        EXPECT_LT((expected - right.dofs[i].axis).norm(), 1e-12) << left.dofs[i].name;
      }
      ++pairs;
    }
    EXPECT_GT(pairs, 10);
  }
}

/// Turns a link's points about its first degrees of freedom and looks where they go: the names
/// must mean what they say.
Vec3 velocityOf(const CompiledBody& c, const std::string& dofName, const Vec3& point) {
  for (const CompiledLink& link : c.links)
    for (const CompiledDof& dof : link.dofs)
      if (dof.alias == dofName) return dof.axis.cross(point - link.center);
  ADD_FAILURE() << "no degree of freedom " << dofName;
  return Vec3::Zero();
}

TEST(Articulation, PositiveAnglesMoveTheWayTheirNamesSay) {
  const Body fitted = fitToPerson(human(), human().person);
  const CompiledBody c = compileBody(fitted, "figure").valueOrThrow();
  const auto centre = [&](const char* link) {
    return c.links[static_cast<std::size_t>(c.findLink(link))].inertia.center;
  };
  for (const char side : {'l', 'r'}) {
    const std::string s(1, side), p = s + "_";
    const double outwards = side == 'l' ? 1 : -1;
    EXPECT_GT(velocityOf(c, p + "shoulder_flexion", centre(("humerus_" + s).c_str())).z(), 0);
    EXPECT_GT(velocityOf(c, p + "shoulder_abduct", centre(("humerus_" + s).c_str())).x() * outwards,
              0);
    EXPECT_GT(velocityOf(c, p + "elbow_flexion", centre(("hand_" + s).c_str())).z(), 0);
    EXPECT_GT(velocityOf(c, p + "wrist_flexion", centre(("hand_" + s).c_str())).z(), 0);
    EXPECT_GT(velocityOf(c, p + "clav_abduct", centre(("scapula_" + s).c_str())).y(), 0);
    EXPECT_GT(velocityOf(c, p + "hip_flexion", centre(("tibia_" + s).c_str())).z(), 0);
    EXPECT_GT(velocityOf(c, p + "hip_abduct", centre(("tibia_" + s).c_str())).x() * outwards, 0);
    EXPECT_LT(velocityOf(c, p + "knee_flexion", centre(("tibia_" + s).c_str())).z(), 0);
    EXPECT_GT(velocityOf(c, p + "ankle_flexion", centre(("toes_" + s).c_str())).y(), 0);
    EXPECT_LT(velocityOf(c, p + "toe_flexion", centre(("toes_" + s).c_str())).y(), 0);
  }
  EXPECT_GT(velocityOf(c, "vl1_tilt", centre("skull")).z(), 0);
  EXPECT_GT(velocityOf(c, "vl1_roll", centre("skull")).x(), 0);
}

TEST(Articulation, RibsRiseInInspiration) {
  const Body fitted = fitToPerson(human(), human().person);
  const CompiledBody c = compileBody(fitted, "upper-body").valueOrThrow();
  for (const CompiledSpring& s : c.springs) {
    const CompiledLink& rib = c.links[static_cast<std::size_t>(s.a.link)];
    const Vec3 v = rib.dofs[0].axis.cross(s.a.position - rib.center);
    EXPECT_GT(v.y(), 0) << rib.name;
    EXPECT_GT(v.z(), 0) << rib.name;
  }
}

TEST(Articulation, UnknownNameSuggestsTheNearest) {
  const Result<CompiledBody> c = compileBody(human(), "upperbody");
  ASSERT_FALSE(c);
  EXPECT_EQ(c.diagnostics().front().nearest, "upper-body");
}

}  // namespace
}  // namespace pneuma::anatomy
