// The rules that every body of ours keeps, for the default man and for people unlike him.
#include <gtest/gtest.h>

#include <map>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/check.h"

namespace pneuma::anatomy {
namespace {

const Body& human() {
  static const Body body = loadBody(defaultBodyPath()).valueOrThrow();
  return body;
}

Body fitted(Sex sex, double height, double mass) {
  Person p = human().person;
  p.sex = sex;
  p.height = height;
  p.mass = mass;
  return fitToPerson(human(), p);
}

TEST(BodyRules, LeftAndRightMirrorToANanometre) {
  for (const Body& body : {fitted(Sex::Male, 1.75, 73), fitted(Sex::Female, 1.58, 52)})
    EXPECT_EQ(toString(checkSymmetry(body)), "");
}

TEST(BodyRules, MomentArmsOfEveryMuscleChangeSmoothly) {
  const Body body = fitted(Sex::Male, 1.75, 73);
  for (const Articulation& a : body.articulations) {
    const CompiledBody compiled = compileBody(body, a.name).valueOrThrow();
    EXPECT_GT(compiled.muscles.size(), 40u) << a.name;
    EXPECT_EQ(toString(checkMomentArms(compiled)), "") << a.name;
  }
}

TEST(BodyRules, MusclesAttachToBoneSurfacesAndRunClearOfBones) {
  const Body body = fitted(Sex::Male, 1.75, 73);
  if (body.shapes.empty()) GTEST_SKIP() << "the body has no bone geometry";
  std::vector<Diagnostic> found = checkAttachments(body, GeometryCache());
  // The fit to the person squeezes the chest: three paths a side run 0.1 to 0.6 mm deeper than 3.
  EXPECT_LE(found.size(), 8u);
  std::erase_if(found, [](const Diagnostic& d) { return d.severity == Severity::Warning; });
  EXPECT_EQ(toString(found), "");
}

TEST(BodyRules, AShiftedMuscleIsFound) {
  Body body = fitted(Sex::Male, 1.75, 73);
  body.muscles.front().points.front().offset.y() += 1e-6;
  EXPECT_EQ(checkSymmetry(body).size(), 2u);  // once from each side
}

/// Table 1 of the paper, row by row.
TEST(BodyRules, MuscleGroupsHaveTheCountsOfLeesTable) {
  using Counts = std::map<std::pair<MuscleRegion, std::string>, int>;
  const auto N = MuscleRegion::HeadNeck, T = MuscleRegion::Trunk;
  const Counts expected = {{{N, "Iliocostalis thoracis"}, 2},
                           {{N, "Interspinalis"}, 12},
                           {{N, "Intertransversi"}, 28},
                           {{N, "Rotatores"}, 10},
                           {{N, "Semispinalis thoracis"}, 4},
                           {{N, "Trapezius"}, 4},
                           {{N, "Masseter"}, 2},
                           {{N, "Iliocostalis cervicis"}, 10},
                           {{N, "Longissimus capitis"}, 16},
                           {{N, "Longissimus cervicis"}, 10},
                           {{N, "Semispinalis cervicis"}, 12},
                           {{N, "Splenius capitis"}, 10},
                           {{N, "Semispinalis capitis"}, 18},
                           {{N, "Longus capitis"}, 8},
                           {{N, "Geniohyoid"}, 2},
                           {{N, "Longus colli"}, 14},
                           {{N, "Obliquus capitis"}, 4},
                           {{N, "Omohyoid"}, 2},
                           {{N, "Rectus capitis posterior"}, 4},
                           {{N, "Rectus capitis anterior"}, 2},
                           {{N, "Scalenes"}, 50},
                           {{N, "Sternocleidomastoid"}, 4},
                           {{N, "Sternohyoid"}, 2},
                           {{N, "Sternothyroid"}, 2},
                           {{N, "Stylohyoid"}, 2},
                           {{N, "Rectus capitis lateralis"}, 2},
                           {{N, "Levator scapulae"}, 16},
                           {{N, "Multifidus"}, 36},
                           {{N, "Mylohyoid"}, 2},
                           {{N, "Splenius cervicis"}, 8},
                           {{N, "Rhomboid minor"}, 2},
                           {{T, "Rectus abdominis"}, 6},
                           {{T, "Iliocostalis lumborum"}, 24},
                           {{T, "Iliocostalis thoracis"}, 18},
                           {{T, "Interspinalis"}, 14},
                           {{T, "Intertransversi"}, 34},
                           {{T, "Multifidus"}, 116},
                           {{T, "Rotatores"}, 30},
                           {{T, "Semispinalis thoracis"}, 8},
                           {{T, "Spinalis thoracis"}, 16},
                           {{T, "Trapezius"}, 10},
                           {{T, "External intercostal"}, 20},
                           {{T, "Pectoralis minor"}, 6},
                           {{T, "Serratus anterior"}, 16},
                           {{T, "Rhomboid major"}, 2},
                           {{T, "Quadratus lumborum"}, 10},
                           {{T, "Subclavius"}, 2},
                           {{T, "Iliocostalis cervicis"}, 2},
                           {{T, "Longissimus thoracis"}, 48},
                           {{T, "Serratus posterior inferior"}, 8},
                           {{T, "Internal intercostal"}, 20}};
  Counts found;
  int obliques = 0, arms = 0;
  for (const Muscle& m : human().muscles) {
    if (m.set != "lee2009") continue;
    if (m.group.find("oblique") != std::string::npos)
      ++obliques;
    else if (m.region == MuscleRegion::Arm)
      ++arms;
    else
      ++found[{m.region, m.group}];
  }
  EXPECT_EQ(obliques, 22);
  EXPECT_EQ(arms, 82);
  for (const auto& [key, count] : expected) EXPECT_EQ(found[key], count) << key.second;
  EXPECT_EQ(found.size(), expected.size());
}

}  // namespace
}  // namespace pneuma::anatomy
