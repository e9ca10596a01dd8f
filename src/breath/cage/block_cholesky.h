#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pneuma/core/types.h"
#include "pneuma/core/wide_registers.h"

namespace pneuma::breath::internal {

using pneuma::internal::inRegisters;
using pneuma::internal::LineAllocator;

/// Blocks of a factor line by line (by rows or by columns): where lines begin, with the end; and
/// of each block the place of its partner among right-hand sides, in registers.
struct BlockLines {
  std::vector<int> start;
  std::vector<std::int32_t> place;
  std::vector<std::int32_t> block;  // its number, where lines do not follow the order of numbers
};

/// Cholesky factor of a sparse, symmetric, positive definite matrix of 3 x 3 blocks: particles and
/// the springs between them. Ordered and analysed once for a pattern; clear, add, factor as often
/// as the values change. Nothing but the constructor allocates.
class BlockCholesky {
 public:
  /// Right-hand sides solved at a time: one column per axis, one row per right-hand side.
  static constexpr int kWidth = 4;
  using Row = Eigen::Matrix<double, kWidth, 3>;
  using Rows = std::vector<Row, LineAllocator<Row>>;
  using Products = Eigen::Matrix<double, kWidth, kWidth>;

  BlockCholesky() = default;
  /// `pairs` couple different blocks; a pair may stand more than once.
  BlockCholesky(int size, std::span<const std::pair<int, int>> pairs);

  int size() const { return static_cast<int>(diagonal_.size()); }
  std::size_t nonZeros() const { return columns_.place.size(); }

  /// All values zero, the factor lost.
  void clear();
  /// To the diagonal block of `i`; symmetric.
  void addDiagonal(int i, const Mat3& block);
  /// To both blocks of the pair with this number; symmetric in itself.
  void addPair(std::size_t pair, const Mat3& block);
  /// False when a pivot is not positive (or not finite).
  bool factor();
  /// Row i of `given` holds the right-hand sides of block i, that of `rows` receives the solutions;
  /// the two may be the same.
  void solve(const Rows& given, Rows& rows);

 private:
  void analyse(const std::vector<std::vector<int>>& rows);

  // L of P A P^T = L L^T by block columns. `updates_` lists, column after column, where the product
  // of each two blocks of it goes: off-diagonal blocks count from 0, diagonal ones from -1
  // downwards.
  std::vector<int> place_;  // of each block in the order of elimination
  BlockLines columns_, rows_;
  std::vector<std::int32_t> updates_, pairBlock_;
  std::vector<Mat3> diagonal_;  // inverse of the triangular pivot once factored
  std::vector<Mat3> value_;
  Rows work_;
};

/// Scalar products of every right-hand side of `a` (rows) with every one of `b` (columns).
BlockCholesky::Products productsOf(const BlockCholesky::Rows& a, const BlockCholesky::Rows& b);

/// A sparse matrix of 3 x 1 blocks by columns: block rows, and where columns begin, with the end.
struct SparseColumns {
  std::vector<int> row, start;
};
using Reaction = Eigen::Matrix<double, BlockCholesky::kWidth, 1>;
/// U^T x for all right-hand sides: U by columns with its values in their order.
void sumColumns(const SparseColumns& pattern, const std::vector<Vec3>& values,
                const BlockCholesky::Rows& x, std::vector<Reaction>& out);

/// The next whole number of vector registers.
inline Eigen::Index wholeLanes(Eigen::Index n) {
  return (n + BlockCholesky::kWidth - 1) / BlockCholesky::kWidth * BlockCholesky::kWidth;
}
/// out = matrix x; the matrix has whole lanes of rows.
void multiply(const MatX& matrix, const VecX& x, VecX& out);

}  // namespace pneuma::breath::internal
