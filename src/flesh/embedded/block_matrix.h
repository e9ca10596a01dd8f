#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flesh/embedded/row_mask.h"
#include "pneuma/flesh/embedded/lattice.h"

/// Symmetric matrices of 3x3 blocks, and how one is folded into a smaller one.
namespace pneuma::flesh::embedded {

/// Rows of blocks, both triangles stored; nine numbers a block, column by column, so that a block
/// times a vector is three products of registers.
///
/// Rows have an order in which Gauss-Seidel goes through them: chunks of kSweepRows by colour,
/// chunks of one colour not coupled. In each row the blocks of rows that come earlier in it stand
/// before the diagonal, those of later rows after it.
template <class Scalar>
struct BlockMatrix {
  static constexpr std::int32_t kSweepRows = 512;
  /// The last block is read as a register of four.
  static constexpr std::size_t kReadAhead = 3;

  std::vector<std::int32_t> start{0}, column, diagonal;
  std::vector<std::vector<std::int32_t>> colours;  ///< chunks of rows
  std::vector<Scalar> value;
  /// Rows that have values; blocks of others are zero.
  RowMask filled;

  std::int32_t rows() const { return static_cast<std::int32_t>(start.size()) - 1; }
  /// y = A x over rows [begin, end).
  void multiply(const Scalar* x, Scalar* y, std::int32_t begin, std::int32_t end) const;
  void multiply(const Scalar* x, Scalar* y) const;  ///< all rows, in parallel
};

/// One block of a matrix that is folded: its rows and where its values are.
struct BlockPlace {
  std::int32_t row = 0, column = 0;  ///< row <= column
  std::int32_t source = 0;
};

/// B = W^T A W for a symmetric A given by its upper blocks, W rows of weights. The pattern and
/// which block of A goes where with which weight are found once; then each block of B is gathered.
class BlockFolding {
 public:
  BlockFolding() = default;
  /// Also fills the pattern of `folded`.
  template <class Scalar>
  BlockFolding(std::span<const BlockPlace> blocks, const SparseRows& weights, std::int32_t unknowns,
               BlockMatrix<Scalar>& folded);
  /// Blocks of `rows` alone; all others become zero.
  template <class Scalar>
  void apply(const Scalar* source, const RowMask& rows, BlockMatrix<Scalar>& folded) const;

 private:
  template <class Scalar>
  void placeBlocks(std::span<const std::uint64_t> keys, std::int32_t unknowns,
                   BlockMatrix<Scalar>& folded);

  struct Entry {
    std::int32_t source;  ///< twice the block, plus one when transposed
    float weight;
  };
  std::vector<std::int32_t> start_{0}, upper_, lower_;  ///< by block of B's upper triangle
  std::vector<Entry> entries_;
};

/// Upper blocks of a matrix.
template <class Scalar>
std::vector<BlockPlace> upperBlocks(const BlockMatrix<Scalar>& matrix);

/// Inverses of the diagonal blocks of the rows that have values; a block that cannot be inverted
/// becomes zero.
template <class Scalar>
void invertDiagonal(const BlockMatrix<Scalar>& matrix, std::vector<Scalar>& inverse);

/// Rows and columns of the transposed weights.
SparseRows transposed(const SparseRows& rows, std::int32_t columns);

}  // namespace pneuma::flesh::embedded
