#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "breath/cage/quads.h"

namespace pneuma::breath::internal {

/// Blocks of a factor column by column: where columns begin, with the end; and of each block the
/// place of its row in the order of elimination.
struct BlockColumns {
  std::vector<int> start;
  std::vector<std::int32_t> place;
};

/// Cholesky factor of a sparse, symmetric, positive definite matrix of 3 x 3 blocks: particles and
/// the springs between them. Ordered and analysed once for a pattern; clear, add, factor as often
/// as the values change. Nothing but the constructor allocates.
///
/// With A = P^T L L^T P the scalar products of solutions are those of what forward() leaves,
/// a^T A^-1 b = (L^-1 P a)^T (L^-1 P b): backward() is for what has to be known of each block.
class BlockCholesky {
 public:
  /// Right-hand sides at a time: of each block one vector for each of them.
  static constexpr int kSides = 3;
  using Row = std::array<Quad, kSides>;
  using Rows = std::vector<Row, LineAllocator<Row>>;
  using Products = Eigen::Matrix<double, kSides, kSides>;

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
  /// L y = b in place, all right-hand sides; rows in the order of elimination. Vectors have any
  /// fourth number afterwards.
  void forward(Rows& rows) const;
  /// L^T x = y in place, one right-hand side; a vector for each block in the order of elimination.
  void backward(Quads& vectors) const;

 private:
  void analyse(const std::vector<std::vector<int>>& rows);

  // L of P A P^T = L L^T by block columns. `updates_` lists, column after column, where the product
  // of each two blocks of it goes: off-diagonal blocks count from 0, diagonal ones from -1
  // downwards. Blocks have a spare one at their end, for registers of four.
  std::vector<int> place_;
  BlockColumns columns_;
  std::vector<std::int32_t> updates_, pairBlock_;
  std::vector<Mat3> diagonal_;    // once factored: inverse of the triangular pivot
  std::vector<Mat3> value_;       // below it
  std::vector<Mat3> upperPivot_;  // the inverse transposed
};

/// Scalar products of every right-hand side (rows) with every one (columns).
BlockCholesky::Products productsOf(const BlockCholesky::Rows& a);

/// The next whole number of vector registers.
inline Eigen::Index wholeLanes(Eigen::Index n) {
  constexpr Eigen::Index kLanes = 4;
  return (n + kLanes - 1) / kLanes * kLanes;
}

}  // namespace pneuma::breath::internal
