#include "pneuma/breath/torso_measures.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/human_breath.h"

namespace pneuma::breath {
namespace {

TEST(Samples, OfARunOfHoursStayEvenlySpacedAndBounded) {
  std::vector<TorsoMeasures> samples;
  const std::uint64_t measures = 5 * kMostSamples / 2 + 7;
  for (std::uint64_t i = 0; i < measures; ++i) {
    TorsoMeasures m;
    m.time = static_cast<double>(i);
    addSample(samples, i, m);
    ASSERT_LE(samples.size(), kMostSamples);
    ASSERT_GE(samples.size(), std::min<std::size_t>(i + 1, kMostSamples / 2));
  }
  const double apart = samples[1].time;
  EXPECT_EQ(apart, 4);
  for (std::size_t i = 0; i < samples.size(); ++i)
    ASSERT_EQ(samples[i].time, static_cast<double>(i) * apart);
  EXPECT_GT(samples.back().time + apart, static_cast<double>(measures - 1));
}

TEST(BreathSummary, CountsQuietBreathsBesideASighAndADrift) {
  // 15 breaths a minute of 0.5 l for two minutes; one of them is a sigh of 3 l; the baseline rises.
  const TorsoModel model = test::humanTorso(makeTorsoConfig("default"));
  std::vector<TorsoMeasures> samples;
  for (int i = 0; i < 120 * 25; ++i) {
    TorsoMeasures m;
    m.time = i / 25.0;
    const bool sigh = m.time >= 60 && m.time < 64;
    const double depth = sigh ? 3e-3 : 0.5e-3;
    m.lungVolume =
        3e-3 + 1e-6 * m.time + 0.5 * depth * (1 - std::cos(2 * std::numbers::pi * m.time / 4));
    m.gutVolume = model.restGut;
    samples.push_back(m);
  }
  const BreathSummary summary = summarize(model, samples, 0);
  EXPECT_NEAR(summary.breathsPerMinute, 15, 0.05);
  EXPECT_NEAR(summary.tidalVolume, (29 * 0.5e-3 + 3e-3) / 30, 0.01e-3);
}

}  // namespace
}  // namespace pneuma::breath
