// The same trees in MuJoCo, DART and Simbody: accelerations, forces, hybrid dynamics.
#include <gtest/gtest.h>

#include <functional>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/compile.h"
#include "pneuma/skeleton/forward_dynamics.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/hybrid_dynamics.h"
#include "pneuma/skeleton/inverse_dynamics.h"
#include "scenes/skeleton_trees.h"
#include "tests/judges/judge.h"
#include "tests/support/relative_error.h"
#ifdef PNEUMA_JUDGE_MUJOCO
#include "tests/judges/mujoco_judge.h"
#endif

namespace pneuma::skeleton {
namespace {

using judges::Judge;
using judges::view;
using scenes::randomVector;
using test::relativeError;

constexpr int kStates = 32;

struct Largest {
  double forward = 0, inverse = 0, hybridMotion = 0, hybridForce = 0;
  bool hasHybrid = false;
};

/// Torques that give accelerations of the order of 30: random ones would throw light bones about.
VecX usefulTorque(const Model& model, const State& state, std::uint64_t seed) {
  return inverseDynamics(model, state, randomVector(model.dofCount(), 30, seed));
}

/// The driven joints; where no joint is passive, every third link is taken as such.
std::vector<std::uint8_t> prescribedJoints(const Model& model) {
  const bool passive = std::find(model.dofRole.begin(), model.dofRole.end(), DofRole::Passive) !=
                       model.dofRole.end();
  std::vector<std::uint8_t> prescribed(model.dofCount());
  for (int j = 0; j < model.dofCount(); ++j)
    prescribed[j] = passive ? model.dofRole[j] == DofRole::Driven : model.dofLink[j] % 3 != 0;
  return prescribed;
}

Largest compare(const Model& model, Judge& judge) {
  Largest largest;
  const int n = model.dofCount();
  const auto prescribed = prescribedJoints(model);
  VecX theirs(n), ours(n), tau(n), vDot(n);
  Workspace w(model);
  for (int s = 0; s < kStates; ++s) {
    const State state = scenes::randomState(model, 1000 + s);
    updateDynamics(model, state, w);
    judge.setState(view(state.q), view(state.v));
    tau = usefulTorque(model, state, s);
    judge.forward(view(tau), view(theirs));
    computeForwardDynamics(model, tau, w, ours);
    largest.forward = std::max(largest.forward, relativeError(ours, theirs));

    judge.setState(view(state.q), view(state.v));
    vDot = randomVector(n, 30, 500 + s);
    judge.inverse(view(vDot), view(theirs));
    computeInverseDynamics(model, vDot, w, ours);
    largest.inverse = std::max(largest.inverse, relativeError(ours, theirs));
  }
  for (int s = 0; s < kStates; ++s) {
    const State state = scenes::randomState(model, 2000 + s);
    VecX theirMotion = randomVector(n, 30, s), theirForce = usefulTorque(model, state, 70 + s);
    VecX motion = theirMotion, force = theirForce;
    judge.setState(view(state.q), view(state.v));
    if (!judge.hybrid(prescribed, view(theirMotion), view(theirForce))) break;
    largest.hasHybrid = true;
    updateDynamics(model, state, w);
    computeHybridDynamics(model, prescribed, w, motion, force);
    largest.hybridMotion = std::max(largest.hybridMotion, relativeError(motion, theirMotion));
    largest.hybridForce = std::max(largest.hybridForce, relativeError(force, theirForce));
  }
  return largest;
}

// Must show 1: relative to the largest entry, q'' 1e-8, inverse 1e-10, hybrid 1e-8. Inverse
// dynamics of DART lose some digits in its frame changes; the bound is the same for all.
void expectAgreement(const std::string& name, const Model& model, Judge& judge) {
  const Largest largest = compare(model, judge);
  std::printf("%-32s q'' %.1e  tau %.1e", name.c_str(), largest.forward, largest.inverse);
  if (largest.hasHybrid)
    std::printf("  hybrid q'' %.1e tau %.1e", largest.hybridMotion, largest.hybridForce);
  std::printf("\n");
  EXPECT_LT(largest.forward, 1e-8) << name;
  EXPECT_LT(largest.inverse, 1e-10) << name;
  EXPECT_LT(largest.hybridMotion, 1e-8) << name;
  EXPECT_LT(largest.hybridForce, 1e-8) << name;
}

std::vector<std::pair<std::string, Model>> hingeTrees() {
  std::vector<std::pair<std::string, Model>> trees;
  for (int seed = 0; seed < 5; ++seed)
    trees.emplace_back("hinge tree " + std::to_string(seed),
                       scenes::makeHingeTree(10 + 8 * seed, seed));
  trees.emplace_back("upper body", scenes::makeUpperBody());
  return trees;
}

std::vector<std::pair<std::string, Model>> allTrees() {
  auto trees = hingeTrees();
  for (int seed = 0; seed < 5; ++seed)
    trees.emplace_back("tree of every joint " + std::to_string(seed),
                       scenes::makeRandomTree(10 + 6 * seed, seed));
  trees.emplace_back("upper body, balls", scenes::makeUpperBody({.ballJoints = true}));
  return trees;
}

std::vector<std::pair<std::string, Model>> articulations() {
  const anatomy::Body body = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  std::vector<std::pair<std::string, Model>> models;
  for (const char* name : {"torso", "figure", "upper-body"})
    models.emplace_back(name, modelFromBody(anatomy::compileBody(body, name).valueOrThrow(),
                                            {.limits = false, .passiveResistance = false}));
  return models;
}

#ifdef PNEUMA_JUDGE_MUJOCO
void expectMujocoAgrees(std::vector<std::pair<std::string, Model>> models) {
  for (auto& [name, model] : models) {
    judges::MujocoJudge judge(judges::makeMjcf(model));
    judge.copyInertias(model);
    expectAgreement("MuJoCo, " + name, model, judge);
  }
}
#endif

TEST(Judges, MujocoAgreesOnEveryKindOfJoint) {
#ifdef PNEUMA_JUDGE_MUJOCO
  expectMujocoAgrees(allTrees());
#else
  GTEST_SKIP() << "built without MuJoCo";
#endif
}

TEST(Judges, MujocoAgreesOnTheArticulationsOfTheBody) {
#ifdef PNEUMA_JUDGE_MUJOCO
  expectMujocoAgrees(articulations());
#else
  GTEST_SKIP() << "built without MuJoCo";
#endif
}

TEST(Judges, DartAgreesOnEveryKindOfJoint) {
#ifdef PNEUMA_JUDGE_DART
  for (const auto& [name, model] : allTrees())
    expectAgreement("DART, " + name, model, *judges::makeDartJudge(model));
#else
  GTEST_SKIP() << "built without DART";
#endif
}

TEST(Judges, DartAgreesOnTheArticulationsOfTheBody) {
#ifdef PNEUMA_JUDGE_DART
  for (const auto& [name, model] : articulations())
    expectAgreement("DART, " + name, model, *judges::makeDartJudge(model));
#else
  GTEST_SKIP() << "built without DART";
#endif
}

TEST(Judges, SimbodyAgreesOnEveryKindOfJoint) {
#ifdef PNEUMA_JUDGE_SIMBODY
  for (const auto& [name, model] : allTrees())
    expectAgreement("Simbody, " + name, model, *judges::makeSimbodyJudge(model));
#else
  GTEST_SKIP() << "built without Simbody";
#endif
}

TEST(Judges, SimbodyAgreesOnTheArticulationsOfTheBody) {
#ifdef PNEUMA_JUDGE_SIMBODY
  for (const auto& [name, model] : articulations())
    expectAgreement("Simbody, " + name, model, *judges::makeSimbodyJudge(model));
#else
  GTEST_SKIP() << "built without Simbody";
#endif
}

}  // namespace
}  // namespace pneuma::skeleton
