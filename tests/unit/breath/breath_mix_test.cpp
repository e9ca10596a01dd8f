#include "pneuma/breath/breath_mix.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pneuma::breath {
namespace {

/// A chest that answers with saturation, and whose compartments push each other.
Compartments respond(const BreathMix& m) {
  const double d = 1 - std::exp(-0.4 * m.diaphragm), r = 1 - std::exp(-0.3 * m.ribs);
  return {.ribCage = 1.2e-3 * r - 0.1e-3 * d, .abdomen = 0.6e-3 * d - 0.15e-3 * r};
}

TEST(BreathMix, ReachesVolumeAndShareTogether) {
  for (const double share : {0.4, 0.6, 0.8})
    for (const double volume : {0.2e-3, 0.4e-3}) {
      const MixFound found = solveMix(respond, {.volume = volume, .share = share});
      EXPECT_TRUE(found.exact) << share << " " << volume;
      EXPECT_NEAR(found.reached.total(), volume, 0.01 * volume);
      EXPECT_NEAR(found.reached.share(), share, 0.01);
      EXPECT_LE(found.runs, 14);
    }
}

TEST(BreathMix, ScalesBothCommandsForAVolumeAlone) {
  const MixFound found = solveMix(respond, {.volume = 0.6e-3});
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(found.mix.diaphragm, found.mix.ribs);
  EXPECT_NEAR(found.reached.total(), 0.6e-3, 6e-6);
}

TEST(BreathMix, SaysWhatWasReachedBeyondTheMuscles) {
  const MixFound volume = solveMix(respond, {.volume = 5e-3});
  EXPECT_FALSE(volume.exact);
  EXPECT_GT(volume.reached.total(), 1.2e-3);  // nearly all there is
  EXPECT_LE(volume.mix.ribs, 20);
  const MixFound share = solveMix(respond, {.volume = 0.3e-3, .share = -1});
  EXPECT_FALSE(share.exact);
  EXPECT_GE(share.mix.ribs, 0);
}

TEST(BreathMix, LeavesExpirationAlone) {
  const Contractions c = BreathMix{.diaphragm = 2, .ribs = 3}.of({.diaphragm = 0.1,
                                                                  .external = 0.1,
                                                                  .internal = 0.1,
                                                                  .scalene = 0.1,
                                                                  .levator = 0.1,
                                                                  .rectus = 0.1,
                                                                  .transverse = 0.1});
  EXPECT_DOUBLE_EQ(c.diaphragm, 0.2);
  for (const double v : {c.external, c.scalene, c.levator}) EXPECT_DOUBLE_EQ(v, 0.3);
  for (const double v : {c.internal, c.rectus, c.transverse}) EXPECT_DOUBLE_EQ(v, 0.1);
}

}  // namespace
}  // namespace pneuma::breath
