#include "pneuma/anatomy/fitted_map.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/check.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/anatomy/points.h"
#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "pneuma/io/atomic_file.h"
#include "tests/support/human.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::anatomy {
namespace {

constexpr FittedPart kParts[] = {FittedPart::Trunk,   FittedPart::Girdle, FittedPart::UpperArm,
                                 FittedPart::Forearm, FittedPart::Hand,   FittedPart::Thigh,
                                 FittedPart::Shank,   FittedPart::Foot};

Vec3 pointOf(const Body& body, const char* name) {
  std::vector<Diagnostic> findings;
  return PointTable(body, findings).find(name).valueOrThrow().position;
}

LimbJoints jointsIn(const Body& body) {
  return {pointOf(body, "humerus_l:head_center"), pointOf(body, "humerus_l:elbow_joint"),
          pointOf(body, "hand_l:wrist_center"),   pointOf(body, "femur_l:head_center"),
          pointOf(body, "femur_l:knee_joint"),    pointOf(body, "talus_l:ankle_joint")};
}

Person woman() {
  Person p;
  p.sex = Sex::Female, p.height = 1.66, p.mass = 61;
  return p;
}

/// Shapes that change nothing, told against a person.
FittedShapes sameShapes(const Person& person) {
  FittedShapes s;
  s.character = "hero.glb";
  s.sex = person.sex, s.height = person.height, s.mass = person.mass;
  s.joints = jointsIn(fitToPerson(*test::humanBody(), person));
  s.topology = 0x0123456789abcdef;
  s.skin = {{0.1, 0.2, 0.3}, {-0.1, 1.7, 0.25}, {0, 0, 0}};
  return s;
}

/// A wide chest on long legs, a large head, short arms.
FittedShapes otherShapes(const Person& person) {
  FittedShapes s = sameShapes(person);
  s.pelvis = {.width = 1.05, .height = 0.97, .rise = 0.06, .depth = 1.02, .lean = 0.01};
  s.cage = {
      .width = 1.15, .height = 0.98, .rise = 0.05, .depth = 1.08, .lean = -0.02, .forward = 0.03};
  s.head = {.width = 1.2, .height = 1.2, .rise = -0.24, .depth = 1.2, .forward = 0.01};
  s.joints.shoulder += Vec3(0.03, 0.02, 0.01);
  s.joints.elbow =
      s.joints.shoulder + 0.9 * (jointsIn(fitToPerson(*test::humanBody(), person)).elbow -
                                 jointsIn(fitToPerson(*test::humanBody(), person)).shoulder);
  s.joints.wrist = s.joints.elbow + Vec3(0.02, -0.22, 0.03);
  s.joints.hip = s.pelvis(s.joints.hip);
  s.joints.knee = s.joints.hip + Vec3(0, -0.43, 0);
  s.joints.ankle = s.joints.knee + Vec3(0, -0.41, -0.02);
  s.hand = 0.9, s.foot = 1.1;
  return s;
}

TEST(FittedMap, ShapesOfThePersonItselfChangeNothing) {
  const Body plain = fitToPerson(*test::humanBody(), woman());
  const Body same = fitToPerson(withFit(*test::humanBody(), sameShapes(woman())), woman());
  ASSERT_EQ(plain.segments.size(), same.segments.size());
  for (std::size_t i = 0; i < plain.segments.size(); ++i) {
    EXPECT_LT((plain.segments[i].center - same.segments[i].center).norm(), 1e-12);
    EXPECT_NEAR(plain.segments[i].mass, same.segments[i].mass, 1e-9);
  }
  EXPECT_NEAR(thoracicCavity(trunkAnatomy(same)) / thoracicCavity(trunkAnatomy(plain)), 1, 1e-9);
  EXPECT_FALSE(isFitted(same)) << "a body that is fitted already is not fitted again";
}

TEST(FittedMap, JointsOfTheBodyAreThoseOfTheFit) {
  const FittedShapes shapes = otherShapes(woman());
  const Body body = fitToPerson(withFit(*test::humanBody(), shapes), woman());
  const LimbJoints found = jointsIn(body);
  EXPECT_LT((found.shoulder - shapes.joints.shoulder).norm(), 1e-9);
  EXPECT_LT((found.elbow - shapes.joints.elbow).norm(), 1e-9);
  EXPECT_LT((found.wrist - shapes.joints.wrist).norm(), 1e-9);
  EXPECT_LT((found.hip - shapes.joints.hip).norm(), 1e-9);
  EXPECT_LT((found.knee - shapes.joints.knee).norm(), 1e-9);
  EXPECT_LT((found.ankle - shapes.joints.ankle).norm(), 1e-9);
  // The socket of the shoulder blade goes along with the arm, the acetabulum is in the pelvis.
  EXPECT_TRUE(checkSymmetry(body).empty());
  double mass = 0;
  for (const Segment& s : body.segments) mass += s.mass;
  EXPECT_NEAR(mass, woman().mass, 1e-6);
}

TEST(FittedMap, AWideCageHoldsMoreByItsChangeOfVolume) {
  FittedShapes shapes = sameShapes(woman());
  shapes.cage = {.width = 1.1, .depth = 1.05};
  shapes.pelvis = shapes.head = shapes.cage;
  const Body plain = fitToPerson(*test::humanBody(), woman());
  const Body wide = fitToPerson(withFit(*test::humanBody(), shapes), woman());
  const double ratio = thoracicCavity(trunkAnatomy(wide)) / thoracicCavity(trunkAnatomy(plain));
  // Ribs grow less than the space between them (their radii by the cube root): a little more room.
  EXPECT_NEAR(ratio, 1.1 * 1.05, 0.02);
  EXPECT_NEAR(pointOf(wide, "rib_07_l:centreline@1").x(),
              1.1 * pointOf(plain, "rib_07_l:centreline@1").x(), 1e-9);
}

TEST(FittedMap, InverseLeadsBackAndJacobianIsItsDerivative) {
  const FittedMap map(fitToPerson(*test::humanBody(), woman()), otherShapes(woman()));
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    const Vec3 p(random.uniform(-0.3, 0.3), random.uniform(0, 1.66), random.uniform(-0.1, 0.3));
    EXPECT_LT((map.toPerson(map(FittedPart::Trunk, p)) - p).norm(), 1e-11);
    for (const FittedPart part : kParts) {
      constexpr double kStep = 1e-6;
      const Mat3 j = map.jacobian(part, p);
      EXPECT_GT(j.determinant(), 0);
      for (int axis = 0; axis < 3; ++axis) {
        Vec3 d = Vec3::Zero();
        d[axis] = kStep;
        if (std::abs(p.x()) < 2 * kStep) continue;
        const Vec3 slope = (map(part, p + d) - map(part, p - d)) / (2 * kStep);
        EXPECT_LT((slope - j.col(axis)).norm(), 1e-6);
      }
      const Vec3 a = map(part, p), b = map(part, Vec3(-p.x(), p.y(), p.z()));
      EXPECT_EQ(a.x(), -b.x());
      EXPECT_EQ(a.y(), b.y());
    }
  }
}

TEST(FittedMap, MusclesOfLongerBonesHaveLongerFibres) {
  const Person person = woman();
  FittedShapes longer = sameShapes(person);
  longer.joints.elbow += 0.2 * (longer.joints.elbow - longer.joints.shoulder);
  longer.joints.wrist += 0.2 * (sameShapes(person).joints.elbow - longer.joints.shoulder);
  const Body plain = fitToPerson(*test::humanBody(), person);
  const Body there = fitToPerson(withFit(*test::humanBody(), longer), person);
  int lengthened = 0;
  for (std::size_t i = 0; i < plain.muscles.size(); ++i) {
    const Muscle &a = plain.muscles[i], &b = there.muscles[i];
    if (!a.fiberLength) continue;
    if (a.region == MuscleRegion::Leg) {
      EXPECT_NEAR(*b.fiberLength, *a.fiberLength, 1e-9) << a.name;
      continue;
    }
    if (*b.fiberLength > 1.05 * *a.fiberLength) ++lengthened;
    EXPECT_NEAR(b.pcsa * b.tension, a.pcsa * a.tension, 1e-9 * std::abs(a.pcsa * a.tension))
        << a.name;
  }
  EXPECT_GT(lengthened, 0);
}

TEST(FittedMap, AFoldedTrunkIsRefused) {
  FittedShapes shapes = sameShapes(woman());
  shapes.cage.rise = -0.5;
  EXPECT_THROW(FittedMap(fitToPerson(*test::humanBody(), woman()), shapes), InputError);
}

TEST(FittedShapes, ComeBackFromTheTextOfABody) {
  const FittedShapes shapes = otherShapes(woman());
  Body body;
  body.name = "hero";
  const std::string text = bodyText(withFit(body, shapes));
  const auto source = [&](const std::string&) -> Result<std::string> { return text; };
  const Result<Body> read = readBody("hero.toml", source);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read.diagnostics().empty());
  EXPECT_EQ(bodyText(*read), text);
  const std::optional<FittedShapes> back = fittedShapes(*read);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->character, shapes.character);
  EXPECT_EQ(back->topology, shapes.topology);
  EXPECT_EQ(back->cage.lean, shapes.cage.lean);
  EXPECT_EQ(back->joints.knee, shapes.joints.knee);
  ASSERT_EQ(back->skin.size(), shapes.skin.size());
  for (std::size_t v = 0; v < shapes.skin.size(); ++v)
    EXPECT_LT((back->skin[v] - shapes.skin[v]).norm(), 2e-7);  // 32-bit floats
  EXPECT_FALSE(fittedShapes(withoutFit(*read)));
}

TEST(FittedShapes, AFileIncludesTheBodyItWasMadeFrom) {
  Body body = withFit(*test::humanBody(), otherShapes(woman()));
  body.name = "hero \"of\" ours";
  body.person = woman();
  const std::string text = fittedBodyText(body);
  EXPECT_NE(text.find("\"pneuma:body/human.toml\""), std::string::npos) << text.substr(0, 300);
  const test::ScratchFolder folder;
  io::writeFile(folder.path() / "hero.toml", text);
  const Body back = loadBody(folder.path() / "hero.toml").valueOrThrow();
  EXPECT_EQ(back.name, body.name);
  EXPECT_EQ(back.person.height, woman().height);
  EXPECT_EQ(back.person.mass, woman().mass);
  // The same body to the last bit but for its name: one skin fits both.
  ASSERT_EQ(back.skinEnvelope.size(), body.skinEnvelope.size());
  for (std::size_t i = 0; i < back.skinEnvelope.size(); ++i)
    EXPECT_EQ(contentHash(back.skinEnvelope[i].shape), contentHash(body.skinEnvelope[i].shape));
  EXPECT_EQ(back.subject.height, body.subject.height);
  EXPECT_EQ(fittedShapes(back)->cage.width, otherShapes(woman()).cage.width);
}

/// The first error of a body text, or "".
std::string errorOf(const std::string& text) {
  const auto source = [&](const std::string&) -> Result<std::string> { return text; };
  const Result<Body> read = readBody("hero.toml", source);
  return read ? "" : read.diagnostics().front().toString();
}

std::string replacedIn(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(FittedShapes, DamageAndOtherVersionsAreSaidWithFileAndField) {
  const std::string text = bodyText(withFit(Body{}, sameShapes(woman())));
  EXPECT_EQ(errorOf(text), "");
  const std::string version = errorOf(replacedIn(text, "version = 1", "version = 7"));
  EXPECT_NE(version.find("hero.toml:"), std::string::npos) << version;
  EXPECT_NE(version.find("is 7"), std::string::npos) << version;
  EXPECT_NE(version.find("fit the character again"), std::string::npos) << version;
  const std::size_t skin = text.find("skin = \"") + 8;
  std::string changed = text;
  changed[skin + 3] = changed[skin + 3] == 'A' ? 'B' : 'A';
  EXPECT_NE(errorOf(changed).find("is damaged"), std::string::npos) << errorOf(changed);
  EXPECT_NE(errorOf(replacedIn(text, "knee", "nee")).find("knee"), std::string::npos);
  EXPECT_NE(errorOf(replacedIn(text, "cage = [", "cage = [1, ")).find("cage"), std::string::npos);
  EXPECT_NE(errorOf(replacedIn(text, "hand = 1", "hand = 50")).find("hand"), std::string::npos);
}

TEST(FittedShapes, BelongToOnePerson) {
  const Body body = withFit(*test::humanBody(), sameShapes(woman()));
  Person other = woman();
  other.age = 55;
  EXPECT_NO_THROW(fitToPerson(body, other)) << "age changes lungs and strength, not shapes";
  other.height = 1.8;
  try {
    fitToPerson(body, other);
    FAIL() << "another height";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("hero.glb"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace pneuma::anatomy
