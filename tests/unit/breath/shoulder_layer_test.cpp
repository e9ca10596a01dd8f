#include "pneuma/breath/shoulder_layer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "tests/support/count_allocations.h"
#include "tests/support/human_breath.h"

namespace pneuma::breath {
namespace {

using test::humanTorso;

const anatomy::Body& builtBody() {
  static const anatomy::Body body = test::humanAsBuilt();
  return body;
}

BreathSettings deep(bool arms) {
  BreathSettings s = test::humanBreath("deep");
  s.arms = arms;
  return s;
}

TEST(ShoulderLayer, HasThePapersBodiesElementsAndSoftParts) {
  for (const char* preset : {"default", "zordan2005"}) {
    const TorsoConfig config = makeTorsoConfig(preset);
    const TorsoModel model = humanTorso(config);
    const ShoulderLayer layer(model, builtBody(), makeShoulderConfig(config));
    EXPECT_EQ(kAllBodyCount, 28);
    EXPECT_EQ(layer.elementCount(), 52);
    EXPECT_EQ(layer.fleshCount(), 4);
    for (const ShoulderElement& e : layer.elements()) {
      EXPECT_TRUE(e.trunkBody >= 0 && e.trunkBody < kBodyCount) << e.name;
      EXPECT_TRUE(e.armBody >= kBodyCount && e.armBody < kAllBodyCount) << e.name;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_TRUE(analyzeTopology(layer.flesh(k)).watertight());
      EXPECT_NEAR(enclosedVolume(layer.flesh(k)), 250e-6, 100e-6) << layer.fleshName(k);
    }
    EXPECT_NEAR(enclosedVolume(layer.flesh(0)), enclosedVolume(layer.flesh(1)), 1e-12);
  }
}

TEST(ShoulderLayer, LeavesTheBitsOfTheTrunkAlone) {
  BreathSimulation with(deep(true)), without(deep(false));
  with.run(1.5);
  without.run(1.5);
  EXPECT_GT(with.layer()->shoulderRise(), 1e-3);
  EXPECT_EQ(with.state().hash(), without.state().hash());
}

TEST(ShoulderLayer, ShouldersRiseAFewMillimetresWithADeepBreathAndFallAgain) {
  BreathSimulation run(deep(true));
  run.run(10);
  const BreathSummary b = run.summary();
  EXPECT_GT(b.shoulderUp, 2e-3);
  EXPECT_LT(b.shoulderUp, 15e-3);
  EXPECT_LT(b.shoulderUp, b.sternumUp);  // the clavicle turns: its outer end rises less
  EXPECT_NEAR(run.layer()->shoulderRise(), 0, 1e-3);  // end of the breath
  for (std::size_t k = 0; k < 4; ++k) EXPECT_LT(std::abs(run.layer()->fleshVolumeError(k)), 0.005);
}

TEST(ShoulderLayer, StaysAtRestWithTheTrunk) {
  const TorsoConfig config = makeTorsoConfig("default");
  const TorsoModel model = humanTorso(config);
  ShoulderLayer layer(model, builtBody(), makeShoulderConfig(config));
  const TorsoState rest = makeRestState(model);
  for (int i = 0; i < 250; ++i) layer.step(rest, 0.008);
  const std::vector<Vec3>& now = layer.points();
  for (std::size_t i = 0; i < now.size(); ++i)
    EXPECT_LT((now[i] - layer.restPoints()[i]).norm(), 1e-9);
}

TEST(ShoulderLayer, IsMirrorSymmetric) {
  BreathSimulation run(deep(true));
  run.run(2);
  const ShoulderLayer& layer = *run.layer();
  for (std::size_t k = 0; k < 4; k += 2)
    for (std::size_t i = 0; i < layer.flesh(k).vertexCount(); ++i) {
      const Vec3 l = layer.flesh(k).positions[i], r = layer.flesh(k + 1).positions[i];
      EXPECT_LT((l - Vec3(-r.x(), r.y(), r.z())).norm(), 1e-6);
    }
}

TEST(ShoulderLayer, StepsWithoutAllocating) {
  BreathSimulation run(deep(true));
  run.run(0.2);
  const TorsoConfig config = makeTorsoConfig("default");
  ShoulderLayer layer(run.model(), builtBody(), makeShoulderConfig(config));
  layer.step(run.state(), 0.008);
  const test::AllocationCount count;
  layer.step(run.state(), 0.008);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

TEST(ShoulderLayer, ResumesWithTheSameBits) {
  BreathSimulation whole(deep(true)), first(deep(true)), second(deep(true));
  whole.run(1.6);
  first.run(0.8);
  io::StateWriter out;
  first.save(out);
  io::StateReader in(out.bytes());
  second.load(in);
  second.run(1.6);
  EXPECT_EQ(whole.layer()->points(), second.layer()->points());
}

TEST(ShoulderLayer, ExtremesStayFiniteOrNameThePart) {
  for (const double effort : {4.0, 20.0}) {
    BreathSettings s = deep(true);
    s.knobs.effort = effort;
    s.knobs.rate = 200;
    BreathSimulation run(s);
    try {
      run.run(1.5);
    } catch (const SimulationError& e) {
      EXPECT_FALSE(e.part().empty());
    }
    for (const Vec3& p : run.layer()->points()) EXPECT_TRUE(p.allFinite());
  }
}

}  // namespace
}  // namespace pneuma::breath
