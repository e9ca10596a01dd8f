#pragma once

#include <cstdint>
#include <vector>

#include "flesh/embedded/energy_lanes.h"
#include "flesh/embedded/lanes.h"
#include "pneuma/flesh/embedded/flesh_model.h"

/// Tetrahedra in groups of one register each, as structure of arrays.
namespace pneuma::flesh::embedded {

/// What is the same for all elements of one evaluation.
struct KernelSettings {
  VolumeRange range;
  double kappaLimit = 1e300;  ///< stages of recovery cap the bulk modulus [Pa]
  FibreConstants curve;
};

/// Corners in the order of their nodes: blocks of pairs of corners then all lie in the upper
/// triangle of the matrix. (F does not depend on the order, and the volume is taken as positive.)
Tet sortedCorners(Tet corners);

template <class Real>
struct ElementBatch {
  using Scalar = typename LaneTraits<Real>::Scalar;
  static constexpr int kCount = LaneTraits<Real>::kCount;
  alignas(64) Scalar inverse[3][3][kCount];  ///< of the edge matrix at rest, rows: shape gradients
  Scalar volume[kCount];                     ///< times share [m^3]; 0: no element here
  Scalar mu10[kCount], mu01[kCount], kappa[kCount];
  std::int32_t node[4][kCount];
  std::int32_t firstFibre = 0, fibreCount = 0;  ///< slots
};

/// One fibre for each element of a batch; strength 0: none.
template <class Real>
struct FibreSlot {
  using Scalar = typename LaneTraits<Real>::Scalar;
  static constexpr int kCount = LaneTraits<Real>::kCount;
  alignas(64) Scalar direction[3][kCount];
  Scalar strength[kCount];  ///< d sigma_max / lambda_opt [Pa]
  Scalar activation[kCount];
  std::int32_t line[kCount];
};

template <class Real>
struct ElementBatches {
  std::vector<ElementBatch<Real>> batches;
  std::vector<FibreSlot<Real>> fibres;

  explicit ElementBatches(const FleshModel& model);
  void setActivations(std::span<const double> activations);
};

/// Outward pressures of the elements of one batch [Pa]; null: none acts.
template <class Real>
using Pressures = const typename LaneTraits<Real>::Scalar*;

/// Energies [J], volumes over those at rest [-] and forces dE/dx of corners 1 .. 3 of a batch
/// (corner 0 has minus their sum).
template <class Real>
struct BatchForces {
  typename LaneTraits<Real>::Scalar energy[LaneTraits<Real>::kCount];
  typename LaneTraits<Real>::Scalar volume[LaneTraits<Real>::kCount];  ///< J
  alignas(64) typename LaneTraits<Real>::Scalar force[3][3][LaneTraits<Real>::kCount];
};
/// Projected second derivatives: blocks of corners (k, l), k <= l, column by column.
template <class Real>
struct BatchStiffness {
  alignas(64) typename LaneTraits<Real>::Scalar block[10][9][LaneTraits<Real>::kCount];
};

/// Width of the registers that float kernels use. All give the same bits.
enum class VectorWidth { Baseline, Avx2, Avx512 };
VectorWidth widestVector();              ///< of this machine and build
void useVectorWidth(VectorWidth width);  ///< for tests; not while kernels run

template <class Real>
void computeForces(const ElementBatch<Real>& batch, const FibreSlot<Real>* fibres,
                   Pressures<Real> pressures, const double* x, const KernelSettings& settings,
                   BatchForces<Real>& out);
template <class Real>
void computeStiffness(const ElementBatch<Real>& batch, const FibreSlot<Real>* fibres,
                      Pressures<Real> pressures, const double* x, const KernelSettings& settings,
                      BatchStiffness<Real>& out);

}  // namespace pneuma::flesh::embedded
