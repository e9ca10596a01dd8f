#include "pneuma/body/gait_measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pneuma::body {
namespace {

constexpr double kInterval = 0.02, kCycle = 1.1, kBreath = 4;  // [s]

double wave(double time, double period) {
  return std::sin(2 * std::numbers::pi * time / period);
}

/// Half a litre of breath; steps of 60 mL, 800 Pa and 12 mm; a limp at the stride rate of 20 mL.
std::vector<breath::TorsoMeasures> walk(double seconds) {
  std::vector<breath::TorsoMeasures> samples;
  for (int i = 0; i * kInterval <= seconds; ++i) {
    const double t = i * kInterval, step = wave(t, 0.5 * kCycle);
    breath::TorsoMeasures m;
    m.time = t;
    m.gutVolume = 8e-3;
    m.lungVolume = 3e-3 + 250e-6 * wave(t, kBreath) + 30e-6 * step + 10e-6 * wave(t, kCycle);
    m.gas = m.lungVolume - 1e-3;
    m.gutPressure = 500 + 400 * step;
    m.belly = 6e-3 * step;
    samples.push_back(m);
  }
  return samples;
}

TEST(GaitMeasures, BreathAndStepsAreToldApart) {
  const auto gait = measureGait(walk(24), kCycle, 6, kBreath);
  ASSERT_TRUE(gait.has_value());
  EXPECT_NEAR(gait->stepRate, 2 / kCycle, 1e-12);
  EXPECT_NEAR(gait->tidalVolume, 500e-6, 5e-6);  // a hundredth
  EXPECT_NEAR(gait->breathsPerMinute, 15, 0.3);
  EXPECT_NEAR(gait->stepGutPressure, 800, 16);
  EXPECT_NEAR(gait->stepBelly, 12e-3, 0.3e-3);
  // Steps and limp together: the highest and lowest point of the sum.
  EXPECT_GT(gait->stepVolume, 60e-6);
  EXPECT_LT(gait->stepVolume, 80e-6);
  // 30 mL at 1.8 Hz are 0.34 L/s; the limp adds at most 0.06.
  EXPECT_GT(gait->stepFlow, 0.33e-3);
  EXPECT_LT(gait->stepFlow, 0.41e-3);
}

TEST(GaitMeasures, ABreathWithoutStepsStaysAsItIs) {
  std::vector<breath::TorsoMeasures> samples = walk(24);
  for (breath::TorsoMeasures& m : samples) m.lungVolume = 3e-3 + 250e-6 * wave(m.time, kBreath);
  const auto gait = measureGait(samples, kCycle, 6, kBreath);
  ASSERT_TRUE(gait.has_value());
  EXPECT_NEAR(gait->tidalVolume, 500e-6, 3e-6);
  EXPECT_LT(gait->stepVolume, 5e-6);
}

TEST(GaitMeasures, NeedRoomForABreathAndAFrequencyBetween) {
  EXPECT_FALSE(measureGait(walk(12), kCycle, 6, kBreath).has_value());
  EXPECT_FALSE(measureGait(walk(24), kCycle, 6, kCycle).has_value()) << "a breath a stride";
  EXPECT_FALSE(measureGait({}, kCycle, 6, kBreath).has_value());
}

TEST(LowPass, KeepsWhatIsSlowAndStopsTheRest) {
  const double stop = 1;
  std::vector<double> slow, fast, flat;
  for (int i = 0; i < 1000; ++i) {
    slow.push_back(wave(i * kInterval, 2.5));
    fast.push_back(wave(i * kInterval, 1.0));
    flat.push_back(7);
  }
  const auto margin = static_cast<std::size_t>(std::llround(lowPassMargin(stop) / kInterval));
  const std::vector<double> s = lowPassed(slow, kInterval, stop),
                            f = lowPassed(fast, kInterval, stop),
                            c = lowPassed(flat, kInterval, stop);
  ASSERT_EQ(s.size(), 1000 - 2 * margin);
  for (std::size_t i = 0; i < s.size(); ++i) {
    EXPECT_NEAR(s[i], slow[margin + i], 0.02);
    EXPECT_NEAR(f[i], 0, 0.02);
    EXPECT_NEAR(c[i], 7, 1e-12);
  }
}

}  // namespace
}  // namespace pneuma::body
