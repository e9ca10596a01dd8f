#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/human_breath.h"

/// Cough, laugh, speech and others against people's flows, pressures, volumes and timings; sources
/// stand beside the bounds and in docs/breathing.md.
namespace pneuma::breath {
namespace {

constexpr double kLitre = 1e-3;

/// A style, sampled at every step.
class Course {
 public:
  Course(const char* style, double seconds, Posture posture = Posture::Upright) {
    BreathSettings s = test::humanBreath(style);
    s.torso = makeTorsoConfig("default", posture);
    s.sampleInterval = s.torso.step;
    BreathSimulation run(s);
    run.run(seconds);
    samples_ = run.samples();
    lungs_ = run.model().lungs;
  }

  const std::vector<TorsoMeasures>& samples() const { return samples_; }
  const Lungs& lungs() const { return lungs_; }
  template <class Get>
  double greatest(const Get& get, double from = 0, double to = 1e9) const {
    double most = -1e300;
    for (const TorsoMeasures& m : samples_)
      if (m.time >= from && m.time <= to) most = std::max(most, get(m));
    return most;
  }
  double peakOut(double from = 0, double to = 1e9) const {
    return greatest([](const auto& m) { return -m.flow; }, from, to);
  }
  double peakTime() const {
    const double peak = peakOut();
    for (const TorsoMeasures& m : samples_)
      if (-m.flow == peak) return m.time;
    return 0;
  }
  double vitalPercent(double gas) const {
    return 100 * (gas - lungs_.residual) / (lungs_.total - lungs_.residual);
  }
  /// How far the sternum is drawn down below where it is at rest [m].
  double sternumDrawn() const {
    return greatest([](const TorsoMeasures& m) { return -m.sternumUp; });
  }
  double gasAt(double time) const {
    for (const TorsoMeasures& m : samples_)
      if (m.time >= time) return m.gas;
    return samples_.back().gas;
  }

 private:
  std::vector<TorsoMeasures> samples_;
  Lungs lungs_;
};

TEST(Cough, BurstsThroughTheGlottisAsPeoplesDoes) {
  const Course c("cough", 1.7);
  // Gupta 2009 (recalled): men 3-8.5 l/s, 0.4-1.6 l, rise 57-110 ms; Ann Rehabil Med 2023: 476 +-
  // 102 l/min.
  EXPECT_GE(c.peakOut(), 3 * kLitre);
  EXPECT_LE(c.peakOut(), 9.6 * kLitre);
  const double peak = c.peakTime();
  double rise = 0, out = 0;
  for (const TorsoMeasures& m : c.samples()) {
    if (m.time <= peak && -m.flow < 0.1 * c.peakOut()) rise = peak - m.time;
    if (m.time >= peak - 0.1 && m.time <= peak + 0.5) out += std::max(0.0, -m.flow) * 0.004;
  }
  EXPECT_LE(rise, 0.11);
  EXPECT_GE(out, 0.4 * kLitre);
  EXPECT_LE(out, 2.0 * kLitre);
  // Behind the glottis, shut for 0.2 s (recalled: 100-300 cmH2O in a hard cough).
  const double pressed =
      c.greatest([](const auto& m) { return m.alveolarPressure; }, 0, peak) / kCmH2O;
  EXPECT_GE(pressed, 100);
  EXPECT_LE(pressed, 300);
  // Men pressing out as hard as they can lower it by a quarter of what a full breath lifts it
  // (Constantinesco 1974): a centimetre, two are allowed.
  EXPECT_LE(c.sternumDrawn(), 0.020);
}

TEST(Sneeze, EmptiesALitreOrTwoAtOnce) {
  const Course c("sneeze", 2.5);
  const double peak = c.peakTime();
  const double out = c.gasAt(peak - 0.1) - c.gasAt(peak + 0.3);
  EXPECT_GE(out, 0.8 * kLitre);  // recalled: 1-2 l in 0.1-0.3 s
  EXPECT_LE(out, 2.5 * kLitre);
}

TEST(Laugh, ComesInBurstsFarBelowRest) {
  const Course c("laugh", 5);
  // Filippelli 2001, n 11: bursts at 4.6 +- 1.1 Hz, FRC - 1.55 +- 0.40 l.
  int bursts = 0;
  double first = 0, last = 0;
  const auto& s = c.samples();
  for (std::size_t i = 5; i + 5 < s.size(); ++i) {
    if (s[i].time < 1.2 || s[i].time > 4.2) continue;
    bool top = -s[i].flow > 0.05 * kLitre;
    for (std::size_t k = i - 5; k <= i + 5; ++k) top = top && -s[k].flow <= -s[i].flow;
    if (!top || (bursts > 0 && s[i].time - last < 0.08)) continue;
    if (bursts == 0) first = s[i].time;
    last = s[i].time;
    ++bursts;
  }
  ASSERT_GT(bursts, 3);
  const double rate = (bursts - 1) / (last - first);
  EXPECT_GE(rate, 3.5);
  EXPECT_LE(rate, 5.7);
  const double below = c.lungs().rest - (-c.greatest([](const auto& m) { return -m.gas; }));
  EXPECT_GE(below, 0.9 * kLitre);
  EXPECT_LE(below, 1.95 * kLitre);
  EXPECT_LE(c.sternumDrawn(), 0.020);
}

TEST(ForcedExhale, EmptiesTheReserveWithoutDrawingTheSternumDown) {
  const Course c("forced-exhale", 8);
  const double least = -c.greatest([](const auto& m) { return -m.gas; });
  EXPECT_GE(least, 0.95 * c.lungs().residual);  // "rv_reached" of physiology.toml
  EXPECT_LE(least, 1.15 * c.lungs().residual);
  EXPECT_LE(c.sternumDrawn(), 0.020);
}

TEST(Speech, GoesOnTheVolumesAndPressuresOfPeople) {
  const Course c("speech", 15);
  // From the third breath on: 35-60 % of the vital capacity, begun at 40-60, ended at 20-40 (Hixon
  // 1973 as quoted); 5-10 cmH2O and 0.1-0.2 l/s (recalled).
  const double top = c.vitalPercent(c.greatest([](const auto& m) { return m.gas; }, 10));
  const double low = c.vitalPercent(-c.greatest([](const auto& m) { return -m.gas; }, 10));
  EXPECT_GE(top, 40);
  EXPECT_LE(top, 63);
  EXPECT_GE(low, 20);
  EXPECT_LE(low, 42);
  double pressure = 0, flow = 0;
  int count = 0;
  for (const TorsoMeasures& m : c.samples()) {
    if (m.time < 11.5 || m.time > 14) continue;  // the middle of a breath group
    pressure += m.alveolarPressure / kCmH2O, flow -= m.flow / kLitre, ++count;
  }
  EXPECT_GE(pressure / count, 4);
  EXPECT_LE(pressure / count, 11);
  EXPECT_GE(flow / count, 0.1);
  EXPECT_LE(flow / count, 0.3);
}

TEST(Hiccup, JerksTheDiaphragmAndMovesHardlyAnyAir) {
  const Course c("hiccup", 1.2);
  // The glottis shuts 35 ms after the diaphragm begins (Davis 1970, as quoted): next to no air.
  const double in = c.greatest([](const auto& m) { return m.gas; }, 0, 0.5) - c.lungs().rest;
  EXPECT_LT(in, 0.1 * kLitre);
  const double suction =
      -c.greatest([](const auto& m) { return -m.alveolarPressure; }, 0, 0.5) / kCmH2O;
  EXPECT_LT(suction, -5);
}

TEST(Snore, NeedsMoreSuctionForLessAir) {
  const Course open("casual", 8), narrow("snore", 8);
  const auto suction = [](const Course& c) {
    return c.greatest([](const auto& m) { return -m.pleuralPressure; }, 4);
  };
  const auto volume = [](const Course& c) {
    return c.greatest([](const auto& m) { return m.gas; }, 4) +
           c.greatest([](const auto& m) { return -m.gas; }, 4);
  };
  EXPECT_GT(suction(narrow) / volume(narrow), 1.5 * suction(open) / volume(open));
}

TEST(Apnoea, EffortsOnAShutThroatMoveNoAir) {
  const Course c("apnoea", 12);
  for (const TorsoMeasures& m : c.samples()) ASSERT_EQ(m.flow, 0) << m.time;
  EXPECT_LT(-c.greatest([](const auto& m) { return -m.alveolarPressure; }), -8 * kCmH2O);
}

}  // namespace
}  // namespace pneuma::breath
