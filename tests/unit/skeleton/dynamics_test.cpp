#include <gtest/gtest.h>

#include "pneuma/core/random.h"
#include "pneuma/skeleton/forward_dynamics.h"
#include "pneuma/skeleton/hybrid_dynamics.h"
#include "pneuma/skeleton/inverse_dynamics.h"
#include "pneuma/skeleton/mass_matrix.h"
#include "scenes/skeleton_trees.h"
#include "tests/support/relative_error.h"

namespace pneuma::skeleton {
namespace {

using scenes::makeRandomTree;
using scenes::makeUpperBody;
using scenes::randomState;
using scenes::randomVector;
using test::relativeError;

struct Case {
  std::string name;
  Model model;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  for (int seed = 0; seed < 6; ++seed)
    list.push_back({"random tree " + std::to_string(seed), makeRandomTree(8 + 5 * seed, seed)});
  list.push_back({"upper body", makeUpperBody()});
  list.push_back({"upper body, balls", makeUpperBody({.ballJoints = true})});
  return list;
}

TEST(UpperBody, HasTheBreakdownOfThePaper) {
  const Model model = makeUpperBody();
  EXPECT_EQ(model.linkCount(), 68);
  EXPECT_EQ(model.dofCount(), 147);
  int passive = 0;
  for (DofRole role : model.dofRole) passive += role == DofRole::Passive;
  EXPECT_EQ(passive, 36);
}

// Must show: 1e-10 relative to the largest acceleration.
TEST(Dynamics, ForwardDynamicsInvertsInverseDynamics) {
  for (const Case& c : cases()) {
    for (int s = 0; s < 8; ++s) {
      const State state = randomState(c.model, 100 + s);
      const VecX vDot = randomVector(c.model.dofCount(), 30, s);
      const VecX tau = inverseDynamics(c.model, state, vDot);
      EXPECT_LT(relativeError(forwardDynamics(c.model, state, tau), vDot), 1e-10) << c.name;
    }
  }
}

TEST(Dynamics, MassMatrixIsTheLinearPartOfInverseDynamics) {
  for (const Case& c : cases()) {
    const State state = randomState(c.model, 7);
    const VecX vDot = randomVector(c.model.dofCount(), 10, 3);
    const VecX zero = VecX::Zero(c.model.dofCount());
    const VecX expected =
        inverseDynamics(c.model, state, vDot) - inverseDynamics(c.model, state, zero);
    EXPECT_LT(relativeError(massMatrix(c.model, state) * vDot, expected), 1e-11) << c.name;
  }
}

TEST(Dynamics, BiasForceHoldsTheJointsAtConstantVelocity) {
  for (const Case& c : cases()) {
    const State state = randomState(c.model, 9);
    Workspace w(c.model);
    updateDynamics(c.model, state, w);
    VecX bias(c.model.dofCount());
    computeBiasForce(c.model, w, bias);
    const VecX zero = VecX::Zero(c.model.dofCount());
    EXPECT_LT(relativeError(bias, inverseDynamics(c.model, state, zero)), 1e-13) << c.name;
  }
}

TEST(Dynamics, SparseFactorSolvesTheMassMatrix) {
  for (const Case& c : cases()) {
    const State state = randomState(c.model, 8);
    Workspace w(c.model);
    updateDynamics(c.model, state, w);
    RowMatX M = RowMatX::Zero(c.model.dofCount(), c.model.dofCount());
    computeMassMatrix(c.model, w, M);
    const MatX full = M.selfadjointView<Eigen::Lower>();
    const VecX x = randomVector(c.model.dofCount(), 1, 4);
    VecX y = full * x;
    factorMassMatrix(c.model, M);
    solveMassMatrix(c.model, M, y);
    EXPECT_LT(relativeError(y, x), 1e-9) << c.name;
  }
}

TEST(Dynamics, HybridDynamicsAgreesWithForwardAndInverse) {
  for (const Case& c : cases()) {
    const int n = c.model.dofCount();
    const State state = randomState(c.model, 21);
    const VecX tau = randomVector(n, 5, 5);
    const VecX vDot = forwardDynamics(c.model, state, tau);
    Random random(17);
    std::vector<std::uint8_t> prescribed(n);
    for (auto& p : prescribed) p = random.uniform() < 0.6;
    VecX a = vDot, t = tau;
    for (int j = 0; j < n; ++j) (prescribed[j] ? t[j] : a[j]) = 1e9;
    Workspace w(c.model);
    updateDynamics(c.model, state, w);
    computeHybridDynamics(c.model, prescribed, w, a, t);
    EXPECT_LT(relativeError(a, vDot), 1e-10) << c.name;
    EXPECT_LT(relativeError(t, tau), 1e-10) << c.name;
  }
}

}  // namespace
}  // namespace pneuma::skeleton
