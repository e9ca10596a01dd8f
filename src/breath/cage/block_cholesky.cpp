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

/// The factor as BlockCholesky keeps it.
struct Factor {
  const BlockColumns& columns;
  const Mat3* lowerPivot;
  const Mat3* upperPivot;
  const Mat3* blocks;
};

constexpr std::ptrdiff_t kNumbers = 9;  // of a block

/// Numbers as whole registers.
struct Spread {
  PNEUMA_INLINED explicit Spread(const Four& v)
      : x(__builtin_shufflevector(v, v, 0, 0, 0, 0)),
        y(__builtin_shufflevector(v, v, 1, 1, 1, 1)),
        z(__builtin_shufflevector(v, v, 2, 2, 2, 2)) {}
  Four x, y, z;
};

/// out = m v; the fourth number is whatever stands behind the matrix in memory.
PNEUMA_INTO_BOTH void multiplyLoosely(const Mat3& m, const Spread& v, Four& out) {
  const double* p = m.data();
  out = fourAt(p) * v.x + fourAt(p + 3) * v.y + fourAt(p + 6) * v.z;
}

/// L y = b column by column: what a block is known to be is in registers while those below it lose
/// their share. Fourth numbers are whatever comes out; nobody reads them.
PNEUMA_INTO_BOTH void substituteForward(const Factor& f, BlockCholesky::Row* work) {
  static_assert(BlockCholesky::kSides == 3);
  const std::int32_t* place = f.columns.place.data();
  const int* start = f.columns.start.data();
  const double* p = f.blocks->data();
  const Mat3* pivot = f.lowerPivot;
  const std::size_t size = f.columns.start.size() - 1;
  for (std::size_t c = 0; c < size; ++c) {
    Four y[3];
    for (std::size_t s = 0; s < 3; ++s) {
      multiplyLoosely(pivot[c], Spread(four(work[c][s])), y[s]);
      four(work[c][s]) = y[s];
    }
    const Spread a(y[0]), b(y[1]), d(y[2]);
    for (int count = start[c + 1] - start[c]; count > 0; --count, ++place, p += kNumbers) {
      Quad* to = work[*place].data();
      const Four p0 = fourAt(p), p1 = fourAt(p + 3), p2 = fourAt(p + 6);
      four(to[0]) -= p0 * a.x + p1 * a.y + p2 * a.z;
      four(to[1]) -= p0 * b.x + p1 * b.y + p2 * b.z;
      four(to[2]) -= p0 * d.x + p1 * d.y + p2 * d.z;
    }
  }
}

/// L^T x = y, from the last column on: x_c takes the products of its column's blocks with what is
/// known below. Sums stay apart by axis of the block until all are there.
PNEUMA_INTO_BOTH void substituteBackward(const Factor& f, Quad* work) {
  const std::int32_t* place = f.columns.place.data() + f.columns.place.size();
  const int* start = f.columns.start.data();
  const double* p =
      f.blocks->data() + kNumbers * static_cast<std::ptrdiff_t>(f.columns.place.size());
  const Mat3* pivot = f.upperPivot;
  for (std::size_t c = f.columns.start.size() - 1; c-- > 0;) {
    Four sums[3] = {}, parts[4], product;
    for (int count = start[c + 1] - start[c]; count > 0; --count) {
      p -= kNumbers;
      const Four x = four(work[*--place]);
      for (int j = 0; j < 3; ++j) sums[j] += fourAt(p + 3 * j) * x;
    }
    transpose(sums[0], sums[1], sums[2], Four{}, parts);
    const Four left = four(work[c]) - (parts[0] + parts[1] + parts[2]);
    multiplyLoosely(pivot[c], Spread(left), product);
    dropFourth(product);
    four(work[c]) = product;
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

/// Of every two right-hand sides, `use(i, j, product)` with j <= i.
template <class Use>
PNEUMA_INTO_BOTH void multiplyRows(const BlockCholesky::Row* a, std::size_t n, const Use& use) {
  constexpr int kSides = BlockCholesky::kSides;
  Four sums[kSides][kSides] = {};
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < kSides; ++i)
      for (std::size_t j = 0; j <= i; ++j) sums[i][j] += four(a[k][i]) * four(a[k][j]);
  for (int i = 0; i < kSides; ++i)
    for (int j = 0; j <= i; ++j) use(i, j, sums[i][j][0] + sums[i][j][1] + sums[i][j][2]);
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
  upperPivot_.resize(n + 1);
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
  columns_.start.assign(1, 0);
  for (std::size_t c = 0; c < n; ++c) {
    columns_.place.insert(columns_.place.end(), rows[c].begin(), rows[c].end());
    columns_.start.push_back(static_cast<int>(columns_.place.size()));
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
      upperPivot_[c] = inverse;
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

void BlockCholesky::forward(Rows& rows) const {
  const Factor factor{columns_, diagonal_.data(), upperPivot_.data(), value_.data()};
  inRegisters([&]() PNEUMA_INLINED { substituteForward(factor, rows.data()); });
}

void BlockCholesky::backward(Quads& vectors) const {
  const Factor factor{columns_, diagonal_.data(), upperPivot_.data(), value_.data()};
  inRegisters([&]() PNEUMA_INLINED { substituteBackward(factor, vectors.data()); });
}

BlockCholesky::Products productsOf(const BlockCholesky::Rows& a) {
  BlockCholesky::Products out;
  inRegisters([&]() PNEUMA_INLINED {
    multiplyRows(a.data(), a.size(), [&](int i, int j, double product) PNEUMA_INLINED {
      out(i, j) = out(j, i) = product;
    });
  });
  return out;
}

}  // namespace pneuma::breath::internal
