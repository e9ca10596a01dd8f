#include "pneuma/control/activation_qp.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "pneuma/core/random.h"
#include "tests/support/count_allocations.h"

namespace pneuma::control {
namespace {

/// A random problem whose muscles pull on a few neighbouring rows, as those of a spine do.
struct RandomProblem {
  MuscleColumns columns;
  ActivationProblem problem;

  RandomProblem(std::uint64_t seed, int rows, int muscles, double effort)
      : columns(rows), problem(rows, muscles) {
    Random random(seed);
    for (int i = 0; i < muscles; ++i) {
      const int span = 1 + static_cast<int>(random.uniform() * std::min(rows, 6));
      const int from = static_cast<int>(random.uniform() * (rows - span + 1));
      std::vector<int> list;
      for (int j = from; j < from + span; ++j) list.push_back(j);
      columns.addColumn(list);
      problem.weight[i] = random.uniform(0.5, 2);
    }
    for (double& v : columns.values) v = random.uniform(-5, 5);
    VecX a(muscles);
    for (double& x : a) x = effort * random.uniform();
    columns.addProduct(a, problem.demand);
    for (double& s : problem.slackScale) s = random.uniform(0.1, 1);
  }
};

VecX zeros(Eigen::Index n) {
  return VecX::Zero(n);
}

TEST(ActivationQp, SharesATorqueByStrengthWhenNothingBinds) {
  // min a1^2 + a2^2 with 2 a1 + a2 = 1:  a = (0.4, 0.2).
  ActivationSolver solver(denseColumns((MatX(1, 2) << 2, 1).finished()));
  ActivationProblem p(1, 2);
  p.slackScale[0] = 0.1;
  p.demand[0] = 1;
  VecX lambda = zeros(1), a = zeros(2);
  EXPECT_TRUE(solver.solve(p, lambda, a).converged);
  EXPECT_NEAR(a[0], 0.4, 2e-6);  // slack takes eps of the torque
  EXPECT_NEAR(a[1], 0.2, 2e-6);
}

TEST(ActivationQp, LeavesAntagonistsAtExactlyZero) {
  ActivationSolver solver(denseColumns((MatX(1, 2) << 2, -1).finished()));
  ActivationProblem p(1, 2);
  p.slackScale[0] = 0.1;
  p.demand[0] = 1;
  VecX lambda = zeros(1), a = zeros(2);
  solver.solve(p, lambda, a);
  EXPECT_EQ(a[1], 0.0);
  p.demand[0] = -0.5;  // Eq. 15
  solver.solve(p, lambda, a);
  EXPECT_EQ(a[0], 0.0);
  EXPECT_NEAR(a[1], 0.5, 1e-5);
}

TEST(ActivationQp, GivesAllItHasWhenTheTorqueIsOutOfReach) {
  ActivationSolver solver(denseColumns((MatX(1, 2) << 2, -1).finished()));
  ActivationProblem p(1, 2);
  p.slackScale[0] = 0.1;
  p.demand[0] = 5;
  VecX lambda = zeros(1), a = zeros(2);
  EXPECT_TRUE(solver.solve(p, lambda, a).converged);
  EXPECT_EQ(a[0], 1.0);
  EXPECT_EQ(a[1], 0.0);
  EXPECT_NEAR(solver.slack()[0], 3, 1e-9);
}

TEST(ActivationQp, MeetsItsOptimalityConditionsWithinBoundsOnEveryProblem) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    // Efforts up to 4 are far out of reach.
    RandomProblem r(seed, 20, 60, 0.1 * static_cast<double>(seed % 40));
    ActivationSolver solver(r.columns);
    VecX lambda = zeros(20), a = zeros(60);
    const ActivationSolution s = solver.solve(r.problem, lambda, a);
    EXPECT_TRUE(s.converged) << "seed " << seed << " residual " << s.residual;
    EXPECT_LE(s.residual, 1e-7);
    EXPECT_GE(a.minCoeff(), 0.0);
    EXPECT_LE(a.maxCoeff(), 1.0);
    // Stationarity: w^2 a - c.lambda is 0 inside, pushes outwards at the bounds.
    const VecX pulls = r.columns.dense().transpose() * lambda;
    for (int i = 0; i < 60; ++i) {
      const double w2 = r.problem.weight[i] * r.problem.weight[i];
      const double pull = pulls[i] / w2;
      if (a[i] == 0)
        EXPECT_LE(pull, 1e-12);
      else if (a[i] == 1)
        EXPECT_GE(pull, 1 - 1e-12);
      else
        EXPECT_NEAR(pull, a[i], 1e-9 * (1 + std::abs(pull)));
    }
  }
}

TEST(ActivationQp, KeepsSlackBelowAMillionthOfAReachableTorque) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    RandomProblem r(seed, 20, 120, 0.2);
    ActivationSolver solver(r.columns);
    VecX lambda = zeros(20), a = zeros(120);
    solver.solve(r.problem, lambda, a);
    EXPECT_LE(solver.slack().norm(), 1e-6 * r.problem.demand.norm());
  }
}

TEST(ActivationQp, NeedsAStepOrTwoFromTheMultipliersOfANearProblem) {
  RandomProblem r(7, 40, 200, 0.2);
  ActivationSolver solver(r.columns);
  VecX lambda = zeros(40), a = zeros(200);
  const int cold = solver.solve(r.problem, lambda, a).iterations;
  r.problem.demand *= 1.002;
  const int warm = solver.solve(r.problem, lambda, a).iterations;
  EXPECT_GT(cold, 2);
  EXPECT_LE(warm, 2);
  EXPECT_EQ(solver.solve(r.problem, lambda, a).iterations, 0);
}

TEST(ActivationQp, GoesOnWithTheMatrixOfTheLastProblem) {
  RandomProblem r(9, 30, 150, 0.3);
  ActivationSolver solver(r.columns), fresh(r.columns);
  VecX lambda = zeros(30), a = zeros(150), other = zeros(30), b = zeros(150);
  solver.solve(r.problem, lambda, a);
  lambda.setZero();
  r.problem.demand = -r.problem.demand;
  const ActivationSolution again = solver.solve(r.problem, lambda, a, true);
  const ActivationSolution anew = fresh.solve(r.problem, other, b);
  EXPECT_TRUE(again.converged);
  EXPECT_EQ(again.iterations, anew.iterations);
  EXPECT_LT((a - b).norm(), 1e-7);
}

TEST(ActivationQp, StaysAtTheReferenceWhenItGivesTheTorque) {
  RandomProblem r(3, 10, 40, 0);
  ActivationSolver solver(r.columns);
  for (int i = 0; i < 40; ++i) r.problem.reference[i] = 0.02 * i;
  r.columns.addProduct(r.problem.reference, r.problem.demand);
  VecX lambda = zeros(10), a = zeros(40);
  solver.solve(r.problem, lambda, a);
  EXPECT_LT((a - r.problem.reference).norm(), 1e-8);
}

TEST(ActivationQp, HoldsAMuscleWhoseBoundsMeet) {
  RandomProblem r(5, 10, 40, 0.2);
  r.problem.lower[3] = r.problem.upper[3] = 0.7;
  ActivationSolver solver(r.columns);
  VecX lambda = zeros(10), a = zeros(40);
  EXPECT_TRUE(solver.solve(r.problem, lambda, a).converged);
  EXPECT_EQ(a[3], 0.7);
}

TEST(ActivationQp, AllocatesNothing) {
  RandomProblem r(9, 30, 150, 0.3);
  ActivationSolver solver(r.columns);
  VecX lambda = zeros(30), a = zeros(150);
  const test::AllocationCount count;
  solver.solve(r.problem, lambda, a);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

TEST(ProfileCholesky, SolvesWhatADenseFactorisationSolves) {
  Random random(1);
  for (int n = 1; n < 23; ++n) {  // whole panels of four rows and parts of one
    MatX B = MatX::Zero(n, n);
    std::vector<int> first;
    for (int i = 0; i < n; ++i) {
      first.push_back(std::max(0, i - 1 - i % 7));
      for (int j = first.back(); j <= i; ++j) B(i, j) = random.uniform(-1, 1);
      B(i, i) = 3;
    }
    const MatX A = B * B.transpose();  // a factor's profile is that of its matrix
    ProfileCholesky cholesky(first);
    for (int i = 0; i < n; ++i)
      for (int j = first[static_cast<std::size_t>(i)]; j <= i; ++j) cholesky.row(i)[j] = A(i, j);
    ASSERT_TRUE(cholesky.factor());
    VecX b = VecX::LinSpaced(n, 1, 2);
    const VecX expected = A.ldlt().solve(b);
    cholesky.solve(b);
    EXPECT_LT((b - expected).norm(), 1e-12 * expected.norm()) << n;
    EXPECT_EQ(cholesky.row(n - 1)[n - 1], A(n - 1, n - 1)) << "the matrix stays";
  }
}

TEST(ProfileCholesky, RefusesAMatrixThatIsNotPositiveDefinite) {
  ProfileCholesky cholesky(2);
  cholesky.row(0)[0] = 1, cholesky.row(1)[0] = 2, cholesky.row(1)[1] = 1;
  EXPECT_FALSE(cholesky.factor());
}

}  // namespace
}  // namespace pneuma::control
