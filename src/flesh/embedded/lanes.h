#pragma once

#include <cmath>
#include <cstring>

/// Arithmetic on sixteen elements at once, or on one in double precision: kernels are templates
/// over the two.
///
/// A lane does the same operations in the same order at every width of the machine's registers,
/// without contraction, approximate divisions or library calls; so the baseline, AVX2 and AVX-512
/// give the same bits.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"  // lanes are never passed between translation units
#endif
#define PNEUMA_LANE_INLINE inline __attribute__((always_inline))

namespace pneuma::flesh::embedded {

inline constexpr int kLanes = 16;
using Float16 = float __attribute__((vector_size(64)));

template <class Real>
struct LaneTraits;
template <>
struct LaneTraits<double> {
  using Scalar = double;
  static constexpr int kCount = 1;
};
template <>
struct LaneTraits<Float16> {
  using Scalar = float;
  static constexpr int kCount = kLanes;
};

template <class Real>
PNEUMA_LANE_INLINE Real constant(double value) {
  return Real{} + static_cast<typename LaneTraits<Real>::Scalar>(value);
}
template <class Real, class Scalar>
PNEUMA_LANE_INLINE Real load(const Scalar* from) {
  Real lane;
  std::memcpy(&lane, from, sizeof lane);
  return lane;
}
template <class Real, class Scalar>
PNEUMA_LANE_INLINE void store(Scalar* to, const Real& lane) {
  std::memcpy(to, &lane, sizeof lane);
}
PNEUMA_LANE_INLINE double squareRoot(double x) {
  return std::sqrt(x);
}
PNEUMA_LANE_INLINE Float16 squareRoot(const Float16& x) {
  alignas(64) float values[kLanes];
  std::memcpy(values, &x, sizeof values);
  for (int i = 0; i < kLanes; ++i) values[i] = __builtin_sqrtf(values[i]);
  return load<Float16>(values);
}
template <class Real>
PNEUMA_LANE_INLINE Real maximum(const Real& a, const Real& b) {
  return a > b ? a : b;
}
template <class Real>
PNEUMA_LANE_INLINE Real minimum(const Real& a, const Real& b) {
  return a < b ? a : b;
}

/// log x for x in [0.35, 2.1]: 2 artanh((x - 1) / (x + 1)) by its series.
template <class Real>
PNEUMA_LANE_INLINE Real logNearOne(const Real& x) {
  constexpr int kTerms = LaneTraits<Real>::kCount == 1 ? 24 : 9;
  const Real s = (x - 1) / (x + 1), s2 = s * s;
  Real sum = constant<Real>(1.0 / (2 * kTerms + 1));
  for (int k = kTerms - 1; k >= 0; --k) sum = sum * s2 + constant<Real>(1.0 / (2 * k + 1));
  return 2 * s * sum;
}
/// exp x for |x| <= 3: the series of x / 8, squared three times.
template <class Real>
PNEUMA_LANE_INLINE Real expSmall(const Real& x) {
  constexpr int kTerms = LaneTraits<Real>::kCount == 1 ? 15 : 8;
  const Real y = x * constant<Real>(0.125);
  Real sum = constant<Real>(1);
  for (int k = kTerms; k >= 1; --k) sum = sum * y * constant<Real>(1.0 / k) + 1;
  sum = sum * sum;
  sum = sum * sum;
  return sum * sum;
}

/// A vector and a matrix (rows) per lane.
template <class Real>
struct LaneVec {
  Real v[3];
  PNEUMA_LANE_INLINE Real& operator[](int i) { return v[i]; }
  PNEUMA_LANE_INLINE const Real& operator[](int i) const { return v[i]; }
};
template <class Real>
struct LaneMat {
  Real m[3][3];
  PNEUMA_LANE_INLINE Real* operator[](int i) { return m[i]; }
  PNEUMA_LANE_INLINE const Real* operator[](int i) const { return m[i]; }
  PNEUMA_LANE_INLINE LaneVec<Real> column(int j) const { return {{m[0][j], m[1][j], m[2][j]}}; }
};
template <class Real>
PNEUMA_LANE_INLINE Real dot(const LaneVec<Real>& a, const LaneVec<Real>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class Real>
PNEUMA_LANE_INLINE LaneVec<Real> cross(const LaneVec<Real>& a, const LaneVec<Real>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}
template <class Real>
PNEUMA_LANE_INLINE LaneVec<Real> times(const LaneMat<Real>& a, const LaneVec<Real>& x) {
  LaneVec<Real> y;
  for (int i = 0; i < 3; ++i) y[i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2];
  return y;
}
template <class Real>
PNEUMA_LANE_INLINE LaneVec<Real> transposedTimes(const LaneMat<Real>& a, const LaneVec<Real>& x) {
  LaneVec<Real> y;
  for (int i = 0; i < 3; ++i) y[i] = a[0][i] * x[0] + a[1][i] * x[1] + a[2][i] * x[2];
  return y;
}

/// One rotation of Jacobi's method in the plane (p, q) for a symmetric matrix; v collects them.
template <int p, int q, class Real>
PNEUMA_LANE_INLINE void jacobiRotation(LaneMat<Real>& a, LaneMat<Real>& v) {
  constexpr int r = 3 - p - q;
  constexpr bool kDouble = LaneTraits<Real>::kCount == 1;
  const Real tiny = constant<Real>(kDouble ? 1e-290 : 1e-30);
  const Real apq = a[p][q], diff = a[q][q] - a[p][p];
  // t = tan of the angle, the smaller root of t^2 + t diff / apq - 1 = 0.
  const Real size = squareRoot(diff * diff + 4 * apq * apq) + tiny;
  const Real bottom = diff < 0 ? diff - size : diff + size;
  const Real t = 2 * apq / bottom;
  const Real c = 1 / squareRoot(t * t + 1), s = t * c;
  a[p][p] = a[p][p] - t * apq;
  a[q][q] = a[q][q] + t * apq;
  a[p][q] = a[q][p] = Real{};
  const Real arp = a[r][p], arq = a[r][q];
  a[r][p] = a[p][r] = c * arp - s * arq;
  a[r][q] = a[q][r] = s * arp + c * arq;
  for (int k = 0; k < 3; ++k) {
    const Real vp = v[k][p], vq = v[k][q];
    v[k][p] = c * vp - s * vq;
    v[k][q] = s * vp + c * vq;
  }
}

/// Brings the larger of two columns to the front; one sign is turned, so v stays a rotation.
template <int i, int j, class Real>
PNEUMA_LANE_INLINE void sortColumns(LaneVec<Real>& size, LaneMat<Real>& v) {
  const auto swap = size[i] < size[j];
  const Real a = size[i], b = size[j];
  size[i] = swap ? b : a;
  size[j] = swap ? a : b;
  for (int k = 0; k < 3; ++k) {
    const Real p = v[k][i], q = v[k][j];
    v[k][i] = swap ? q : p;
    v[k][j] = swap ? -p : q;
  }
}

/// F = U diag(sigma) V^T with rotations U, V and sigma_1 >= sigma_2 >= |sigma_3|; sigma_3 has the
/// sign of det F. Jacobi's method on F^T F with a fixed number of sweeps, then U from F V.
template <class Real>
PNEUMA_LANE_INLINE void signedSvd(const LaneMat<Real>& f, LaneMat<Real>& u, LaneVec<Real>& sigma,
                                  LaneMat<Real>& v) {
  constexpr bool kDouble = LaneTraits<Real>::kCount == 1;
  constexpr int kSweeps = kDouble ? 8 : 4;
  const Real tiny = constant<Real>(kDouble ? 1e-150 : 1e-15);
  const Real one = constant<Real>(1), zero = Real{};
  LaneMat<Real> a;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      a[i][j] = f[0][i] * f[0][j] + f[1][i] * f[1][j] + f[2][i] * f[2][j];
      v[i][j] = i == j ? one : zero;
    }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    jacobiRotation<0, 1>(a, v);
    jacobiRotation<0, 2>(a, v);
    jacobiRotation<1, 2>(a, v);
  }
  LaneVec<Real> size{{a[0][0], a[1][1], a[2][2]}};
  sortColumns<0, 1>(size, v);
  sortColumns<0, 2>(size, v);
  sortColumns<1, 2>(size, v);
  LaneVec<Real> u0 = times(f, v.column(0)), u1 = times(f, v.column(1));
  // A cell squeezed to a point or line has any frame across it.
  const Real s0 = squareRoot(dot(u0, u0));
  for (int k = 0; k < 3; ++k) u0[k] = s0 > tiny ? u0[k] / s0 : (k == 0 ? one : zero);
  const Real along = dot(u0, u1);
  for (int k = 0; k < 3; ++k) u1[k] = u1[k] - along * u0[k];
  const Real s1 = squareRoot(dot(u1, u1));
  const auto steep = u0[0] * u0[0] > constant<Real>(0.5);
  const LaneVec<Real> axis{{steep ? zero : one, steep ? one : zero, zero}};
  LaneVec<Real> any = cross(u0, axis);
  const Real anySize = squareRoot(dot(any, any));
  for (int k = 0; k < 3; ++k) u1[k] = s1 > tiny ? u1[k] / s1 : any[k] / anySize;
  const LaneVec<Real> u2 = cross(u0, u1);
  sigma = {{s0, s1, dot(u2, times(f, v.column(2)))}};
  for (int k = 0; k < 3; ++k) u[k][0] = u0[k], u[k][1] = u1[k], u[k][2] = u2[k];
}

}  // namespace pneuma::flesh::embedded
