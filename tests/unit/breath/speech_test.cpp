#include "pneuma/breath/speech.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/types.h"
#include "tests/support/human_breath.h"

namespace pneuma::breath {
namespace {

constexpr double kVoiceRate = 8000;  // [Hz]

/// A hum that is on between the given times, over a whisper of noise.
io::Signals humming(const std::vector<BreathGroup>& on, double seconds, double loudness = 0.3) {
  io::Signals s;
  s.channels.push_back({"left", "", {}});
  for (int i = 0; i < static_cast<int>(seconds * kVoiceRate); ++i) {
    const double t = i / kVoiceRate;
    double value = 1e-4 * std::sin(7919.0 * i * i);
    for (const BreathGroup& g : on)
      if (t >= g.begin && t < g.end) value += loudness * std::sin(2 * kPi * 150 * t);
    s.times.push_back(t);
    s.channels[0].values.push_back(value);
  }
  return s;
}

std::string refusalOf(const io::Signals& sound) {
  try {
    findBreathGroups(sound, "voice.wav");
  } catch (const InputError& e) {
    return e.what();
  }
  return "(accepted)";
}

TEST(BreathGroups, AreFoundBetweenPausesLongEnoughForABreath) {
  // The pause at 2 s is a consonant's, that at 3.5 s a breath.
  const auto groups = findBreathGroups(humming({{1, 2}, {2.15, 3.5}, {4.1, 8}}, 9), "voice.wav");
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_NEAR(groups[0].begin, 1, 0.03);
  EXPECT_NEAR(groups[0].end, 3.5, 0.03);
  EXPECT_NEAR(groups[1].begin, 4.1, 0.03);
  EXPECT_NEAR(groups[1].end, 8, 0.03);
}

TEST(BreathGroups, AClickIsNotAWord) {
  const auto groups = findBreathGroups(humming({{1, 1.05}, {2, 4}}, 5), "voice.wav");
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_NEAR(groups[0].begin, 2, 0.03);
}

TEST(BreathGroups, WhatHasNoVoiceIsRefusedByName) {
  EXPECT_NE(refusalOf(humming({}, 5, 0)).find("voice.wav"), std::string::npos);
  io::Signals silent = humming({}, 5);
  for (double& v : silent.channels[0].values) v = 0;
  EXPECT_NE(refusalOf(silent).find("silent"), std::string::npos) << refusalOf(silent);
  EXPECT_NE(refusalOf(humming({{0, 5}}, 5)).find("no pauses"), std::string::npos);
  EXPECT_NE(refusalOf(humming({{0, 0.5}}, 0.5)).find("second"), std::string::npos);
}

TEST(SpeechStyle, BreathesInBeforeEveryGroupAndDeeperForLongerOnes) {
  const std::vector<BreathGroup> groups{{1, 3.5}, {4.0, 9.5}, {11, 12}};
  const BreathStyle style = speechStyle(test::humanStyle("speech"), groups);
  ASSERT_EQ(style.breaths.size(), 4u);  // a rest before the first
  double time = 0;
  EXPECT_EQ(style.breaths[0].depth, 0);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    time += style.breaths[i].period;
    const Breath& b = style.breaths[i + 1];
    EXPECT_NEAR(time + b.rise * b.period, groups[i].begin, 1e-9) << i;
    EXPECT_LE(b.rise * b.period, 0.6 + 1e-9);
    EXPECT_LE(b.rise + b.hold + b.fall, 1) << i;
  }
  EXPECT_GT(style.breaths[2].depth, style.breaths[1].depth);
  EXPECT_GT(style.breaths[1].depth, style.breaths[3].depth);
}

TEST(SpeechStyle, ATextTakesAsLongAsItIsRead) {
  const auto groups = breathGroupsOf(100);
  ASSERT_EQ(groups.size(), 9u);
  double spoken = 0;
  for (const BreathGroup& g : groups) spoken += g.duration();
  EXPECT_NEAR(spoken, 100 / 160.0 * 60, 1e-9);
}

}  // namespace
}  // namespace pneuma::breath
