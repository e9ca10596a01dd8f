#include "pneuma/skeleton/step.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "pneuma/skeleton/derivatives.h"
#include "pneuma/skeleton/forward_dynamics.h"
#include "pneuma/skeleton/inverse_dynamics.h"
#include "scenes/skeleton_trees.h"
#include "tests/support/count_allocations.h"

namespace pneuma::skeleton {
namespace {

/// The upper body with its joint resistance, rib springs and discs.
struct Rig {
  explicit Rig(bool balls = false)
      : model(scenes::makeUpperBody({.ballJoints = balls, .resistance = true})),
        elements(scenes::makeUpperBodyElements(model)),
        workspace(model, {&resistance, &elements}) {}

  Model model;
  JointResistanceSource resistance;
  LinkElementSource elements;
  StepWorkspace workspace;
};

TEST(CoupledSolver, AgreesWithAPivotingSolver) {
  const Model model = scenes::makeUpperBody();
  const int n = model.dofCount();
  for (bool all : {false, true}) {
    Coupling coupling(model);
    const LinkElementSource elements(scenes::makeUpperBodyElements(model));
    elements.addCoupling(coupling);
    if (all) coupling.coupleAll();
    CoupledSolver solver(coupling);
    Random random(4);
    RowMatX A = RowMatX::Zero(n, n), symmetric = RowMatX::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        if (!coupling.coupled(model.dofLink[i], model.dofLink[j])) continue;
        A(i, j) = random.uniform(-1, 1);
        if (j <= i) symmetric(i, j) = random.uniform(-1, 1);
      }
      A(i, i) += n;
    }
    VecX b(n), x(n);
    for (double& e : b) e = random.uniform(-1, 1);
    ASSERT_TRUE(solver.factor(A, symmetric));
    solver.solve(b, x);
    const MatX full = MatX(A) + MatX(symmetric.selfadjointView<Eigen::Lower>());
    EXPECT_LT((full.partialPivLu().solve(b) - x).norm(), 1e-12 * x.norm());
  }
}

TEST(CoupledSolver, TakesABareTreeWithoutFill) {
  const Model model = scenes::makeUpperBody();
  const CoupledSolver solver{Coupling(model)};
  double coupled = 0;
  const Coupling tree(model);
  for (int i = 0; i < model.dofCount(); ++i)
    for (int j = 0; j < model.dofCount(); ++j)
      coupled += tree.coupled(model.dofLink[i], model.dofLink[j]);
  EXPECT_DOUBLE_EQ(solver.fill(), coupled / (model.dofCount() * model.dofCount()));
}

TEST(CoupledSolver, RefusesASingularMatrix) {
  const Model model = scenes::makeUpperBody();
  CoupledSolver solver{Coupling(model)};
  const RowMatX zero = RowMatX::Zero(model.dofCount(), model.dofCount());
  EXPECT_FALSE(solver.factor(zero, zero));
}

// Eq. 6-7 written literally with the derivatives of forward dynamics.
TEST(ImplicitStep, SolvesTheEquationOfThePaper) {
  for (bool balls : {false, true}) {
    Rig rig(balls);
    const double h = 0.007;
    const int n = rig.model.dofCount();
    const State start = scenes::randomState(rig.model, 3, 0.1, 0.5);
    State state = start;
    stepImplicitEuler(rig.model, state, rig.workspace, h);

    Workspace w(rig.model);
    updateDynamics(rig.model, start, w);
    const auto loadsFor = [&](LoadWeights weights) {
      Loads loads(rig.model);
      loads.clear(weights);
      rig.resistance.addLoads(rig.model, start, w.kinematics, loads);
      rig.elements.addLoads(rig.model, start, w.kinematics, loads);
      return loads;
    };
    const MatX K = loadsFor({0, 1}).denseMatrix(), D = loadsFor({1, 0}).denseMatrix();
    ForwardDynamicsDerivatives d(rig.model);
    computeForwardDynamicsDerivatives(rig.model, loadsFor({}).force, w, d);
    const MatX dq = d.dq - d.dtau * K, dv = d.dv - d.dtau * D;
    const MatX A = MatX::Identity(n, n) - h * dv - h * h * dq;
    const VecX expected = A.partialPivLu().solve(h * (d.vDot + h * dq * start.v));
    EXPECT_LT((state.v - start.v - expected).norm(), 1e-8 * expected.norm());
  }
}

TEST(Step, AllocatesNothing) {
  Rig rig;
  for (auto step : {stepExplicitEuler, stepSymplecticEuler, stepRungeKutta4, stepImplicitEuler}) {
    State state = scenes::randomState(rig.model, 3, 0.1, 0.5);
    step(rig.model, state, rig.workspace, 1e-4);
    const test::AllocationCount count;
    for (int i = 0; i < 5; ++i) step(rig.model, state, rig.workspace, 1e-4);
    EXPECT_EQ(count.sinceConstruction(), 0u);
  }
}

TEST(ImplicitStep, OfALinearOscillatorIsImplicitEuler) {
  ModelBuilder builder;
  builder.setGravity(Vec3::Zero());
  builder.add({.name = "mass",
               .joint = Joint::slide(Vec3::UnitX()),
               .inertia = {2.0, Vec3::Zero(), Mat3::Zero()},
               .resistance = {{.damping = 3, .stiffness = 50}}});
  const Model model = builder.build();
  JointResistanceSource resistance;
  StepWorkspace w(model, {&resistance});
  State state = makeState(model);
  state.q[0] = 0.1;
  const double h = 0.01, v = (0 - h * 50 * 0.1 / 2) / (1 + h * 3 / 2 + h * h * 50 / 2);
  stepImplicitEuler(model, state, w, h);
  EXPECT_NEAR(state.v[0], v, 1e-15);
  EXPECT_NEAR(state.q[0], 0.1 + h * v, 1e-15);
}

TEST(ImplicitHybridStep, FollowsThePrescribedJointsAndReportsTheirForce) {
  Rig rig;
  const int n = rig.model.dofCount();
  const double h = 0.007;
  const State start = scenes::randomState(rig.model, 3, 0.05, 0.2);
  std::vector<std::uint8_t> prescribed(n);
  for (int j = 0; j < n; ++j) prescribed[j] = rig.model.dofRole[j] == DofRole::Driven;
  VecX target = VecX::LinSpaced(n, -2, 2), tau(n);
  State state = start;
  stepImplicitHybrid(rig.model, prescribed, target, state, rig.workspace, h, tau);
  for (int j = 0; j < n; ++j)
    if (prescribed[j]) {
      EXPECT_NEAR(state.v[j], start.v[j] + h * target[j], 1e-13);
    }

  // The reported force, applied in a plain implicit step, gives nearly the same motion; what is
  // left is h^2 times the change of d tau/dq with the acceleration it is taken at.
  ConstantForceSource motor(tau);
  StepWorkspace plain(rig.model, {&rig.resistance, &rig.elements, &motor});
  State again = start;
  stepImplicitEuler(rig.model, again, plain, h);
  EXPECT_LT((again.v - state.v).norm(), 0.02 * (state.v - start.v).norm());
}

TEST(ImplicitHybridStep, AllocatesNothing) {
  Rig rig;
  const int n = rig.model.dofCount();
  std::vector<std::uint8_t> prescribed(n);
  for (int j = 0; j < n; ++j) prescribed[j] = rig.model.dofRole[j] == DofRole::Driven;
  const VecX target = VecX::Zero(n);
  VecX tau(n);
  State state = makeState(rig.model);
  stepImplicitHybrid(rig.model, prescribed, target, state, rig.workspace, 0.007, tau);
  const test::AllocationCount count;
  stepImplicitHybrid(rig.model, prescribed, target, state, rig.workspace, 0.007, tau);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

TEST(Step, NamesTheLinkAndTimeOfANonFiniteStateAndKeepsTheLastGoodOne) {
  Rig rig;
  State state = makeState(rig.model);
  state.time = 1.5;
  VecX force = VecX::Zero(rig.model.dofCount());
  const int skull = rig.model.linkIndex("skull");
  force[rig.model.links[skull].firstDof] = std::numeric_limits<double>::quiet_NaN();
  ConstantForceSource broken(force);
  StepWorkspace w(rig.model, {&broken});
  try {
    stepSymplecticEuler(rig.model, state, w, 0.01);
    FAIL() << "no error";
  } catch (const SimulationError& error) {
    EXPECT_DOUBLE_EQ(error.time(), 1.51);
    EXPECT_NE(error.part().find("link '"), std::string::npos);
  }
  EXPECT_TRUE(state.v.isZero());
  EXPECT_DOUBLE_EQ(state.time, 1.5);
}

}  // namespace
}  // namespace pneuma::skeleton
