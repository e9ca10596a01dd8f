#pragma once

#include "flesh/embedded/lanes.h"
#include "pneuma/flesh/embedded/material.h"

/// Equations 9 and 11 with derivatives, one element per lane.
namespace pneuma::flesh::embedded {

/// A function of J and its first two derivatives.
template <class Real>
struct OfJ {
  Real value, first, second;

  /// The Taylor polynomial d away from where the three were taken.
  PNEUMA_LANE_INLINE OfJ continued(const Real& d) const {
    return {value + d * (first + constant<Real>(0.5) * second * d), first + second * d, second};
  }
};

template <class Real>
struct VolumeTerms {
  OfJ<Real> g1, g2, h;
};

/// g1, g2 and h: exact inside the range, continued from its nearer end outside.
template <class Real>
PNEUMA_LANE_INLINE VolumeTerms<Real> volumeTerms(const Real& j, const Real& low, const Real& high) {
  const Real at = minimum(maximum(j, low), high), d = j - at;
  const Real log = logNearOne(at), inverse = 1 / at;
  const Real root = expSmall(log * constant<Real>(-1.0 / 3)), g1 = root * root, g2 = g1 * g1;
  const Real inverse2 = inverse * inverse;
  const OfJ<Real> f1{g1, constant<Real>(-2.0 / 3) * g1 * inverse,
                     constant<Real>(10.0 / 9) * g1 * inverse2};
  const OfJ<Real> f2{g2, constant<Real>(-4.0 / 3) * g2 * inverse,
                     constant<Real>(28.0 / 9) * g2 * inverse2};
  const OfJ<Real> fh{constant<Real>(0.5) * log * log, log * inverse, (1 - log) * inverse2};
  return {f1.continued(d), f2.continued(d), fh.continued(d)};
}

template <class Real>
struct Constants {
  Real mu10, mu01, kappa, outward, low, high, pressed;
  bool convex;  ///< the form of recovery instead of Eq. 9, without pressure

  PNEUMA_LANE_INLINE Constants(const Real& m10, const Real& m01, const Real& k,
                               const Real& pressure, const VolumeRange& range)
      : mu10(range.convex() ? m10 + m01 : m10),
        mu01(range.convex() ? Real{} : m01),
        kappa(k),
        outward(range.convex() ? Real{} : pressure),
        low(constant<Real>(range.low)),
        high(constant<Real>(range.high)),
        pressed(constant<Real>(range.pressedOut)),
        convex(range.convex()) {}

  /// Below `low`, pressed (J - low)^2 / 2 more.
  PNEUMA_LANE_INLINE VolumeTerms<Real> pressedOut(const Real& j, VolumeTerms<Real> v) const {
    const Real zero{}, d = minimum(Real(j - low), zero), stiff = pressed / kappa;
    v.h.value += constant<Real>(0.5) * stiff * d * d;
    v.h.first += stiff * d;
    v.h.second += d < 0 ? stiff : zero;
    return v;
  }

  /// Recovery: Psi = mu (I - 3 - 2 (J - 1)) + kappa (J - 1)^2 / 2, without force at rest.
  PNEUMA_LANE_INLINE VolumeTerms<Real> terms(const Real& j) const {
    if (!convex) return pressedOut(j, volumeTerms(j, low, high));
    const Real one = constant<Real>(1), zero{}, d = j - 1, tilt = 2 * mu10 / kappa;
    return {{one, zero, zero},
            {one, zero, zero},
            {d * (constant<Real>(0.5) * d - tilt), d - tilt, one}};
  }
};

/// Cofactors of F: dJ/dF.
template <class Real>
PNEUMA_LANE_INLINE LaneMat<Real> cofactor(const LaneMat<Real>& f) {
  LaneMat<Real> c;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
      c[i][j] = f[i1][j1] * f[i2][j2] - f[i1][j2] * f[i2][j1];
    }
  return c;
}

/// Energy of Eq. 9 and of the pressure; adds the stress dPsi/dF to `stress`.
template <class Real>
PNEUMA_LANE_INLINE Real elasticStress(const LaneMat<Real>& f, const Constants<Real>& k,
                                      LaneMat<Real>& stress) {
  const LaneMat<Real> cof = cofactor(f);
  const Real j = f[0][0] * cof[0][0] + f[0][1] * cof[0][1] + f[0][2] * cof[0][2];
  LaneMat<Real> c;  // F^T F
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) c[a][b] = f[0][a] * f[0][b] + f[1][a] * f[1][b] + f[2][a] * f[2][b];
  const Real one = c[0][0] + c[1][1] + c[2][2];
  const Real two = c[0][0] * c[1][1] + c[1][1] * c[2][2] + c[2][2] * c[0][0] - c[0][1] * c[0][1] -
                   c[1][2] * c[1][2] - c[0][2] * c[0][2];
  const VolumeTerms<Real> v = k.terms(j);
  const Real toOne = 2 * k.mu10 * v.g1.value, toTwo = 2 * k.mu01 * v.g2.value;
  const Real toJ =
      k.mu10 * v.g1.first * one + k.mu01 * v.g2.first * two + k.kappa * v.h.first - k.outward;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const Real fc = f[a][0] * c[0][b] + f[a][1] * c[1][b] + f[a][2] * c[2][b];
      stress[a][b] += (toOne + toTwo * one) * f[a][b] - toTwo * fc + toJ * cof[a][b];
    }
  return k.mu10 * (v.g1.value * one - 3) + k.mu01 * (v.g2.value * two - 3) + k.kappa * v.h.value -
         k.outward * (j - 1);
}

/// d2Psi/dF2 in the frame of the singular values: stretches among themselves, and for each pair
/// (p, q) the factor of an entry with itself and with its mirror image.
template <class Real>
struct PrincipalHessian {
  LaneMat<Real> stretch;
  Real self[3], mirror[3];  ///< by the axis k that is neither p nor q
};

/// Sets eigenvalues below zero of a symmetric matrix to zero.
template <class Real>
PNEUMA_LANE_INLINE void clampEigenvalues(LaneMat<Real>& a) {
  constexpr int kSweeps = LaneTraits<Real>::kCount == 1 ? 8 : 4;
  LaneMat<Real> v;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) v[i][j] = i == j ? constant<Real>(1) : Real{};
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    jacobiRotation<0, 1>(a, v);
    jacobiRotation<0, 2>(a, v);
    jacobiRotation<1, 2>(a, v);
  }
  const Real zero{};
  const Real e[3] = {maximum(a[0][0], zero), maximum(a[1][1], zero), maximum(a[2][2], zero)};
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      a[i][j] = a[j][i] =
          v[i][0] * e[0] * v[j][0] + v[i][1] * e[1] * v[j][1] + v[i][2] * e[2] * v[j][2];
}

template <bool kProjected, class Real>
PNEUMA_LANE_INLINE PrincipalHessian<Real> principalHessian(const LaneVec<Real>& s,
                                                           const Constants<Real>& k) {
  const Real s2[3] = {s[0] * s[0], s[1] * s[1], s[2] * s[2]};
  const Real one = s2[0] + s2[1] + s2[2];
  const Real two = s2[0] * s2[1] + s2[1] * s2[2] + s2[2] * s2[0];
  const VolumeTerms<Real> v = k.terms(s[0] * s[1] * s[2]);
  const Real toOne = k.mu10 * v.g1.value, toTwo = k.mu01 * v.g2.value;
  const Real toJ =
      k.mu10 * v.g1.first * one + k.mu01 * v.g2.first * two + k.kappa * v.h.first - k.outward;
  const Real toJJ = k.mu10 * v.g1.second * one + k.mu01 * v.g2.second * two + k.kappa * v.h.second;
  Real dOne[3], dTwo[3], dJ[3];
  for (int i = 0; i < 3; ++i) {
    dOne[i] = 2 * s[i];
    dTwo[i] = 2 * s[i] * (one - s2[i]);
    dJ[i] = s[(i + 1) % 3] * s[(i + 2) % 3];
  }
  PrincipalHessian<Real> h;
  const Real oneJ = k.mu10 * v.g1.first, twoJ = k.mu01 * v.g2.first;
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) {
      const Real mixed = oneJ * (dOne[i] * dJ[j] + dOne[j] * dJ[i]) +
                         twoJ * (dTwo[i] * dJ[j] + dTwo[j] * dJ[i]) + toJJ * dJ[i] * dJ[j];
      const Real own = i == j ? 2 * toOne + 2 * (one - s2[i]) * toTwo
                              : 4 * s[i] * s[j] * toTwo + s[3 - i - j] * toJ;
      h.stretch[i][j] = h.stretch[j][i] = own + mixed;
    }
  const Real zero{}, half = constant<Real>(0.5);
  for (int n = 0; n < 3; ++n) {
    const Real product = s[(n + 1) % 3] * s[(n + 2) % 3];
    Real symmetric = 2 * toOne + 2 * toTwo * (s2[n] - product) - s[n] * toJ;
    Real skew = 2 * toOne + 2 * toTwo * (s2[n] + product) + s[n] * toJ;
    if (kProjected) symmetric = maximum(symmetric, zero), skew = maximum(skew, zero);
    h.self[n] = half * (symmetric + skew);
    h.mirror[n] = half * (symmetric - skew);
  }
  if (kProjected) clampEigenvalues(h.stretch);
  return h;
}

/// The force-length curves of muscle::ZajacCurves as lanes; `strength` is d sigma_max / lambda_opt.
struct FibreConstants {
  double inverseOptimum, inverseShort, inverseLong;         ///< 1 / lambda_opt, 1 / w_s, 1 / w_l
  double passiveShape, inversePassiveStrain, passiveScale;  ///< k, 1 / e_p, 1 / (e^k - 1 - k)
  FibreConstants(const FibreLaw& law, const muscle::ZajacCurves& curves);
};

template <class Real>
struct FibreResponse {
  Real energy, force, slope;  ///< integral of T over lambda, T, dT/dlambda
};

template <class Real>
PNEUMA_LANE_INLINE FibreResponse<Real> fibreResponse(const Real& lambda, const Real& strength,
                                                     const Real& activation,
                                                     const FibreConstants& c) {
  const Real zero{}, one = constant<Real>(1);
  const Real l = lambda * constant<Real>(c.inverseOptimum);
  const Real inverseShort = constant<Real>(c.inverseShort);
  const Real inverseLong = constant<Real>(c.inverseLong);
  const Real s = minimum(maximum(Real((1 - l) * inverseShort), zero), one);
  const Real t = minimum(maximum(Real((l - 1) * inverseLong), zero), one);
  const Real s2 = s * s, t2 = t * t, u = 1 - s2, w = 1 - t2;
  const Real active = u * u * (1 + 2 * s2) * w * w;
  const Real activeSlope = 12 * s2 * s * u * inverseShort - 4 * t * w * inverseLong;
  // Integrals from l = 1 of (1 - s^2)^2 (1 + 2 s^2) = 1 - 3 s^4 + 2 s^6 and of (1 - t^2)^2.
  const Real activeEnergy =
      t * (1 + t2 * (t2 * constant<Real>(0.2) - constant<Real>(2.0 / 3))) / inverseLong -
      s * (1 + s2 * s2 * (s2 * constant<Real>(2.0 / 7) - constant<Real>(0.6))) / inverseShort;
  const Real k = constant<Real>(c.passiveShape), stretch = constant<Real>(c.inversePassiveStrain);
  const Real scale = constant<Real>(c.passiveScale);
  const Real x = maximum(Real((l - 1) * stretch), zero), inside = minimum(x, one);
  const Real beyond = x - inside, kx = k * inside;
  const Real grow = expSmall(kx) - 1, slope = k * grow * scale;
  const Real passive = (grow - kx) * scale + slope * beyond;
  const Real passiveEnergy =
      ((grow / k - inside - constant<Real>(0.5) * kx * inside) * scale +
       beyond * ((grow - kx) * scale + constant<Real>(0.5) * slope * beyond)) /
      stretch;
  const Real perStretch = constant<Real>(c.inverseOptimum);
  return {strength * (activation * activeEnergy + passiveEnergy) / perStretch,
          strength * (activation * active + passive),
          strength * (activation * activeSlope + slope * stretch) * perStretch};
}

}  // namespace pneuma::flesh::embedded
