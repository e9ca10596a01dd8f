#include "breath/cage/block_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

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
    for (Quad& side : row) side = Quad(randomVector(random));
  return rows;
}

/// One right-hand side as one vector.
VecX sideOf(const BlockCholesky::Rows& rows, std::size_t side) {
  VecX v(3 * static_cast<Eigen::Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    v.segment<3>(3 * static_cast<Eigen::Index>(i)) = rows[i][side].vector();
  return v;
}

/// Rows as they are given, in the order of elimination, and forward.
BlockCholesky::Rows halfSolved(const BlockCholesky& solver, const BlockCholesky::Rows& given) {
  BlockCholesky::Rows rows(given.size());
  for (std::size_t i = 0; i < given.size(); ++i)
    rows[static_cast<std::size_t>(solver.places()[i])] = given[i];
  solver.forward(rows);
  return rows;
}

/// A^-1 b of one right-hand side.
VecX solution(const BlockCholesky& solver, const BlockCholesky::Rows& half, std::size_t side) {
  Quads vectors;
  for (const BlockCholesky::Row& row : half) vectors.push_back(row[side]);
  solver.backward(vectors);
  VecX x(3 * static_cast<Eigen::Index>(half.size()));
  for (std::size_t i = 0; i < half.size(); ++i) {
    const Quad& q = vectors[static_cast<std::size_t>(solver.places()[i])];
    EXPECT_EQ(q.rest, 0);
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = q.vector();
  }
  return x;
}

TEST(BlockCholesky, SolvesLikeADenseSolverAgainAndAgain) {
  const Springs springs(41);
  BlockCholesky solver(springs.size, springs.pairs);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const MatX dense = springs.fill(seed, solver);
    ASSERT_TRUE(solver.factor());
    const BlockCholesky::Rows given = randomRows(springs.size), half = halfSolved(solver, given);
    for (std::size_t k = 0; k < BlockCholesky::kSides; ++k)
      EXPECT_LT((dense * solution(solver, half, k) - sideOf(given, k)).norm(), 1e-10)
          << "side " << k;
  }
}

/// a^T A^-1 b needs no way back.
TEST(BlockCholesky, ProductsAreThoseOfSolutions) {
  const Springs springs(23);
  BlockCholesky solver(springs.size, springs.pairs);
  const MatX dense = springs.fill(5, solver);
  ASSERT_TRUE(solver.factor());
  const BlockCholesky::Rows given = randomRows(springs.size);
  const BlockCholesky::Products products = productsOf(halfSolved(solver, given));
  for (int i = 0; i < BlockCholesky::kSides; ++i)
    for (int j = 0; j < BlockCholesky::kSides; ++j)
      EXPECT_NEAR(products(i, j),
                  sideOf(given, static_cast<std::size_t>(i))
                      .dot(dense.ldlt().solve(sideOf(given, static_cast<std::size_t>(j)))),
                  1e-9)
          << i << ' ' << j;
}

struct Filled {
  std::size_t tree, ring;
};

/// Blocks of the factors of a tree, numbered at random, and of a ring.
Filled filled(int n) {
  std::vector<std::pair<int, int>> tree, ring;
  for (int i = 1; i < n; ++i) tree.emplace_back((7 * i) % n, (7 * (i / 3)) % n);
  for (int i = 0; i < n; ++i) ring.emplace_back(i, (i + 1) % n);
  return {BlockCholesky(n, tree).nonZeros(), BlockCholesky(n, ring).nonZeros()};
}

/// Eliminated from its ends, a tree fills nothing, however its blocks are numbered; a ring, one
/// block for each that is taken out before three are left.
TEST(BlockCholesky, TreesAndRingsFillAsLittleAsTheyCan) {
  for (const std::size_t n : {50, 900}) {
    EXPECT_EQ(filled(static_cast<int>(n)).tree, n - 1);
    EXPECT_EQ(filled(static_cast<int>(n)).ring, 2 * n - 3);
  }
}

/// Beyond a thousand blocks the order is an approximate one.
TEST(BlockCholesky, LargeTreesFillLittle) {
  EXPECT_LT(filled(1200).tree, 1.2 * 1199);
}

TEST(BlockCholesky, ASpringHoldsAlongItselfAlone) {
  const std::vector<std::pair<int, int>> pairs{{0, 1}};
  BlockCholesky solver(2, pairs);
  solver.clear();
  const Mat3 stiff = 1e9 * Vec3::UnitX() * Vec3::UnitX().transpose();
  for (const int i : {0, 1}) solver.addDiagonal(i, Mat3::Identity() + stiff);
  solver.addPair(0, -stiff);
  ASSERT_TRUE(solver.factor());
  BlockCholesky::Rows rows(2);
  rows[0][0] = Quad(Vec3(8, 8, 8));
  const VecX x = solution(solver, halfSolved(solver, rows), 0);
  EXPECT_NEAR(x[0], 4, 1e-6);  // along it both ends move as one
  EXPECT_NEAR(x[3], 4, 1e-6);
  EXPECT_NEAR(x[1], 8, 1e-12);  // across it only the end that is pulled
  EXPECT_NEAR(x[4], 0, 1e-12);
}

TEST(BlockCholesky, RefusesWhatIsNotPositive) {
  const std::vector<std::pair<int, int>> pairs{{0, 1}};
  BlockCholesky solver(2, pairs);
  solver.clear();
  for (const int i : {0, 1}) solver.addDiagonal(i, Mat3::Identity());
  solver.addPair(0, 2 * Mat3::Identity());
  EXPECT_FALSE(solver.factor());
}

TEST(BlockCholesky, FactorsAndSolvesWithoutAllocating) {
  const Springs springs(40);
  BlockCholesky solver(springs.size, springs.pairs);
  BlockCholesky::Rows rows = randomRows(springs.size);
  solver.clear();
  for (int i = 0; i < springs.size; ++i) solver.addDiagonal(i, Mat3::Identity());
  Quads vectors(rows.size());
  const test::AllocationCount count;
  EXPECT_TRUE(solver.factor());
  solver.forward(rows);
  solver.backward(vectors);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

}  // namespace
}  // namespace pneuma::breath::internal
