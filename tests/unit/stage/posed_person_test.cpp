#include "pneuma/stage/posed_person.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/stage/complexion.h"
#include "tests/support/human.h"

namespace pneuma::stage {
namespace {

using ::testing::HasSubstr;

constexpr int kTriangles = 20000;

PosedPerson someone(const MotionSource& pose = {}) {
  const auto& body = *test::humanBody();
  return PosedPerson(body, body.subject, pose, std::nullopt, kTriangles);
}

/// A small picture with a plain background that no body has.
render::Image drawn(const PosedPerson& person, Shading shading, double span = 2,
                    const Vec3& middle = {0, 0.87, 0.1}) {
  render::RenderOptions o = lightFor(shading, {});
  o.width = 90, o.height = 90, o.samples = 4;
  o.ground = o.vignette = false;
  o.background = render::Color::hex(0x000000);
  return render::render(person.scene(shading),
                        render::Camera::closeUp(middle, span, render::View::Front, {.aspect = 1}),
                        o);
}

struct Seen {
  int pixels = 0;
  double redness = 0, brightness = 0;  ///< means
};
Seen look(const render::Image& image) {
  Seen s;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const render::Color c = image.at(x, y);
      if (c.r + c.g + c.b < 0.03f) continue;
      ++s.pixels;
      s.redness += static_cast<double>(c.r - c.b);
      s.brightness += static_cast<double>(c.r + c.g + c.b) / 3;
    }
  s.redness /= s.pixels, s.brightness /= s.pixels;
  return s;
}

TEST(PosedPerson, SkinIsRedderThanClayAndCoversTheSame) {
  const PosedPerson person = someone();
  const Seen clay = look(drawn(person, Shading::Clay)), skin = look(drawn(person, Shading::Skin));
  EXPECT_NEAR(clay.pixels, skin.pixels, 0.02 * clay.pixels);
  EXPECT_GT(skin.redness, clay.redness + 0.1);
}

TEST(PosedPerson, AnXrayShowsBonesBrighterThanTheFleshAroundThem) {
  // Half way down the left thigh: the femur in the middle of the limb.
  const render::Image image = drawn(someone(), Shading::Xray, 0.3, {0.11, 0.62, 0.1});
  std::vector<double> row;
  for (int x = 0; x < image.width; ++x) {
    const render::Color c = image.at(x, image.height / 2);
    row.push_back(static_cast<double>(c.r + c.g + c.b) / 3);
  }
  const auto bone = std::ranges::max_element(row);
  EXPECT_GT(*bone, 0.5);
  // Flesh to both sides of it is seen through.
  EXPECT_LT(*std::min_element(row.begin(), bone), 0.25);
  EXPECT_LT(*std::min_element(bone, row.end()), 0.25);
}

const TriangleMesh& partOf(const render::Scene& scene, const char* part) {
  const auto s = std::ranges::find(scene.surfaces, part, &render::Surface::name);
  if (s == scene.surfaces.end()) throw InputError(part);
  return s->mesh;
}
Vec3 middleOf(const render::Scene& scene, const char* part) {
  return boundingBox(partOf(scene, part).positions).center();
}

TEST(PosedPerson, MusclesGoWithTheBonesTheyLieOn) {
  const render::Scene rest = someone().scene(Shading::Anatomy);
  EXPECT_GT(rest.surfaces.size(), 300u);  // bones and muscles
  const PosedPerson person = someone({.joints = {"elbow_l=90", "shoulder_l.abduction=120"}});
  const render::Scene posed = person.scene(Shading::Anatomy);
  // From the middle of the radius to a muscle beside it: as long as before, and turned with it.
  const auto beside = [](const render::Scene& s) {
    return (middleOf(s, "extensor_digitorum_l") - middleOf(s, "radius_l")).norm();
  };
  EXPECT_NEAR(beside(posed), beside(rest), 0.02);
  EXPECT_GT(middleOf(posed, "extensor_digitorum_l").y(),
            middleOf(rest, "extensor_digitorum_l").y() + 0.3);
  // Elsewhere none moves by more than the skin that is kept over it.
  EXPECT_LT((middleOf(posed, "sartorius_l") - middleOf(rest, "sartorius_l")).norm(), 0.0015);
  // Where an arm leaves the trunk, too, they stay under the skin.
  const SurfaceQuery skin(person.skin());
  for (const Vec3& p : partOf(posed, "long_head_of_triceps_brachii_l").positions)
    EXPECT_LT(skin.signedDistance(p), 1e-4);
  // Without a skin nothing carries them.
  const auto& body = *test::humanBody();
  const PosedPerson bare(body, body.subject, {.joints = {"elbow_l=90"}}, std::nullopt, 0);
  EXPECT_THROW(bare.scene(Shading::Anatomy), InputError);
}

TEST(PosedPerson, ARaisedArmRaisesSkinAndBones) {
  const PosedPerson rest = someone(), raised = someone({.joints = {"shoulder_l.abduction=90"}});
  const Box before = rest.boxOf("hand"), after = raised.boxOf("hand");
  EXPECT_GT(after.min.y(), before.max.y() + 0.3);
  const auto hand = [](const PosedPerson& p) {
    const render::Scene scene = p.scene(Shading::Xray);
    const auto s = std::ranges::find(scene.surfaces, "hand_l", &render::Surface::name);
    return boundingBox(s->mesh.positions).center();
  };
  EXPECT_LT((hand(raised) - after.center()).norm(), 0.03);
}

TEST(PosedPerson, PartsAreFoundByName) {
  const PosedPerson person = someone();
  const Box head = person.boxOf("head");
  EXPECT_NEAR(head.max.y(), boundingBox(person.skin().positions).max.y(), 1e-9);
  EXPECT_LT(head.max.y() - head.min.y(), 0.35);
  EXPECT_GT(person.boxOf("foot").min.x(), 0);  // of pairs the left
  try {
    (void)person.boxOf("haed");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'head'?"));
  }
}

TEST(PosedPerson, WrongWordsNameTheNearest) {
  try {
    (void)shadingFromName("xrey");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'xray'?"));
  }
  const auto& body = *test::humanBody();
  EXPECT_THROW(PosedPerson(body, body.subject, {.posture = "standng"}, std::nullopt, 0),
               InputError);
  EXPECT_THROW(PosedPerson(body, body.subject, {.posture = "standing"}, 7, 0), InputError);
}

// Places of the measured man [m].
const Vec3 kLipPlace(0.005, 1.474, 0.2), kAreolaPlace(0.11, 1.23, 0.19), kThigh(0.12, 0.65, 0.15),
    kCrown(0.02, 1.65, 0.08), kChin(0.01, 1.455, 0.19);

double redness(const render::Color& c) {
  return static_cast<double>(c.r / (c.r + c.g + c.b));
}
double lightness(const render::Color& c) {
  return static_cast<double>(c.r + c.g + c.b) / 3;
}

TEST(Complexion, LipsAreRedAreolaeDarkHairDarkest) {
  const Complexion c;
  const render::Color plain = complexionAt(kThigh, c);
  // Away from every patch only the mottling is left.
  EXPECT_NEAR(plain.r, c.tone.r, 0.05);
  EXPECT_NEAR(plain.g, c.tone.g, 0.05);
  EXPECT_GT(redness(complexionAt(kLipPlace, c)), redness(plain) + 0.02);
  EXPECT_LT(lightness(complexionAt(kAreolaPlace, c)), lightness(plain) - 0.15);
  EXPECT_LT(lightness(complexionAt(kCrown, c)), lightness(complexionAt(kAreolaPlace, c)));
}

TEST(Complexion, MenHaveTheShadeOfABeard) {
  const render::Color man = complexionAt(kChin, {.sex = anatomy::Sex::Male}),
                      woman = complexionAt(kChin, {.sex = anatomy::Sex::Female});
  EXPECT_LT(lightness(man), lightness(woman) - 0.02);
  EXPECT_EQ(complexionAt(kThigh, {.sex = anatomy::Sex::Male}),
            complexionAt(kThigh, {.sex = anatomy::Sex::Female}));
}

TEST(Complexion, PatchesAreTheSameOnBothSidesMottlingIsNot) {
  const Complexion c;
  for (const Vec3& p : {kLipPlace, kAreolaPlace, kThigh}) {
    const render::Color left = complexionAt(p, c), right = complexionAt({-p.x(), p.y(), p.z()}, c);
    EXPECT_NEAR(left.g, right.g, 0.1);
    EXPECT_NE(left, right);
  }
}

/// Mean over the width of the forehead at a height over the hair's rim.
double foreheadAt(double over) {
  double sum = 0;
  constexpr int kPlaces = 400;
  for (int i = 0; i < kPlaces; ++i)
    sum += lightness(complexionAt({-0.03 + 1.5e-4 * i, 1.617 + over, 0.18}, {})) / kPlaces;
  return sum;
}

/// It once ended in a step, and the head wore a cap.
TEST(Complexion, HairThinsOutAtItsRim) {
  const double skin = foreheadAt(-0.02), hair = foreheadAt(0.03);
  EXPECT_GT(skin - hair, 0.2);
  double before = skin;
  for (const double over : {-0.006, 0.0, 0.006, 0.012}) {
    const double here = foreheadAt(over);
    EXPECT_LT(here, before + 0.02) << over;
    EXPECT_LT(before - here, 0.5 * (skin - hair)) << over;
    before = here;
  }
}

/// The line between the lips was so dark that mouths seemed open.
TEST(Complexion, ClosedLipsHaveNoDarkGap) {
  const Complexion woman{.sex = anatomy::Sex::Female};
  double darkest = 1;
  for (double y = 1.472; y < 1.486; y += 1e-4)
    darkest = std::min(darkest, lightness(complexionAt({0.004, y, 0.2}, woman)));
  EXPECT_GT(darkest, 0.75 * lightness(complexionAt(kLipPlace, woman)));
  EXPECT_LT(darkest, 0.98 * lightness(complexionAt(kLipPlace, woman)));  // and there is a line
}

TEST(Complexion, PoresAreShallow) {
  double deepest = 0;
  for (int i = 0; i < 1000; ++i)
    deepest = std::max(deepest, std::abs(poreHeight({0.1, 1.0 + 1e-4 * i, 0.1})));
  EXPECT_GT(deepest, 5e-6);
  EXPECT_LT(deepest, 5e-5);
}

}  // namespace
}  // namespace pneuma::stage
