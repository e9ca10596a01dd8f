#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pneuma/body/living_simulation.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "tests/support/human_breath.h"
#include "tests/verify/living/measured_man.h"

/// Breath in every posture: nothing but the direction of weight and the joints differ. Directions
/// are those of people [Lumb & Nunn 1991, Anesth. Analg. 73:422; Aliverti01]; sizes are reported.
namespace pneuma::body {
namespace {

struct Lain {
  double gas = 0;    ///< change of the lungs' volume at rest against standing [m^3]
  double dome = 0;   ///< shift of the cupolae towards the head [m]
  double share = 0;  ///< of the rib cage in a quiet breath
  double tidal = 0;  ///< [m^3]
};

Lain breatheIn(const char* posture) {
  const LivingModel& m = measuredMan();
  LivingSettings settings;
  settings.motion =
      skeleton::makePoseTrack(m.tree, skeleton::makePosture(*m.body, m.compiled, m.tree, posture));
  settings.style = test::humanStyle("casual");
  LivingSimulation run(m, settings);
  run.run(12);
  Lain found{run.settled().lungVolume - m.cage.restLung, 0, run.summary().ribCageShare,
             run.summary().tidalVolume};
  for (const std::int32_t i : m.cage.landmarks.dome)
    found.dome +=
        (run.restPoints()[static_cast<std::size_t>(i)] - m.cage.rest[static_cast<std::size_t>(i)])
            .y() /
        static_cast<double>(m.cage.landmarks.dome.size());
  EXPECT_LT(run.settled().residualSpeed, 1e-4) << posture << " does not come to rest";
  EXPECT_LT(run.summary().gutError, 0.005) << posture;
  return found;
}

TEST(Postures, WeightShiftsGutAndDomeTowardsTheHeadAndBreathToTheBelly) {
  const Lain standing = breatheIn("standing");
  EXPECT_NEAR(standing.gas, 0, 1e-7);
  EXPECT_GT(standing.share, 0.45);
  EXPECT_LT(standing.share, 0.70);
  for (const char* name : {"sitting", "supine", "prone", "side-left", "bent-forward"}) {
    const Lain other = breatheIn(name);
    EXPECT_LT(other.gas, 0) << name;
    EXPECT_GT(other.dome, 1e-3) << name;
    if (name == std::string_view("sitting"))  // people 0.70 +- 0.11 (Lumb & Nunn 1991)
      EXPECT_NEAR(other.share, 0.70, 0.11);
    else
      EXPECT_LT(other.share, standing.share) << name;
    EXPECT_GT(other.tidal, 0.3e-3) << name;
  }
}

TEST(Postures, OnTheBackTheLungsLoseMostAndProneTheyKeepMore) {
  const Lain supine = breatheIn("supine"), prone = breatheIn("prone");
  EXPECT_LT(supine.gas, -0.3e-3);  // people -0.5 .. -1.1 l
  EXPECT_GT(supine.gas, -1.2e-3);
  EXPECT_GT(prone.gas, supine.gas);  // people by 0.35 l
  EXPECT_GT(supine.share, 0.25);     // people 0.32 .. 0.37
  EXPECT_LT(supine.share, 0.45);
}

}  // namespace
}  // namespace pneuma::body
