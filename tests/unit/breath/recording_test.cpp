#include "pneuma/breath/recording.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"

namespace pneuma::breath {
namespace {

constexpr double kRate = 50, kPeriod = 4;

/// A minute of breaths of a litre, as volume [l].
io::Signals minute(const char* name, const std::function<double(double)>& value) {
  io::Signals s;
  s.channels.push_back({.name = name});
  for (int i = 0; i <= static_cast<int>(60 * kRate); ++i) {
    const double t = i / kRate;
    s.times.push_back(t);
    s.channels[0].values.push_back(value(t));
  }
  return s;
}

double litre(double t) {
  return 0.5 - 0.5 * std::cos(2 * kPi * t / kPeriod);
}

/// Height of the breaths in the middle of the target [m^3].
double swing(const VolumeTarget& target) {
  double low = 1e9, high = -1e9;
  for (double t = 20; t <= 40; t += 0.02) {
    low = std::min(low, target.at(t));
    high = std::max(high, target.at(t));
  }
  return high - low;
}

TEST(Recording, ACalibratedVolumeIsFollowedAsItIs) {
  const VolumeTarget target = makeVolumeTarget(
      minute("volume", litre), {.calibrated = true, .smoothSeconds = 0, .lowest = -2e-3});
  EXPECT_NEAR(swing(target), 1e-3, 1e-5);
}

TEST(Recording, AnUncalibratedOneIsScaledToTheTidalVolume) {
  for (const double size : {0.01, 1.0, 300.0}) {
    const VolumeTarget target =
        makeVolumeTarget(minute("belt", [&](double t) { return size * litre(t); }),
                         {.tidalVolume = 0.6e-3, .smoothSeconds = 0});
    EXPECT_NEAR(swing(target), 0.6e-3, 0.01e-3) << size;
  }
}

TEST(Recording, FlowIsIntegrated) {
  const VolumeTarget target = makeVolumeTarget(
      minute("flow",
             [](double t) { return kPi / kPeriod * std::sin(2 * kPi * t / kPeriod); }),  // [l/s]
      {.calibrated = true, .smoothSeconds = 0, .lowest = -2e-3});
  EXPECT_NEAR(swing(target), 1e-3, 1e-5);
}

TEST(Recording, MillilitresAreRead) {
  io::Signals s = minute("volume", [](double t) { return 1000 * litre(t); });
  s.channels[0].unit = "ml";
  EXPECT_NEAR(swing(makeVolumeTarget(s, {.calibrated = true, .smoothSeconds = 0, .lowest = -2e-3})),
              1e-3, 1e-5);
}

TEST(Recording, InvertedTurnsPeaksToTroughs) {
  const io::Signals s = minute("belt", litre);
  const RecordingConfig plain{.smoothSeconds = 0}, inverted{.inverted = true, .smoothSeconds = 0};
  const VolumeTarget up = makeVolumeTarget(s, plain), down = makeVolumeTarget(s, inverted);
  const double peak = 20 + kPeriod / 2, trough = 20;
  EXPECT_GT(up.at(peak), up.at(trough));
  EXPECT_LT(down.at(peak), down.at(trough));
}

TEST(Recording, DriftIsTakenOut) {
  const auto drifting = [](double t) { return litre(t) + 0.2 * t; };  // 12 l in a minute
  const VolumeTarget target = makeVolumeTarget(
      minute("volume", drifting), {.calibrated = true, .lowest = -3e-3, .highest = 3e-3});
  EXPECT_LT(target.range(), 1.5e-3);
  EXPECT_NEAR(swing(target), 1e-3, 0.1e-3);
}

TEST(Recording, StaysWithinItsLimits) {
  const VolumeTarget target =
      makeVolumeTarget(minute("volume", [](double t) { return 9 * litre(t); }),
                       {.calibrated = true, .lowest = -0.8e-3, .highest = 2.4e-3});
  for (const double v : target.volumes) {
    EXPECT_GE(v, -0.8e-3 - 1e-12);
    EXPECT_LE(v, 2.4e-3 + 1e-12);
  }
}

TEST(Recording, RefusesWhatIsNoBreath) {
  for (const double level : {0.0, 0.3, -7e4})  // 0.3 leaves rounding when its mean is taken out
    EXPECT_THROW(makeVolumeTarget(minute("volume", [&](double) { return level; })), InputError)
        << level;
  // 1e300 litres were scaled to breaths; hourly samples took 592 MB.
  EXPECT_THROW(makeVolumeTarget(minute("volume", [](double t) { return 1e300 * litre(t); })),
               InputError);
  io::Signals hourly = minute("volume", litre);
  for (double& t : hourly.times) t *= 3600 * kRate;
  EXPECT_THROW(makeVolumeTarget(hourly), InputError);
  io::Signals brief = minute("volume", litre);
  brief.times.resize(60);
  brief.channels[0].values.resize(60);
  EXPECT_THROW(makeVolumeTarget(brief), InputError);
  try {
    makeVolumeTarget(minute("volume", litre), {.column = "volum"});
    FAIL() << "an unknown column was taken";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("volume"), std::string::npos) << e.what();
  }
}

TEST(Recording, NamesOfKindsAreKnown) {
  EXPECT_EQ(parseRecordingKind("flow"), RecordingKind::Flow);
  EXPECT_THROW(parseRecordingKind("flows"), InputError);
}

TEST(VolumeTarget, IsLinearBetweenSamplesAndConstantBeyond) {
  const VolumeTarget target{.rate = 2, .volumes = {0, 1e-3, 3e-3}};
  EXPECT_EQ(target.duration(), 1);
  EXPECT_NEAR(target.at(0.25), 0.5e-3, 1e-18);
  EXPECT_NEAR(target.at(0.75), 2e-3, 1e-18);
  EXPECT_EQ(target.at(-1), 0);
  EXPECT_EQ(target.at(9), 3e-3);
  EXPECT_NEAR(target.slope(0.25), 2e-3, 1e-15);
  EXPECT_EQ(target.range(), 3e-3);
}

}  // namespace
}  // namespace pneuma::breath
