// Zajac's curves in the tabulated form that Delp (1990) gave them, against ours, at every point.
#include "pneuma/muscle/zajac_tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>

#include "pneuma/muscle/zajac_curves.h"

namespace pneuma::muscle {
namespace {

const ZajacCurves kCurves;

template <class Curve>
double worstDistance(std::span<const TablePoint> table, Curve&& curve) {
  double worst = 0;
  for (const TablePoint& p : table) worst = std::max(worst, std::abs(curve(p.x) - p.force));
  return worst;
}

double velocity(double v) {
  return kCurves.forceVelocity(v).value;
}
double passive(double l) {
  return kCurves.passiveForceLength(l).value;
}
double tendon(double e) {
  return kCurves.tendonForce(e).value;
}

TEST(ZajacTables, ActiveForceLengthIsWithinSixPercentOfTheMaximum) {
  const auto active = [](double l) { return kCurves.activeForceLength(l).value; };
  EXPECT_LT(worstDistance(kZajacActiveTable, active), 0.06);
}

TEST(ZajacTables, ShorteningForceIsHillsHyperbolaToTheTablesDigits) {
  EXPECT_LT(worstDistance(kZajacShorteningTable, velocity), 5.1e-7);  // it rounds to six digits
}

TEST(ZajacTables, LengtheningForceIsWithinFourPercentOfTheMaximum) {
  EXPECT_LT(worstDistance(kZajacLengtheningTable, velocity), 0.04);
}

TEST(ZajacTables, PassiveForceIsWithinFourPercentUpToHalfStretch) {
  EXPECT_LT(worstDistance(kZajacPassiveTable, passive), 0.04);
  // The table's last point, twice the isometric force: ours continues straight and stays 8 % below.
  EXPECT_NEAR(passive(1.6) / 2.0, 1, 0.08);
}

TEST(ZajacTables, TendonForceIsWithinTwoPercentAndItsLineIsTheTables) {
  EXPECT_LT(worstDistance(kZajacTendonTable, tendon), 0.02);
  // Its straight part runs from (0.0123, 0.227) to (9.2, 345).
  EXPECT_NEAR(kCurves.tendonForce(1).slope, (345 - 0.227) / (9.2 - 0.0123), 0.05);
  EXPECT_NEAR(tendon(9.2), 345, 1);
}

}  // namespace
}  // namespace pneuma::muscle
