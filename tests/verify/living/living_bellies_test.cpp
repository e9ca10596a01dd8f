#include <gtest/gtest.h>

#include "pneuma/body/living_simulation.h"
#include "pneuma/body/living_skin.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/skeleton/step.h"
#include "pneuma/skin/skin_checks.h"
#include "tests/support/human_breath.h"

/// Muscle bellies as parts of the living body: links, cage and bellies in one step.
namespace pneuma::body {
namespace {

constexpr double kBellyStep = 0.004;  // [s]

LivingModel bellied() {
  LivingOptions options;
  options.bellies.emplace();
  return makeLivingModel(test::humanBody(), options);
}
const LivingModel& belliedMan() {
  static const LivingModel model = bellied();
  return model;
}

TEST(LivingBellies, TheBodyWeighsWhatItDidAndRestsAsItDid) {
  const LivingModel& m = belliedMan();
  const LivingModel plain = makeLivingModel(test::humanBody());
  LivingWorkspace w(m);
  ASSERT_NE(w.bellies(), nullptr);
  std::printf("  %.1f kg in bellies\n", w.bellies()->mass());
  EXPECT_GT(w.bellies()->mass(), 5);  // measured 6.2: thin links have no more to give
  EXPECT_NEAR(m.tree.totalMass() + w.bellies()->mass(), plain.tree.totalMass(), 1e-9);
  LivingState s = makeLivingState(m, m.tree.neutral);
  for (int i = 0; i < 100; ++i) step(m, s, {}, w, kBellyStep);
  refresh(m, s, w);
  EXPECT_NEAR(w.cage().reading().lungVolume, m.cage.restLung, 1e-8);
  EXPECT_LT(w.bellies()->largestSwing(), 1e-6);
}

/// What a body without weight, its spine and limbs held but floating freely, loses of its momentum
/// over what its bellies exchange with the rest, when they are let go at some speed [m/s].
double lostByBellies(double speed) {
  LivingModel m = belliedMan();
  m.tree.gravity.setZero();
  m.cage = breath::makeCage(m.cage.anatomy, m.options.cage, m.tree, [&](const std::string& bone) {
    for (std::size_t i = 0; i < m.compiled.boneNames.size(); ++i)
      if (m.compiled.boneNames[i] == bone) return m.boneLink[i];
    return -1;
  });
  for (int j = 0; j < m.tree.links.front().dofCount; ++j) m.given[static_cast<std::size_t>(j)] = 0;
  const auto linear = [&](const LivingState& s, const LivingWorkspace& w) -> Vec3 {
    skeleton::Workspace dynamics(m.tree);
    skeleton::updateDynamics(m.tree, s.tree, dynamics);
    Vec3 p = w.bellies()->momentum(s.bellies);
    for (int axis = 0; axis < 3; ++axis) p[axis] += w.cage().particleMomentum(axis);
    for (std::size_t l = 0; l < m.tree.links.size(); ++l)
      p += (dynamics.inertia[l] * dynamics.kinematics.velocity[l]).tail<3>();
    return p;
  };
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  step(m, s, {}, w, kBellyStep);  // binds
  s.bellies.velocity.array() += speed;
  const Vec3 before = linear(s, w), first = w.bellies()->momentum(s.bellies);
  double lost = 0, exchanged = 0;
  for (int i = 0; i < 25; ++i) {
    step(m, s, {}, w, kBellyStep);
    lost = std::max(lost, (linear(s, w) - before).norm());
    exchanged = std::max(exchanged, (w.bellies()->momentum(s.bellies) - first).norm());
  }
  return lost / exchanged;
}

/// What bellies give, ribs and pelvis get, within the step and to rounding; what is left is the
/// links' own (coupled_step_test) and falls with the motion.
TEST(LivingBellies, MomentumOfAFreelyFloatingBodyIsKept) {
  const double tiny = lostByBellies(1e-5), small = lostByBellies(1e-2);
  std::printf("  lost %.3g at 0.01 mm/s, %.3g at 10 mm/s\n", tiny, small);
  EXPECT_LT(tiny, 1e-6);
  EXPECT_LT(small, 1e-3);
}

/// Bellies on ribs are soft: a breath does not notice them.
TEST(LivingBellies, ABreathIsWhatItIsWithoutThem) {
  const auto volume = [](const LivingModel& m) {
    LivingSettings settings;
    settings.motion = skeleton::makePoseTrack(
        m.tree, skeleton::makePosture(*m.body, m.compiled, m.tree, "standing"));
    settings.style = test::humanStyle("deep");
    LivingSimulation run(m, settings);
    run.run(2.5);
    return run.samples().back().lungVolume - run.settled().lungVolume;
  };
  const LivingModel plain = makeLivingModel(test::humanBody());
  const double without = volume(plain);
  ASSERT_GT(without, 5e-4);
  EXPECT_NEAR(volume(belliedMan()) / without, 1, 0.02);
}

/// A checkpoint holds them: the same bits go on.
TEST(LivingBellies, ComeBackFromACheckpointBitForBit) {
  const LivingModel& m = belliedMan();
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  s.bellies.velocity.setConstant(0.1);
  for (int i = 0; i < 5; ++i) step(m, s, {}, w, kBellyStep);
  io::StateWriter out;
  s.save(out);
  LivingState t = makeLivingState(m, m.tree.neutral);
  io::StateReader in(out.bytes());
  t.load(in);
  EXPECT_EQ(s.hash(), t.hash());
  LivingWorkspace other(m);
  for (int i = 0; i < 5; ++i) {
    step(m, s, {}, w, kBellyStep);
    step(m, t, {}, other, kBellyStep);
  }
  EXPECT_EQ(s.hash(), t.hash());
}

/// The one skin over bellies.
struct BelliedSkin {
  anatomy::GeometryCache cache;
  anatomy::SkinSurface surface =
      anatomy::makeSkinSurface(anatomy::skinModelOf(*test::humanBody()), *test::humanBody(),
                               test::humanBody()->person, {.triangles = 20000}, cache);
  LivingSkin skin{belliedMan(), surface, cache};
};

/// Bellies thrown sideways take the skin over them along, smoothly and not beyond its bound; the
/// volume inside stays that of the lungs.
TEST(LivingBellies, SkinFollowsThemWithoutFoldsAndKeepsItsVolume) {
  constexpr double kCrown = 1.69;  // [m] of 1.75: no muscle lies near
  const LivingModel& m = belliedMan();
  BelliedSkin one;
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  refresh(m, s, w);
  std::vector<Vec3> rest(one.surface.mesh.vertexCount()), now(rest);
  one.skin.pose(s, w, rest);
  for (const double speed : {0.3, 1.0, 3.0}) {
    s = makeLivingState(m, m.tree.neutral);
    s.bellies.velocity.setConstant(speed);
    double most = 0, thigh = 0, crown = 0;
    for (int i = 0; i < 12; ++i) {
      step(m, s, {}, w, kBellyStep);
      refresh(m, s, w);
      one.skin.pose(s, w, now);
      for (std::size_t v = 0; v < now.size(); ++v) {
        const double moved = (now[v] - rest[v]).norm();
        most = std::max(most, moved);
        if (one.surface.parts[v] == anatomy::SkinPart::Thigh) thigh = std::max(thigh, moved);
        if (rest[v].y() > kCrown) crown = std::max(crown, moved);
      }
      EXPECT_EQ(skin::countFoldedTriangles(one.surface.mesh.positions, one.skin.driver().motions(),
                                           now, one.surface.mesh.triangles, 90),
                0u)
          << speed << " m/s, step " << i;
      const skin::LayerReport& report = one.skin.report();
      EXPECT_NEAR(report.volume - report.posedVolume,
                  w.cage().reading().lungVolume - m.cage.restLung, 1e-9);
    }
    std::printf("  at %.1f m/s bellies swing %.1f mm, skin %.1f, thighs %.1f, crown %.2f\n", speed,
                1e3 * w.bellies()->largestSwing(), 1e3 * most, 1e3 * thigh, 1e3 * crown);
    EXPECT_GT(thigh, 0.001 * std::min(speed / 0.3, 3.0));
    EXPECT_LT(most, 0.030);  // the bound of 25 mm, and what volume and folds add
    EXPECT_LT(crown, 0.0005);
  }
}

TEST(LivingBellies, SkinOverBelliesAtRestIsThePersonsOwn) {
  const LivingModel& m = belliedMan();
  BelliedSkin one;
  LivingWorkspace w(m);
  const LivingState s = makeLivingState(m, m.tree.neutral);
  refresh(m, s, w);
  std::vector<Vec3> x(one.surface.mesh.vertexCount());
  one.skin.pose(s, w, x);
  double most = 0;
  for (std::size_t v = 0; v < x.size(); ++v)
    most = std::max(most, (x[v] - one.surface.mesh.positions[v]).norm());
  EXPECT_LT(most, 1e-9);
}

}  // namespace
}  // namespace pneuma::body
