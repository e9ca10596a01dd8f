#include "flesh/embedded/multigrid.h"

#include <algorithm>

#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

/// Rows that one thread sweeps in order.
constexpr std::size_t kSweepChunk = 512;
constexpr std::size_t kGrain = 2048;

using Matrix = BlockMatrix<float>;

/// r = b - sum over [first, last) of row's blocks times x.
void rowResidual(const Matrix& a, std::int32_t first, std::int32_t last, const float* b,
                 const float* x, float (&r)[3]) {
  r[0] = b[0], r[1] = b[1], r[2] = b[2];
  for (std::int32_t k = first; k < last; ++k) {
    const float* m = a.value.data() + 9 * std::size_t(k);
    const float* v = x + 3 * std::size_t(a.column[k]);
    r[0] -= m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
    r[1] -= m[3] * v[0] + m[4] * v[1] + m[5] * v[2];
    r[2] -= m[6] * v[0] + m[7] * v[1] + m[8] * v[2];
  }
}

void applyBlock(const float* m, const float (&r)[3], float* x) {
  x[0] = m[0] * r[0] + m[1] * r[1] + m[2] * r[2];
  x[1] = m[3] * r[0] + m[4] * r[1] + m[5] * r[2];
  x[2] = m[6] * r[0] + m[7] * r[1] + m[8] * r[2];
}

void relax(const Matrix& a, const std::vector<float>& inverse, const float* b, std::size_t i,
           float* x) {
  float r[3];
  rowResidual(a, a.start[i], a.diagonal[i], b + 3 * i, x, r);
  const float part[3] = {r[0], r[1], r[2]};
  rowResidual(a, a.diagonal[i] + 1, a.start[i + 1], part, x, r);
  applyBlock(inverse.data() + 9 * i, r, x + 3 * i);
}

/// Chunks of rows by colour: those of one colour are not coupled.
std::vector<std::vector<std::int32_t>> colourChunks(const Matrix& a) {
  const std::size_t chunks = (a.rows() + kSweepChunk - 1) / kSweepChunk;
  std::vector<int> colourOf(chunks, -1);
  std::vector<std::vector<std::int32_t>> colours;
  for (std::size_t c = 0; c < chunks; ++c) {
    std::vector<std::uint8_t> taken(colours.size() + 1, 0);
    const std::size_t end = std::min<std::size_t>((c + 1) * kSweepChunk, a.rows());
    for (std::int32_t k = a.start[c * kSweepChunk]; k < a.start[end]; ++k)
      if (const int other = colourOf[a.column[k] / kSweepChunk]; other >= 0) taken[other] = 1;
    const auto colour =
        static_cast<std::size_t>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
    if (colour == colours.size()) colours.emplace_back();
    colourOf[c] = static_cast<int>(colour);
    colours[colour].push_back(static_cast<std::int32_t>(c));
  }
  return colours;
}

/// to = rows times from, or added to it.
template <bool kAdd>
void transfer(const SparseRows& rows, const float* from, float* to) {
  parallelFor(rows.rows(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      float s[3] = {};
      for (std::int32_t k = rows.start[i]; k < rows.start[i + 1]; ++k) {
        const float w = rows.weight[k];
        const float* v = from + 3 * std::size_t(rows.column[k]);
        for (int c = 0; c < 3; ++c) s[c] += w * v[c];
      }
      for (int c = 0; c < 3; ++c) to[3 * i + c] = kAdd ? to[3 * i + c] + s[c] : s[c];
    }
  });
}

}  // namespace

Multigrid::Multigrid(BlockMatrix<float>& matrix, const std::vector<SparseRows>& prolongations)
    : levels_(prolongations.size() + 1) {
  levels_[0].matrix = &matrix;
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[l];
    const std::size_t size = 3 * std::size_t(level.matrix->rows());
    level.x.resize(size), level.b.resize(size);
    if (l == prolongations.size()) break;
    level.residual.resize(size);
    level.colours = colourChunks(*level.matrix);
    level.prolong = prolongations[l];
    const std::int32_t unknowns =
        *std::max_element(level.prolong.column.begin(), level.prolong.column.end()) + 1;
    level.restrict_ = transposed(level.prolong, unknowns);
    Level& next = levels_[l + 1];
    level.folding = BlockFolding(upperBlocks(*level.matrix), level.prolong, unknowns, next.own);
    next.matrix = &next.own;
  }
}

void Multigrid::update() {
  for (std::size_t l = 0; l + 1 < levels_.size(); ++l) {
    invertDiagonal(*levels_[l].matrix, levels_[l].inverse);
    levels_[l].folding.apply(levels_[l].matrix->value.data(), levels_[l + 1].own);
  }
  factorizeCoarsest();
}

void Multigrid::factorizeCoarsest() {
  const BlockMatrix<float>& a = *levels_.back().matrix;
  const std::int32_t n = 3 * a.rows();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(9 * a.column.size());
  double largest = 0;
  for (std::int32_t r = 0; r < a.rows(); ++r)
    for (std::int32_t k = a.start[r]; k < a.start[r + 1]; ++k)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const double value = double(a.value[9 * std::size_t(k) + 3 * i + j]);
          largest = std::max(largest, value);
          if (3 * r + i >= 3 * a.column[k] + j)
            entries.emplace_back(3 * r + i, 3 * a.column[k] + j, value);
        }
  // A body that nothing holds has rigid motions without stiffness, and float sums may leave them a
  // little below zero.
  for (std::int32_t i = 0; i < n; ++i) entries.emplace_back(i, i, 1e-6 * largest);
  coarse_.resize(n, n);
  coarse_.setFromTriplets(entries.begin(), entries.end());
  if (!analyzed_) factor_.analyzePattern(coarse_);
  analyzed_ = true;
  factor_.factorize(coarse_);
  PNEUMA_CHECK(factor_.info() == Eigen::Success, "coarsest matrix of {} rows", n);
}

void Multigrid::solveCoarsest(const float* b, float* x) {
  const Eigen::Index n = coarse_.rows();
  right_ = Eigen::Map<const Eigen::VectorXf>(b, n).cast<double>();
  solution_ = factor_.solve(right_);
  for (Eigen::Index i = 0; i < n; ++i) x[i] = static_cast<float>(solution_[i]);
}

/// Gauss-Seidel over colours and chunks in order, or all of it in the opposite order.
void Multigrid::sweep(const Level& level, const float* b, float* x, bool forward) {
  const Matrix& a = *level.matrix;
  const auto rows = static_cast<std::size_t>(a.rows());
  for (std::size_t step = 0; step < level.colours.size(); ++step) {
    const auto& chunks = level.colours[forward ? step : level.colours.size() - 1 - step];
    parallelFor(chunks.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t c = first; c < last; ++c) {
        const std::size_t begin = chunks[c] * kSweepChunk,
                          end = std::min(begin + kSweepChunk, rows);
        if (forward)
          for (std::size_t i = begin; i < end; ++i) relax(a, level.inverse, b, i, x);
        else
          for (std::size_t i = end; i-- > begin;) relax(a, level.inverse, b, i, x);
      }
    });
  }
}

void Multigrid::cycle(std::size_t l, const float* b, float* x) {
  if (l + 1 == levels_.size()) return solveCoarsest(b, x);
  Level& level = levels_[l];
  Level& next = levels_[l + 1];
  const Matrix& a = *level.matrix;
  std::fill(x, x + 3 * std::size_t(a.rows()), 0.0F);
  sweep(level, b, x, true);
  parallelFor(a.rows(), kGrain, [&](std::size_t begin, std::size_t end) {
    a.multiply(x, level.residual.data(), static_cast<std::int32_t>(begin),
               static_cast<std::int32_t>(end));
    for (std::size_t i = 3 * begin; i < 3 * end; ++i) level.residual[i] = b[i] - level.residual[i];
  });
  transfer<false>(level.restrict_, level.residual.data(), next.b.data());
  cycle(l + 1, next.b.data(), next.x.data());
  transfer<true>(level.prolong, next.x.data(), x);
  sweep(level, b, x, false);
}

void Multigrid::apply(const float* b, float* x) {
  cycle(0, b, x);
}

}  // namespace pneuma::flesh::embedded
