#include "breath/cage/particle_solver.h"

#include <gtest/gtest.h>

#include "pneuma/core/random.h"
#include "pneuma/core/types.h"
#include "tests/support/count_allocations.h"

namespace pneuma::breath::internal {
namespace {

/// A ring with a few chords, some particles tied to the ground.
struct Graph {
  explicit Graph(int n) {
    Random random(9);
    for (int i = 0; i < n; ++i) {
      mass.push_back(random.uniform(0.5, 2));
      edges.push_back({i, (i + 1) % n, random.uniform(0, 3)});
      if (i % 3 == 0) edges.push_back({i, (i + n / 2) % n, random.uniform(0, 3)});
      if (i % 5 == 0) edges.push_back({i, -1, random.uniform(0, 3)});
    }
  }
  MatX dense() const {
    const auto n = static_cast<Eigen::Index>(mass.size());
    MatX m = MatX::Zero(n, n);
    for (Eigen::Index i = 0; i < n; ++i) m(i, i) = mass[static_cast<std::size_t>(i)];
    for (const WeightedEdge& e : edges) {
      m(e.a, e.a) += e.weight;
      if (e.b < 0) continue;
      m(e.b, e.b) += e.weight;
      m(e.a, e.b) -= e.weight;
      m(e.b, e.a) -= e.weight;
    }
    return m;
  }
  std::vector<double> mass;
  std::vector<WeightedEdge> edges;
};

std::vector<ParticleSolver::Row> randomRows(std::size_t n) {
  Random random(4);
  std::vector<ParticleSolver::Row> rows(n);
  for (auto& row : rows)
    for (double& x : row) x = random.normal();
  return rows;
}

TEST(ParticleSolver, SolvesAllRightHandSidesLikeADenseSolver) {
  const Graph graph(40);
  ParticleSolver solver(graph.mass, graph.edges);
  std::vector<ParticleSolver::Row> rows = randomRows(40);
  MatX b(40, ParticleSolver::kWidth);
  for (int i = 0; i < 40; ++i)
    for (int c = 0; c < ParticleSolver::kWidth; ++c)
      b(i, c) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)];
  solver.solve(rows);
  const MatX x = graph.dense().ldlt().solve(b);
  for (int i = 0; i < 40; ++i)
    for (int c = 0; c < ParticleSolver::kWidth; ++c)
      EXPECT_NEAR(rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(c)], x(i, c), 1e-12);
}

TEST(ParticleSolver, WithoutEdgesDividesByMass) {
  const std::vector<double> mass{2, 4};
  ParticleSolver solver(mass, {});
  std::vector<ParticleSolver::Row> rows(2, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  solver.solve(rows);
  for (std::size_t c = 0; c < ParticleSolver::kWidth; ++c) {
    EXPECT_DOUBLE_EQ(rows[0][c], 0.5 * static_cast<double>(c + 1));
    EXPECT_DOUBLE_EQ(rows[1][c], 0.25 * static_cast<double>(c + 1));
  }
}

TEST(ParticleSolver, AStiffEdgeMakesItsEndsMoveAsOne) {
  const std::vector<double> mass{1, 3};
  const std::vector<WeightedEdge> edges{{0, 1, 1e9}};
  ParticleSolver solver(mass, edges);
  std::vector<ParticleSolver::Row> rows{{8, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}};
  solver.solve(rows);
  EXPECT_NEAR(rows[0][0], 2, 1e-6);
  EXPECT_NEAR(rows[1][0], 2, 1e-6);
}

TEST(ParticleSolver, SolvesWithoutAllocating) {
  const Graph graph(40);
  ParticleSolver solver(graph.mass, graph.edges);
  std::vector<ParticleSolver::Row> rows = randomRows(40);
  solver.solve(rows);
  const test::AllocationCount count;
  solver.solve(rows);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

}  // namespace
}  // namespace pneuma::breath::internal
