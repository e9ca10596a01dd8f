#include "breath/cage/block_cholesky.h"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "pneuma/core/check.h"

namespace pneuma::breath::internal {
namespace {

/// Approximate minimum degree of the graph of blocks: place of each in the order of elimination.
std::vector<int> eliminationOrder(int size, std::span<const std::pair<int, int>> pairs) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < size; ++i) entries.emplace_back(i, i, 1.0);
  for (const auto& [a, b] : pairs) {
    entries.emplace_back(a, b, 1.0);
    entries.emplace_back(b, a, 1.0);
  }
  Eigen::SparseMatrix<double> graph(size, size);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(graph, order);
  std::vector<int> place(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) place[static_cast<std::size_t>(order.indices()[i])] = i;
  return place;
}

/// Inverse of the lower triangular factor of a 3 x 3 matrix, whose lower part is read; false when
/// it is not positive definite.
bool invertPivot(Mat3& a) {
  if (!(a(0, 0) > 0)) return false;
  const double l00 = std::sqrt(a(0, 0)), l10 = a(1, 0) / l00, l20 = a(2, 0) / l00;
  const double d1 = a(1, 1) - l10 * l10;
  if (!(d1 > 0)) return false;
  const double l11 = std::sqrt(d1), l21 = (a(2, 1) - l20 * l10) / l11;
  const double d2 = a(2, 2) - l20 * l20 - l21 * l21;
  if (!(d2 > 0)) return false;
  const double i0 = 1 / l00, i1 = 1 / l11, i2 = 1 / std::sqrt(d2);
  const double m10 = -l10 * i0 * i1;
  a << i0, 0, 0, m10, i1, 0, -(l20 * i0 + l21 * m10) * i2, -l21 * i1 * i2, i2;
  return std::isfinite(i0) && std::isfinite(i1) && std::isfinite(i2);
}

/// All right-hand sides of one axis, as a vector register (or two).
using Lanes =
    double __attribute__((vector_size(8 * BlockCholesky::kWidth), aligned(32), may_alias));

/// The same anywhere in memory.
using Loose = double __attribute__((vector_size(8 * BlockCholesky::kWidth), aligned(8), may_alias));

PNEUMA_INTO_BOTH Lanes* lanes(BlockCholesky::Row& row) {
  return reinterpret_cast<Lanes*>(row.data());
}
PNEUMA_INTO_BOTH const Lanes* lanes(const BlockCholesky::Row& row) {
  return reinterpret_cast<const Lanes*>(row.data());
}

/// to -= b from
PNEUMA_INTO_BOTH void subtractProduct(const Mat3& b, const Lanes* from, Lanes* to) {
  for (int i = 0; i < 3; ++i) to[i] -= b(i, 0) * from[0] + b(i, 1) * from[1] + b(i, 2) * from[2];
}
/// to -= b^T from
PNEUMA_INTO_BOTH void subtractTransposed(const Mat3& b, const Lanes* from, Lanes* to) {
  for (int i = 0; i < 3; ++i) to[i] -= b(0, i) * from[0] + b(1, i) * from[1] + b(2, i) * from[2];
}

/// The factor by columns, as BlockCholesky keeps it.
struct Factor {
  const int* columnStart;
  const int* rowIndex;
  const Mat3* diagonal;
  const Mat3* value;
  std::size_t size;
};

/// All right-hand sides of a row at once, in vector registers: plain loops over them stay scalar,
/// for the compiler cannot know that two rows are never the same.
PNEUMA_INTO_BOTH void substitute(const Factor& f, BlockCholesky::Row* work) {
  for (std::size_t c = 0; c < f.size; ++c) {  // L y = b
    const Mat3& p = f.diagonal[c];            // lower triangular
    Lanes* y = lanes(work[c]);
    y[2] = p(2, 0) * y[0] + p(2, 1) * y[1] + p(2, 2) * y[2];
    y[1] = p(1, 0) * y[0] + p(1, 1) * y[1];
    y[0] = p(0, 0) * y[0];
    const Lanes solved[3] = {y[0], y[1], y[2]};
    for (int k = f.columnStart[c]; k < f.columnStart[c + 1]; ++k)
      subtractProduct(f.value[k], solved, lanes(work[f.rowIndex[k]]));
  }
  for (std::size_t c = f.size; c-- > 0;) {  // L^T x = y
    const Mat3& p = f.diagonal[c];
    Lanes* x = lanes(work[c]);
    Lanes sum[3] = {x[0], x[1], x[2]};
    for (int k = f.columnStart[c]; k < f.columnStart[c + 1]; ++k)
      subtractTransposed(f.value[k], lanes(work[f.rowIndex[k]]), sum);
    x[0] = p(0, 0) * sum[0] + p(1, 0) * sum[1] + p(2, 0) * sum[2];
    x[1] = p(1, 1) * sum[1] + p(2, 1) * sum[2];
    x[2] = p(2, 2) * sum[2];
  }
}

PNEUMA_WIDE void substituteWide(const Factor& f, BlockCholesky::Row* work) {
  substitute(f, work);
}
void substituteNarrow(const Factor& f, BlockCholesky::Row* work) {
  substitute(f, work);
}

/// Of the blocks b behind `a` in a column: target -= b a^T.
PNEUMA_INTO_BOTH void eliminate(Mat3* value, std::size_t a, const std::int32_t* target,
                                std::size_t count) {
  double m[9];
  std::memcpy(m, value[a].data(), sizeof(m));
  for (std::size_t n = 0; n < count; ++n) {
    const double* b = value[a + 1 + n].data();
    double* c = value[target[n]].data();
    const Lanes b0 = *reinterpret_cast<const Loose*>(b),
                b1 = *reinterpret_cast<const Loose*>(b + 3),
                b2 = *reinterpret_cast<const Loose*>(b + 6);
    const Lanes c0 = *reinterpret_cast<const Loose*>(c) - (b0 * m[0] + b1 * m[3] + b2 * m[6]);
    const Lanes c1 = *reinterpret_cast<const Loose*>(c + 3) - (b0 * m[1] + b1 * m[4] + b2 * m[7]);
    const Lanes c2 = *reinterpret_cast<const Loose*>(c + 6) - (b0 * m[2] + b1 * m[5] + b2 * m[8]);
    std::memcpy(c, &c0, sizeof(c0));
    std::memcpy(c + 3, &c1, sizeof(c1));
    std::memcpy(c + 6, &c2, 3 * sizeof(double));
  }
}
PNEUMA_WIDE void eliminateWide(Mat3* value, std::size_t a, const std::int32_t* target,
                               std::size_t count) {
  eliminate(value, a, target, count);
}
void eliminateNarrow(Mat3* value, std::size_t a, const std::int32_t* target, std::size_t count) {
  eliminate(value, a, target, count);
}

/// a^T b, lane by lane.
PNEUMA_INTO_BOTH void multiplyRows(const BlockCholesky::Row* a, const BlockCholesky::Row* b,
                                   std::size_t n, double* out) {
  constexpr int kWidth = BlockCholesky::kWidth;
  Lanes sum[kWidth] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const double* g = a[i].data();
    const Lanes* x = lanes(b[i]);
    for (int axis = 0; axis < 3; ++axis)
      for (int k = 0; k < kWidth; ++k) sum[k] += g[kWidth * axis + k] * x[axis];
  }
  for (int k = 0; k < kWidth; ++k)
    for (int j = 0; j < kWidth; ++j) out[kWidth * j + k] = sum[k][j];
}
PNEUMA_WIDE void multiplyRowsWide(const BlockCholesky::Row* a, const BlockCholesky::Row* b,
                                  std::size_t n, double* out) {
  multiplyRows(a, b, n, out);
}
void multiplyRowsNarrow(const BlockCholesky::Row* a, const BlockCholesky::Row* b, std::size_t n,
                        double* out) {
  multiplyRows(a, b, n, out);
}

PNEUMA_INTO_BOTH void multiplyColumns(const SparseColumns& pattern, const Vec3* u,
                                      const BlockCholesky::Row* x, Reaction* out) {
  for (std::size_t c = 0; c + 1 < pattern.start.size(); ++c) {
    Lanes sum = {};
    for (int e = pattern.start[c]; e < pattern.start[c + 1]; ++e, ++u) {
      const Lanes* row = lanes(x[pattern.row[static_cast<std::size_t>(e)]]);
      sum += (*u)[0] * row[0] + (*u)[1] * row[1] + (*u)[2] * row[2];
    }
    for (int k = 0; k < BlockCholesky::kWidth; ++k) out[c][k] = sum[k];
  }
}
PNEUMA_WIDE void multiplyColumnsWide(const SparseColumns& pattern, const Vec3* u,
                                     const BlockCholesky::Row* x, Reaction* out) {
  multiplyColumns(pattern, u, x, out);
}
void multiplyColumnsNarrow(const SparseColumns& pattern, const Vec3* u, const BlockCholesky::Row* x,
                           Reaction* out) {
  multiplyColumns(pattern, u, x, out);
}

/// Some columns at a time, so that the sums are fetched and stored less often.
PNEUMA_INTO_BOTH void multiplyDense(const double* matrix, Eigen::Index rows, Eigen::Index columns,
                                    const double* x, double* out) {
  constexpr Eigen::Index kWidth = BlockCholesky::kWidth, kColumns = 8;
  const auto add = [&](Eigen::Index first, Eigen::Index count) __attribute__((always_inline)) {
    for (Eigen::Index i = 0; i < rows; i += kWidth) {
      Lanes sum = *reinterpret_cast<const Loose*>(out + i);
      for (Eigen::Index c = first; c < first + count; ++c)
        sum += *reinterpret_cast<const Loose*>(matrix + c * rows + i) * x[c];
      *reinterpret_cast<Loose*>(out + i) = sum;
    }
  };
  for (Eigen::Index i = 0; i < rows; ++i) out[i] = 0;
  Eigen::Index first = 0;
  for (; first + kColumns <= columns; first += kColumns) add(first, kColumns);
  add(first, columns - first);
}
PNEUMA_WIDE void multiplyDenseWide(const double* matrix, Eigen::Index rows, Eigen::Index columns,
                                   const double* x, double* out) {
  multiplyDense(matrix, rows, columns, x, out);
}
void multiplyDenseNarrow(const double* matrix, Eigen::Index rows, Eigen::Index columns,
                         const double* x, double* out) {
  multiplyDense(matrix, rows, columns, x, out);
}

}  // namespace

BlockCholesky::BlockCholesky(int size, std::span<const std::pair<int, int>> pairs)
    : place_(eliminationOrder(size, pairs)) {
  const auto n = static_cast<std::size_t>(size);
  std::vector<std::vector<int>> later(n);  // neighbours that are eliminated later, by place
  const auto placesOf = [&](const std::pair<int, int>& pair) {
    PNEUMA_CHECK(pair.first != pair.second, "block {} is coupled to itself", pair.first);
    return std::minmax(place_[static_cast<std::size_t>(pair.first)],
                       place_[static_cast<std::size_t>(pair.second)]);
  };
  for (const auto& pair : pairs) {
    const auto [low, high] = placesOf(pair);
    later[static_cast<std::size_t>(low)].push_back(high);
  }
  diagonal_.resize(n);
  work_.resize(n);
  analyse(later);
  value_.resize(rowIndex_.size() + 1);
  for (const auto& pair : pairs) {
    const auto [low, high] = placesOf(pair);
    const auto begin = rowIndex_.begin() + columnStart_[static_cast<std::size_t>(low)];
    const auto end = rowIndex_.begin() + columnStart_[static_cast<std::size_t>(low) + 1];
    pairBlock_.push_back(
        static_cast<std::int32_t>(std::lower_bound(begin, end, high) - rowIndex_.begin()));
  }
}

/// Rows of each column of the factor: its neighbours and what the columns that it is the first row
/// of hand on to it.
void BlockCholesky::analyse(const std::vector<std::vector<int>>& later) {
  const std::size_t n = later.size();
  std::vector<std::vector<int>> rows = later;
  columnStart_.assign(1, 0);
  for (std::size_t c = 0; c < n; ++c) {
    std::sort(rows[c].begin(), rows[c].end());
    rows[c].erase(std::unique(rows[c].begin(), rows[c].end()), rows[c].end());
    if (!rows[c].empty()) {
      std::vector<int>& next = rows[static_cast<std::size_t>(rows[c].front())];
      next.insert(next.end(), rows[c].begin() + 1, rows[c].end());
    }
    rowIndex_.insert(rowIndex_.end(), rows[c].begin(), rows[c].end());
    columnStart_.push_back(static_cast<int>(rowIndex_.size()));
  }
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t a = 0; a < rows[c].size(); ++a) {
      const int column = rows[c][a];
      updates_.push_back(-1 - column);
      auto at = rowIndex_.begin() + columnStart_[static_cast<std::size_t>(column)];
      for (std::size_t b = a + 1; b < rows[c].size(); ++b) {
        at = std::find(at, rowIndex_.end(), rows[c][b]);
        updates_.push_back(static_cast<std::int32_t>(at - rowIndex_.begin()));
      }
    }
}

void BlockCholesky::clear() {
  std::fill(diagonal_.begin(), diagonal_.end(), Mat3::Zero());
  std::fill(value_.begin(), value_.end(), Mat3::Zero());
}

void BlockCholesky::addDiagonal(int i, const Mat3& block) {
  diagonal_[static_cast<std::size_t>(place_[static_cast<std::size_t>(i)])] += block;
}

void BlockCholesky::addPair(std::size_t pair, const Mat3& block) {
  value_[static_cast<std::size_t>(pairBlock_[pair])] += block;
}

/// Columns of three of a block are taken as registers of four: the fourth is the next column's
/// first, and is written before it. The last block has a spare one behind it.
bool BlockCholesky::factor() {
  const std::int32_t* update = updates_.data();
  for (std::size_t c = 0; c < diagonal_.size(); ++c) {
    if (!invertPivot(diagonal_[c])) return false;
    const Mat3 inverse = diagonal_[c].transpose();
    const auto begin = static_cast<std::size_t>(columnStart_[c]);
    const auto end = static_cast<std::size_t>(columnStart_[c + 1]);
    for (std::size_t k = begin; k < end; ++k) value_[k] = (value_[k] * inverse).eval();
    // What comes later loses the products of the column's blocks.
    for (std::size_t a = begin; a < end; ++a) {
      Mat3& pivot = diagonal_[static_cast<std::size_t>(-1 - *update++)];
      pivot.noalias() -= value_[a] * value_[a].transpose();
      const std::size_t count = end - a - 1;
      hasWideRegisters() ? eliminateWide(value_.data(), a, update, count)
                         : eliminateNarrow(value_.data(), a, update, count);
      update += count;
    }
  }
  return true;
}

void BlockCholesky::solve(const Rows& given, Rows& rows) {
  const std::size_t n = work_.size();
  for (std::size_t i = 0; i < n; ++i) work_[static_cast<std::size_t>(place_[i])] = given[i];
  const Factor factor{columnStart_.data(), rowIndex_.data(), diagonal_.data(), value_.data(), n};
  hasWideRegisters() ? substituteWide(factor, work_.data())
                     : substituteNarrow(factor, work_.data());
  for (std::size_t i = 0; i < n; ++i) rows[i] = work_[static_cast<std::size_t>(place_[i])];
}

BlockCholesky::Products productsOf(const BlockCholesky::Rows& a, const BlockCholesky::Rows& b) {
  BlockCholesky::Products out;
  hasWideRegisters() ? multiplyRowsWide(a.data(), b.data(), a.size(), out.data())
                     : multiplyRowsNarrow(a.data(), b.data(), a.size(), out.data());
  return out;
}

void sumColumns(const SparseColumns& pattern, const std::vector<Vec3>& values,
                const BlockCholesky::Rows& x, std::vector<Reaction>& out) {
  hasWideRegisters() ? multiplyColumnsWide(pattern, values.data(), x.data(), out.data())
                     : multiplyColumnsNarrow(pattern, values.data(), x.data(), out.data());
}

void multiply(const MatX& matrix, const VecX& x, VecX& out) {
  hasWideRegisters()
      ? multiplyDenseWide(matrix.data(), matrix.rows(), matrix.cols(), x.data(), out.data())
      : multiplyDenseNarrow(matrix.data(), matrix.rows(), matrix.cols(), x.data(), out.data());
}

}  // namespace pneuma::breath::internal
