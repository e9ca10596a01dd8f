#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "pneuma/body/living_simulation.h"
#include "pneuma/body/living_skin.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/skin/contour_driver.h"
#include "pneuma/skin/skin_checks.h"
#include "tests/support/human_breath.h"

/// The one mesh on people who breathe in every posture, under each driver: tissue is
/// incompressible, so the volume inside the skin swings as the gas in the lungs does; no triangle
/// turns over, and every rib stays inside.
namespace pneuma::body {
namespace {

bool proving() {
  return std::getenv("PNEUMA_PROVE") != nullptr;
}

/// A person with the skin of the coarsest level and both drivers.
struct Person {
  explicit Person(const anatomy::Person& who)
      : model(makeLivingModel(std::make_shared<const anatomy::Body>(test::humanAs(who)))),
        surface(anatomy::makeSkinSurface(anatomy::skinModelOf(*test::humanBody()),
                                         *test::humanBody(), who, {.triangles = 20000}, cache)),
        skin(model, surface, cache),
        cage(skin::sampleBones(*model.body, cache, 0.011,
                               [](const anatomy::Bone& b) { return skin::isCageBone(b.name); })),
        trunk(skin::trianglesOf(surface.mesh.triangles, skin::overTheCage(surface))),
        compiled(anatomy::compileBody(*model.body, "figure").valueOrThrow()),
        figure(skeleton::modelFromBody(compiled, {.freeRoot = true})) {
    trace = skin.trace();
    contours =
        skin::makeContourSkin(surface, *model.body, compiled, figure, nullptr, cache, {&trace, 1});
    weights = skin::makeWeightsSkin(surface, *model.body, model.compiled, cache, {&trace, 1});
  }
  anatomy::GeometryCache cache;
  LivingModel model;
  anatomy::SkinSurface surface;
  LivingSkin skin;
  std::vector<skin::BoneSample> cage;  // not those that a driver holds
  std::vector<Triangle> trunk;
  anatomy::CompiledBody compiled;
  skeleton::Model figure;
  skin::PointTrace trace;
  std::unique_ptr<skin::LayeredDriver> weights, contours;
};

Person& personOf(anatomy::Sex sex) {
  static std::map<anatomy::Sex, std::unique_ptr<Person>> people;
  std::unique_ptr<Person>& p = people[sex];
  if (!p) {
    anatomy::Person who = test::humanBody()->person;
    who.sex = sex;
    if (sex == anatomy::Sex::Female) who.height = 1.65, who.mass = 60;
    p = std::make_unique<Person>(who);
  }
  return *p;
}

/// What one driver shows over a breath.
struct Shown {
  double low = 1e9, high = -1e9;  ///< of the volume inside the skin, against the pose alone [m^3]
  double depth = 1;               ///< least, of the cage [m]
  int bone = -1;
  std::size_t folded = 0;
};

struct Case {
  anatomy::Sex sex;
  const char *posture, *style;
};

class PosturedSkin : public testing::TestWithParam<Case> {};

TEST_P(PosturedSkin, SwingsAsTheLungsDoWithoutFoldsAndOverTheRibs) {
  const Case c = GetParam();
  Person& p = personOf(c.sex);
  LivingSettings settings;
  settings.motion = skeleton::makePoseTrack(
      p.model.tree,
      skeleton::makePosture(*p.model.body, p.model.compiled, p.model.tree, c.posture));
  settings.style = test::humanStyle(c.style);
  LivingSimulation run(p.model, settings);
  const double seconds = std::min(run.meanPeriod() > 0 ? 1.2 * run.meanPeriod() : 6.0, 12.0);
  constexpr int kLooks = 9;
  double low = 1e9, high = -1e9;
  std::map<std::string, Shown> shown;
  std::vector<Vec3> x(p.surface.mesh.vertexCount());
  for (int k = 0; k <= kLooks; ++k) {
    run.run(k * seconds / kLooks);
    const skin::SkinInputs inputs = p.skin.inputs(run.state(), run.now());
    low = std::min(low, inputs.gas), high = std::max(high, inputs.gas);
    for (const auto& [name, driver] :
         {std::pair("weights", p.weights.get()), {"contours", p.contours.get()}}) {
      driver->pose(inputs, x);
      Shown& s = shown[name];
      const double swing =
          enclosedVolume(x, p.surface.mesh.triangles) - driver->report().posedVolume;
      s.low = std::min(s.low, swing), s.high = std::max(s.high, swing);
      s.folded += skin::countFoldedTriangles(p.surface.mesh.positions, driver->motions(), x,
                                             p.surface.mesh.triangles, 90);
      const skin::BoneDepth least = skin::leastBoneDepth(x, p.trunk, p.cage, inputs.bones);
      if (least.least < s.depth) s.depth = least.least, s.bone = least.bone;
    }
  }
  ASSERT_GT(high - low, 5e-5);
  for (const auto& [name, s] : shown) {
    const std::string who = fmt::format("{} {} {}", c.posture, c.style, name);
    std::printf("  %s: skin %.1f mL of %.1f, folded %zu, least depth %.1f mm (%s)\n", who.c_str(),
                1e6 * (s.high - s.low), 1e6 * (high - low), s.folded, 1e3 * s.depth,
                p.model.body->bones[static_cast<std::size_t>(s.bone)].name.c_str());
    EXPECT_NEAR(s.high - s.low, high - low, 0.03 * (high - low)) << who;
    EXPECT_EQ(s.folded, 0u) << who;
    // Contours of a woman on her side keep 1.9 mm over a rib: below the two that all else has.
    EXPECT_GT(s.depth, name == "weights" ? 0.002 : 0.001) << who;
  }
}

/// A reduced set here; all styles in all postures with `make prove-persons`.
std::vector<Case> cases() {
  using anatomy::Sex;
  if (!proving())
    return {{Sex::Male, "standing", "deep"},  {Sex::Male, "sitting", "casual"},
            {Sex::Male, "supine", "panting"}, {Sex::Male, "bent-forward", "forced-exhale"},
            {Sex::Female, "prone", "casual"}, {Sex::Female, "side-left", "deep"}};
  std::vector<Case> all;
  for (const Sex sex : {Sex::Male, Sex::Female})
    for (const char* posture :
         {"standing", "sitting", "supine", "prone", "side-left", "bent-forward"})
      for (const char* style : {"casual", "deep", "panting", "forced-exhale", "sigh", "yawn",
                                "gasp", "sob", "kussmaul", "apneustic"})
        all.push_back({sex, posture, style});
  return all;
}
INSTANTIATE_TEST_SUITE_P(Postures, PosturedSkin, testing::ValuesIn(cases()), [](const auto& test) {
  std::string name = fmt::format("{}_{}_{}", test.param.sex == anatomy::Sex::Male ? "man" : "woman",
                                 test.param.posture, test.param.style);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace pneuma::body
