// The lanes of the grid against plain loops over terms.
#include "flesh/grid/grid_lattice.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "flesh/grid/grid_jacobian.h"
#include "flesh/grid/grid_stencil.h"
#include "flesh/grid/grid_tangent.h"
#include "pneuma/core/random.h"
#include "pneuma/flesh/grid_presets.h"
#include "pneuma/flesh/grid_stepper.h"
#include "pneuma/flesh/grid_system.h"
#include "tests/support/count_allocations.h"

namespace pneuma::flesh {
namespace {

/// Sections narrower and wider than a lane, lanes that do not fill the last one, a surface.
const std::vector<GridSize> kSizes{{2, 2, 2}, {5, 2, 3}, {7, 3, 4}, {9, 5, 5}, {6, 8, 7}};

GridModel excitedMuscle(const GridSize& size) {
  MuscleSetup setup;
  setup.grid = size;
  setup.initialActivation = 0.8;
  setup.material.stiffness << 600, 2e3, 3e3, 2e3, 5e3, 1e3, 3e3, 1e3, 4e3;
  setup.material.viscosity << 40, 10, 12, 10, 30, 9, 12, 9, 20;
  return makeMuscleBetweenPlanes(setup);
}

GridModel sheet() {
  BrickSetup setup;
  setup.grid = {7, 5, 1};
  setup.material.bending = 1e-4;
  return makeHangingBrick(setup);
}

GridState disturbedLattice(const GridModel& model, std::uint64_t seed) {
  Random random(seed);
  GridState state = makeRestState(model);
  for (double& x : state.q) x += 5e-4 * random.uniform(-1, 1);
  for (double& x : state.v) x += 0.1 * random.uniform(-1, 1);
  return state;
}

GridField<float> randomField(const GridSize& size, std::uint64_t seed) {
  Random random(seed);
  GridField<float> field(size, 3);
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < size.nodeCount(); ++i)
      field[c][i] = static_cast<float>(random.uniform(-1, 1));
  return field;
}

/// The stencil as a full matrix, column by column.
Eigen::MatrixXd toDense(const GridStencil& A) {
  const int nodes = A.size().nodeCount();
  GridField<float> x(A.size(), 3), sides(A.size(), 6), y(A.size(), 3);
  Eigen::MatrixXd dense(3 * nodes, 3 * nodes);
  for (int column = 0; column < 3 * nodes; ++column) {
    x.clear();
    x[column % 3][column / 3] = 1;
    A.multiply(x, sides, y);
    for (int row = 0; row < 3 * nodes; ++row)
      dense(row, column) = static_cast<double>(y[row % 3][row / 3]);
  }
  return dense;
}

TEST(GridLattice, GivesTheForcesOfThePlainLoops) {
  std::vector<GridModel> models;
  for (const GridSize& size : kSizes) models.push_back(excitedMuscle(size));
  models.push_back(sheet());
  for (const GridModel& model : models) {
    const GridState s = disturbedLattice(model, 5);
    VecX plain(s.q.size()), lanes(s.q.size());
    computeForces(model, 0.2, s.q, s.v, plain);
    GridForces(model).compute(0.2, s.q, s.v, lanes);
    // The same sums in another order.
    EXPECT_LT((plain - lanes).lpNorm<Eigen::Infinity>(), 1e-12 * plain.lpNorm<Eigen::Infinity>())
        << toString(model.solid.size);
  }
}

/// M - h dF/dv - h^2 dF/dq in double from the analytic Jacobian, symmetric part.
Eigen::MatrixXd exactTangent(const GridModel& model, const GridState& s, double h) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(s.q.size(), s.q.size());
  for (int i = 0; i < model.solid.nodeCount(); ++i)
    A.block<3, 3>(3 * i, 3 * i) = model.solid.mass[static_cast<std::size_t>(i)] * Mat3::Identity();
  forEachJacobianBlock(model, s.time, s.q, s.v,
                       [&](int row, int column, const Mat3& dq, const Mat3& dv) {
                         A.block<3, 3>(3 * row, 3 * column) -= h * dv + h * h * dq;
                       });
  return 0.5 * (A + A.transpose());
}

TEST(GridTangent, IsTheJacobianWhereNothingIsLeftOut) {
  // At rest there are no tensions or pressures, so no term has a negative part to leave out.
  for (const GridSize& size : kSizes) {
    MuscleSetup setup;
    setup.grid = size;
    const GridModel model = makeMuscleBetweenPlanes(setup);
    const GridState rest = makeRestState(model);
    const GridLattice lattice(model.solid);
    GridStencil A(size);
    GridTangent(model, lattice).assemble(0, rest.q, rest.v, 0.01, A);
    const Eigen::MatrixXd exact = exactTangent(model, rest, 0.01), dense = toDense(A);
    EXPECT_LT((dense - exact).cwiseAbs().maxCoeff(), 1e-4 * exact.cwiseAbs().maxCoeff())
        << toString(size);  // single precision of positions and sums
  }
}

TEST(GridTangent, IsSymmetricAndPositiveInADisturbedState) {
  for (const GridSize& size : {GridSize{2, 2, 2}, GridSize{5, 2, 3}, GridSize{5, 4, 4}}) {
    const GridModel model = excitedMuscle(size);
    const GridState s = disturbedLattice(model, 11);
    const GridLattice lattice(model.solid);
    GridStencil A(size);
    GridTangent(model, lattice).assemble(0.1, s.q, s.v, 1.0 / 60, A);
    const Eigen::MatrixXd dense = toDense(A);
    EXPECT_LT((dense - dense.transpose()).cwiseAbs().maxCoeff(),
              1e-6 * dense.cwiseAbs().maxCoeff());
    EXPECT_GT(dense.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
  }
}

TEST(GridSolver, SolvesWhatItMultiplies) {
  for (const GridSize& size : kSizes) {
    const GridModel model = excitedMuscle(size);
    const GridState s = disturbedLattice(model, 3);
    const GridLattice lattice(model.solid);
    GridStencil A(size);
    GridTangent(model, lattice).assemble(0.1, s.q, s.v, 1.0 / 60, A);
    GridSolver solver(size);
    solver.factor(A);
    const GridField<float> b = randomField(size, 8);
    GridField<float> x(size, 3), sides(size, 6), ax(size, 3);
    const GridSolver::Outcome outcome = solver.solve(A, b, x, 1e-4, 0, 400);
    EXPECT_FALSE(outcome.indefinite);
    A.multiply(x, sides, ax);
    double error = 0, norm = 0;
    for (int c = 0; c < 3; ++c)
      for (int i = 0; i < size.nodeCount(); ++i) {
        const double r = static_cast<double>(b[c][i] - ax[c][i]);
        error += r * r, norm += static_cast<double>(b[c][i] * b[c][i]);
      }
    EXPECT_LT(error, 1e-6 * norm) << toString(size) << " after " << outcome.iterations;
  }
}

TEST(GridStepper, StepsWithoutAllocating) {
  const GridModel model = excitedMuscle({9, 5, 5});
  GridStepper stepper(model);
  GridState state = makeRestState(model);
  for (int i = 0; i < 3; ++i) stepper.step(state, 1.0 / 60);
  stepper.reset();  // so that the next step builds its tangent anew
  const test::AllocationCount count;
  stepper.step(state, 1.0 / 60);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

TEST(GridSolver, IsolatedNodesKeepTheirValue) {
  const GridModel model = sheet();
  const GridState s = disturbedLattice(model, 2);
  const GridLattice lattice(model.solid);
  GridStencil A(model.solid.size);
  GridTangent(model, lattice).assemble(0, s.q, s.v, 0.01, A);
  const Eigen::MatrixXd dense = toDense(A);
  for (const GridFixedNode& fixed : model.fixed)
    for (int c = 0; c < 3; ++c) {
      const int row = 3 * fixed.node + c;
      EXPECT_EQ(dense(row, row), 1);
      EXPECT_EQ(dense.row(row).cwiseAbs().sum(), 1);
      EXPECT_EQ(dense.col(row).cwiseAbs().sum(), 1);
    }
}

}  // namespace
}  // namespace pneuma::flesh
