#include "pneuma/muscle/activation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pneuma/core/error.h"

namespace pneuma::muscle {
namespace {

const ActivationDynamics kDynamics;

TEST(ActivationDynamics, RisesAndFallsWithItsOwnTimeConstant) {
  const double rise = stepActivation(kDynamics, 0, 1, kDynamics.riseTime);
  const double fall = stepActivation(kDynamics, 1, 0, kDynamics.fallTime);
  EXPECT_NEAR(rise, 1 - std::exp(-1.0), 1e-15);
  EXPECT_NEAR(fall, std::exp(-1.0), 1e-15);
}

TEST(ActivationDynamics, OneLongStepEqualsManyShortOnes) {
  double many = 0.2;
  for (int i = 0; i < 100; ++i) many = stepActivation(kDynamics, many, 0.9, 0.0007);
  EXPECT_NEAR(many, stepActivation(kDynamics, 0.2, 0.9, 0.07), 1e-14);
}

TEST(ActivationDynamics, NeverOvershootsTheExcitation) {
  EXPECT_LE(stepActivation(kDynamics, 0.1, 0.6, 1e3), 0.6);
  EXPECT_GE(stepActivation(kDynamics, 0.9, 0.6, 1e3), 0.6);
}

TEST(ActivationDynamics, RateIsTheLimitOfTheStep) {
  const double dt = 1e-7;
  for (double u : {0.1, 0.8}) {
    const ActivationRate rate = activationRate(kDynamics, 0.5, u);
    EXPECT_NEAR((stepActivation(kDynamics, 0.5, u, dt) - 0.5) / dt, rate.rate, 1e-4);
    EXPECT_NEAR((activationRate(kDynamics, 0.5 + 1e-6, u).rate - rate.rate) / 1e-6,
                rate.dActivation, 1e-6);
    EXPECT_NEAR((activationRate(kDynamics, 0.5, u + 1e-6).rate - rate.rate) / 1e-6,
                rate.dExcitation, 1e-6);
  }
}

TEST(ActivationDynamics, BatchEqualsSingleSteps) {
  std::vector<double> excitations{0, 0.3, 0.9, 1}, activations{0.5, 0.3, 0.1, 0};
  const std::vector<double> before = activations;
  stepActivations(kDynamics, excitations, 0.007, activations);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(activations[i], stepActivation(kDynamics, before[i], excitations[i], 0.007));
}

TEST(ActivationDynamics, RefusesTimesThatAreNotPositive) {
  EXPECT_THROW(validate({.riseTime = 0}), InputError);
  EXPECT_THROW(validate({.fallTime = -1}), InputError);
}

}  // namespace
}  // namespace pneuma::muscle
