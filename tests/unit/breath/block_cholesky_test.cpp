#include "breath/cage/block_cholesky.h"

#include <gtest/gtest.h>

#include "pneuma/core/random.h"
#include "tests/support/count_allocations.h"

namespace pneuma::breath::internal {
namespace {

Vec3 randomVector(Random& random) {
  return {random.normal(), random.normal(), random.normal()};
}

/// A ring with a few chords of springs, each with a direction of its own, between masses.
class Springs {
 public:
  explicit Springs(int n) : size(n) {
    for (int i = 0; i < n; ++i) {
      pairs.emplace_back(i, (i + 1) % n);
      if (i % 3 == 0) pairs.emplace_back((i + n / 2) % n, i);
    }
  }

  /// Fills the solver and returns the same matrix, dense.
  MatX fill(std::uint64_t seed, BlockCholesky& solver) const {
    Random random(seed);
    MatX dense = MatX::Zero(3 * size, 3 * size);
    solver.clear();
    for (int i = 0; i < size; ++i) {
      const Mat3 mass = random.uniform(0.01, 2) * Mat3::Identity();
      solver.addDiagonal(i, mass);
      dense.block<3, 3>(3 * i, 3 * i) += mass;
    }
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const auto [a, b] = pairs[p];
      const Vec3 n = randomVector(random);
      const Mat3 gain = n * n.transpose();
      solver.addDiagonal(a, gain);
      solver.addDiagonal(b, gain);
      solver.addPair(p, -gain);
      dense.block<3, 3>(3 * a, 3 * a) += gain;
      dense.block<3, 3>(3 * b, 3 * b) += gain;
      dense.block<3, 3>(3 * a, 3 * b) -= gain;
      dense.block<3, 3>(3 * b, 3 * a) -= gain;
    }
    return dense;
  }

  int size;
  std::vector<std::pair<int, int>> pairs;
};

BlockCholesky::Rows randomRows(int n) {
  Random random(4);
  BlockCholesky::Rows rows(static_cast<std::size_t>(n));
  for (auto& row : rows)
    for (int lane = 0; lane < BlockCholesky::kWidth; ++lane)
      row.row(lane) = randomVector(random).transpose();
  return rows;
}

/// Right-hand side `lane` as one vector.
VecX lane(const BlockCholesky::Rows& rows, int lane) {
  VecX v(3 * static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    v.segment<3>(3 * static_cast<Eigen::Index>(i)) = rows[i].row(lane).transpose();
  return v;
}

TEST(BlockCholesky, SolvesLikeADenseSolverAgainAndAgain) {
  const Springs springs(41);
  BlockCholesky solver(springs.size, springs.pairs);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const MatX dense = springs.fill(seed, solver);
    ASSERT_TRUE(solver.factor());
    BlockCholesky::Rows rows = randomRows(springs.size);
    const BlockCholesky::Rows given = rows;
    solver.solve(rows, rows);
    for (int k = 0; k < BlockCholesky::kWidth; ++k)
      EXPECT_LT((dense * lane(rows, k) - lane(given, k)).norm(), 1e-10) << "lane " << k;
  }
}

TEST(BlockCholesky, ASpringHoldsAlongItselfAlone) {
  const std::vector<std::pair<int, int>> pairs{{0, 1}};
  BlockCholesky solver(2, pairs);
  solver.clear();
  const Mat3 stiff = 1e9 * Vec3::UnitX() * Vec3::UnitX().transpose();
  for (const int i : {0, 1}) solver.addDiagonal(i, Mat3::Identity() + stiff);
  solver.addPair(0, -stiff);
  ASSERT_TRUE(solver.factor());
  BlockCholesky::Rows rows(2, BlockCholesky::Row::Zero());
  rows[0].row(0) = Vec3(8, 8, 8).transpose();
  solver.solve(rows, rows);
  EXPECT_NEAR(rows[0](0, 0), 4, 1e-6);  // along it both ends move as one
  EXPECT_NEAR(rows[1](0, 0), 4, 1e-6);
  EXPECT_NEAR(rows[0](0, 1), 8, 1e-12);  // across it only the end that is pulled
  EXPECT_NEAR(rows[1](0, 1), 0, 1e-12);
}

TEST(BlockCholesky, RefusesWhatIsNotPositive) {
  const std::vector<std::pair<int, int>> pairs{{0, 1}};
  BlockCholesky solver(2, pairs);
  solver.clear();
  for (const int i : {0, 1}) solver.addDiagonal(i, Mat3::Identity());
  solver.addPair(0, 2 * Mat3::Identity());
  EXPECT_FALSE(solver.factor());
}

TEST(BlockCholesky, ProductsAreThoseOfEveryTwoRightHandSides) {
  const BlockCholesky::Rows a = randomRows(7);
  BlockCholesky::Rows b = a;
  for (auto& row : b) row = row.reverse().eval();
  const BlockCholesky::Products products = productsOf(a, b);
  for (int i = 0; i < BlockCholesky::kWidth; ++i)
    for (int j = 0; j < BlockCholesky::kWidth; ++j)
      EXPECT_NEAR(products(i, j), lane(a, i).dot(lane(b, j)), 1e-12) << i << ' ' << j;
}

/// Three columns: of two blocks, of none, of one.
TEST(BlockCholesky, SumsOfColumnsAreThoseOfTheDenseMatrix) {
  const BlockCholesky::Rows x = randomRows(5);
  const SparseColumns pattern{{0, 3, 4}, {0, 2, 2, 3}};
  Random random(9);
  std::vector<Vec3> values;
  MatX dense = MatX::Zero(15, 3);
  for (int c = 0; c < 3; ++c)
    for (int e = pattern.start[static_cast<std::size_t>(c)];
         e < pattern.start[static_cast<std::size_t>(c) + 1]; ++e) {
      values.push_back(randomVector(random));
      dense.block<3, 1>(3 * pattern.row[static_cast<std::size_t>(e)], c) = values.back();
    }
  std::vector<Reaction> sums(3);
  sumColumns(pattern, values, x, sums);
  for (int k = 0; k < BlockCholesky::kWidth; ++k) {
    const VecX expected = dense.transpose() * lane(x, k);
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(sums[static_cast<std::size_t>(c)][k], expected[c], 1e-12);
  }
}

TEST(BlockCholesky, MultipliesAnyNumberOfColumns) {
  for (const Eigen::Index columns : {1, 7, 8, 19}) {
    const MatX matrix = MatX::Random(wholeLanes(30), columns);
    const VecX x = VecX::Random(columns);
    VecX out = VecX::Constant(matrix.rows(), 5);
    multiply(matrix, x, out);
    EXPECT_LT((out - matrix * x).norm(), 1e-12) << columns;
  }
}

TEST(BlockCholesky, FactorsAndSolvesWithoutAllocating) {
  const Springs springs(40);
  BlockCholesky solver(springs.size, springs.pairs);
  BlockCholesky::Rows rows = randomRows(springs.size);
  solver.clear();
  for (int i = 0; i < springs.size; ++i) solver.addDiagonal(i, Mat3::Identity());
  const test::AllocationCount count;
  EXPECT_TRUE(solver.factor());
  solver.solve(rows, rows);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

}  // namespace
}  // namespace pneuma::breath::internal
