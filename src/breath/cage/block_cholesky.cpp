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

PNEUMA_INTO_BOTH const Lanes* lanes(const BlockCholesky::Row& row) {
  return reinterpret_cast<const Lanes*>(row.data());
}

PNEUMA_INTO_BOTH void copyRow(const BlockCholesky::Row& from, BlockCholesky::Row& to) {
  for (int axis = 0; axis < 3; ++axis)
    reinterpret_cast<Lanes*>(to.data())[axis] = lanes(from)[axis];
}

/// sum -= b from
PNEUMA_INTO_BOTH void subtractProduct(const Mat3& b, const Lanes* from, Lanes* sum) {
  for (int i = 0; i < 3; ++i) sum[i] -= b(i, 0) * from[0] + b(i, 1) * from[1] + b(i, 2) * from[2];
}
/// sum -= b^T from
PNEUMA_INTO_BOTH void subtractTransposed(const Mat3& b, const Lanes* from, Lanes* sum) {
  for (int i = 0; i < 3; ++i) sum[i] -= b(0, i) * from[0] + b(1, i) * from[1] + b(2, i) * from[2];
}

/// The factor as BlockCholesky keeps it.
struct Factor {
  const BlockLines& rows;
  const BlockLines& columns;
  const Mat3* diagonal;
  const Mat3* value;
};

/// L y = b: each row takes what those before it have to give, so that its sums stay in registers.
PNEUMA_INTO_BOTH void substituteForward(const Factor& f, Lanes* work) {
  const std::int32_t* block = f.rows.block.data();
  const std::int32_t* place = f.rows.place.data();
  for (std::size_t c = 0; c + 1 < f.rows.start.size(); ++c) {
    Lanes* y = work + 3 * c;
    Lanes sum[3] = {y[0], y[1], y[2]};
    for (int k = f.rows.start[c]; k < f.rows.start[c + 1]; ++k)
      subtractProduct(f.value[block[k]], work + place[k], sum);
    const Mat3& p = f.diagonal[c];  // lower triangular
    y[0] = p(0, 0) * sum[0];
    y[1] = p(1, 0) * sum[0] + p(1, 1) * sum[1];
    y[2] = p(2, 0) * sum[0] + p(2, 1) * sum[1] + p(2, 2) * sum[2];
  }
}

/// L^T x = y, likewise by columns.
PNEUMA_INTO_BOTH void substituteBackward(const Factor& f, Lanes* work) {
  const std::int32_t* place = f.columns.place.data();
  for (std::size_t c = f.columns.start.size() - 1; c-- > 0;) {
    Lanes* x = work + 3 * c;
    Lanes sum[3] = {x[0], x[1], x[2]};
    for (int k = f.columns.start[c]; k < f.columns.start[c + 1]; ++k)
      subtractTransposed(f.value[k], work + place[k], sum);
    const Mat3& p = f.diagonal[c];
    x[0] = p(0, 0) * sum[0] + p(1, 0) * sum[1] + p(2, 0) * sum[2];
    x[1] = p(1, 1) * sum[1] + p(2, 1) * sum[2];
    x[2] = p(2, 2) * sum[2];
  }
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

/// Rows of each column of the factor, from its neighbours that come later: sorted, and what the
/// columns that it is the first row of hand on to it.
void fillIn(std::vector<std::vector<int>>& rows) {
  for (auto& column : rows) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    if (column.empty()) continue;
    std::vector<int>& next = rows[static_cast<std::size_t>(column.front())];
    next.insert(next.end(), column.begin() + 1, column.end());
  }
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
  fillIn(later);
  analyse(later);
  value_.resize(nonZeros() + 1);
  for (const auto& pair : pairs) {
    const auto [low, high] = placesOf(pair);
    const std::vector<int>& column = later[static_cast<std::size_t>(low)];
    const auto at = std::lower_bound(column.begin(), column.end(), high) - column.begin();
    pairBlock_.push_back(columns_.start[static_cast<std::size_t>(low)] +
                         static_cast<std::int32_t>(at));
  }
}

void BlockCholesky::analyse(const std::vector<std::vector<int>>& rows) {
  const std::size_t n = rows.size();
  constexpr int kLanes = 3;                                 // of a row of right-hand sides
  std::vector<std::vector<std::pair<int, int>>> before(n);  // column and block, of each row
  columns_.start.assign(1, 0);
  for (std::size_t c = 0; c < n; ++c) {
    for (const int row : rows[c]) {
      before[static_cast<std::size_t>(row)].emplace_back(static_cast<int>(c),
                                                         static_cast<int>(columns_.place.size()));
      columns_.place.push_back(kLanes * row);
    }
    columns_.start.push_back(static_cast<int>(columns_.place.size()));
  }
  rows_.start.assign(1, 0);
  for (const auto& row : before) {
    for (const auto& [column, block] : row) {
      rows_.place.push_back(kLanes * column);
      rows_.block.push_back(block);
    }
    rows_.start.push_back(static_cast<int>(rows_.place.size()));
  }
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t a = 0; a < rows[c].size(); ++a) {
      const auto column = static_cast<std::size_t>(rows[c][a]);
      updates_.push_back(-1 - rows[c][a]);
      auto at = rows[column].begin();
      for (std::size_t b = a + 1; b < rows[c].size(); ++b) {
        at = std::find(at, rows[column].end(), rows[c][b]);
        updates_.push_back(columns_.start[column] +
                           static_cast<std::int32_t>(at - rows[column].begin()));
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
  bool positive = true;
  inRegisters([&]() PNEUMA_INLINED {
    const std::int32_t* update = updates_.data();
    for (std::size_t c = 0; positive && c < diagonal_.size(); ++c) {
      positive = invertPivot(diagonal_[c]);
      const Mat3 inverse = diagonal_[c].transpose();
      const auto begin = static_cast<std::size_t>(columns_.start[c]);
      const auto end = static_cast<std::size_t>(columns_.start[c + 1]);
      for (std::size_t k = begin; k < end; ++k) value_[k] = (value_[k] * inverse).eval();
      // What comes later loses the products of the column's blocks.
      for (std::size_t a = begin; a < end; ++a) {
        Mat3& pivot = diagonal_[static_cast<std::size_t>(-1 - *update++)];
        pivot.noalias() -= value_[a] * value_[a].transpose();
        const std::size_t count = end - a - 1;
        eliminate(value_.data(), a, update, count);
        update += count;
      }
    }
  });
  return positive;
}

void BlockCholesky::solve(const Rows& given, Rows& rows) {
  const std::size_t n = work_.size();
  const Factor factor{rows_, columns_, diagonal_.data(), value_.data()};
  inRegisters([&]() PNEUMA_INLINED {
    for (std::size_t i = 0; i < n; ++i)
      copyRow(given[i], work_[static_cast<std::size_t>(place_[i])]);
    Lanes* work = reinterpret_cast<Lanes*>(work_.data());
    substituteForward(factor, work);
    substituteBackward(factor, work);
    for (std::size_t i = 0; i < n; ++i)
      copyRow(work_[static_cast<std::size_t>(place_[i])], rows[i]);
  });
}

BlockCholesky::Products productsOf(const BlockCholesky::Rows& a, const BlockCholesky::Rows& b) {
  BlockCholesky::Products out;
  inRegisters([&]() PNEUMA_INLINED { multiplyRows(a.data(), b.data(), a.size(), out.data()); });
  return out;
}

void sumColumns(const SparseColumns& pattern, const std::vector<Vec3>& values,
                const BlockCholesky::Rows& x, std::vector<Reaction>& out) {
  inRegisters(
      [&]() PNEUMA_INLINED { multiplyColumns(pattern, values.data(), x.data(), out.data()); });
}

void multiply(const MatX& matrix, const VecX& x, VecX& out) {
  inRegisters([&]() PNEUMA_INLINED {
    multiplyDense(matrix.data(), matrix.rows(), matrix.cols(), x.data(), out.data());
  });
}

}  // namespace pneuma::breath::internal
