#include "skeleton/dynamics/dense_elimination.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "pneuma/core/random.h"
#include "tests/support/count_allocations.h"

namespace pneuma::skeleton::internal {
namespace {

MatX randomMatrix(Random& random, Eigen::Index rows, Eigen::Index columns) {
  return MatX::NullaryExpr(rows, columns, [&]() { return random.normal(); });
}

/// A system as eliminate() wants it.
RowMatX pack(const EliminationLayout& layout, const MatX& matrix, const MatX& sides) {
  RowMatX system = RowMatX::Zero(layout.size, layout.columns);
  system.leftCols(layout.size) = matrix;
  system.middleCols(layout.firstSide, sides.cols()) = sides;
  return system;
}

class Elimination : public ::testing::TestWithParam<int> {};

TEST_P(Elimination, SolvesLikeEigenForEverySizeAndNumberOfSides) {
  Random random(7);
  const Eigen::Index n = GetParam();
  for (const Eigen::Index count : {1, 3, 4, 6}) {
    const EliminationLayout layout(n, count);
    const MatX matrix = randomMatrix(random, n, n), sides = randomMatrix(random, n, count);
    RowMatX system = pack(layout, matrix, sides);
    eliminate(layout, system);
    const MatX expected = matrix.partialPivLu().solve(sides);
    EXPECT_LT((system.middleCols(layout.firstSide, count) - expected).norm(),
              1e-9 * expected.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Elimination, ::testing::Values(1, 2, 3, 4, 5, 31, 32, 56));

TEST(Elimination, ChangesRowsWhereThePivotIsZero) {
  const EliminationLayout layout(2, 1);
  MatX matrix(2, 2), side(2, 1);
  matrix << 0, 1, 2, 0;
  side << 3, 8;
  RowMatX system = pack(layout, matrix, side);
  eliminate(layout, system);
  EXPECT_EQ(system(0, layout.firstSide), 4);
  EXPECT_EQ(system(1, layout.firstSide), 3);
}

TEST(Elimination, ASingularMatrixLeavesNumbersThatAreNotFinite) {
  const EliminationLayout layout(3, 1);
  RowMatX system = pack(layout, MatX::Ones(3, 3), MatX::Identity(3, 1));
  eliminate(layout, system);
  EXPECT_FALSE(system.col(layout.firstSide).allFinite());
}

TEST(Elimination, TakesNoMemory) {
  Random random(3);
  const EliminationLayout layout(40, 3);
  RowMatX system = pack(layout, randomMatrix(random, 40, 40), randomMatrix(random, 40, 3));
  const test::AllocationCount count;
  eliminate(layout, system);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

}  // namespace
}  // namespace pneuma::skeleton::internal
