#include "pneuma/skeleton/derivatives.h"

#include <gtest/gtest.h>

#include "pneuma/core/random.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/forward_dynamics.h"
#include "pneuma/skeleton/inverse_dynamics.h"
#include "pneuma/skeleton/mass_matrix.h"
#include "scenes/skeleton_trees.h"
#include "tests/support/difference.h"

namespace pneuma::skeleton {
namespace {

struct Trial {
  Model model;
  State state;
  VecX vDot;
};

std::vector<Trial> trials() {
  std::vector<Trial> list;
  for (int seed = 0; seed < 4; ++seed) list.push_back({scenes::makeRandomTree(17, seed)});
  list.push_back({scenes::makeUpperBody()});
  list.push_back({scenes::makeUpperBody({.ballJoints = true})});
  for (Trial& s : list) {
    s.state = scenes::randomState(s.model, 31);
    Random random(3);
    s.vDot.resize(s.model.dofCount());
    for (double& a : s.vDot) a = random.uniform(-5, 5);
  }
  return list;
}

State moved(const Model& model, State state, int j, double x) {
  integrateConfiguration(model, x * VecX::Unit(model.dofCount(), j), state.q);
  return state;
}

State sped(State state, int j, double x) {
  state.v[j] += x;
  return state;
}

// Must show: 1e-6 against fourth-order differences, relative to the largest entry.
TEST(Derivatives, OfInverseDynamicsEqualFourthOrderDifferences) {
  for (const Trial& s : trials()) {
    Workspace w(s.model);
    updateDynamics(s.model, s.state, w);
    InverseDynamicsDerivatives d(s.model);
    computeInverseDynamicsDerivatives(s.model, s.vDot, w, d);
    const double sizeQ = d.dq.cwiseAbs().maxCoeff(), sizeV = d.dv.cwiseAbs().maxCoeff();
    for (int j = 0; j < s.model.dofCount(); ++j) {
      const VecX dq = test::difference4(
          [&](double x) { return inverseDynamics(s.model, moved(s.model, s.state, j, x), s.vDot); },
          1e-3);
      const VecX dv = test::difference4(
          [&](double x) { return inverseDynamics(s.model, sped(s.state, j, x), s.vDot); }, 1e-1);
      // h^4 = 1e-12 times fifth derivatives, and rounding 1e-13 / h = 1e-10.
      EXPECT_LT((dq - d.dq.col(j)).cwiseAbs().maxCoeff() / sizeQ, 1e-9) << j;
      EXPECT_LT((dv - d.dv.col(j)).cwiseAbs().maxCoeff() / sizeV, 1e-9) << j;
    }
    EXPECT_LT((MatX(d.M) - massMatrix(s.model, s.state)).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(Derivatives, OfForwardDynamicsEqualFourthOrderDifferences) {
  for (int seed = 0; seed < 3; ++seed) {
    const Model model = scenes::makeRandomTree(12, seed);
    const State state = scenes::randomState(model, 5);
    const VecX tau = inverseDynamics(model, state, VecX::Ones(model.dofCount()));
    Workspace w(model);
    updateDynamics(model, state, w);
    ForwardDynamicsDerivatives d(model);
    computeForwardDynamicsDerivatives(model, tau, w, d);
    for (int j = 0; j < model.dofCount(); ++j) {
      const VecX dq = test::difference4(
          [&](double x) { return forwardDynamics(model, moved(model, state, j, x), tau); }, 1e-3);
      const VecX dv = test::difference4(
          [&](double x) { return forwardDynamics(model, sped(state, j, x), tau); }, 1e-2);
      const VecX dtau = test::difference4(
          [&](double x) {
            return forwardDynamics(model, state, tau + x * VecX::Unit(model.dofCount(), j));
          },
          1e-1);
      EXPECT_LT((dq - d.dq.col(j)).cwiseAbs().maxCoeff() / d.dq.cwiseAbs().maxCoeff(), 1e-7);
      EXPECT_LT((dv - d.dv.col(j)).cwiseAbs().maxCoeff() / d.dv.cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_LT((dtau - d.dtau.col(j)).cwiseAbs().maxCoeff() / d.dtau.cwiseAbs().maxCoeff(), 1e-9);
    }
  }
}

TEST(Derivatives, ImplicitInertiaIsTheWeightedSumOfItsTerms) {
  const Model model = scenes::makeUpperBody({.ballJoints = true});
  const State state = scenes::randomState(model, 12);
  const VecX vDot = VecX::LinSpaced(model.dofCount(), -3, 4);
  Workspace w(model);
  updateDynamics(model, state, w);
  InverseDynamicsDerivatives d(model);
  computeInverseDynamicsDerivatives(model, vDot, w, d);
  const double h = 0.007;
  RowMatX sum = RowMatX::Zero(model.dofCount(), model.dofCount());
  addImplicitInertia(model, vDot, LoadWeights::implicitStep(h), w, sum);
  const RowMatX expected = d.M + h * d.dv + h * h * d.dq;
  EXPECT_LT((sum - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());
}

}  // namespace
}  // namespace pneuma::skeleton
