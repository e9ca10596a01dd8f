#include "pneuma/breath/breath_driver.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/human_breath.h"

namespace pneuma::breath {
namespace {

/// A volume that rises and falls once in four seconds.
VolumeTarget swayingTarget() {
  VolumeTarget target;
  for (int i = 0; i <= 1000; ++i)
    target.volumes.push_back(2.5e-4 * (1 - std::cos(0.5 * kPi * i / target.rate)));
  return target;
}

TEST(BreathDriver, WithoutABreathTheMusclesRest) {
  BreathDriver driver;
  const MuscleDrive drive = driver.advance(1, 0.004, 1e-4), rest;
  EXPECT_EQ(drive.alpha, rest.alpha);
  EXPECT_EQ(drive.ratio, rest.ratio);
  EXPECT_FALSE(driver.follows());
  EXPECT_EQ(driver.meanPeriod(), 0);
  EXPECT_EQ(driver.settledTime(10), 0);
  EXPECT_EQ(driver.followingError({}, 0), 0);
}

TEST(BreathDriver, AStyleCountsAfterItsFirstBreathsAtMostHalfOfTheRun) {
  const BreathDriver driver(makeTorsoConfig("default"), test::humanStyle("casual"), {}, 1);
  const double period = driver.meanPeriod();
  ASSERT_GT(period, 1);
  EXPECT_EQ(driver.settledTime(100), 2 * period);
  EXPECT_EQ(driver.settledTime(100, 5), 5 * period);
  EXPECT_EQ(driver.settledTime(period), 0.5 * period);
}

TEST(BreathDriver, ARecordingIsMissedByWhatTheLungsMiss) {
  const VolumeTarget target = swayingTarget();
  const BreathDriver driver(makeTorsoConfig("default"), test::humanStyle("casual"), target,
                            [](const Contractions&) { return 1e-3; });
  ASSERT_TRUE(driver.follows());
  constexpr double kRest = 3e-3, kMissed = 5e-5;
  std::vector<TorsoMeasures> samples(100);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    samples[i].time = 0.2 * static_cast<double>(i);
    samples[i].lungVolume = kRest + target.at(samples[i].time) + kMissed;
  }
  EXPECT_NEAR(driver.followingError(samples, kRest), kMissed / target.range(), 1e-9);
  EXPECT_NEAR(driver.followingError(samples, kRest + kMissed), 0, 1e-9);
}

TEST(BreathDriver, GoesOnFromACheckpointAsItWould) {
  const TorsoConfig config = makeTorsoConfig("default");
  BreathDriver driver(config, test::humanStyle("sigh"), {.variability = 0.2}, 7);
  for (int i = 0; i < 2000; ++i) driver.advance(0.004 * i, 0.004, 0);
  io::StateWriter out;
  driver.save(out);
  BreathDriver other(config, test::humanStyle("sigh"), {.variability = 0.2}, 7);
  io::StateReader in(out.bytes());
  other.load(in);
  for (int i = 2000; i < 4000; ++i)
    ASSERT_EQ(driver.advance(0.004 * i, 0.004, 0).ratio, other.advance(0.004 * i, 0.004, 0).ratio);
}

}  // namespace
}  // namespace pneuma::breath
