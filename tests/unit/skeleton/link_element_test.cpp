#include "pneuma/skeleton/link_element.h"

#include <gtest/gtest.h>

#include "pneuma/core/random.h"
#include "pneuma/skeleton/configuration.h"
#include "scenes/skeleton_trees.h"
#include "tests/support/difference.h"

namespace pneuma::skeleton {
namespace {

Vec3 randomVec3(Random& random, double size) {
  const double x = random.uniform(-size, size), y = random.uniform(-size, size);
  return {x, y, random.uniform(-size, size)};
}

Vec3 randomPositive(Random& random, double size) {
  return randomVec3(random, size).cwiseAbs();
}

/// Springs and bushings between random links of a tree, and to the world.
LinkElements randomElements(const Model& model, std::uint64_t seed, bool damped) {
  Random random(seed);
  LinkElements e;
  for (int i = 0; i < 12; ++i) {
    const int a = int(random.uniform() * (model.linkCount() + 1)) - 1;
    int b = int(random.uniform() * model.linkCount());
    if (a == b) b = (b + 1) % model.linkCount();
    const Vec3 p = Vec3(0, 1, 0) + randomVec3(random, 0.4), q = p + randomVec3(random, 0.3);
    e.springs.push_back(makePointSpring(model, a, p, b, q, 300, damped ? 20 : 0));
    if (i % 3 == 0) e.springs.back().restLength = 0;
    Bushing bushing =
        makeBushing(model, a, b, {Quat(1, 0.3, -0.2, 0.4).normalized().toRotationMatrix(), p});
    bushing.translation = randomPositive(random, 200);
    bushing.rotation = randomPositive(random, 30);
    if (damped) bushing.translationDamping = randomPositive(random, 10);
    if (damped) bushing.rotationDamping = randomPositive(random, 3);
    e.bushings.push_back(bushing);
  }
  return e;
}

VecX forceAt(const Model& model, const LinkElements& e, const State& state) {
  Kinematics k(model);
  Loads loads(model);
  loads.clear();
  computeKinematics(model, state.q, state.v, k);
  addLinkElements(model, k, e, loads);
  return loads.force;
}

Loads loadsAt(const Model& model, const LinkElements& e, const State& state, LoadWeights weights) {
  Kinematics k(model);
  Loads loads(model);
  loads.clear(weights);
  computeKinematics(model, state.q, state.v, k);
  addLinkElements(model, k, e, loads);
  return loads;
}

TEST(LinkElement, StiffnessAndDampingEqualFourthOrderDifferences) {
  for (int seed = 0; seed < 4; ++seed) {
    const Model model = scenes::makeRandomTree(14, seed);
    const LinkElements e = randomElements(model, seed, true);
    const State state = scenes::randomState(model, seed + 50);
    const MatX K = loadsAt(model, e, state, {0, 1}).denseMatrix();
    const MatX D = loadsAt(model, e, state, {1, 0}).denseMatrix();
    for (int j = 0; j < model.dofCount(); ++j) {
      const VecX dq = test::difference4(
          [&](double x) {
            State s = state;
            integrateConfiguration(model, x * VecX::Unit(model.dofCount(), j), s.q);
            return forceAt(model, e, s);
          },
          3e-4);  // short springs bend quickly: truncation falls with the fourth power
      const VecX dv = test::difference4(
          [&](double x) {
            State s = state;
            s.v[j] += x;
            return forceAt(model, e, s);
          },
          1e-1);
      EXPECT_LT((dq + K.col(j)).cwiseAbs().maxCoeff(), 1e-8 * K.cwiseAbs().maxCoeff()) << j;
      EXPECT_LT((dv + D.col(j)).cwiseAbs().maxCoeff(), 1e-10 * D.cwiseAbs().maxCoeff()) << j;
    }
  }
}

TEST(LinkElement, DampingForceIsTheDampingMatrixTimesVelocity) {
  const Model model = scenes::makeRandomTree(14, 2);
  const LinkElements e = randomElements(model, 2, true);
  const State state = scenes::randomState(model, 3);
  const Loads loads = loadsAt(model, e, state, {1, 0});
  const VecX expected = -loads.denseMatrix() * state.v;
  EXPECT_LT((loads.dampingForce - expected).norm(), 1e-11 * expected.norm());
}

TEST(LinkElement, ForceIsMinusTheGradientOfTheEnergy) {
  const Model model = scenes::makeRandomTree(14, 5);
  const LinkElements e = randomElements(model, 5, false);
  const State state = scenes::randomState(model, 4);
  const VecX force = forceAt(model, e, state);
  Kinematics k(model);
  for (int j = 0; j < model.dofCount(); ++j) {
    const VecX slope = test::difference4(
        [&](double x) {
          VecX q = state.q;
          integrateConfiguration(model, x * VecX::Unit(model.dofCount(), j), q);
          computeKinematics(model, q, state.v, k);
          return VecX::Constant(1, energy(e, k));
        },
        1e-3);
    EXPECT_NEAR(-slope[0], force[j], 1e-8 * force.cwiseAbs().maxCoeff());
  }
}

TEST(LinkElement, NothingActsAtRest) {
  const Model model = scenes::makeUpperBody();
  LinkElements e;
  e.springs.push_back(makePointSpring(model, model.linkIndex("rib_05_l"), {0.1, 1.2, 0.1},
                                      model.linkIndex("sternum"), {0.02, 1.25, 0.15}, 4000, 10));
  e.bushings.push_back(
      makeBushing(model, model.linkIndex("vertebra_l3"), model.linkIndex("vertebra_l2"), Pose{}));
  e.bushings.back().rotation = Vec3::Constant(100);
  EXPECT_LT(forceAt(model, e, makeState(model)).cwiseAbs().maxCoeff(), 1e-10);
}

}  // namespace
}  // namespace pneuma::skeleton
