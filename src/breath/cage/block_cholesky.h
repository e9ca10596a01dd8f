#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "breath/cage/quads.h"

namespace pneuma::breath::internal {

/// Blocks of a factor line by line (by rows or by columns): where lines begin, with the end; and
/// of each block the place of its partner in the order of elimination.
struct BlockLines {
  std::vector<int> start;
  std::vector<std::int32_t> place;
  std::vector<std::int32_t> block;  // its number, where lines do not follow the order of numbers
};

/// Cholesky factor of a sparse, symmetric, positive definite matrix of 3 x 3 blocks: particles and
/// the springs between them. Ordered and analysed once for a pattern; clear, add, factor as often
/// as the values change. Nothing but the constructor allocates.
///
/// With A = P^T L L^T P the scalar products of solutions are those of what forward() leaves,
/// a^T A^-1 b = (L^-1 P a)^T (L^-1 P b): backward() is for what has to be known of each block.
class BlockCholesky {
 public:
  /// Right-hand sides at a time: one column per axis, one row per right-hand side.
  static constexpr int kWidth = 4;
  using Row = Eigen::Matrix<double, kWidth, 3>;
  using Rows = std::vector<Row, LineAllocator<Row>>;
  using Products = Eigen::Matrix<double, kWidth, kWidth>;

  BlockCholesky() = default;
  /// `pairs` couple different blocks; a pair may stand more than once.
  BlockCholesky(int size, std::span<const std::pair<int, int>> pairs);

  int size() const { return static_cast<int>(place_.size()); }
  std::size_t nonZeros() const { return columns_.place.size(); }
  /// Of each block in the order of elimination, P.
  const std::vector<int>& places() const { return place_; }

  /// All values zero, the factor lost.
  void clear();
  /// To the diagonal block of `i`; symmetric.
  void addDiagonal(int i, const Mat3& block);
  /// To both blocks of the pair with this number; symmetric in itself.
  void addPair(std::size_t pair, const Mat3& block);
  /// False when a pivot is not positive (or not finite).
  bool factor();
  /// L y = b in place, all right-hand sides; rows in the order of elimination.
  void forward(Rows& rows) const;
  /// L^T x = y in place, one right-hand side; a vector for each block in the order of elimination.
  void backward(Quads& vectors) const;

 private:
  void analyse(const std::vector<std::vector<int>>& rows);

  // L of P A P^T = L L^T by block columns. `updates_` lists, column after column, where the product
  // of each two blocks of it goes: off-diagonal blocks count from 0, diagonal ones from -1
  // downwards. Both have a spare block at their end, for registers of four.
  std::vector<int> place_;
  BlockLines columns_, rows_;
  std::vector<std::int32_t> updates_, pairBlock_;
  std::vector<Mat3> diagonal_;  // once factored: inverse of the triangular pivot, transposed
  std::vector<Mat3> value_;     // once factored: transposed
  std::vector<Mat3> byRows_;    // the same row after row: forward() reads as memory likes it
};

/// Scalar products of every right-hand side (rows) with every one (columns).
BlockCholesky::Products productsOf(const BlockCholesky::Rows& a);

/// The next whole number of vector registers.
inline Eigen::Index wholeLanes(Eigen::Index n) {
  return (n + BlockCholesky::kWidth - 1) / BlockCholesky::kWidth * BlockCholesky::kWidth;
}

}  // namespace pneuma::breath::internal
