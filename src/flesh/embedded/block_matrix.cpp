#include "flesh/embedded/block_matrix.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "flesh/embedded/block_rows.h"
#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

constexpr std::size_t kRowGrain = 1024, kBlockGrain = 8192;

/// A block of B, in a row that is known, that a block of A goes to.
struct Target {
  std::int32_t column, source;
  float weight;
};

std::uint64_t keyOf(std::int32_t row, std::int32_t column) {
  return static_cast<std::uint64_t>(row) << 32 | static_cast<std::uint32_t>(column);
}

/// Targets by rows of B, in each row by column and source. Counted before they are filled in:
/// there are several times as many as blocks, and a list that grew would hold twice as many.
struct Targets {
  std::vector<std::int32_t> start;
  std::vector<Target> list;

  Targets(std::span<const BlockPlace> blocks, const SparseRows& w, std::int32_t unknowns)
      : start(std::size_t(unknowns) + 1, 0) {
    each(blocks, w, [&](std::int32_t row, const Target&) { ++start[std::size_t(row) + 1]; });
    for (std::int32_t r = 0; r < unknowns; ++r) start[r + 1] += start[r];
    list.resize(start.back());
    std::vector<std::int32_t> next(start.begin(), start.end() - 1);
    each(blocks, w, [&](std::int32_t row, const Target& t) { list[next[row]++] = t; });
    for (std::int32_t r = 0; r < unknowns; ++r)
      std::sort(list.begin() + start[r], list.begin() + start[r + 1],
                [](const Target& a, const Target& b) {
                  return a.column < b.column || (a.column == b.column && a.source < b.source);
                });
  }

  template <class Visit>
  static void each(std::span<const BlockPlace> blocks, const SparseRows& w, Visit&& visit) {
    for (const BlockPlace& b : blocks)
      for (std::int32_t i = w.start[b.row]; i < w.start[b.row + 1]; ++i)
        for (std::int32_t j = w.start[b.column]; j < w.start[b.column + 1]; ++j) {
          const std::int32_t r = w.column[i], c = w.column[j];
          const float weight = w.weight[i] * w.weight[j];
          // The mirror image of an off-diagonal block lands on the diagonal, too.
          if (r <= c) visit(r, Target{c, 2 * b.source, weight});
          if (b.row != b.column && c <= r) visit(c, Target{r, 2 * b.source + 1, weight});
        }
  }
};

std::int32_t rowOf(std::uint64_t key) {
  return static_cast<std::int32_t>(key >> 32);
}
std::int32_t columnOf(std::uint64_t key) {
  return static_cast<std::int32_t>(key & 0xffffffff);
}

/// Chunks of rows by colour, those of one colour not coupled: fills `colours` and returns the
/// colour of each.
std::vector<std::int32_t> colourChunks(std::span<const std::uint64_t> keys, std::int32_t chunks,
                                       std::int32_t rows,
                                       std::vector<std::vector<std::int32_t>>& colours) {
  std::vector<std::vector<std::int32_t>> earlier(chunks);  // coupled chunks before each
  for (const std::uint64_t key : keys) {
    const std::int32_t a = rowOf(key) / rows, b = columnOf(key) / rows;
    if (a != b && std::find(earlier[b].begin(), earlier[b].end(), a) == earlier[b].end())
      earlier[b].push_back(a);
  }
  std::vector<std::int32_t> colourOf(chunks, 0);
  colours.clear();
  for (std::int32_t c = 0; c < chunks; ++c) {
    std::vector<std::uint8_t> taken(colours.size() + 1, 0);
    for (const std::int32_t other : earlier[c]) taken[colourOf[other]] = 1;
    colourOf[c] =
        static_cast<std::int32_t>(std::find(taken.begin(), taken.end(), 0) - taken.begin());
    if (std::size_t(colourOf[c]) == colours.size()) colours.emplace_back();
    colours[colourOf[c]].push_back(c);
  }
  return colourOf;
}

/// The inverse of a symmetric positive block, or zero.
template <class Scalar>
void invertBlock(const Scalar* a, Scalar* inverse) {
  Scalar c[9];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      c[3 * j + i] = a[3 * i1 + j1] * a[3 * i2 + j2] - a[3 * i1 + j2] * a[3 * i2 + j1];
    }
  const Scalar det = a[0] * c[0] + a[1] * c[3] + a[2] * c[6];
  const Scalar scale = det > 0 && std::isfinite(1 / det) ? 1 / det : Scalar(0);
  for (int i = 0; i < 9; ++i) inverse[i] = c[i] * scale;
}

}  // namespace

template <class Scalar>
void BlockMatrix<Scalar>::multiply(const Scalar* x, Scalar* y, std::int32_t begin,
                                   std::int32_t end) const {
  for (std::int32_t r = begin; r < end; ++r) {
    Scalar* to = y + 3 * std::size_t(r);
    if constexpr (std::is_same_v<Scalar, float>) {
      storeThree(to, rowTimes(*this, start[r], start[r + 1], x));
    } else {
      Scalar s0 = 0, s1 = 0, s2 = 0;
      for (std::int32_t k = start[r]; k < start[r + 1]; ++k) {
        const Scalar* a = value.data() + 9 * std::size_t(k);
        const Scalar* v = x + 3 * std::size_t(column[k]);
        s0 += a[0] * v[0] + a[3] * v[1] + a[6] * v[2];
        s1 += a[1] * v[0] + a[4] * v[1] + a[7] * v[2];
        s2 += a[2] * v[0] + a[5] * v[1] + a[8] * v[2];
      }
      to[0] = s0, to[1] = s1, to[2] = s2;
    }
  }
}

template <class Scalar>
void BlockMatrix<Scalar>::multiply(const Scalar* x, Scalar* y) const {
  parallelFor(rows(), kRowGrain, [&](std::size_t begin, std::size_t end) {
    multiply(x, y, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end));
  });
}

template <class Scalar>
BlockFolding::BlockFolding(std::span<const BlockPlace> blocks, const SparseRows& weights,
                           std::int32_t unknowns, BlockMatrix<Scalar>& folded) {
  std::vector<std::uint64_t> keys;
  {
    const Targets targets(blocks, weights, unknowns);
    entries_.reserve(targets.list.size());
    for (std::int32_t row = 0; row < unknowns; ++row)
      for (std::int32_t k = targets.start[row]; k < targets.start[row + 1]; ++k) {
        const Target& t = targets.list[k];
        const std::uint64_t key = keyOf(row, t.column);
        if (keys.empty() || keys.back() != key) {
          if (!keys.empty()) start_.push_back(static_cast<std::int32_t>(entries_.size()));
          keys.push_back(key);
        }
        entries_.push_back({t.source, t.weight});
      }
  }
  if (!keys.empty()) start_.push_back(static_cast<std::int32_t>(entries_.size()));
  start_.shrink_to_fit();
  placeBlocks(keys, unknowns, folded);
}

template <class Scalar>
void BlockFolding::placeBlocks(std::span<const std::uint64_t> keys, std::int32_t unknowns,
                               BlockMatrix<Scalar>& folded) {
  constexpr std::int32_t kChunk = BlockMatrix<Scalar>::kSweepRows;
  const std::vector<std::int32_t> colourOf =
      colourChunks(keys, (unknowns + kChunk - 1) / kChunk, kChunk, folded.colours);
  std::vector<std::int32_t> count(unknowns + 1, 0);
  for (const std::uint64_t key : keys) {
    ++count[rowOf(key) + 1];
    if (rowOf(key) != columnOf(key)) ++count[columnOf(key) + 1];
  }
  for (std::int32_t r = 0; r < unknowns; ++r) count[r + 1] += count[r];
  folded.start = count;
  folded.column.resize(count[unknowns]);
  folded.diagonal.assign(unknowns, -1);
  folded.value.assign(9 * std::size_t(count[unknowns]) + BlockMatrix<Scalar>::kReadAhead,
                      Scalar(0));
  folded.filled = RowMask::none(unknowns);
  upper_.resize(keys.size()), lower_.resize(keys.size());
  // Of a block's two rows, which one does the sweep reach first?
  const auto upperFirst = [&](std::uint64_t key) {
    return colourOf[rowOf(key) / kChunk] <= colourOf[columnOf(key) / kChunk];
  };
  const auto place = [&](std::size_t k, bool upper) {
    const std::int32_t row = upper ? rowOf(keys[k]) : columnOf(keys[k]);
    const std::int32_t at = count[row]++;
    folded.column[at] = upper ? columnOf(keys[k]) : rowOf(keys[k]);
    (upper ? upper_ : lower_)[k] = at;
  };
  const auto diagonal = [&](std::size_t k) { return rowOf(keys[k]) == columnOf(keys[k]); };
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (!diagonal(k)) place(k, !upperFirst(keys[k]));
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (diagonal(k)) {
      place(k, true);
      folded.diagonal[rowOf(keys[k])] = lower_[k] = upper_[k];
    }
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (!diagonal(k)) place(k, upperFirst(keys[k]));
}

template <class Scalar>
void BlockFolding::apply(const Scalar* source, const RowMask& rows,
                         BlockMatrix<Scalar>& folded) const {
  parallelFor(upper_.size(), kBlockGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      const std::int32_t row = folded.column[lower_[k]], column = folded.column[upper_[k]];
      const bool wanted = rows.has(row) && rows.has(column);
      if (!wanted && !(folded.filled.has(row) && folded.filled.has(column))) continue;
      Scalar sum[9] = {}, turned[9] = {};
      for (std::int32_t e = start_[k]; wanted && e < start_[k + 1]; ++e) {
        const Scalar* a = source + 9 * std::size_t(entries_[e].source >> 1);
        Scalar* to = entries_[e].source & 1 ? turned : sum;
        const Scalar w = static_cast<Scalar>(entries_[e].weight);
        for (int i = 0; i < 9; ++i) to[i] += w * a[i];
      }
      Scalar* up = folded.value.data() + 9 * std::size_t(upper_[k]);
      Scalar* low = folded.value.data() + 9 * std::size_t(lower_[k]);
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
          const Scalar v = sum[i + 3 * j] + turned[j + 3 * i];
          low[j + 3 * i] = v;
          up[i + 3 * j] = v;
        }
    }
  });
  folded.filled = rows;
}

template <class Scalar>
std::vector<BlockPlace> upperBlocks(const BlockMatrix<Scalar>& matrix) {
  std::vector<BlockPlace> blocks;
  for (std::int32_t r = 0; r < matrix.rows(); ++r)
    for (std::int32_t k = matrix.start[r]; k < matrix.start[r + 1]; ++k)
      if (matrix.column[k] >= r) blocks.push_back({r, matrix.column[k], k});
  return blocks;
}

template <class Scalar>
void invertDiagonal(const BlockMatrix<Scalar>& matrix, std::vector<Scalar>& inverse) {
  inverse.resize(9 * std::size_t(matrix.rows()) + BlockMatrix<Scalar>::kReadAhead);
  matrix.filled.each([&](std::int32_t begin, std::int32_t end) {
    for (std::int32_t r = begin; r < end; ++r)
      invertBlock(matrix.value.data() + 9 * std::size_t(matrix.diagonal[r]),
                  inverse.data() + 9 * std::size_t(r));
  });
}

SparseRows transposed(const SparseRows& rows, std::int32_t columns) {
  SparseRows t;
  t.start.assign(columns + 1, 0);
  for (const std::int32_t c : rows.column) ++t.start[c + 1];
  for (std::int32_t c = 0; c < columns; ++c) t.start[c + 1] += t.start[c];
  t.column.resize(rows.column.size()), t.weight.resize(rows.column.size());
  std::vector<std::int32_t> next(t.start.begin(), t.start.end() - 1);
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (std::int32_t k = rows.start[r]; k < rows.start[r + 1]; ++k) {
      const std::int32_t at = next[rows.column[k]]++;
      t.column[at] = static_cast<std::int32_t>(r);
      t.weight[at] = rows.weight[k];
    }
  return t;
}

template struct BlockMatrix<float>;
template struct BlockMatrix<double>;
template BlockFolding::BlockFolding(std::span<const BlockPlace>, const SparseRows&, std::int32_t,
                                    BlockMatrix<float>&);
template BlockFolding::BlockFolding(std::span<const BlockPlace>, const SparseRows&, std::int32_t,
                                    BlockMatrix<double>&);
template void BlockFolding::apply(const float*, const RowMask&, BlockMatrix<float>&) const;
template void BlockFolding::apply(const double*, const RowMask&, BlockMatrix<double>&) const;
template std::vector<BlockPlace> upperBlocks(const BlockMatrix<float>&);
template std::vector<BlockPlace> upperBlocks(const BlockMatrix<double>&);
template void invertDiagonal(const BlockMatrix<float>&, std::vector<float>&);
template void invertDiagonal(const BlockMatrix<double>&, std::vector<double>&);

}  // namespace pneuma::flesh::embedded
