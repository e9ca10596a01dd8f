// Volumes of the body's flesh: kept in deep bends, and handed on from the wall of the belly.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "pneuma/body/living_simulation.h"
#include "pneuma/body/living_skin.h"
#include "pneuma/core/index.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/stage/skin_meter.h"
#include "tests/support/human_breath.h"
#include "tests/verify/flesh/posed_man.h"

namespace pneuma::body {
namespace {

using namespace flesh::embedded;

/// The default man and what his flesh at the coarsest level is made from.
struct Subject : PosedMan {
  TriangleMesh noSkin = makeSphere(0.01, 0, model.compiled.links[0].center);

  static const Subject& get() {
    static const Subject subject;
    return subject;
  }
  BodyFlesh flesh(FleshPreset preset, bool walls) const {
    return *makeFlesh(model, *test::humanBody(), model.compiled,
                      {.level = FleshLevel::Preview, .preset = preset, .walls = walls}, cache);
  }
};

/// Hips of 95 and knees of 115 degrees by flesh of the paper's constants, in four poses.
skin::FleshPoseReport squatted(BodyFlesh flesh, bool kept) {
  const Subject& subject = Subject::get();
  if (!kept) flesh.fleshKept = flesh.muscleKept = 1;
  skin::FleshDriver driver(std::make_shared<const BodyFlesh>(std::move(flesh)), subject.noSkin, {},
                           {.contact = false});
  for (int k = 1; k <= 4; ++k) {
    const double part = degreesToRadians(1) * k / 4;
    const std::vector<Pose> bones = subject.bones({{"hip_l.flexion", 95 * part},
                                                   {"hip_r.flexion", 95 * part},
                                                   {"knee_l.flexion", 115 * part},
                                                   {"knee_r.flexion", 115 * part}});
    skin::SkinInputs inputs;
    inputs.bones = bones;
    driver.solve(inputs);
  }
  return driver.report();
}

TEST(FleshVolumes, StiffFleshBetweenBonesKeepsThem) {
  const BodyFlesh flesh = Subject::get().flesh(FleshPreset::Lee2009, false);
  const skin::FleshPoseReport let = squatted(flesh, false), kept = squatted(flesh, true);
  EXPECT_EQ(let.volumeRounds, 0);
  EXPECT_GT(std::abs(let.volumes.flesh - 1), 1.2e-3);
  EXPECT_GT(std::abs(let.volumes.worst - 1), 0.02);
  EXPECT_GT(kept.volumeRounds, 0);
  EXPECT_LT(std::abs(kept.volumes.flesh - 1), 1e-3);
  EXPECT_LT(std::abs(kept.volumes.worst - 1), 0.02);
  EXPECT_EQ(kept.measures.inverted, 0);
}

/// The top of a deep breath of 2.2 l, standing.
std::unique_ptr<LivingSimulation> deepBreath() {
  const LivingModel& model = Subject::get().model;
  LivingSettings standing;
  standing.motion = skeleton::makePoseTrack(
      model.tree, skeleton::makePosture(*model.body, model.compiled, model.tree, "standing"));
  standing.style = test::humanStyle("deep");
  auto run = std::make_unique<LivingSimulation>(model, std::move(standing));
  run->run(2.5);
  return run;
}

/// What springs tie to the front of the abdominal wall goes with it, through cells that are 29 mm
/// wide.
TEST(FleshVolumes, TheFrontOfTheBellyGoesWithItsWall) {
  const Subject& subject = Subject::get();
  const auto flesh = std::make_shared<const BodyFlesh>(subject.flesh(FleshPreset::Human, true));
  const auto run = deepBreath();
  LivingFlesh living(subject.model, flesh, subject.noSkin, {.contact = false});
  std::vector<Vec3> unused(subject.noSkin.vertexCount());
  living.pose(run->state(), run->now(), unused);
  // Places of the wall, and of the flesh that is tied to them.
  const std::span<const Vec3> nodes = living.driver().nodes();
  const Lattice& l = *flesh->model.lattice;
  std::vector<Vec3> targets;
  std::vector<std::vector<Vec3>> walls;
  for (const auto* triangles : {&subject.model.cage.dome, &subject.model.cage.wall}) {
    std::vector<std::int32_t> used;
    for (const Triangle& t : *triangles) used.insert(used.end(), t.begin(), t.end());
    std::ranges::sort(used);
    used.erase(std::ranges::unique(used).begin(), used.end());
    for (walls.emplace_back(); const std::int32_t i : used)
      walls.back().push_back(run->now().cage().points()[at(i)]);
  }
  const std::vector<std::span<const Vec3>> spans(walls.begin(), walls.end());
  flesh->targets(living.bones(), spans, targets);
  double forwards = 0, apart = 0;
  int count = 0;
  for (std::size_t a = flesh->boneAnchors.size(); a < targets.size(); ++a) {
    const LatticePlace& place = flesh->model.anchors[a].place;
    Vec3 rest = Vec3::Zero(), now = Vec3::Zero();
    for (std::size_t k = 0; k < 4; ++k) {
      const double w = place.weights[static_cast<Eigen::Index>(k)];
      rest += w * l.nodes[at(l.tets[at(place.tet)][k])];
      now += w * nodes[at(l.tets[at(place.tet)][k])];
    }
    // The height of a hand around the navel.
    if (std::abs(rest.x()) > 0.025 || rest.z() < 0.15 || std::abs(rest.y() - 1.06) > 0.08) continue;
    forwards += (targets[a] - rest).z();
    apart += std::abs((now - targets[a]).z());
    ++count;
  }
  ASSERT_GT(count, 20);
  EXPECT_GT(forwards / count, 5e-3);
  EXPECT_LT(apart / count, 0.1 * forwards / count);
  std::printf("front of the wall %.2f mm forwards, its flesh %.2f mm from it\n",
              1e3 * forwards / count, 1e3 * apart / count);
}

/// Less of it reaches the skin: the layer outside does not compress, and ribs that rise draw it out
/// lengthwise. The skin of weights, whose breath is scaled to the gas, shows what the wall does.
TEST(FleshVolumes, OfTheWallsBreathALittleReachesTheSkin) {
  const Subject& subject = Subject::get();
  const anatomy::SkinSurface surface =
      anatomy::makeSkinSurface(anatomy::skinModelOf(*test::humanBody()), *test::humanBody(),
                               subject.model.body->person, {.triangles = 20000}, subject.cache);
  const stage::SkinMeter meter(*subject.model.body, surface.mesh, subject.cache);
  const auto run = deepBreath();
  LivingFlesh living(subject.model,
                     std::make_shared<const BodyFlesh>(subject.flesh(FleshPreset::Human, true)),
                     surface.mesh, {.contact = false});
  LivingSkin weights(subject.model, surface, subject.cache);
  constexpr auto kBelly = static_cast<std::size_t>(stage::TapeSite::Belly);
  std::vector<Vec3> x(surface.mesh.vertexCount());
  // Girth and front of the belly against rest [mm].
  const auto read = [&](const char* what) {
    const stage::SkinReading rest =
        meter.read(surface.mesh.positions, std::vector<Pose>(subject.model.body->bones.size()));
    const stage::SkinReading now = meter.read(x, living.bones());
    const std::array<double, 2> more{1e3 * (now.girths[kBelly] - rest.girths[kBelly]),
                                     1e3 * (now.fronts[kBelly] - rest.fronts[kBelly])};
    std::printf("belly by %s: girth %+.1f mm, front %+.1f mm\n", what, more[0], more[1]);
    return more;
  };
  living.pose(run->state(), run->now(), x);
  const auto flesh = read("flesh");
  weights.pose(run->state(), run->now(), x);
  const auto scaled = read("weights");
  const breath::TorsoMeasures &now = run->samples().back(), &rest = run->samples().front();
  std::printf("the wall itself: girth %+.1f mm, navel %+.1f mm\n",
              1e3 * (now.girth[2] - rest.girth[2]), 1e3 * (now.belly - rest.belly));
  EXPECT_GT(flesh[1], 2);
  EXPECT_GT(flesh[0], -2);
  EXPECT_GT(scaled[0], 8);
  EXPECT_GT(now.belly - rest.belly, 5e-3);
}

}  // namespace
}  // namespace pneuma::body
