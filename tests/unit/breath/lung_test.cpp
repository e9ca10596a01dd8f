#include "pneuma/breath/lung.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pneuma::breath {
namespace {

Lungs lungsAt(double age) {
  anatomy::Person p;
  p.age = age;
  return makeLungs(p,
                   anatomy::lungVolumes(p).functionalResidual + anatomy::predictThoracicTissue(p));
}

TEST(Lungs, RecoilIsThatOfPeopleAtRestAndWhenFull) {
  const Lungs l = lungsAt(30);
  EXPECT_NEAR(l.recoil(l.rest) / kCmH2O, 4.5, 1);  // Rahn 5; Behazin 2006 3.7 +- 2.0
  EXPECT_NEAR(l.recoil(l.total) / kCmH2O, 30, 1);
  const Lungs old = lungsAt(70);
  EXPECT_LT(old.recoil(old.total), l.recoil(l.total));
}

TEST(Lungs, StiffnessIsTheSlopeOfTheRecoilAlsoBeyondFull) {
  const Lungs l = lungsAt(30);
  for (const double gas : {l.residual, l.rest, 0.9 * l.total, 1.034 * l.total, 1.2 * l.total}) {
    const double h = 1e-9;
    EXPECT_NEAR((l.recoil(gas + h) - l.recoil(gas - h)) / (2 * h) / l.staticStiffness(gas), 1,
                1e-4);
  }
}

TEST(Lungs, TissueHeldAtAVolumeRelaxesWithItsTime) {
  const Lungs l = makeLungs({}, 4.4e-3);
  const double gas = l.rest + 0.5e-3;
  double relaxed = l.rest;
  const double first = l.relaxingPressure(gas, relaxed);
  EXPECT_NEAR(first / kCmH2O, 0.5 * 0.6 / 0.23, 0.02);  // Jonson 1993, the lung's part
  for (int i = 0; i < 100; ++i) relaxed = l.relax(gas, relaxed, 0.01 * l.relaxationTime);
  EXPECT_NEAR(l.relaxingPressure(gas, relaxed) / first, std::exp(-1), 1e-9);
}

TEST(Lungs, ConductanceIsTheSlopeOfTheFlow) {
  const Lungs l = lungsAt(30);
  for (const double p : {-3000.0, -50.0, 50.0, 500.0, 8000.0}) {
    const double h = 1e-3 * std::abs(p);
    const double slope = (l.flow(p + h, l.rest).flow - l.flow(p - h, l.rest).flow) / (2 * h);
    EXPECT_NEAR(slope / l.flow(p, l.rest).conductance, 1, 1e-3) << p;
  }
}

TEST(Lungs, NoEffortPassesTheFlowLimitAndNoAirLeavesAtResidualVolume) {
  const Lungs l = lungsAt(30);
  for (const double gas : {0.3 * l.total, 0.5 * l.total, 0.8 * l.total}) {
    EXPECT_LT(l.flow(20e3, gas).flow, l.greatestFlow(gas));
    EXPECT_GT(l.flow(20e3, gas).flow, 0.95 * l.greatestFlow(gas));
  }
  EXPECT_EQ(l.flow(20e3, l.residual).flow, 0);
  EXPECT_LT(l.flow(-1e3, l.residual).flow, 0);  // but in it goes
}

TEST(Lungs, AShutAirwayObeysBoyle) {
  const Lungs l = lungsAt(30);
  const Lungs::Alveoli a = l.breathe({.open = false}, l.rest, l.rest, -0.01 * l.rest, 0.004);
  EXPECT_NEAR(a.pressure, kDryAtmosphere * (1 / 0.99 - 1), 1e-6);
  EXPECT_EQ(a.gas, l.rest);
}

TEST(Lungs, AnOpenAirwayLetsTheGasGoAsTheCavityDoes) {
  const Lungs l = lungsAt(30);
  double n = l.rest, cavity = l.rest;
  constexpr double kStep = 0.004, kRate = 0.3e-3;  // [s], [m^3/s]
  for (int i = 0; i < 250; ++i) {
    const Lungs::Alveoli a = l.breathe({}, n, cavity, kRate * kStep, kStep);
    n = a.gas;
    cavity += kRate * kStep;
    EXPECT_LT(a.pressure, 0);  // air flows in along a pressure
    EXPECT_GT(a.pressure, -2 * kCmH2O);
  }
  EXPECT_NEAR(n / cavity, 1, 2e-3);
}

TEST(Lungs, APressureAtTheMouthEndsInTheAlveoli) {
  const Lungs l = lungsAt(30);
  double n = l.rest;
  for (int i = 0; i < 50; ++i) n = l.breathe({.mouthPressure = 500}, n, l.rest, 0, 0.004).gas;
  EXPECT_NEAR(kDryAtmosphere * (n / l.rest - 1), 500, 1);
}

}  // namespace
}  // namespace pneuma::breath
