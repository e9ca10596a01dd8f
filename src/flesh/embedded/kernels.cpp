// The kernels, compiled for every width of registers that the machine may have.
#include "flesh/embedded/element_batches.h"

namespace pneuma::flesh::embedded {
namespace {

/// F of each element: differences of positions in double, then lanes.
template <class Real>
PNEUMA_LANE_INLINE LaneMat<Real> gradientOf(const ElementBatch<Real>& b, const double* x) {
  using Scalar = typename LaneTraits<Real>::Scalar;
  constexpr int kCount = LaneTraits<Real>::kCount;
  alignas(64) Scalar edge[3][3][kCount];
  for (int lane = 0; lane < kCount; ++lane) {
    const double* origin = x + 3 * std::size_t(b.node[0][lane]);
    for (int k = 0; k < 3; ++k) {
      const double* at = x + 3 * std::size_t(b.node[k + 1][lane]);
      for (int c = 0; c < 3; ++c) edge[k][c][lane] = static_cast<Scalar>(at[c] - origin[c]);
    }
  }
  LaneMat<Real> f;
  for (int j = 0; j < 3; ++j) {
    const Real i0 = load<Real>(b.inverse[0][j]), i1 = load<Real>(b.inverse[1][j]),
               i2 = load<Real>(b.inverse[2][j]);
    for (int c = 0; c < 3; ++c)
      f[c][j] =
          load<Real>(edge[0][c]) * i0 + load<Real>(edge[1][c]) * i1 + load<Real>(edge[2][c]) * i2;
  }
  return f;
}

template <class Real>
PNEUMA_LANE_INLINE Constants<Real> constantsOf(const ElementBatch<Real>& b,
                                               Pressures<Real> pressures,
                                               const KernelSettings& settings) {
  return {load<Real>(b.mu10), load<Real>(b.mu01),
          minimum(load<Real>(b.kappa), constant<Real>(std::min(settings.kappaLimit, 1e30))),
          pressures == nullptr ? Real{} : load<Real>(pressures), settings.range};
}

/// Stretched direction of a slot's fibres, its unit vector n and the response.
template <class Real>
struct SlotState {
  LaneVec<Real> f, n;
  Real lambda;
  FibreResponse<Real> response;
};

template <class Real>
PNEUMA_LANE_INLINE SlotState<Real> slotState(const FibreSlot<Real>& slot, const LaneMat<Real>& f,
                                             const FibreConstants& curve) {
  SlotState<Real> s;
  for (int d = 0; d < 3; ++d) s.f[d] = load<Real>(slot.direction[d]);
  s.n = times(f, s.f);
  s.lambda = maximum(squareRoot(dot(s.n, s.n)), constant<Real>(1e-6));
  for (int d = 0; d < 3; ++d) s.n[d] = s.n[d] / s.lambda;
  s.response =
      fibreResponse(s.lambda, load<Real>(slot.strength), load<Real>(slot.activation), curve);
  return s;
}

template <class Real>
PNEUMA_LANE_INLINE void forces(const ElementBatch<Real>& b, const FibreSlot<Real>* fibres,
                               Pressures<Real> pressures, const double* x,
                               const KernelSettings& settings, BatchForces<Real>& out) {
  const LaneMat<Real> f = gradientOf(b, x);
  LaneMat<Real> stress{};
  Real energy = elasticStress(f, constantsOf(b, pressures, settings), stress);
  for (int k = 0; k < b.fibreCount; ++k) {
    const SlotState<Real> s = slotState(fibres[b.firstFibre + k], f, settings.curve);
    energy += s.response.energy;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) stress[i][j] += s.response.force * s.n[i] * s.f[j];
  }
  const Real volume = load<Real>(b.volume);
  store(out.energy, Real(volume * energy));
  const LaneMat<Real> cof = cofactor(f);
  store(out.volume, Real(f[0][0] * cof[0][0] + f[0][1] * cof[0][1] + f[0][2] * cof[0][2]));
  for (int k = 0; k < 3; ++k) {
    const LaneVec<Real> g{
        {load<Real>(b.inverse[k][0]), load<Real>(b.inverse[k][1]), load<Real>(b.inverse[k][2])}};
    const LaneVec<Real> p = times(stress, g);
    for (int c = 0; c < 3; ++c) store(out.force[k][c], Real(volume * p[c]));
  }
}

constexpr int kBlockOf[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};

/// Blocks of the corners that have a shape gradient of their own, in the frame U and back.
template <class Real>
PNEUMA_LANE_INLINE void elasticBlocks(const ElementBatch<Real>& b, Pressures<Real> pressures,
                                      const LaneMat<Real>& f, const KernelSettings& settings,
                                      BatchStiffness<Real>& out) {
  LaneMat<Real> u, v;
  LaneVec<Real> sigma;
  signedSvd(f, u, sigma, v);
  const PrincipalHessian<Real> h =
      principalHessian<true>(sigma, constantsOf(b, pressures, settings));
  const Real volume = load<Real>(b.volume);
  LaneVec<Real> c[3];
  for (int k = 0; k < 3; ++k) {
    const LaneVec<Real> g{
        {load<Real>(b.inverse[k][0]), load<Real>(b.inverse[k][1]), load<Real>(b.inverse[k][2])}};
    c[k] = transposedTimes(v, g);
  }
  for (int k = 0; k < 3; ++k)
    for (int l = k; l < 3; ++l) {
      LaneMat<Real> m;
      for (int p = 0; p < 3; ++p)
        for (int q = 0; q < 3; ++q) {
          Real value = h.stretch[p][q] * c[k][p] * c[l][q];
          if (p == q) {
            for (int o = 1; o < 3; ++o) {
              const int r = (p + o) % 3;
              value += h.self[3 - p - r] * c[k][r] * c[l][r];
            }
          } else {
            value += h.mirror[3 - p - q] * c[k][q] * c[l][p];
          }
          m[p][q] = volume * value;
        }
      LaneMat<Real> um;
      for (int p = 0; p < 3; ++p)
        for (int q = 0; q < 3; ++q)
          um[p][q] = u[p][0] * m[0][q] + u[p][1] * m[1][q] + u[p][2] * m[2][q];
      for (int p = 0; p < 3; ++p)
        for (int q = 0; q < 3; ++q)
          store(out.block[kBlockOf[k + 1][l + 1]][p + 3 * q],
                Real(um[p][0] * u[q][0] + um[p][1] * u[q][1] + um[p][2] * u[q][2]));
    }
}

template <class Real>
PNEUMA_LANE_INLINE void addFibreBlocks(const ElementBatch<Real>& b, const FibreSlot<Real>& slot,
                                       const LaneMat<Real>& f, const KernelSettings& settings,
                                       BatchStiffness<Real>& out) {
  const SlotState<Real> s = slotState(slot, f, settings.curve);
  const Real zero{}, volume = load<Real>(b.volume);
  const Real along = maximum(s.response.slope, zero) * volume;
  const Real across = maximum(Real(s.response.force / s.lambda), zero) * volume;
  Real weight[3];
  for (int k = 0; k < 3; ++k)
    weight[k] = load<Real>(b.inverse[k][0]) * s.f[0] + load<Real>(b.inverse[k][1]) * s.f[1] +
                load<Real>(b.inverse[k][2]) * s.f[2];
  for (int p = 0; p < 3; ++p)
    for (int q = 0; q < 3; ++q) {
      const Real nn = s.n[p] * s.n[q];
      const Real m = (along - across) * nn + (p == q ? across : zero);
      for (int k = 0; k < 3; ++k)
        for (int l = k; l < 3; ++l) {
          auto* at = out.block[kBlockOf[k + 1][l + 1]][p + 3 * q];
          store(at, Real(load<Real>(at) + weight[k] * weight[l] * m));
        }
    }
}

/// Blocks of corner 0: the rows of each element add up to zero.
template <class Real>
PNEUMA_LANE_INLINE void completeBlocks(BatchStiffness<Real>& out) {
  const auto at = [&](int k, int l, int p, int q) {
    return load<Real>(k <= l ? out.block[kBlockOf[k][l]][p + 3 * q]
                             : out.block[kBlockOf[k][l]][q + 3 * p]);
  };
  for (int p = 0; p < 3; ++p)
    for (int q = 0; q < 3; ++q)
      for (int l = 1; l < 4; ++l)
        store(out.block[l][p + 3 * q], Real(-(at(1, l, p, q) + at(2, l, p, q) + at(3, l, p, q))));
  for (int p = 0; p < 3; ++p)
    for (int q = 0; q < 3; ++q)
      store(out.block[0][p + 3 * q], Real(-(at(0, 1, p, q) + at(0, 2, p, q) + at(0, 3, p, q))));
}

template <class Real>
PNEUMA_LANE_INLINE void stiffness(const ElementBatch<Real>& b, const FibreSlot<Real>* fibres,
                                  Pressures<Real> pressures, const double* x,
                                  const KernelSettings& settings, BatchStiffness<Real>& out) {
  const LaneMat<Real> f = gradientOf(b, x);
  elasticBlocks(b, pressures, f, settings, out);
  for (int k = 0; k < b.fibreCount; ++k)
    addFibreBlocks(b, fibres[b.firstFibre + k], f, settings, out);
  completeBlocks(out);
}

using Batch = ElementBatch<Float16>;
using Slot = FibreSlot<Float16>;
using Forces = BatchForces<Float16>;
using Stiffness = BatchStiffness<Float16>;

#if defined(__x86_64__)
#define PNEUMA_TARGET(name) __attribute__((target(name)))
PNEUMA_TARGET("avx2")
void forcesAvx2(const Batch& b, const Slot* f, const float* p, const double* x,
                const KernelSettings& s, Forces& o) {
  forces(b, f, p, x, s, o);
}
PNEUMA_TARGET("avx2")
void stiffnessAvx2(const Batch& b, const Slot* f, const float* p, const double* x,
                   const KernelSettings& s, Stiffness& o) {
  stiffness(b, f, p, x, s, o);
}
PNEUMA_TARGET("avx512f")
void forcesAvx512(const Batch& b, const Slot* f, const float* p, const double* x,
                  const KernelSettings& s, Forces& o) {
  forces(b, f, p, x, s, o);
}
PNEUMA_TARGET("avx512f")
void stiffnessAvx512(const Batch& b, const Slot* f, const float* p, const double* x,
                     const KernelSettings& s, Stiffness& o) {
  stiffness(b, f, p, x, s, o);
}
#endif
void forcesBaseline(const Batch& b, const Slot* f, const float* p, const double* x,
                    const KernelSettings& s, Forces& o) {
  forces(b, f, p, x, s, o);
}
void stiffnessBaseline(const Batch& b, const Slot* f, const float* p, const double* x,
                       const KernelSettings& s, Stiffness& o) {
  stiffness(b, f, p, x, s, o);
}

struct Dispatch {
  decltype(&forcesBaseline) force = forcesBaseline;
  decltype(&stiffnessBaseline) stiff = stiffnessBaseline;
  explicit Dispatch(VectorWidth width) {
#if defined(__x86_64__)
    if (width == VectorWidth::Avx2) force = forcesAvx2, stiff = stiffnessAvx2;
    if (width == VectorWidth::Avx512) force = forcesAvx512, stiff = stiffnessAvx512;
#endif
    static_cast<void>(width);
  }
};
Dispatch& dispatch() {
  static Dispatch chosen(widestVector());
  return chosen;
}

}  // namespace

VectorWidth widestVector() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return VectorWidth::Avx512;
  if (__builtin_cpu_supports("avx2")) return VectorWidth::Avx2;
#endif
  return VectorWidth::Baseline;
}
void useVectorWidth(VectorWidth width) {
  dispatch() = Dispatch(std::min(width, widestVector()));
}

template <>
void computeForces(const ElementBatch<Float16>& batch, const FibreSlot<Float16>* fibres,
                   Pressures<Float16> pressures, const double* x, const KernelSettings& settings,
                   BatchForces<Float16>& out) {
  dispatch().force(batch, fibres, pressures, x, settings, out);
}
template <>
void computeStiffness(const ElementBatch<Float16>& batch, const FibreSlot<Float16>* fibres,
                      Pressures<Float16> pressures, const double* x, const KernelSettings& settings,
                      BatchStiffness<Float16>& out) {
  dispatch().stiff(batch, fibres, pressures, x, settings, out);
}
template <>
void computeForces(const ElementBatch<double>& batch, const FibreSlot<double>* fibres,
                   Pressures<double> pressures, const double* x, const KernelSettings& settings,
                   BatchForces<double>& out) {
  forces(batch, fibres, pressures, x, settings, out);
}
template <>
void computeStiffness(const ElementBatch<double>& batch, const FibreSlot<double>* fibres,
                      Pressures<double> pressures, const double* x, const KernelSettings& settings,
                      BatchStiffness<double>& out) {
  stiffness(batch, fibres, pressures, x, settings, out);
}

}  // namespace pneuma::flesh::embedded
