#include "breath/cage/block_cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "breath/cage/elimination_order.h"
#include "pneuma/core/check.h"

namespace pneuma::breath::internal {
namespace {

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

/// All right-hand sides of one axis.
using Lanes = Four;

/// The factor as BlockCholesky keeps it.
struct Factor {
  const BlockLines& rows;
  const BlockLines& columns;
  const Mat3* diagonal;
  const Mat3* byColumns;
  const Mat3* byRows;
};

/// L y = b: each row takes what those before it have to give, so that its sums stay in registers.
PNEUMA_INTO_BOTH void substituteForward(const Factor& f, BlockCholesky::Row* work) {
  const std::int32_t* place = f.rows.place.data();
  for (std::size_t c = 0; c + 1 < f.rows.start.size(); ++c) {
    Lanes* y = reinterpret_cast<Lanes*>(work[c].data());
    Lanes sum[3] = {y[0], y[1], y[2]};
    for (int k = f.rows.start[c]; k < f.rows.start[c + 1]; ++k) {
      const Mat3& b = f.byRows[k];
      const Lanes* from = reinterpret_cast<const Lanes*>(work[place[k]].data());
      for (int i = 0; i < 3; ++i)
        sum[i] -= b(0, i) * from[0] + b(1, i) * from[1] + b(2, i) * from[2];
    }
    const Mat3& p = f.diagonal[c];  // upper triangular
    y[0] = p(0, 0) * sum[0];
    y[1] = p(0, 1) * sum[0] + p(1, 1) * sum[1];
    y[2] = p(0, 2) * sum[0] + p(1, 2) * sum[1] + p(2, 2) * sum[2];
  }
}

/// out = m x; the fourth number is whatever stands behind the matrix in memory.
PNEUMA_INTO_BOTH void multiplyLoosely(const Mat3& m, double x, double y, double z, Four& out) {
  const double* p = m.data();
  out = fourAt(p) * x + fourAt(p + 3) * y + fourAt(p + 6) * z;
}

/// L^T x = y, likewise by columns. Two sums each, so that a product need not wait for the one
/// before.
PNEUMA_INTO_BOTH void substituteBackward(const Factor& f, Quad* work) {
  const std::int32_t* place = f.columns.place.data();
  for (std::size_t c = f.columns.start.size() - 1; c-- > 0;) {
    Four sum = four(work[c]), other = {}, product;
    const auto take = [&](int k, Four& from) PNEUMA_INLINED {
      const Quad& x = work[place[k]];
      multiplyLoosely(f.byColumns[k], x.x, x.y, x.z, product);
      from -= product;
    };
    int k = f.columns.start[c];
    const int end = f.columns.start[c + 1];
    for (; k + 1 < end; k += 2) take(k, sum), take(k + 1, other);
    if (k < end) take(k, sum);
    sum += other;
    multiplyLoosely(f.diagonal[c], sum[0], sum[1], sum[2], product);
    four(work[c]) = __builtin_shufflevector(product, Four{}, 0, 1, 2, 7);
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
    const Four b0 = fourAt(b), b1 = fourAt(b + 3), b2 = fourAt(b + 6);
    const Four c0 = fourAt(c) - (b0 * m[0] + b1 * m[3] + b2 * m[6]);
    const Four c1 = fourAt(c + 3) - (b0 * m[1] + b1 * m[4] + b2 * m[7]);
    const Four c2 = fourAt(c + 6) - (b0 * m[2] + b1 * m[5] + b2 * m[8]);
    std::memcpy(c, &c0, sizeof(c0));
    std::memcpy(c + 3, &c1, sizeof(c1));
    std::memcpy(c + 6, &c2, 3 * sizeof(double));
  }
}

/// a^T a, lane by lane.
PNEUMA_INTO_BOTH void multiplyRows(const BlockCholesky::Row* a, std::size_t n, double* out) {
  constexpr int kWidth = BlockCholesky::kWidth;
  Lanes sum[kWidth] = {};
  for (std::size_t i = 0; i < n; ++i) {
    const double* g = a[i].data();
    for (int axis = 0; axis < 3; ++axis, g += kWidth)
      for (int k = 0; k < kWidth; ++k) sum[k] += g[k] * fourAt(g);
  }
  for (int k = 0; k < kWidth; ++k) putFour(sum[k], out + kWidth * k);  // symmetric
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
  diagonal_.resize(n + 1);
  fillIn(later);
  analyse(later);
  value_.resize(nonZeros() + 1);
  byRows_.resize(nonZeros());
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
  std::vector<std::vector<std::pair<int, int>>> before(n);  // column and block, of each row
  columns_.start.assign(1, 0);
  for (std::size_t c = 0; c < n; ++c) {
    for (const int row : rows[c]) {
      before[static_cast<std::size_t>(row)].emplace_back(static_cast<int>(c),
                                                         static_cast<int>(columns_.place.size()));
      columns_.place.push_back(row);
    }
    columns_.start.push_back(static_cast<int>(columns_.place.size()));
  }
  rows_.start.assign(1, 0);
  for (const auto& row : before) {
    for (const auto& [column, block] : row) {
      rows_.place.push_back(column);
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
/// first, and is written before it.
bool BlockCholesky::factor() {
  bool positive = true;
  inRegisters([&]() PNEUMA_INLINED {
    const std::int32_t* update = updates_.data();
    for (std::size_t c = 0; positive && c < place_.size(); ++c) {
      positive = invertPivot(diagonal_[c]);
      const Mat3 inverse = diagonal_[c].transpose();
      diagonal_[c] = inverse;
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
      for (std::size_t k = begin; k < end; ++k) value_[k].transposeInPlace();
    }
  });
  for (std::size_t k = 0; k < byRows_.size(); ++k)
    byRows_[k] = value_[static_cast<std::size_t>(rows_.block[k])];
  return positive;
}

void BlockCholesky::forward(Rows& rows) const {
  const Factor factor{rows_, columns_, diagonal_.data(), value_.data(), byRows_.data()};
  inRegisters([&]() PNEUMA_INLINED { substituteForward(factor, rows.data()); });
}

void BlockCholesky::backward(Quads& vectors) const {
  const Factor factor{rows_, columns_, diagonal_.data(), value_.data(), byRows_.data()};
  inRegisters([&]() PNEUMA_INLINED { substituteBackward(factor, vectors.data()); });
}

BlockCholesky::Products productsOf(const BlockCholesky::Rows& a) {
  BlockCholesky::Products out;
  inRegisters([&]() PNEUMA_INLINED { multiplyRows(a.data(), a.size(), out.data()); });
  return out;
}

}  // namespace pneuma::breath::internal
