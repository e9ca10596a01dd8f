#include "pneuma/breath/signal_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/random.h"
#include "pneuma/core/types.h"

namespace pneuma::breath {
namespace {

constexpr double kSampleRate = 50, kBreathPeriod = 5;

/// A minute and a half of breaths of one unit, 40 % of each spent inhaling.
double breathAt(double t) {
  const double phase = std::fmod(t / kBreathPeriod, 1.0);
  const double x = phase < 0.4 ? phase / 0.4 : 1 - (phase - 0.4) / 0.6;
  return 0.5 - 0.5 * std::cos(kPi * x);
}

io::Signals recorded(const std::function<double(double)>& value) {
  io::Signals s;
  s.channels.push_back({.name = "belt"});
  for (int i = 0; i <= static_cast<int>(90 * kSampleRate); ++i) {
    s.times.push_back(i / kSampleRate);
    s.channels[0].values.push_back(value(i / kSampleRate));
  }
  return s;
}

io::Signals withGap(double from, double to) {
  const io::Signals whole = recorded(breathAt);
  io::Signals s;
  s.channels.push_back({.name = "belt"});
  for (std::size_t i = 0; i < whole.times.size(); ++i)
    if (whole.times[i] <= from || whole.times[i] >= to) {
      s.times.push_back(whole.times[i]);
      s.channels[0].values.push_back(whole.channels[0].values[i]);
    }
  return s;
}

double spikedAt(double t) {
  const bool spike = std::abs(t - 20.3) < 0.03 || std::abs(t - 47.1) < 0.03;
  return breathAt(t) + (spike ? 6.0 : 0.0);
}
double steppedAt(double t) {
  return breathAt(t) + (t > 41 ? 3.0 : 0.0);
}
double clippedAt(double t) {
  return std::min(0.8, breathAt(t));
}

io::Signals noisy(double deviation) {
  Random random(7);
  return recorded([&](double t) { return breathAt(t) + deviation * random.normal(); });
}

/// The only finding, with its message.
const SignalFinding& onlyFinding(const SignalReport& report, SignalDefect defect) {
  EXPECT_EQ(report.findings.size(), 1u);
  const SignalFinding* found = report.find(defect);
  EXPECT_NE(found, nullptr) << toString(defect);
  static const SignalFinding none;
  return found != nullptr ? *found : none;
}

/// Breaths of the target over its length, by upward crossings of its middle.
int breathsOf(const VolumeTarget& target) {
  const double middle = 0.25e-3;
  int count = 0;
  for (std::size_t i = 0; i + 1 < target.volumes.size(); ++i)
    count += target.volumes[i] < middle && target.volumes[i + 1] >= middle ? 1 : 0;
  return count;
}

TEST(SignalCheck, ACleanRecordingHasNoFindingAndItsBreathsAreSure) {
  const SignalReport report = inspectRecording(recorded(breathAt));
  EXPECT_TRUE(report.findings.empty());
  EXPECT_NEAR(report.ratePerMinute, 60 / kBreathPeriod, 0.1);
  EXPECT_EQ(report.breaths, report.fewest);
  EXPECT_EQ(report.breaths, report.most);
}

TEST(SignalCheck, AGapIsAnErrorUntilItIsFilled) {
  const SignalReport report = inspectRecording(withGap(30, 38));
  const SignalFinding& f = onlyFinding(report, SignalDefect::Gap);
  EXPECT_EQ(f.severity, Severity::Error);
  EXPECT_NEAR(f.size, 8, 0.05);
  EXPECT_NEAR(f.time, 30, 0.05);
  ASSERT_EQ(report.errors().size(), 1u);
  EXPECT_EQ(report.errors()[0].toString(),
            "field 'volume': 1 gap(s) without samples, the longest 8.0 s, the first at 30.0 s; "
            "expected a recording without gaps, or --fill-gaps");
  const SignalReport filled = inspectRecording(withGap(30, 38), {.fillGaps = true});
  EXPECT_TRUE(filled.errors().empty());
  EXPECT_NEAR(filled.ratePerMinute, 60 / kBreathPeriod, 0.3);
}

TEST(SignalCheck, AFilledGapGoesOnBreathing) {
  const VolumeTarget bridged = makeVolumeTarget(withGap(30, 38));
  const VolumeTarget filled = makeVolumeTarget(withGap(30, 38), {.fillGaps = true});
  const VolumeTarget whole = makeVolumeTarget(recorded(breathAt));
  double off = 0, before = 0;
  for (double t = 30.5; t < 37.5; t += 0.1) {
    off = std::max(off, std::abs(filled.at(t) - whole.at(t)));
    before = std::max(before, std::abs(bridged.at(t) - whole.at(t)));
  }
  EXPECT_LT(off, 0.03e-3);
  EXPECT_GT(before, 0.2e-3);  // a straight line is no breath
}

TEST(SignalCheck, SpikesAreErrorsUntilTheyAreTakenOut) {
  const SignalReport report = inspectRecording(recorded(spikedAt));
  const SignalFinding& f = onlyFinding(report, SignalDefect::Spikes);
  EXPECT_EQ(f.severity, Severity::Error);
  EXPECT_EQ(f.count, 2);
  EXPECT_NEAR(f.size, 6, 0.5);
  EXPECT_EQ(f.message,
            "2 spike(s), the largest 6.0 times the height of a breath, the first at 20.3 s");
  EXPECT_EQ(f.remedy, "a recording without spikes, or --robust");
  EXPECT_TRUE(inspectRecording(recorded(spikedAt), {.robust = true}).errors().empty());
  const VolumeTarget robust = makeVolumeTarget(recorded(spikedAt), {.robust = true});
  EXPECT_LT(robust.range(), 0.7e-3);
}

TEST(SignalCheck, AStepOfTheBaselineIsAnErrorUntilItIsTakenOut) {
  const SignalReport report = inspectRecording(recorded(steppedAt));
  const SignalFinding& f = onlyFinding(report, SignalDefect::Step);
  EXPECT_EQ(f.severity, Severity::Error);
  EXPECT_EQ(f.count, 1);
  EXPECT_NEAR(f.time, 41, 0.3);
  EXPECT_NEAR(f.size, 3, 0.5);
  EXPECT_EQ(f.message,
            "the baseline jumps 1 time(s), by up to 3.1 times the height of a breath, first at "
            "41.0 s");
  EXPECT_EQ(f.remedy, "a steady baseline, or --robust");
  const VolumeTarget robust = makeVolumeTarget(recorded(steppedAt), {.robust = true});
  EXPECT_LT(robust.range(), 0.8e-3);
}

TEST(SignalCheck, NoiseIsToldAndRobustCountsTheBreaths) {
  // 0 dB: the noise has the deviation of the breath, 0.354 of its height.
  const SignalReport report = inspectRecording(noisy(0.354));
  const SignalFinding* f = report.find(SignalDefect::Noise);
  ASSERT_NE(f, nullptr);
  EXPECT_EQ(f->severity, Severity::Warning);
  EXPECT_NEAR(f->size, 0, 2);
  EXPECT_NE(f->message.find("dB above the noise: breaths may be counted that are none"),
            std::string::npos)
      << f->message;
  EXPECT_EQ(f->remedy, "--robust smooths longer");
  const SignalReport robust = inspectRecording(noisy(0.354), {.robust = true});
  EXPECT_NEAR(robust.ratePerMinute, 60 / kBreathPeriod, 0.5);
  EXPECT_EQ(breathsOf(makeVolumeTarget(noisy(0.354), {.robust = true})), 18);
  EXPECT_EQ(inspectRecording(noisy(0.02)).find(SignalDefect::Noise), nullptr);
}

TEST(SignalCheck, CutOffPeaksAreTold) {
  const SignalReport report = inspectRecording(recorded(clippedAt));
  const SignalFinding& f = onlyFinding(report, SignalDefect::Clipping);
  EXPECT_EQ(f.severity, Severity::Warning);
  EXPECT_NEAR(f.count, 18, 1);
  EXPECT_EQ(f.message,
            "18 peak(s) or trough(s) are cut off flat, 30 % of the samples, the first at 1.4 s: "
            "those breaths were deeper");
}

TEST(SignalCheck, ReversedPolarityIsDoubted) {
  const io::Signals reversed = recorded([](double t) { return -breathAt(t); });
  const SignalReport report = inspectRecording(reversed);
  const SignalFinding& f = onlyFinding(report, SignalDefect::Polarity);
  EXPECT_EQ(f.severity, Severity::Warning);
  EXPECT_NEAR(f.size, 0.6, 0.03);
  EXPECT_EQ(f.message,
            "rises for 60 % of its motion, where people inhale for about 40 %: inspiration may "
            "point down (--invert)");
  EXPECT_EQ(f.remedy, "--invert, if it does");
  EXPECT_TRUE(inspectRecording(reversed, {.inverted = true}).findings.empty());
}

TEST(SignalCheck, WhatLiesBeyondTheLimitsIsCounted) {
  const VolumeTarget target = makeVolumeTarget(recorded([](double t) { return 9 * breathAt(t); }),
                                               {.calibrated = true, .highest = 2.4e-3});
  EXPECT_GT(target.cutOff, 0.3);
  EXPECT_EQ(makeVolumeTarget(recorded(breathAt)).cutOff, 0);
}

}  // namespace
}  // namespace pneuma::breath
