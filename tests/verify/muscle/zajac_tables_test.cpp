// Zajac's curves in the tabulated form that Delp (1990) gave them, against ours, at every point.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "pneuma/muscle/zajac_curves.h"

namespace pneuma::muscle {
namespace {

using Table = std::vector<std::pair<double, double>>;
const ZajacCurves kCurves;

template <class Curve>
double worstDistance(const Table& table, Curve&& curve) {
  double worst = 0;
  for (const auto& [x, force] : table) worst = std::max(worst, std::abs(curve(x) - force));
  return worst;
}

TEST(ZajacTables, ActiveForceLengthIsWithinSixPercentOfTheMaximum) {
  const Table table{{0.52725, 0.226667}, {0.62875, 0.636667}, {0.71875, 0.856667}, {0.86125, 0.95},
                    {1.045, 0.993333},   {1.2175, 0.77},      {1.43875, 0.246667}};
  const auto active = [](double l) { return kCurves.activeForceLength(l).value; };
  EXPECT_LT(worstDistance(table, active), 0.06);
}

TEST(ZajacTables, ShorteningForceIsHillsHyperbolaToTheTablesDigits) {
  const Table table{{-1, 0},          {-0.9, 0.021739}, {-0.8, 0.047619},  {-0.7, 0.078947},
                    {-0.6, 0.117647}, {-0.5, 0.166667}, {-0.4, 0.230769},  {-0.3, 0.318182},
                    {-0.2, 0.444444}, {-0.1, 0.642857}, {-0.05, 0.791667}, {0, 1}};
  const auto velocity = [](double v) { return kCurves.forceVelocity(v).value; };
  EXPECT_LT(worstDistance(table, velocity), 5.1e-7);  // the table rounds to six digits
}

TEST(ZajacTables, LengtheningForceIsWithinFourPercentOfTheMaximum) {
  const Table table{{0.05, 1.482014}, {0.1, 1.601571}, {0.15, 1.655791},
                    {0.2, 1.686739},  {0.3, 1.720753}, {0.4, 1.739055},
                    {0.5, 1.750490},  {0.7, 1.763999}, {1, 1.774455}};
  const auto velocity = [](double v) { return kCurves.forceVelocity(v).value; };
  EXPECT_LT(worstDistance(table, velocity), 0.04);
}

TEST(ZajacTables, PassiveForceIsWithinFourPercentUpToHalfStretch) {
  const Table table{{0.9, 0},    {1, 0},      {1.1, 0.035}, {1.2, 0.12},
                    {1.3, 0.26}, {1.4, 0.55}, {1.5, 1.17}};
  const auto passive = [](double l) { return kCurves.passiveForceLength(l).value; };
  EXPECT_LT(worstDistance(table, passive), 0.04);
  // The table's last point, twice the isometric force: ours continues straight and stays 8 % below.
  EXPECT_NEAR(passive(1.6) / 2.0, 1, 0.08);
}

TEST(ZajacTables, TendonForceIsWithinTwoPercentAndItsLineIsTheTables) {
  const Table table{{0, 0},
                    {0.00131, 0.0108},
                    {0.00281, 0.0257},
                    {0.00431, 0.0435},
                    {0.00581, 0.0652},
                    {0.00731, 0.0915},
                    {0.00881, 0.123},
                    {0.0103, 0.161},
                    {0.0118, 0.208},
                    {0.0123, 0.227}};
  const auto tendon = [](double e) { return kCurves.tendonForce(e).value; };
  EXPECT_LT(worstDistance(table, tendon), 0.02);
  // Its straight part runs from (0.0123, 0.227) to (9.2, 345).
  EXPECT_NEAR(kCurves.tendonForce(1).slope, (345 - 0.227) / (9.2 - 0.0123), 0.05);
  EXPECT_NEAR(tendon(9.2), 345, 1);
}

}  // namespace
}  // namespace pneuma::muscle
