#include "pneuma/flesh/embedded/material.h"

#include "flesh/embedded/energy_lanes.h"

namespace pneuma::flesh::embedded {
namespace {

LaneMat<double> lanes(const Mat3& m) {
  LaneMat<double> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r[i][j] = m(i, j);
  return r;
}
Mat3 matrix(const LaneMat<double>& m) {
  Mat3 r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r(i, j) = m[i][j];
  return r;
}

/// The Hessian of the principal frame, turned back: dF = U e V^T for each unit matrix e.
Mat9 turned(const PrincipalHessian<double>& h, const Mat3& U, const Mat3& V) {
  Mat9 principal = Mat9::Zero();
  const auto at = [](int i, int j) { return 3 * j + i; };
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      principal(at(i, i), at(j, j)) = h.stretch[i][j];
      if (i == j) continue;
      principal(at(i, j), at(i, j)) = h.self[3 - i - j];
      principal(at(i, j), at(j, i)) = h.mirror[3 - i - j];
    }
  Mat9 basis;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Mat3 e = U.col(i) * V.col(j).transpose();
      basis.col(at(i, j)) = Eigen::Map<const Eigen::Matrix<double, 9, 1>>(e.data());
    }
  return basis * principal * basis.transpose();
}

}  // namespace

FibreConstants::FibreConstants(const FibreLaw& law, const muscle::ZajacCurves& curves)
    : inverseOptimum(1 / law.optimalStretch),
      inverseShort(1 / curves.config().activeWidthShort),
      inverseLong(1 / curves.config().activeWidthLong),
      passiveShape(curves.config().passiveShape),
      inversePassiveStrain(1 / curves.config().passiveStrain),
      passiveScale(1 / (std::expm1(curves.config().passiveShape) - curves.config().passiveShape)) {}

MaterialResponse evaluate(const Mat3& F, const TissueMaterial& tissue,
                          std::span<const FibreAt> fibres, const FibreLaw& law, bool projected,
                          const VolumeRange& range, double pressure) {
  const LaneMat<double> f = lanes(F);
  const Constants<double> k(tissue.mu10, tissue.mu01, tissue.kappa, pressure, range);
  LaneMat<double> stress{};
  MaterialResponse result;
  result.energy = elasticStress(f, k, stress);
  result.stress = matrix(stress);
  LaneMat<double> u, v;
  LaneVec<double> sigma;
  signedSvd(f, u, sigma, v);
  result.hessian =
      turned(projected ? principalHessian<true>(sigma, k) : principalHessian<false>(sigma, k),
             matrix(u), matrix(v));
  const FibreConstants curve(law, muscle::ZajacCurves());
  for (const FibreAt& fibre : fibres) {
    const Vec3 stretched = F * fibre.direction;
    const double lambda = stretched.norm();
    const Vec3 n = stretched / lambda;
    const double strength = fibre.share * law.maximumStress / law.optimalStretch;
    const FibreResponse<double> r = fibreResponse(lambda, strength, fibre.activation, curve);
    result.energy += r.energy;
    result.stress += r.force * n * fibre.direction.transpose();
    double along = r.slope, across = r.force / lambda;
    if (projected) along = std::max(along, 0.0), across = std::max(across, 0.0);
    const Mat3 M = along * n * n.transpose() + across * (Mat3::Identity() - n * n.transpose());
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        result.hessian.block<3, 3>(3 * a, 3 * b) += fibre.direction[a] * fibre.direction[b] * M;
  }
  return result;
}

}  // namespace pneuma::flesh::embedded
