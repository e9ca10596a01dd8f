#include "flesh/embedded/element_batches.h"

#include <algorithm>
#include <array>

namespace pneuma::flesh::embedded {
namespace {

template <class Real>
void fillElement(const FleshModel& model, std::size_t tet, ElementBatch<Real>& batch, int lane) {
  using Scalar = typename LaneTraits<Real>::Scalar;
  const Lattice& l = *model.lattice;
  const Tet t = sortedCorners(l.tets[tet]);
  Mat3 edges;
  for (int k = 0; k < 3; ++k) edges.col(k) = l.nodes[t[k + 1]] - l.nodes[t[0]];
  const Mat3 inverse = edges.inverse();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) batch.inverse[i][j][lane] = static_cast<Scalar>(inverse(i, j));
  batch.volume[lane] =
      static_cast<Scalar>(l.volume(tet) * double(std::max(l.share[tet], kLeastShare)));
  const TissueMaterial& m = model.tissue[tet];
  batch.mu10[lane] = static_cast<Scalar>(m.mu10);
  batch.mu01[lane] = static_cast<Scalar>(m.mu01);
  batch.kappa[lane] = static_cast<Scalar>(m.kappa);
  for (int k = 0; k < 4; ++k) batch.node[k][lane] = t[k];
}

template <class Real>
FibreSlot<Real> emptySlot() {
  FibreSlot<Real> slot{};
  for (auto& x : slot.direction[0]) x = 1;
  return slot;
}

/// As many as the tetrahedron with the most fibres has, for each batch.
template <class Real>
std::size_t slotCount(const std::vector<const Fibre*>& sorted) {
  std::size_t sum = 0;
  std::int32_t batch = -1, tet = -1, here = 0, most = 0;
  for (const Fibre* f : sorted) {
    if (f->tet / LaneTraits<Real>::kCount != batch) sum += std::size_t(most), most = 0;
    here = f->tet == tet ? here + 1 : 1;
    batch = f->tet / LaneTraits<Real>::kCount, tet = f->tet;
    most = std::max(most, here);
  }
  return sum + std::size_t(most);
}

}  // namespace

Tet sortedCorners(Tet corners) {
  std::sort(corners.begin(), corners.end());
  return corners;
}

template <class Real>
ElementBatches<Real>::ElementBatches(const FleshModel& model) {
  using Scalar = typename LaneTraits<Real>::Scalar;
  constexpr int kCount = LaneTraits<Real>::kCount;
  const std::size_t count = model.lattice->tetCount();
  std::vector<const Fibre*> sorted;
  sorted.reserve(model.fibres.size());
  for (const Fibre& f : model.fibres) sorted.push_back(&f);
  std::ranges::stable_sort(sorted, {}, &Fibre::tet);
  auto next = sorted.begin();
  batches.resize((count + kCount - 1) / kCount);
  fibres.reserve(slotCount<Real>(sorted));
  for (std::size_t b = 0; b < batches.size(); ++b) {
    ElementBatch<Real>& batch = batches[b];
    batch.firstFibre = static_cast<std::int32_t>(fibres.size());
    for (int lane = 0; lane < kCount; ++lane) {
      // Lanes past the last element repeat it without volume.
      const std::size_t tet = b * kCount + lane;
      fillElement(model, std::min(tet, count - 1), batch, lane);
      if (tet >= count) batch.volume[lane] = 0;
      int slot = 0;
      for (; next != sorted.end() && (*next)->tet == static_cast<std::int32_t>(tet);
           ++next, ++slot) {
        const Fibre& fibre = **next;
        if (slot == batch.fibreCount) {
          fibres.push_back(emptySlot<Real>());
          ++batch.fibreCount;
        }
        FibreSlot<Real>& to = fibres[batch.firstFibre + slot];
        for (int d = 0; d < 3; ++d) to.direction[d][lane] = static_cast<Scalar>(fibre.direction[d]);
        to.strength[lane] = static_cast<Scalar>(double(fibre.share) * model.fibreLaw.maximumStress /
                                                model.fibreLaw.optimalStretch);
        to.line[lane] = fibre.line;
      }
    }
  }
}

template <class Real>
void ElementBatches<Real>::setActivations(std::span<const double> activations) {
  using Scalar = typename LaneTraits<Real>::Scalar;
  for (FibreSlot<Real>& slot : fibres)
    for (int lane = 0; lane < LaneTraits<Real>::kCount; ++lane)
      slot.activation[lane] =
          activations.empty() ? Scalar(0) : static_cast<Scalar>(activations[slot.line[lane]]);
}

template struct ElementBatches<double>;
template struct ElementBatches<Float16>;

}  // namespace pneuma::flesh::embedded
