#include "flesh/embedded/assembly.h"

#include <algorithm>
#include <bit>

#include "flesh/embedded/block_rows.h"
#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

constexpr std::size_t kChunkTets = 512;
constexpr std::array<std::array<int, 2>, 10> kPairs{
    {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}, {3, 3}}};

template <class Real>
constexpr std::size_t chunkBatches() {
  return kChunkTets / LaneTraits<Real>::kCount;
}

PNEUMA_LANE_INLINE void transpose(Float4 (&m)[4]) {
  const Float4 a = __builtin_shufflevector(m[0], m[1], 0, 4, 1, 5);
  const Float4 b = __builtin_shufflevector(m[2], m[3], 0, 4, 1, 5);
  const Float4 c = __builtin_shufflevector(m[0], m[1], 2, 6, 3, 7);
  const Float4 d = __builtin_shufflevector(m[2], m[3], 2, 6, 3, 7);
  m[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  m[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  m[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  m[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

}  // namespace

template <class Real>
Assembly<Real>::Assembly(const FleshModel& model)
    : elements_(model), tetCount_(model.lattice->tetCount()) {
  elements_.setActivations({});
  colour(model.lattice->nodeCount());
  numberBlocks(model);
  numberGroups(model);
  activate(RowMask::all(model.lattice->freeCount));
}

template <class Real>
void Assembly<Real>::numberGroups(const FleshModel& model) {
  const SparseRows& s = model.lattice->bindings;
  groupStart_.push_back(0);
  for (const ElementBatch<Real>& batch : elements_.batches) {
    const auto first = groups_.size();
    for (const auto& corner : batch.node)
      for (const std::int32_t n : corner)
        for (std::int32_t k = s.start[n]; k < s.start[n + 1]; ++k) {
          const std::int32_t g = s.column[k] / RowMask::kGroup;
          if (std::find(groups_.begin() + std::ptrdiff_t(first), groups_.end(), g) == groups_.end())
            groups_.push_back(g);
        }
    groupStart_.push_back(static_cast<std::int32_t>(groups_.size()));
  }
}

template <class Real>
template <class Visit>
void Assembly<Real>::eachGroup(std::size_t batch, Visit&& visit) const {
  for (std::int32_t k = groupStart_[batch]; k < groupStart_[batch + 1]; ++k)
    visit(std::size_t(groups_[std::size_t(k)]));
}

template <class Real>
void Assembly<Real>::activate(const RowMask& rows) {
  active_.assign(elements_.batches.size(), 0);
  for (std::size_t b = 0; b < active_.size(); ++b) {
    bool some = false, others = false;
    eachGroup(b, [&](std::size_t g) { (rows.group[g] != 0 ? some : others) = true; });
    if (some) active_[b] = others ? kBorder : kInner;
  }
}

template <class Real>
template <class Visit>
void Assembly<Real>::eachBatch(Part part, Visit&& visit) const {
  const auto wanted = [&](std::size_t b) {
    if (part == Part::Border) return active_[b] == kBorder;
    return (active_[b] != 0) == (part == Part::Active);
  };
  for (const auto& chunks : colours_)
    parallelFor(chunks.size(), 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t begin = chunks[i] * chunkBatches<Real>();
        const std::size_t end = std::min(begin + chunkBatches<Real>(), active_.size());
        for (std::size_t b = begin; b < end; ++b)
          if (wanted(b)) visit(std::size_t(chunks[i]), b);
      }
    });
}

template <class Real>
void Assembly<Real>::colour(std::size_t nodeCount) {
  const std::size_t chunks =
      (elements_.batches.size() + chunkBatches<Real>() - 1) / chunkBatches<Real>();
  energies_.assign(chunks, 0);
  flat_.assign(chunks, 0);
  std::vector<std::uint64_t> taken(nodeCount, 0);  // colours at each node
  for (std::size_t c = 0; c < chunks; ++c) {
    const std::size_t begin = c * chunkBatches<Real>(),
                      end = std::min(begin + chunkBatches<Real>(), elements_.batches.size());
    std::uint64_t used = 0;
    const auto eachNode = [&](auto&& visit) {
      for (std::size_t b = begin; b < end; ++b)
        for (const auto& corner : elements_.batches[b].node)
          for (const std::int32_t n : corner) visit(taken[n]);
    };
    eachNode([&](std::uint64_t t) { used |= t; });
    PNEUMA_CHECK(~used != 0, "more than 64 colours at chunk {}", c);
    const int colour = std::countr_zero(~used);
    eachNode([&](std::uint64_t& t) { t |= std::uint64_t{1} << colour; });
    if (colours_.size() <= std::size_t(colour)) colours_.resize(colour + 1);
    colours_[colour].push_back(static_cast<std::int32_t>(c));
  }
}

/// Pairs of corners are put into rows first and each row is sorted by itself: sorted all together
/// with their keys they were the largest thing that a solver ever held.
template <class Real>
void Assembly<Real>::numberBlocks(const FleshModel& model) {
  const std::vector<Tet>& tets = model.lattice->tets;
  std::vector<std::int32_t> start(model.lattice->nodeCount() + 1, 0);
  for (const Tet& tet : tets) {
    const Tet corners = sortedCorners(tet);
    for (const auto& pair : kPairs) ++start[std::size_t(corners[pair[0]]) + 1];
  }
  for (std::size_t n = 0; n + 1 < start.size(); ++n) start[n + 1] += start[n];
  // Places: ten times the tetrahedron, plus the pair.
  std::vector<std::uint32_t> places(10 * tets.size());
  std::vector<std::int32_t> next(start.begin(), start.end() - 1);
  for (std::size_t t = 0; t < tets.size(); ++t) {
    const Tet corners = sortedCorners(tets[t]);
    for (std::size_t p = 0; p < kPairs.size(); ++p)
      places[next[corners[kPairs[p][0]]]++] = static_cast<std::uint32_t>(10 * t + p);
  }
  blockOf_.resize(tets.size());
  std::vector<std::pair<std::int32_t, std::uint32_t>> row;  // columns and places
  for (std::size_t n = 0; n + 1 < start.size(); ++n) {
    row.clear();
    for (std::int32_t k = start[n]; k < start[n + 1]; ++k)
      row.push_back({sortedCorners(tets[places[k] / 10])[kPairs[places[k] % 10][1]], places[k]});
    std::sort(row.begin(), row.end());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto [column, place] = row[i];
      if (i == 0 || row[i - 1].first != column)
        blocks_.push_back(
            {static_cast<std::int32_t>(n), column, static_cast<std::int32_t>(blocks_.size())});
      blockOf_[place / 10][place % 10] = static_cast<std::int32_t>(blocks_.size()) - 1;
    }
  }
  blocks_.shrink_to_fit();
  values_.assign(9 * blocks_.size(), Scalar(0));
}

template <class Real>
void Assembly<Real>::setPressures(std::span<const float> pressures) {
  // A pass over flesh without pressure reads nothing of it, and nothing is held for it.
  if (pressures.empty()) {
    std::vector<Scalar>().swap(pressures_);
    return;
  }
  pressures_.assign(elements_.batches.size() * std::size_t(LaneTraits<Real>::kCount), Scalar(0));
  std::copy(pressures.begin(), pressures.end(), pressures_.begin());
}

template <class Real>
double Assembly<Real>::energy(const double* x, const KernelSettings& settings, double* gradient,
                              Part part) {
  constexpr int kCount = LaneTraits<Real>::kCount;
  std::fill(energies_.begin(), energies_.end(), 0.0);
  std::fill(flat_.begin(), flat_.end(), 0);
  eachBatch(part, [&](std::size_t chunk, std::size_t b) {
    const ElementBatch<Real>& batch = elements_.batches[b];
    BatchForces<Real> out;
    computeForces(batch, elements_.fibres.data(), pressuresOf(b), x, settings, out);
    double& sum = energies_[chunk];
    for (int lane = 0; lane < kCount; ++lane) {
      sum += double(out.energy[lane]);
      flat_[chunk] += out.volume[lane] < Scalar(kFlat) && batch.volume[lane] > 0;
      if (gradient == nullptr) continue;
      double* origin = gradient + 3 * std::size_t(batch.node[0][lane]);
      for (int k = 0; k < 3; ++k) {
        double* at = gradient + 3 * std::size_t(batch.node[k + 1][lane]);
        for (int c = 0; c < 3; ++c) {
          const double f = double(out.force[k][c][lane]);
          at[c] += f;
          origin[c] -= f;
        }
      }
    }
  });
  double total = 0;
  for (const double e : energies_) total += e;
  return total;
}

template <class Real>
std::size_t Assembly<Real>::flat() const {
  std::size_t sum = 0;
  for (const std::int32_t f : flat_) sum += std::size_t(f);
  return sum;
}

template <class Real>
void Assembly<Real>::clearStiffness(std::size_t batch) {
  constexpr std::size_t kCount = LaneTraits<Real>::kCount;
  const std::size_t first = batch * kCount, last = std::min(first + kCount, tetCount_);
  for (std::size_t t = first; t < last; ++t)
    for (const std::int32_t block : blockOf_[t])
      std::fill_n(values_.data() + 9 * std::size_t(block), 9, Scalar(0));
}

template <>
void Assembly<double>::addStiffness(const BatchStiffness<double>& element, std::size_t batch) {
  for (std::size_t p = 0; p < 10; ++p) {
    double* to = values_.data() + 9 * std::size_t(blockOf_[batch][p]);
    for (int i = 0; i < 9; ++i) to[i] += element.block[p][i][0];
  }
}

/// Four elements at a time: eight of a block's nine numbers turn from lanes into two registers.
template <>
void Assembly<Float16>::addStiffness(const BatchStiffness<Float16>& element, std::size_t batch) {
  const std::size_t first = batch * kLanes;
  const auto count = std::min<std::size_t>(kLanes, tetCount_ - first);
  for (std::size_t lane = 0; lane < count; lane += 4)
    for (std::size_t p = 0; p < 10; ++p) {
      const auto& block = element.block[p];
      Float4 low[4], high[4];
      for (int i = 0; i < 4; ++i) {
        low[i] = load<Float4>(block[i] + lane);
        high[i] = load<Float4>(block[i + 4] + lane);
      }
      transpose(low);
      transpose(high);
      for (std::size_t k = 0; k < std::min<std::size_t>(4, count - lane); ++k) {
        float* to = values_.data() + 9 * std::size_t(blockOf_[first + lane + k][p]);
        store(to, load<Float4>(to) + low[k]);
        store(to + 4, load<Float4>(to + 4) + high[k]);
        to[8] += block[8][lane + k];
      }
    }
}

template <class Real>
void Assembly<Real>::stiffness(const double* x, const KernelSettings& settings) {
  eachBatch(Part::Active, [&](std::size_t, std::size_t b) { clearStiffness(b); });
  eachBatch(Part::Active, [&](std::size_t, std::size_t b) {
    BatchStiffness<Real> out;
    computeStiffness(elements_.batches[b], elements_.fibres.data(), pressuresOf(b), x, settings,
                     out);
    addStiffness(out, b);
  });
}

template class Assembly<double>;
template class Assembly<Float16>;

}  // namespace pneuma::flesh::embedded
