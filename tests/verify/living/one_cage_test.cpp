#include <gtest/gtest.h>

#include "pneuma/anatomy/person.h"
#include "pneuma/body/living_simulation.h"
#include "pneuma/breath/breath_simulation.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "tests/support/human_breath.h"
#include "tests/verify/living/measured_man.h"

/// One cage: `live` and `breathe` of the same person take joints, cartilages, muscles and drive
/// from the same settings. Without weight nothing but the spine differs, which the torso has on
/// springs; weight, which the torso leaves out, adds what a heavy gut does.
namespace pneuma::body {
namespace {

constexpr double kSeconds = 12;

/// The default man, as both verbs have him.
const LivingModel& defaultMan() {
  static const LivingModel model = makeLivingModel(std::make_shared<anatomy::Body>(
      anatomy::fitToPerson(*test::humanBody(), test::humanBody()->person)));
  return model;
}

breath::BreathSummary live(const LivingModel& m, const char* posture,
                           const breath::BreathStyle& s) {
  LivingSettings settings;
  settings.motion =
      skeleton::makePoseTrack(m.tree, skeleton::makePosture(*m.body, m.compiled, m.tree, posture));
  settings.style = s;
  LivingSimulation run(m, settings);
  run.run(kSeconds);
  return run.summary();
}

breath::BreathSummary breathe(breath::Posture posture, const breath::BreathStyle& style) {
  breath::BreathSettings settings = test::humanBreath("casual");
  settings.torso = breath::makeTorsoConfig("default", posture);
  settings.style = style;
  breath::BreathSimulation run(settings);
  run.run(kSeconds);
  return run.summary();
}

/// How far figures of the living body may be from the torso's, as parts of these.
struct Limits {
  double breath = 0;  ///< volume, share, pleura, sternum, girth of the chest, ribs 1 to 7
  double belly = 0;   ///< dome, belly and the lower ribs, which ride on it
  double gut = 0;     ///< its pressure
};

void expectAlike(const breath::BreathSummary& lives, const breath::BreathSummary& torso,
                 const Limits& limits) {
  const auto alike = [](const char* name, double a, double b, double limit) {
    EXPECT_NEAR(a / b, 1, limit) << name << ": " << a << " living, " << b << " torso";
  };
  alike("breath", lives.tidalVolume, torso.tidalVolume, limits.breath);
  alike("rib cage share", lives.ribCageShare, torso.ribCageShare, limits.breath);
  alike("pleural pressure", lives.pleuralPressure, torso.pleuralPressure, limits.breath);
  alike("sternum forward", lives.sternumForward, torso.sternumForward, limits.breath);
  alike("sternum up", lives.sternumUp, torso.sternumUp, limits.breath);
  alike("girth of the chest", lives.girth[0], torso.girth[0], limits.breath);
  alike("dome", lives.dome, torso.dome, limits.belly);
  alike("belly", lives.belly, torso.belly, limits.belly);
  alike("gut pressure", lives.gutPressure, torso.gutPressure, limits.gut);
  for (std::size_t i = 0; i < breath::kRibCount; ++i) {
    const double limit = i < 7 ? limits.breath : limits.belly;
    alike(("pump of rib " + std::to_string(i + 1)).c_str(), lives.pump[i], torso.pump[i], limit);
    alike(("bucket of rib " + std::to_string(i + 1)).c_str(), lives.bucket[i], torso.bucket[i],
          limit);
  }
}

TEST(OneCage, WithoutWeightLivesAsTheTorsoBreathes) {
  const breath::BreathStyle& casual = test::humanStyle("casual");
  expectAlike(live(weightless(defaultMan()), "standing", casual),
              breathe(breath::Posture::Upright, casual),
              {.breath = 0.03, .belly = 0.03, .gut = 0.03});
}

TEST(OneCage, StandsAsTheTorsoBreathes) {
  for (const char* name : {"casual", "deep"}) {
    SCOPED_TRACE(name);
    const breath::BreathStyle& style = test::humanStyle(name);
    expectAlike(live(defaultMan(), "standing", style), breathe(breath::Posture::Upright, style),
                {.breath = 0.06, .belly = 0.11, .gut = 0.16});
  }
}

/// One rule gives both the drive and the tone of a trunk that lies. The living body has 0.77 l less
/// in its lungs before it breathes, for its gut weighs and pushes its dome up; stretched, the
/// diaphragm pulls harder, so that it breathes deeper, with five points less by the ribs. The
/// torso's gut has no weight: which way the two differ is as much part of this as how far.
TEST(OneCage, LyingTheGutsWeightGivesTheDiaphragmMoreToDo) {
  const breath::BreathStyle& casual = test::humanStyle("casual");
  const breath::BreathSummary lives = live(defaultMan(), "supine", casual);
  const breath::BreathSummary torso = breathe(breath::Posture::Supine, casual);
  const auto more = [](const char* name, double a, double b, double most) {
    EXPECT_GT(a / b, 1) << name;
    EXPECT_LT(a / b, most) << name;
  };
  more("breath", lives.tidalVolume, torso.tidalVolume, 1.2);
  more("pleural pressure", lives.pleuralPressure, torso.pleuralPressure, 1.15);
  more("dome", lives.dome, torso.dome, 1.2);
  EXPECT_LT(lives.ribCageShare, torso.ribCageShare);
  EXPECT_GT(lives.ribCageShare, torso.ribCageShare - 0.07);
  // The ribs do in both what the same muscles do.
  EXPECT_NEAR(lives.ribCageShare * lives.tidalVolume / (torso.ribCageShare * torso.tidalVolume), 1,
              0.06);
}

/// Which muscles do how much: the same in both.
TEST(OneCage, LosesAsMuchWithoutAMuscleAsTheTorso) {
  breath::BreathStyle ribs = test::humanStyle("casual"), diaphragm = ribs;
  ribs.inspire.diaphragm = 0;
  diaphragm.inspire.external = diaphragm.inspire.levator = diaphragm.inspire.scalene = 0;
  for (const auto& [without, style] :
       {std::pair("the diaphragm", ribs), std::pair("rib muscles", diaphragm)}) {
    const double lives = live(defaultMan(), "standing", style).tidalVolume;
    const double torso = breathe(breath::Posture::Upright, style).tidalVolume;
    std::printf("  without %s %.0f mL, torso %.0f\n", without, 1e6 * lives, 1e6 * torso);
    EXPECT_NEAR(lives / torso, 1, 0.1) << without;
  }
}

}  // namespace
}  // namespace pneuma::body
