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
}

template <class Real>
void Assembly<Real>::colour(std::size_t nodeCount) {
  const std::size_t chunks =
      (elements_.batches.size() + chunkBatches<Real>() - 1) / chunkBatches<Real>();
  energies_.assign(chunks, 0);
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

template <class Real>
void Assembly<Real>::numberBlocks(const FleshModel& model) {
  struct Use {
    std::uint64_t key;
    std::uint32_t place;  ///< ten times the tetrahedron, plus the pair
  };
  const std::vector<Tet>& tets = model.lattice->tets;
  std::vector<Use> uses;
  uses.reserve(10 * tets.size());
  blockOf_.resize(tets.size());
  for (std::size_t t = 0; t < tets.size(); ++t) {
    const Tet corners = sortedCorners(tets[t]);
    for (std::size_t p = 0; p < 10; ++p)
      uses.push_back({static_cast<std::uint64_t>(corners[kPairs[p][0]]) << 32 |
                          static_cast<std::uint32_t>(corners[kPairs[p][1]]),
                      static_cast<std::uint32_t>(10 * t + p)});
  }
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.key < b.key; });
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const Use& u = uses[i];
    if (i == 0 || uses[i - 1].key != u.key)
      blocks_.push_back({static_cast<std::int32_t>(u.key >> 32),
                         static_cast<std::int32_t>(u.key & 0xffffffff),
                         static_cast<std::int32_t>(blocks_.size())});
    blockOf_[u.place / 10][u.place % 10] = static_cast<std::int32_t>(blocks_.size()) - 1;
  }
  values_.assign(9 * blocks_.size(), Scalar(0));
}

template <class Real>
double Assembly<Real>::energy(const double* x, const KernelSettings& settings, double* gradient) {
  constexpr int kCount = LaneTraits<Real>::kCount;
  for (const auto& chunks : colours_)
    parallelFor(chunks.size(), 1, [&](std::size_t first, std::size_t last) {
      BatchForces<Real> out;
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t begin = chunks[i] * chunkBatches<Real>();
        const std::size_t end = std::min(begin + chunkBatches<Real>(), elements_.batches.size());
        double sum = 0;
        for (std::size_t b = begin; b < end; ++b) {
          const ElementBatch<Real>& batch = elements_.batches[b];
          computeForces(batch, elements_.fibres.data(), x, settings, out);
          for (int lane = 0; lane < kCount; ++lane) {
            sum += double(out.energy[lane]);
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
        }
        energies_[chunks[i]] = sum;
      }
    });
  double total = 0;
  for (const double e : energies_) total += e;
  return total;
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
  std::fill(values_.begin(), values_.end(), Scalar(0));
  for (const auto& chunks : colours_)
    parallelFor(chunks.size(), 1, [&](std::size_t first, std::size_t last) {
      BatchStiffness<Real> out;
      for (std::size_t i = first; i < last; ++i) {
        const std::size_t begin = chunks[i] * chunkBatches<Real>();
        const std::size_t end = std::min(begin + chunkBatches<Real>(), elements_.batches.size());
        for (std::size_t b = begin; b < end; ++b) {
          computeStiffness(elements_.batches[b], elements_.fibres.data(), x, settings, out);
          addStiffness(out, b);
        }
      }
    });
}

template class Assembly<double>;
template class Assembly<Float16>;

}  // namespace pneuma::flesh::embedded
