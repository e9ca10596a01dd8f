#include <gtest/gtest.h>

#include "pneuma/body/living_step.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/pose_maker.h"
#include "pneuma/skeleton/step.h"
#include "tests/support/human_breath.h"

/// Continuum muscles as parts of the living body.
namespace pneuma::body {
namespace {

constexpr double kGridStep = 0.004;  // [s]
constexpr const char* kBiceps = "biceps_brachii_short_r";

LivingModel withBiceps(double excitation) {
  LivingOptions options;
  options.gridMuscles = {{.line = kBiceps, .excitation = excitation, .grid = {9, 4, 4}}};
  return makeLivingModel(test::humanBody(), options);
}

TEST(GridMuscles, TheBodyWeighsWhatItDid) {
  const LivingModel m = withBiceps(0), plain = makeLivingModel(test::humanBody());
  ASSERT_EQ(m.gridMuscles.size(), 1u);
  const double mass = m.gridMuscles.front().model.solid.totalMass();
  EXPECT_GT(mass, 0.02);
  EXPECT_LT(mass, 0.4);
  EXPECT_NEAR(m.tree.totalMass() + mass, plain.tree.totalMass(), 1e-9);
}

TEST(GridMuscles, UnknownLinesAreAnsweredWithTheNearest) {
  LivingOptions options;
  options.gridMuscles = {{.line = "biceps_brachii_shrt_r"}};
  try {
    makeLivingModel(test::humanBody(), options);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find(kBiceps), std::string::npos) << e.what();
  }
}

/// A body without weight that floats freely, its spine and limbs held: what an active biceps does
/// to its bones it gets back.
TEST(GridMuscles, LinearMomentumOfAFreelyFloatingBodyIsKept) {
  LivingModel m = withBiceps(0.5);
  m.tree.gravity.setZero();
  m.cage = breath::makeCage(m.cage.anatomy, m.options.cage, m.tree, [&](const std::string& bone) {
    for (std::size_t i = 0; i < m.compiled.boneNames.size(); ++i)
      if (m.compiled.boneNames[i] == bone) return m.boneLink[i];
    return -1;
  });
  for (int j = 0; j < m.tree.links.front().dofCount; ++j) m.given[static_cast<std::size_t>(j)] = 0;
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  step(m, s, {}, w, kGridStep);  // binds
  s.gridMuscles[0].v.array() += 0.02;
  const auto linear = [&]() -> Vec3 {
    skeleton::Workspace dynamics(m.tree);
    skeleton::updateDynamics(m.tree, s.tree, dynamics);
    Vec3 p = w.gridMuscle(0).momentum(s.gridMuscles[0]);
    for (int axis = 0; axis < 3; ++axis) p[axis] += w.cage().particleMomentum(axis);
    for (std::size_t l = 0; l < m.tree.links.size(); ++l)
      p += (dynamics.inertia[l] * dynamics.kinematics.velocity[l]).tail<3>();
    return p;
  };
  const Vec3 before = linear(), first = w.gridMuscle(0).momentum(s.gridMuscles[0]);
  double lost = 0, exchanged = 0;
  for (int i = 0; i < 15; ++i) {
    step(m, s, {}, w, kGridStep);
    lost = std::max(lost, (linear() - before).norm());
    exchanged = std::max(exchanged, (w.gridMuscle(0).momentum(s.gridMuscles[0]) - first).norm());
  }
  std::printf("  lost %.3g of %.3g N s\n", lost, exchanged);
  EXPECT_GT(exchanged, 1e-4);
  EXPECT_LT(lost, 1e-3 * exchanged);  // the links' own, as with bellies
}

/// The torque that a given elbow needs is less by what an active muscle pulls at it.
TEST(GridMuscles, AnActiveMuscleRelievesTheJointItCrosses) {
  const auto run = [](double excitation) {
    const LivingModel m = withBiceps(excitation);
    const skeleton::PoseMaker maker(m.compiled, m.tree);
    const skeleton::JointSetting bent{"elbow_r.flexion", degreesToRadians(60)};
    LivingWorkspace w(m);
    LivingState s = makeLivingState(m, maker.make({&bent, 1}));
    for (int i = 0; i < 60; ++i) step(m, s, {}, w, kGridStep);
    const int elbow = maker.freedoms()[static_cast<std::size_t>(maker.find("elbow_r").front())].dof;
    return std::pair(w.effort()[elbow], w.gridMuscle(0).pull());
  };
  const auto [passive, slack] = run(0);
  const auto [active, pull] = run(0.5);
  std::printf("  elbow %.2f N m, with the muscle %.2f; it pulls with %.0f and %.0f N\n", passive,
              active, pull[0].norm(), pull[1].norm());
  EXPECT_GT(pull[0].norm(), 30);
  EXPECT_NEAR(pull[0].norm(), pull[1].norm(), 0.1 * pull[0].norm());
  EXPECT_LT((pull[0] + pull[1]).norm(), 0.1 * pull[0].norm());
  // A moment arm of 2 to 6 cm at 60 degrees.
  EXPECT_LT(active, passive - 0.02 * pull[1].norm());
  EXPECT_GT(active, passive - 0.06 * pull[1].norm());
}

TEST(GridMuscles, ComeBackFromACheckpointBitForBit) {
  const LivingModel m = withBiceps(0.3);
  LivingWorkspace w(m);
  LivingState s = makeLivingState(m, m.tree.neutral);
  for (int i = 0; i < 5; ++i) step(m, s, {}, w, kGridStep);
  io::StateWriter out;
  s.save(out);
  LivingState t = makeLivingState(m, m.tree.neutral);
  io::StateReader in(out.bytes());
  t.load(in);
  LivingWorkspace other(m);
  for (int i = 0; i < 5; ++i) {
    step(m, s, {}, w, kGridStep);
    step(m, t, {}, other, kGridStep);
  }
  EXPECT_EQ(s.hash(), t.hash());
}

}  // namespace
}  // namespace pneuma::body
