#include <gtest/gtest.h>

#include <chrono>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/person.h"
#include "pneuma/breath/breath_simulation.h"
#include "pneuma/core/parallel.h"
#include "pneuma/io/bvh.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/retarget.h"
#include "pneuma/skeleton/rhythm.h"
#include "pneuma/skin/layered_driver.h"
#include "pneuma/skin/skin_checks.h"
#include "pneuma/skin/torso_traces.h"
#include "tests/support/count_allocations.h"
#include "tests/support/shared_data.h"

namespace pneuma::skin {
namespace {

/// The default man: fitted body, his skin at the smallest level, a torso that breathes.
struct Man {
  anatomy::Body measured = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  anatomy::Body body = anatomy::fitToPerson(measured, measured.person);
  anatomy::GeometryCache cache;
  anatomy::SkinSurface surface = anatomy::makeSkinSurface(
      anatomy::loadSkinModel(), measured, measured.person, {.triangles = 20000}, cache);
  anatomy::CompiledBody compiled = anatomy::compileBody(body, "figure").valueOrThrow();
  skeleton::Model model = skeleton::modelFromBody(compiled, {.freeRoot = true});
  std::vector<BoneSample> cage = sampleCage(body, cache);

  std::vector<Vec3> pose(SkinDriver& driver, const SkinInputs& inputs) const {
    std::vector<Vec3> x(surface.mesh.vertexCount());
    driver.pose(inputs, x);
    return x;
  }
};
const Man& man() {
  static const Man one;
  return one;
}

/// A person who breathes in a style, with the traces that skin follows.
struct Breather {
  breath::BreathSimulation run;
  TorsoTraces traces;
  explicit Breather(const std::string& style, breath::Posture posture = breath::Posture::Upright)
      : run(settings(style, posture)), traces(run.model(), man().body) {}
  static breath::BreathSettings settings(const std::string& style, breath::Posture posture) {
    breath::BreathSettings s;
    s.torso = breath::makeTorsoConfig("default");
    s.torso.posture = posture;
    s.style = style;
    s.arms = std::make_shared<const anatomy::Body>(man().measured);
    return s;
  }
  SkinInputs now() {
    breath::updatePoints(run.model(), run.state(), run.workspace());
    std::vector<Pose> bodies;
    for (int b = 0; b < breath::kBodyCount; ++b) {
      const Pose pose = breath::bodyPose(run.model(), run.state(), b);
      const Vec3& origin = run.model().parts[static_cast<std::size_t>(b)].origin;
      bodies.push_back({pose.rotation, pose.position - pose.rotation * origin});
    }
    for (int b = breath::kBodyCount; b < breath::kAllBodyCount; ++b)
      bodies.push_back(run.layer()->motion(b));
    return traces.follow(run.workspace().points(), bodies, run.workspace().reading().lungVolume);
  }
};

TEST(LivingSkin, SwingsAsTheLungsDoWithoutFoldsAndOverTheRibs) {
  std::unique_ptr<LayeredDriver> driver;
  for (const char* style : {"casual", "deep", "panting", "forced-exhale"}) {
    Breather b(style);
    if (!driver)
      driver = makeWeightsSkin(man().surface, man().body, man().compiled, man().cache,
                               b.traces.traces());
    double low = 1, high = -1, lungLow = 1, lungHigh = -1, most = 0, push = 0;
    std::size_t folded = 0;
    BoneDepth least{1, -1, Vec3::Zero()};
    for (int i = 1; i <= 20; ++i) {
      b.run.run(0.25 * i);
      const SkinInputs inputs = b.now();
      const std::vector<Vec3> x = man().pose(*driver, inputs);
      const double v = enclosedVolume(x, man().surface.mesh.triangles);
      low = std::min(low, v), high = std::max(high, v);
      lungLow = std::min(lungLow, inputs.gas), lungHigh = std::max(lungHigh, inputs.gas);
      most = std::max(most, std::abs(driver->report().correction));
      push = std::max(push, driver->report().push);
      folded += countFoldedTriangles(man().surface.mesh.positions, driver->motions(), x,
                                     man().surface.mesh.triangles);
      const BoneDepth d = leastBoneDepth(x, man().surface.mesh.triangles, man().cage, inputs.bones);
      if (d.least < least.least) least = d;
    }
    std::printf(
        "%s: lungs %.0f mL, skin %.0f mL, correction %.2f mm, push %.2f mm, folded %zu, rib %.2f "
        "mm (%s)\n",
        style, 1e6 * (lungHigh - lungLow), 1e6 * (high - low), 1e3 * most, 1e3 * push, folded,
        1e3 * least.least,
        man().body.bones[static_cast<std::size_t>(std::max(least.bone, 0))].name.c_str());
    EXPECT_NEAR(high - low, lungHigh - lungLow, 0.03 * (lungHigh - lungLow)) << style;
    EXPECT_EQ(folded, 0u) << style;
    EXPECT_GT(least.least, 0.002) << style;
  }
}

}  // namespace
}  // namespace pneuma::skin
