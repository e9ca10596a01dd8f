#include "pneuma/breath/exertion.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "tests/support/human_breath.h"

namespace pneuma::breath {
namespace {

constexpr double kLitrePerMinute = 1e-3 / 60;

TEST(Exertion, RestWalkAndRunAskForTheBreathOfPeople) {
  const anatomy::Person man;
  const Exertion rest = exertionOf(man, 1);
  EXPECT_NEAR(rest.rate, 15, 1e-12);
  EXPECT_NEAR(rest.ventilation / kLitrePerMinute, 7, 0.7);
  EXPECT_NEAR(rest.tidal, 0.47e-3, 0.05e-3);
  // Walking at 5 km/h: 24 L/min in 21 breaths of 1.1 L; running at 10 km/h: 75 in 33 of 2.2.
  const Exertion walk = exertionOf(man, 3.5), run = exertionOf(man, 11);
  EXPECT_NEAR(walk.ventilation / kLitrePerMinute, 24, 3);
  EXPECT_NEAR(walk.rate, 21, 3);
  EXPECT_NEAR(run.ventilation / kLitrePerMinute, 75, 4);
  EXPECT_NEAR(run.rate, 33, 3);
  EXPECT_NEAR(run.tidal, 2.2e-3, 0.2e-3);
}

TEST(Exertion, ABreathIsAtMostAPartOfTheVitalCapacity) {
  const anatomy::Person man;
  const Exertion hard = exertionOf(man, 16);
  EXPECT_LE(hard.tidal, 0.55 * anatomy::lungVolumes(man).vital + 1e-12);
  EXPECT_NEAR(hard.tidal * hard.rate / 60, hard.ventilation, 1e-12);
}

TEST(Exertion, WhatNobodyCanBreatheIsRefused) {
  EXPECT_THROW(exertionOf({}, 0.5), InputError);
  EXPECT_THROW(exertionOf({}, 30), InputError);
  anatomy::Person old;
  old.age = 80;
  EXPECT_NO_THROW(exertionOf({}, 20));
  EXPECT_THROW(exertionOf(old, 20), InputError);
}

TEST(Exertion, TheStyleBreathesFasterAndPressesAirOutUnderLoad) {
  const BreathStyle& quiet = test::humanStyle("casual");
  const BreathStyle rest = exertedStyle(quiet, exertionOf({}, 1));
  const BreathStyle run = exertedStyle(quiet, exertionOf({}, 10));
  EXPECT_NEAR(rest.ratePerMinute(), 15, 1e-9);
  EXPECT_GT(run.ratePerMinute(), 30);
  EXPECT_EQ(rest.breaths.front().expire, 0);
  EXPECT_GT(run.breaths.front().expire, 0.1);
  EXPECT_GT(run.breaths.front().rise, rest.breaths.front().rise);
}

}  // namespace
}  // namespace pneuma::breath
