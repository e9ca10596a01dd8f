#include "pneuma/muscle/zajac_curves.h"

#include <gtest/gtest.h>

#include <functional>

#include "pneuma/core/error.h"

namespace pneuma::muscle {
namespace {

using Curve = std::function<CurvePoint(double)>;

/// Largest difference between the slope and a central difference; steps off the corner points.
double slopeError(const Curve& curve, double from, double to) {
  const double h = 1e-6;
  double worst = 0;
  for (int i = 0; i <= 1000; ++i) {
    const double x = from + (to - from) * i / 1000.0;
    const double difference = (curve(x + h).value - curve(x - h).value) / (2 * h);
    worst = std::max(worst, std::abs(difference - curve(x).slope));
  }
  return worst;
}

const ZajacCurves kTables;
const Curve kActive = [](double l) { return kTables.activeForceLength(l); };
const Curve kVelocity = [](double v) { return kTables.forceVelocity(v); };
const Curve kPassive = [](double l) { return kTables.passiveForceLength(l); };
const Curve kTendon = [](double e) { return kTables.tendonForce(e); };

TEST(ZajacCurves, SlopesAreTheDerivatives) {
  // Central differences at 1e-6 carry h * second-derivative jump / 2 at the joints of the pieces:
  // below 1e-3 for the force-velocity rounding (second derivative about 600), far less elsewhere.
  EXPECT_LT(slopeError(kActive, 0.2, 1.9), 2e-5);
  EXPECT_LT(slopeError(kVelocity, -0.999, 2), 1e-3);
  EXPECT_LT(slopeError(kVelocity, -2, -1.001), 1e-12);
  EXPECT_LT(slopeError(kPassive, 0.5, 2), 2e-5);
  EXPECT_LT(slopeError(kTendon, -0.01, 0.1), 2e-3);
}

TEST(ZajacCurves, SlopesAreContinuousAtTheJoints) {
  const auto jump = [](const Curve& curve, double x) {
    return std::abs(curve(x + 1e-9).slope - curve(x - 1e-9).slope);
  };
  EXPECT_LT(jump(kActive, 1), 1e-6);
  EXPECT_LT(jump(kActive, 1 - 0.56), 1e-6);
  EXPECT_LT(jump(kActive, 1 + 0.62), 1e-6);
  EXPECT_LT(jump(kVelocity, 0), 1e-5);
  EXPECT_LT(jump(kPassive, 1), 1e-6);
  EXPECT_LT(jump(kPassive, 1.475), 1e-6);
  EXPECT_LT(jump(kTendon, 0), 1e-5);
  EXPECT_LT(jump(kTendon, kTables.toeStrain()), 1e-5);
}

TEST(ZajacCurves, PassThroughTheDefiningPoints) {
  EXPECT_DOUBLE_EQ(kActive(1).value, 1);
  EXPECT_DOUBLE_EQ(kActive(0.44).value, 0);
  EXPECT_DOUBLE_EQ(kActive(1.62).value, 0);
  EXPECT_DOUBLE_EQ(kVelocity(0).value, 1);
  EXPECT_DOUBLE_EQ(kVelocity(-1).value, 0);
  EXPECT_NEAR(kVelocity(1e6).value, 1.8, 1e-6);
  EXPECT_DOUBLE_EQ(kPassive(1).value, 0);
  EXPECT_NEAR(kPassive(1.475).value, 1, 1e-14);
  EXPECT_DOUBLE_EQ(kTendon(0).value, 0);
  EXPECT_NEAR(kTendon(0.033).value, 1, 1e-14);
}

TEST(ZajacCurves, AreMonotoneWhereTheyMustBe) {
  for (int i = 0; i < 2000; ++i) {
    const double v = -1.2 + 3.2 * i / 2000.0, l = 0.8 + i / 2000.0, e = -0.01 + 0.1 * i / 2000.0;
    EXPECT_GE(kVelocity(v).slope, 0) << v;
    EXPECT_GE(kPassive(l).slope, 0) << l;
    EXPECT_GE(kTendon(e).slope, 0) << e;
  }
}

TEST(ZajacCurves, TendonStrainInvertsTendonForce) {
  for (double force : {0.0, 1e-6, 0.1, kTables.toeForce(), 0.5, 1.0, 3.0})
    EXPECT_NEAR(kTendon(kTables.tendonStrain(force)).value, force, 1e-14);
}

TEST(ZajacCurves, EnergiesAreTheIntegralsOfTheForces) {
  const double h = 1e-6;
  for (double l = 0.9; l < 1.8; l += 0.0137)
    EXPECT_NEAR((kTables.passiveEnergy(l + h) - kTables.passiveEnergy(l - h)) / (2 * h),
                kPassive(l).value, 1e-9);
  for (double e = -0.01; e < 0.08; e += 0.00137)
    EXPECT_NEAR((kTables.tendonEnergy(e + h) - kTables.tendonEnergy(e - h)) / (2 * h),
                kTendon(e).value, 1e-8);
}

TEST(ZajacCurves, RefuseShapesOutOfRange) {
  EXPECT_THROW(ZajacCurves({.activeWidthShort = 1.2}), InputError);
  EXPECT_THROW(ZajacCurves({.hillCurvature = 0}), InputError);
  EXPECT_THROW(ZajacCurves({.eccentricForce = 0.9}), InputError);
  EXPECT_THROW(ZajacCurves({.tendonStiffness = 20}), InputError);
  EXPECT_THROW(ZajacCurves({.passiveStrain = std::nan("")}), InputError);
}

}  // namespace
}  // namespace pneuma::muscle
