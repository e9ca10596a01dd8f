#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "pneuma/breath/recording.h"
#include "pneuma/core/error.h"
#include "tests/support/human_breath.h"

/// The breathing torso against human figures: ranges and their sources are in docs/breathing.md.
namespace pneuma::breath {
namespace {

struct Breathed {
  BreathSummary summary;
  std::string hash;
  double restLung = 0, above = 0;
};

Breathed breathe(BreathSettings settings, double seconds) {
  BreathSimulation run(std::move(settings));
  run.run(seconds);
  return {run.summary(), run.state().hash(), run.model().restLung, run.summary().aboveRest};
}

BreathSettings casual() {
  return test::humanBreath("casual");
}

BreathSettings styled(const char* style) {
  return test::humanBreath(style);
}

constexpr double kDegree = kPi / 180;

TEST(CasualBreath, LooksLikeAPersonAtRest) {
  const BreathSummary b = breathe(casual(), 16).summary;
  EXPECT_NEAR(b.breathsPerMinute, 15, 0.3);
  EXPECT_GE(b.tidalVolume, 450e-6);
  EXPECT_LE(b.tidalVolume, 550e-6);
  EXPECT_LE(b.gutError, 0.005);
  EXPECT_GE(b.sternumForward, 2.5e-3);  // people 3 to 5 mm (De Groote 1997)
  EXPECT_LE(b.sternumForward, 6e-3);
  EXPECT_GE(b.sternumUp, 3e-3);
  EXPECT_LE(b.sternumUp, 6e-3);
  EXPECT_GE(b.ribCageShare, 0.45);
  EXPECT_LE(b.ribCageShare, 0.70);
  EXPECT_GE(b.dome, 8e-3);
  EXPECT_LE(b.dome, 25e-3);
  EXPECT_GE(b.girth[0], 5e-3);
  EXPECT_LE(b.girth[0], 20e-3);
  EXPECT_GE(b.gutPressure, 260);  // gastric swing of people at rest
  EXPECT_LE(b.gutPressure, 450);
  for (std::size_t i = 2; i < 7; ++i) {  // ribs 3 .. 7
    for (const auto* angle : {&b.pump, &b.bucket}) {
      EXPECT_GE((*angle)[i], 1.0 * kDegree) << "rib " << i + 1;
      EXPECT_LE((*angle)[i], 3.5 * kDegree) << "rib " << i + 1;
      if (i > 3) {  // largest at rib 4, less below it (Sharp 1986 JAP 61:2050)
        EXPECT_LE((*angle)[i], (*angle)[i - 1]) << "rib " << i + 1;
      }
    }
  }
}

TEST(CasualBreath, LyingOnTheBackIsBellyBreathing) {
  BreathSettings s = casual();
  s.torso = makeTorsoConfig("default", Posture::Supine);
  const BreathSummary b = breathe(s, 12).summary;
  EXPECT_GE(b.ribCageShare, 0.30);
  EXPECT_LE(b.ribCageShare, 0.45);
}

TEST(CasualBreath, HalvingTheStepChangesLessThanOnePercent) {
  BreathSettings fine = casual();
  fine.step = 0.5 * fine.torso.step;
  const double coarse = breathe(casual(), 12).summary.tidalVolume;
  EXPECT_NEAR(breathe(fine, 12).summary.tidalVolume / coarse, 1, 0.01);
}

/// The body does not know its mesh: nothing may stand per spring or per point, and no part may be
/// held fast beside one that moves. proofs/prove-sensitivity.json has every figure.
TEST(CasualBreath, HalvingEveryMeshLengthChangesLittle) {
  BreathSettings settings = casual();
  const BreathSummary coarse = breathe(settings, 8).summary;
  settings.torso.refinement = 2;
  const BreathSummary fine = breathe(settings, 8).summary;
  EXPECT_NEAR(fine.tidalVolume / coarse.tidalVolume, 1, 0.02);
  EXPECT_NEAR(fine.ribCageShare / coarse.ribCageShare, 1, 0.03);
  EXPECT_NEAR(fine.girth[1] / coarse.girth[1], 1, 0.03);
  EXPECT_NEAR(fine.girth[2] / coarse.girth[2], 1, 0.04);  // 0.10 with a level that the mesh chose
  EXPECT_NEAR(fine.sternumUp / coarse.sternumUp, 1, 0.07);
  EXPECT_NEAR(fine.gutPressure / coarse.gutPressure, 1, 0.035);  // 0.05 with shorter fibres
  for (const std::size_t rib : {2u, 6u, 9u})  // the last 0.09 with loins held fast beside it
    EXPECT_NEAR(fine.pump[rib] / coarse.pump[rib], 1, 0.07) << "rib " << rib + 1;
}

TEST(CasualBreath, BothSidesMoveAlike) {
  BreathSimulation run(casual());
  run.run(1.6);
  EXPECT_NEAR(bodyPose(run.model(), run.state(), kSternum).position.x(), 0, 1e-9);
  const auto angle = [&](int body) {
    const int link = run.model().link[static_cast<std::size_t>(body)];
    return run.state().tree.q[run.model().tree.links[static_cast<std::size_t>(link)].firstPosition];
  };
  for (int level = 1; level <= kRibCount; ++level)
    EXPECT_NEAR(angle(ribBody(level, 0)), angle(ribBody(level, 1)), 1e-9);
}

TEST(CasualBreath, SameInputGivesTheSameBits) {
  EXPECT_EQ(breathe(casual(), 2).hash, breathe(casual(), 2).hash);
}

TEST(DeepBreath, ReachesTheDepthOfPeople) {
  const BreathSummary b = breathe(styled("deep"), 15).summary;
  EXPECT_GE(b.tidalVolume, 2e-3);
  // 16.6 +- 2.4 mm/l lying (Houston 1994); upright the rib cage takes more of the volume.
  EXPECT_GE(b.dome, 11.8 * b.tidalVolume);
  EXPECT_LE(b.dome, 70e-3);
  EXPECT_GE(std::max(b.girth[0], b.girth[1]), 25e-3);
  EXPECT_LE(std::max(b.girth[0], b.girth[1]), 65e-3);
  for (std::size_t i = 2; i < 7; ++i) {
    EXPECT_GE(b.pump[i], 5 * kDegree);
    EXPECT_LE(b.pump[i], 12 * kDegree);
  }
}

TEST(DeepBreath, IsMoreOfAChestBreathThanAQuietOne) {
  const double deep = breathe(styled("deep"), 15).summary.ribCageShare;
  EXPECT_GE(deep, breathe(casual(), 12).summary.ribCageShare);  // Verschakelen & Demedts 1995
}

TEST(Panting, MovesLessAirAtTheSameDrive) {
  BreathSettings fast = casual();
  fast.knobs.rate = 60;
  const double slow = breathe(casual(), 12).summary.tidalVolume;
  EXPECT_LE(breathe(fast, 6).summary.tidalVolume, 0.9 * slow);
}

TEST(ForcedExhale, EmptiesTheReserve) {
  const BreathSummary b = breathe(styled("forced-exhale"), 8).summary;
  EXPECT_GE(b.belowRest, 0.8e-3);
  const anatomy::LungVolumes v = anatomy::lungVolumes(casual().person);
  EXPECT_LE(b.belowRest, 1.02 * (v.functionalResidual - v.residual));
}

TEST(Persons, BreatheByTheirSizeWithoutRetuning) {
  struct Case {
    anatomy::Sex sex;
    double height, mass;
    double low, high;
  };
  for (const Case& c : {Case{anatomy::Sex::Female, 1.63, 60, 330e-6, 450e-6},
                        Case{anatomy::Sex::Male, 1.85, 82, 480e-6, 620e-6}}) {
    BreathSettings s = casual();
    s.person.sex = c.sex;
    s.person.height = c.height;
    s.person.mass = c.mass;
    const Breathed quiet = breathe(s, 12);
    EXPECT_GE(quiet.summary.tidalVolume, c.low);
    EXPECT_LE(quiet.summary.tidalVolume, c.high);
    const anatomy::LungVolumes v = anatomy::lungVolumes(s.person);
    // Gas, and 1.1 l of heart, vessels and lung tissue in proportion.
    EXPECT_NEAR(quiet.restLung / (v.functionalResidual * (1 + 1.1 / 3.19)), 1, 0.15);
    s.style = test::humanStyle("deep");
    EXPECT_GE(breathe(s, 15).summary.tidalVolume, 0.4 * v.vital);
  }
}

TEST(PaperPreset, KeepsTheGutVolume) {
  BreathSettings s = casual();
  s.torso = makeTorsoConfig("zordan2005");
  EXPECT_LE(breathe(s, 60).summary.gutError, 0.022);
}

TEST(RestState, StaysAtRest) {
  for (const char* preset : {"default", "zordan2005"}) {
    const TorsoModel m = test::humanTorso(makeTorsoConfig(preset));
    TorsoState s = makeRestState(m);
    TorsoWorkspace w;
    for (int i = 0; i < 500; ++i) step(m, s, MuscleDrive(), w, m.config.step);
    updatePoints(m, s, w);
    EXPECT_NEAR(w.reading().lungVolume, m.restLung, 1e-9) << preset;
  }
}

TEST(ExtremeInputs, RunOrStopWithAReason) {
  const auto runs = [](BreathSettings s) {
    BreathSimulation run(std::move(s));
    try {
      run.run(3);
    } catch (const SimulationError& e) {
      EXPECT_FALSE(e.part().empty());
      return;
    }
    EXPECT_TRUE(std::isfinite(run.summary().tidalVolume));
  };
  for (const double rate : {0.0, 300.0}) {
    BreathSettings s = casual();
    s.knobs.rate = rate;
    runs(s);
  }
  for (const double effort : {0.0, 20.0}) {  // 20 x 0.104: a contraction of 2
    BreathSettings s = casual();
    s.knobs.effort = effort;
    runs(s);
  }
  for (const double kappa : {1e-3, 1e3}) {
    BreathSettings s = casual();
    s.torso.bulkModulus *= kappa;
    runs(s);
  }
  BreathSettings s = casual();
  s.ballMass = 10;
  runs(s);
}

TEST(Ball, DentsTheBellyAndLeavesTheGutsVolume) {
  BreathSettings s = casual();
  s.knobs.rate = 0;
  s.ballMass = 3;
  BreathSimulation run(s);
  run.run(1.5);
  double deepest = 0, error = 0;
  for (const TorsoMeasures& m : run.samples()) {
    deepest = std::min(deepest, m.belly);
    error = std::max(error, std::abs(m.gutVolume / run.model().restGut - 1));
  }
  EXPECT_LT(deepest, -5e-3);
  EXPECT_LT(error, 0.005);  // Fig. 4
}

TEST(Recordings, DriveTheTorso) {
  const char* set = std::getenv("PNEUMA_SHARED");
  const std::filesystem::path shared =
      set != nullptr ? std::filesystem::path(set)
                     : std::filesystem::path(PNEUMA_SOURCE_DIR) / ".." / "shared";
  if (!std::filesystem::exists(shared / "breath")) GTEST_SKIP() << "no recordings beside the clone";
  for (const char* name : {"airflow_01", "belt_01", "belt_02", "impedance_icu_01"}) {
    BreathSettings s = casual();
    auto signals = io::readSignals(shared / "breath" / (std::string(name) + ".csv"));
    s.target = makeVolumeTarget(signals.valueOrThrow());
    BreathSimulation run(s);
    run.run(std::min(40.0, s.target->duration()));
    EXPECT_LE(run.followingError(), 0.03) << name;
  }
}

/// A recording that begins in the middle of a quiet breath in.
TEST(Recordings, BeginWithoutAJolt) {
  BreathSettings s = casual();
  VolumeTarget target{.rate = 50, .volumes = {}};
  for (int i = 0; i <= 16 * 50; ++i)
    target.volumes.push_back(0.25e-3 * (1 + std::sin(2 * kPi * i / 200.0)));
  s.target = target;
  BreathSimulation run(s);
  run.run(16);
  double first = 0, later = 0;  // gut pressure against its rest [Pa]
  for (const TorsoMeasures& m : run.samples()) {
    const double p = std::abs(m.gutPressure - run.samples().front().gutPressure);
    double& most = m.time < 4 ? first : later;
    most = std::max(most, p);
  }
  EXPECT_LT(first, 1.2 * later);
  EXPECT_LT(run.summary().gutPressure, 450);  // people, quiet
}

TEST(Wish, VolumeAndChestShareAreReachedTogether) {
  for (const double share : {0.45, 0.75}) {
    BreathSettings s = casual();
    s.tidalVolume = 0.6e-3;
    s.chestShare = share;
    const BreathSummary b = breathe(s, 16).summary;
    EXPECT_NEAR(b.tidalVolume, 0.6e-3, 0.012e-3) << share;
    EXPECT_NEAR(b.ribCageShare, share, 0.02);
  }
}

TEST(Wish, ARecordingKeepsTheWantedShare) {
  BreathSettings s = casual();
  VolumeTarget target{.rate = 50, .volumes = {}};
  for (int i = 0; i <= 16 * 50; ++i)
    target.volumes.push_back(0.25e-3 * (1 - std::cos(2 * kPi * i / 200.0)));
  s.target = target;
  s.chestShare = 0.45;
  BreathSimulation run(s);
  run.run(16);
  EXPECT_LE(run.followingError(), 0.03);
  EXPECT_NEAR(run.summary().ribCageShare, 0.45, 0.03);
}

TEST(Wish, WhatTheMusclesCannotGiveIsSaid) {
  BreathSettings s = casual();
  s.tidalVolume = 8e-3;
  const BreathSimulation run(s);
  ASSERT_TRUE(run.found().has_value());
  EXPECT_FALSE(run.found()->exact);
  const anatomy::LungVolumes v = anatomy::lungVolumes(s.person);
  EXPECT_LT(run.found()->reached.total(), v.total - v.functionalResidual);
}

TEST(ShortRun, HasTheRateOfItsDrive) {
  BreathSimulation run(casual());
  run.run(3);
  EXPECT_NEAR(run.summary().breathsPerMinute, 15, 1e-9);
}

TEST(Checkpoint, ResumedRunEqualsAnUninterruptedOne) {
  BreathSimulation whole(casual());
  whole.run(3);
  BreathSimulation first(casual()), second(casual());
  first.run(1);
  io::StateWriter out;
  first.save(out);
  io::StateReader in(out.bytes());
  second.load(in);
  second.run(3);
  EXPECT_EQ(second.state().hash(), whole.state().hash());
}

}  // namespace
}  // namespace pneuma::breath
