// Equations 9 to 11: derivatives, continuation past inversion, curves.
#include "pneuma/flesh/embedded/material.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <random>
#include <vector>

namespace pneuma::flesh::embedded {
namespace {

using Vec9 = Eigen::Matrix<double, 9, 1>;

/// A random gradient whose determinant is spread over (-1, 3).
Mat3 randomGradient(std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1, 1);
  const auto rotation = [&] {
    return Quat(any(random), any(random), any(random), any(random)).normalized().toRotationMatrix();
  };
  const double j = 1 + 2 * any(random);
  Vec3 s(1.2 + 0.5 * any(random), 1 + 0.3 * any(random), 1);
  s[2] = j / (s[0] * s[1]);
  return rotation() * s.asDiagonal() * rotation().transpose();
}

std::vector<FibreAt> someFibres(std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<FibreAt> fibres;
  for (const double share : {0.3, 0.5})
    fibres.push_back(
        {Vec3(any(random), any(random), any(random)).normalized(), share, 0.5 + 0.5 * any(random)});
  return fibres;
}

/// Central differences extrapolated to fourth order.
template <class Function>
auto difference(const Mat3& F, int entry, Function&& value) {
  const auto at = [&](double h) {
    Mat3 moved = F;
    moved.data()[entry] += h;
    return value(moved);
  };
  const double h = 2e-4;
  return ((8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)).eval();
}

TEST(EmbeddedMaterial, StressAndHessianAreDerivatives) {
  std::mt19937 random(7);
  const TissueMaterial tissue;
  const FibreLaw law;
  for (int i = 0; i < 200; ++i) {
    const Mat3 F = randomGradient(random);
    const double j = F.determinant();
    if (std::abs(j - 0.4) < 2e-3 || std::abs(j - 2) < 2e-3) continue;  // third derivatives jump
    const std::vector<FibreAt> fibres = someFibres(random);
    // Curves have a corner in their second derivative where they meet.
    bool corner = false;
    for (const FibreAt& f : fibres)
      for (const double l : {0.44, 1.0, 1.475, 1.62})
        corner = corner || std::abs((F * f.direction).norm() / law.optimalStretch - l) < 2e-3;
    if (corner) continue;
    const double pressure = i % 2 == 0 ? 0 : -2e6 + 2e4 * i;
    const auto response = [&](const Mat3& m) {
      return evaluate(m, tissue, fibres, law, false, {}, pressure);
    };
    const MaterialResponse r = response(F);
    const double scale = r.hessian.cwiseAbs().maxCoeff();
    for (int e = 0; e < 9; ++e) {
      const auto energy = difference(
          F, e, [&](const Mat3& m) { return Eigen::Matrix<double, 1, 1>(response(m).energy); });
      ASSERT_NEAR(energy[0], r.stress.data()[e], 1e-7 * scale) << "J = " << j;
      const auto stress = difference(F, e, [&](const Mat3& m) {
        const Mat3 p = response(m).stress;
        return Vec9(Eigen::Map<const Vec9>(p.data()));
      });
      ASSERT_LT((stress - r.hessian.col(e)).cwiseAbs().maxCoeff(), 1e-7 * scale) << "J = " << j;
    }
  }
}

TEST(EmbeddedMaterial, RestHasNoEnergyNoStressAndTheModuliOfThePaper) {
  const MaterialResponse r = evaluate(Mat3::Identity(), {}, {}, {}, false);
  EXPECT_NEAR(r.energy, 0, 1e-9);
  EXPECT_LT(r.stress.cwiseAbs().maxCoeff(), 1e-8);
  // Shear modulus 2 (mu10 + mu01), bulk modulus kappa.
  EXPECT_NEAR(r.hessian(1, 1) + r.hessian(1, 3), 2 * 0.16e6, 1e-3);
  EXPECT_NEAR(r.hessian(0, 0), 10e6 + 4.0 / 3 * 0.16e6, 1e-2);
}

TEST(EmbeddedMaterial, APressureActsOutwardsAndOnVolumeAlone) {
  const MaterialResponse none = evaluate(Mat3::Identity(), {}, {}, {}, false),
                         pressed = evaluate(Mat3::Identity(), {}, {}, {}, false, {}, 1000);
  EXPECT_LT((pressed.stress - none.stress + 1000 * Mat3::Identity()).norm(), 1e-8);
  // Recovery goes on without it.
  const VolumeRange convex = VolumeRange::recovery();
  EXPECT_EQ(evaluate(Mat3::Identity(), {}, {}, {}, false, convex, 1000).stress,
            evaluate(Mat3::Identity(), {}, {}, {}, false, convex).stress);
}

TEST(EmbeddedMaterial, RotationsDoNotMatter) {
  std::mt19937 random(3);
  const Mat3 F = randomGradient(random);
  const Mat3 R = Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const auto fibres = someFibres(random);
  const MaterialResponse a = evaluate(F, {}, fibres, {}, true),
                         b = evaluate(R * F, {}, fibres, {}, true);
  EXPECT_NEAR(a.energy, b.energy, 1e-9 * std::abs(a.energy));
  EXPECT_LT((R * a.stress - b.stress).norm(), 1e-9 * a.stress.norm());
}

TEST(EmbeddedMaterial, EnergyAndStressAreContinuousWhereTheContinuationBegins) {
  for (const double j : {0.4, 2.0}) {
    const auto at = [](double volume) {
      return evaluate(Vec3(1.1, 0.9, volume / 0.99).asDiagonal().toDenseMatrix(), {}, {}, {},
                      false);
    };
    const MaterialResponse below = at(j - 1e-9), above = at(j + 1e-9);
    EXPECT_NEAR(below.energy, above.energy, 1e-6 * above.energy);
    EXPECT_LT((below.stress - above.stress).norm(), 1e-5 * above.stress.norm());
    // What is pressed out sets in at the lower end: kPressedOut dJ/dF dJ/dF^T more.
    const Vec3 s(1.1, 0.9, j / 0.99);
    Eigen::Matrix<double, 9, 1> cofactor = Eigen::Matrix<double, 9, 1>::Zero();
    for (int i = 0; i < 3; ++i) cofactor[4 * i] = j / s[i];
    const Mat9 jump = (j < 1 ? kPressedOut : 0) * cofactor * cofactor.transpose();
    EXPECT_LT((below.hessian - jump - above.hessian).norm(), 1e-5 * above.hessian.norm());
  }
}

TEST(EmbeddedMaterial, ProjectedHessiansHaveNoNegativeEigenvalue) {
  std::mt19937 random(11);
  int changed = 0;
  for (int i = 0; i < 200; ++i) {
    const Mat3 F = randomGradient(random);
    const auto fibres = someFibres(random);
    for (const VolumeRange range : {VolumeRange{}, VolumeRange::recovery()}) {
      const Mat9 h = evaluate(F, {}, fibres, {}, true, range).hessian;
      const double scale = h.norm();
      EXPECT_GT(Eigen::SelfAdjointEigenSolver<Mat9>(h).eigenvalues()[0], -1e-9 * scale);
      changed += (h - evaluate(F, {}, fibres, {}, false, range).hessian).norm() > 1e-6 * scale;
    }
  }
  EXPECT_GT(changed, 100);  // or projection would not have been tested
}

TEST(EmbeddedMaterial, FlatAndPointLikeElementsHaveFiniteForces) {
  for (const Vec3& s :
       {Vec3(1, 1, 0), Vec3(1, 0, 0), Vec3(0, 0, 0), Vec3(1, 1, -1), Vec3(3, 3, -3)}) {
    const MaterialResponse r = evaluate(s.asDiagonal().toDenseMatrix(), {}, {}, {}, true);
    EXPECT_TRUE(std::isfinite(r.energy));
    EXPECT_TRUE(r.stress.allFinite());
    EXPECT_TRUE(r.hessian.allFinite());
    EXPECT_GT(r.energy, 0);
  }
}

TEST(EmbeddedMaterial, FibresFollowTheOneHillCurve) {
  const muscle::ZajacCurves curves;
  const FibreLaw law;
  const TissueMaterial none{0, 0, 1e-12};
  double before = 0, energyBefore = 0;
  for (double l = 0.3; l < 1.9; l += 0.001) {
    const Mat3 F = Vec3(l * law.optimalStretch, 1, 1).asDiagonal();
    const FibreAt fibre{Vec3::UnitX(), 0.7, 0.6};
    const MaterialResponse r = evaluate(F, none, {&fibre, 1}, law, false);
    const double expected =
        0.7 * law.maximumStress / law.optimalStretch *
        (0.6 * curves.activeForceLength(l).value + curves.passiveForceLength(l).value);
    EXPECT_NEAR(r.stress(0, 0), expected, 1e-9 * law.maximumStress);
    if (l > 0.3005) {
      EXPECT_NEAR(r.energy - energyBefore, 0.5 * (before + expected) * 0.001 * law.optimalStretch,
                  1e-5 * law.maximumStress * 0.001);
    }
    before = expected, energyBefore = r.energy;
  }
}

}  // namespace
}  // namespace pneuma::flesh::embedded
