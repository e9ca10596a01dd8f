#pragma once

#include <span>

#include "pneuma/core/types.h"
#include "pneuma/muscle/zajac_curves.h"

/// Material of embedded flesh [Lee09, Eq. 8-11].
///
///   Psi   = Psi_p + sum_m d_m Psi_fibre,m                                            (8), (10)
///   Psi_p = mu10 (tr C^ - 3) + mu01/2 ((tr C^)^2 - C^:C^ - 6) + kappa/2 log^2 J      (9)
///   dPsi_fibre / dlambda = sigma_max / lambda_opt (a f_act + f_pass)(lambda / lambda_opt)   (11)
///
///   F deformation gradient, J = det F, C^ = F^T F J^(-2/3)   d_m share of muscle m
///   lambda = |F f| stretch along the fibre direction f       a activation, 0 .. 1
///   f_act, f_pass  the force-length curves of muscle::ZajacCurves
///
/// With I = |F|^2 and II the second invariant of F^T F,
///   Psi_p = mu10 (g1(J) I - 3) + mu01 (g2(J) II - 3) + kappa h(J),
///   g1 = J^(-2/3), g2 = J^(-4/3), h = log^2 J / 2.
///
/// Reading: (10) prints one symbol on both sides; densities sum to one, so fibres are added to the
/// passive part. C^ is printed as Cauchy strain; it is the right Cauchy-Green tensor.
/// Departure: outside [low, high] = [0.4, 2] g1, g2 and h go on as their Taylor polynomials of
/// second order, so energy and force are continuous and finite for flat and inverted elements
/// (log^2 J is concave past e).
/// Departure: below J = 0.4 another pressedOut (J - 0.4)^2 / 2 is added. Lungs are two thirds air
/// and soft until it has gone; what is left of them is flesh, and is not folded.
/// `pressure` p acts outwards: Psi has -p (J - 1) more, which no J bounds and no other mode feels.
/// It is the multiplier of a volume that is to be kept (volume_keeper.h); not the paper's.
/// Departure: lambda = |F f|, not of J^(-1/3) F: J is within 0.2 % of one where fibres matter.
namespace pneuma::flesh::embedded {

/// Bulk modulus that every tissue has once the air is pressed out of it, beside flesh as soft as
/// people's [Pa].
inline constexpr double kPressedOut = 1e5;

/// Constants of one tissue.
struct TissueMaterial {
  double mu10 = 0.02e6;  ///< [Pa], >= 0
  double mu01 = 0.06e6;  ///< [Pa], >= 0
  double kappa = 10e6;   ///< bulk modulus [Pa], > 0

  double shearModulus() const { return 2 * (mu10 + mu01); }
  bool operator==(const TissueMaterial&) const = default;
};

/// Strength of fibres.
struct FibreLaw {
  double maximumStress = 0.3e6;  ///< sigma_max [Pa]
  double optimalStretch = 1.4;   ///< lambda_opt [-]
};

/// Where equation 9 ends and its continuation begins.
struct VolumeRange {
  double low = 0.4, high = 2;
  double pressedOut = kPressedOut;  ///< [Pa]
  /// An empty range stands for the form of recovery from folded elements, which no shape makes
  /// steep: Psi_p = mu (I - 3 - 2 (J - 1)) + kappa (J - 1)^2 / 2 with mu = mu10 + mu01. No pressure
  /// acts in it: that of stiff flesh would burst soft flesh.
  static VolumeRange recovery() { return {1, 1}; }
  bool convex() const { return low >= high; }
};

/// A bundle of fibres in a material point.
struct FibreAt {
  Vec3 direction = Vec3::UnitX();  ///< f at rest, unit length
  double share = 0;                ///< d_m
  double activation = 0;           ///< a
};

using Mat9 = Eigen::Matrix<double, 9, 9>;

/// Energy density and its derivatives with respect to F, columns of F one after another.
struct MaterialResponse {
  double energy = 0;            ///< [Pa]
  Mat3 stress = Mat3::Zero();   ///< first Piola-Kirchhoff stress [Pa]
  Mat9 hessian = Mat9::Zero();  ///< [Pa]
};

/// One material point in double precision, by the same formulas as the kernels. `projected`: the
/// eigenvalues of the elastic part and of each fibre below zero are set to zero.
MaterialResponse evaluate(const Mat3& F, const TissueMaterial& tissue,
                          std::span<const FibreAt> fibres, const FibreLaw& law, bool projected,
                          const VolumeRange& range = {}, double pressure = 0);

}  // namespace pneuma::flesh::embedded
