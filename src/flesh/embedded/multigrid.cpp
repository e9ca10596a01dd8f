#include "flesh/embedded/multigrid.h"

#include <algorithm>

#include "flesh/embedded/block_rows.h"
#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

using Matrix = BlockMatrix<float>;

/// Calls visit(row) for the rows of the matrix in the order of the sweep, or in the opposite one.
template <bool kForward, class Visit>
void sweep(const Matrix& a, Visit&& visit) {
  for (std::size_t step = 0; step < a.colours.size(); ++step) {
    const auto& chunks = a.colours[kForward ? step : a.colours.size() - 1 - step];
    parallelFor(chunks.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t c = first; c < last; ++c) {
        constexpr std::int32_t kGroups = Matrix::kSweepRows / RowMask::kGroup;
        for (std::int32_t k = 0; k < kGroups; ++k) {
          const std::int32_t g = chunks[c] * kGroups + (kForward ? k : kGroups - 1 - k);
          const std::int32_t begin = g * RowMask::kGroup,
                             end = std::min(begin + RowMask::kGroup, a.rows());
          if (begin >= a.rows() || a.filled.group[std::size_t(g)] == 0) continue;
          if constexpr (kForward)
            for (std::int32_t i = begin; i < end; ++i) visit(i);
          else
            for (std::int32_t i = end; i-- > begin;) visit(i);
        }
      }
    });
  }
}

/// x = (L + D)^-1 b.
void sweepFromZero(const Matrix& a, const float* inverse, const float* b, float* x) {
  sweep<true>(a, [&](std::int32_t i) {
    float r[4];
    store(r, loadThree(b + 3 * i) - rowTimes(a, a.start[i], a.diagonal[i], x));
    storeThree(x + 3 * i, blockTimes(inverse + 9 * i, r));
  });
}

/// x = (D + U)^-1 (b - L x0), x0 on entry; `left` gets L x0.
void sweepBackwards(const Matrix& a, const float* inverse, const float* b, float* x, float* left) {
  sweep<false>(a, [&](std::int32_t i) {
    const Float4 before = rowTimes(a, a.start[i], a.diagonal[i], x);
    const Float4 after = rowTimes(a, a.diagonal[i] + 1, a.start[i + 1], x);
    float r[4];
    store(r, loadThree(b + 3 * i) - before - after);
    storeThree(left + 3 * i, before);
    storeThree(x + 3 * i, blockTimes(inverse + 9 * i, r));
  });
}

/// to = rows times from, or added to it, in the rows that `filled` has.
template <bool kAdd>
void transfer(const SparseRows& rows, const RowMask& filled, const float* from, float* to) {
  filled.each([&](std::int32_t begin, std::int32_t end) {
    for (std::size_t i = begin; i < std::size_t(end); ++i) {
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
    level.prolong = prolongations[l];
    const std::int32_t unknowns =
        *std::max_element(level.prolong.column.begin(), level.prolong.column.end()) + 1;
    level.restrict_ = transposed(level.prolong, unknowns);
    Level& next = levels_[l + 1];
    level.folding = BlockFolding(upperBlocks(*level.matrix), level.prolong, unknowns, next.own);
    next.matrix = &next.own;
  }
}

/// Rows of the next level that rows of this one hang on.
RowMask Multigrid::coarserRows(std::size_t l) const {
  const RowMask& fine = levels_[l].matrix->filled;
  const SparseRows& p = levels_[l].prolong;
  RowMask coarse = RowMask::none(levels_[l + 1].matrix->rows());
  fine.each(0, fine.group.size(), [&](std::int32_t begin, std::int32_t end) {
    for (std::int32_t k = p.start[begin]; k < p.start[end]; ++k) coarse.add(p.column[k]);
  });
  return coarse;
}

void Multigrid::update() {
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    Level& level = levels_[l];
    // What is left of other rows must not come back.
    for (auto* v : {&level.x, &level.b, &level.residual}) std::fill(v->begin(), v->end(), 0.0F);
    if (l + 1 == levels_.size()) break;
    invertDiagonal(*level.matrix, level.inverse);
    level.folding.apply(level.matrix->value.data(), coarserRows(l), levels_[l + 1].own);
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
          const double value = double(a.value[9 * std::size_t(k) + i + 3 * j]);
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

void Multigrid::cycle(std::size_t l, const float* b, float* x) {
  if (l + 1 == levels_.size()) return solveCoarsest(b, x);
  Level& level = levels_[l];
  Level& next = levels_[l + 1];
  const Matrix& a = *level.matrix;
  sweepFromZero(a, level.inverse.data(), b, x);
  a.filled.each([&](std::int32_t begin, std::int32_t end) {
    for (std::int32_t i = begin; i < end; ++i)
      storeThree(level.residual.data() + 3 * i, -rowTimes(a, a.diagonal[i] + 1, a.start[i + 1], x));
  });
  transfer<false>(level.restrict_, next.matrix->filled, level.residual.data(), next.b.data());
  cycle(l + 1, next.b.data(), next.x.data());
  transfer<true>(level.prolong, a.filled, next.x.data(), x);
  sweepBackwards(a, level.inverse.data(), b, x, level.residual.data());
}

void Multigrid::apply(const float* b, float* x, float* ax) {
  cycle(0, b, x);
  const Level& level = levels_[0];
  const Matrix& a = *level.matrix;
  if (levels_.size() == 1) return a.multiply(x, ax);
  a.filled.each([&](std::int32_t begin, std::int32_t end) {
    for (std::int32_t i = begin; i < end; ++i)
      storeThree(ax + 3 * i, loadThree(b + 3 * i) - loadThree(level.residual.data() + 3 * i) +
                                 rowTimes(a, a.start[i], a.diagonal[i], x));
  });
}

}  // namespace pneuma::flesh::embedded
