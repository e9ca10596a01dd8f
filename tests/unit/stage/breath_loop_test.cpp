#include "pneuma/stage/breath_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "tests/support/capsule_person.h"

namespace pneuma::stage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kLevels = 4;  // 2562 vertices

std::vector<std::string> namesOf(const BreathLoop& layer) {
  std::vector<std::string> names;
  for (const io::MorphTarget& t : layer.targets) names.push_back(t.name);
  return names;
}

double furthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
  return most;
}

TEST(BreathLoop, RecoversChestAndBellyThatMoveOneAfterTheOther) {
  const test::CapsulePerson person(kLevels);
  const test::CapsuleBreath breath(person, 0.4, {1, 1, 1, 1});
  const BreathLoop layer = makeBreathLoop(breath.recording(person));
  ASSERT_THAT(namesOf(layer), ElementsAre("breath_chest", "breath_belly"));
  EXPECT_LT(layer.largestError, 2e-4);
  // Beyond its region a target is held back by about the tolerance.
  EXPECT_LT(furthest(layer.targets[0].offsets, person.chest), 3e-4);
  EXPECT_LT(furthest(layer.targets[1].offsets, person.belly), 3e-4);
  EXPECT_LT(furthest(layer.base, person.skin.positions), 2e-4);
}

TEST(BreathLoop, TellsChestFromBellyByPlaceWhenTheyMoveTogether) {
  const test::CapsulePerson person(5);
  const test::CapsuleBreath breath(person, 0, {1, 1, 1});
  const BreathLoop layer = makeBreathLoop(breath.recording(person));
  ASSERT_THAT(namesOf(layer), ElementsAre("breath_chest", "breath_belly"));
  EXPECT_LT(layer.largestError, 2e-4);
  // Where the two regions meet, the movement belongs to both; away from there to its own.
  for (std::size_t v = 0; v < layer.base.size(); ++v) {
    const double y = layer.base[v].y();
    const Vec3 &chest = layer.targets[0].offsets[v], &belly = layer.targets[1].offsets[v];
    EXPECT_LT((chest + belly - person.chest[v] - person.belly[v]).norm(), 2e-4);
    if (person.regions[v] == BreathRegion::Between) continue;
    EXPECT_TRUE(y < 1.32 || belly.norm() < 5e-4) << v;
    EXPECT_TRUE(y > 1.08 || chest.norm() < 5e-4) << v;
  }
}

TEST(BreathLoop, TakesAKnownDivisionOfTheTrunk) {
  const test::CapsulePerson person(kLevels);
  const test::CapsuleBreath breath(person, 0, {1, 1, 1});
  BreathRecording recording = breath.recording(person);
  // The other way round: what lies high is the belly's.
  std::vector<double> share;
  for (const Vec3& p : person.skin.positions) share.push_back(p.y() > 1.2 ? 0 : 1);
  recording.chestShare = share;
  const BreathLoop layer = makeBreathLoop(recording);
  // Of the trunk alone: shoulders without a target of their own follow the chest.
  double high = 0, low = 0;
  for (std::size_t v = 0; v < share.size(); ++v)
    if (layer.base[v].y() < 1.35)
      (layer.base[v].y() > 1.2 ? high : low) += layer.targets[0].offsets[v].norm();
  EXPECT_GT(low, 10 * high);
  share.pop_back();
  recording.chestShare = share;
  EXPECT_THROW(makeBreathLoop(recording), InputError);
}

TEST(BreathLoop, WeightsRunFromNoneToOneAndEndWhereTheyBegan) {
  const test::CapsulePerson person(kLevels);
  // No two breaths alike, and the whole body drifts: nothing repeats by itself.
  const test::CapsuleBreath breath(person, 0.3, {1, 0.7, 1.2, 0.9, 1.1}, 4, 25, -1.3, 0.01);
  const BreathLoop layer = makeBreathLoop(breath.recording(person), {.framesPerSecond = 30});
  EXPECT_EQ(layer.loop.cut().cycles, 5);
  const std::size_t count = layer.targetCount();
  ASSERT_EQ(layer.weights.size(), layer.times.size() * count);
  for (std::size_t k = 0; k < count; ++k) {
    double least = 1, most = 0;
    for (std::size_t i = k; i < layer.weights.size(); i += count) {
      least = std::min(least, layer.weights[i]);
      most = std::max(most, layer.weights[i]);
    }
    EXPECT_GE(least, 0);
    EXPECT_EQ(most, 1);
    EXPECT_EQ(layer.weights[k], layer.weights[layer.weights.size() - count + k]);
  }
  EXPECT_GT(layer.seamBefore, 1e-3);  // 20 s of drift
  EXPECT_LT(layer.seamAfter, 1e-4);
  EXPECT_EQ(layer.lungVolumes.front(), layer.lungVolumes.back());
  EXPECT_NEAR(layer.times.back() * 30, std::round(layer.times.back() * 30), 1e-9);
}

TEST(BreathLoop, GivesABreathBelowRestATargetOfItsOwn) {
  const test::CapsulePerson person(kLevels);
  test::CapsuleBreath breath(person, 0.2, {1, 1, 1});
  // Rest lies at a third of the breath; below it the flanks go in as they never do above.
  const double rest = 1.0 / 3, restVolume = 2.5e-3 + 5e-4 * rest;
  const auto squeeze = [&](double volume) { return std::max(0.0, (restVolume - volume) / 5e-4); };
  for (std::size_t f = 0; f < breath.frames.size(); ++f)
    for (Vec3& p : breath.frames[f])
      p.x() *= 1 - 0.2 * squeeze(breath.volumes[f]) * test::CapsulePerson::bell(p.y(), 1.0, 0.15);
  const std::vector<Vec3> base = person.shape(rest, rest);
  BreathRecording recording = breath.recording(person);
  recording.base = base;
  recording.baseVolume = restVolume;
  const BreathLoop layer = makeBreathLoop(recording);
  EXPECT_THAT(namesOf(layer), ::testing::Contains("breath_exhale"));
  EXPECT_EQ(layer.base, base);
  const std::vector<std::string> names = namesOf(layer);
  const auto at =
      static_cast<std::size_t>(std::ranges::find(names, "breath_exhale") - names.begin());
  // It pulls the flanks in: x towards the middle.
  double moment = 0;
  for (std::size_t v = 0; v < base.size(); ++v)
    moment += base[v].x() * layer.targets[at].offsets[v].x();
  EXPECT_LT(moment, 0);
}

TEST(BreathLoop, AddsTargetsUntilItIsCloseEnoughAndNotMore) {
  const test::CapsulePerson person(kLevels);
  test::CapsuleBreath breath(person, 0.4, {1, 1, 1});
  // Shoulders that rise late, and a ripple that no region explains.
  for (std::size_t f = 0; f < breath.frames.size(); ++f) {
    const double late = std::pow(breath.chest[f], 4), fast = std::sin(3 * breath.times[f]);
    for (Vec3& p : breath.frames[f]) {
      p.y() += 6e-3 * late * std::clamp((p.y() - 1.5) / 0.05, 0.0, 1.0);
      p.z() += 2e-3 * (fast + 1) * test::CapsulePerson::bell(p.y(), 1.2, 0.03);
    }
  }
  const BreathLoop two = makeBreathLoop(breath.recording(person), {.mostTargets = 2});
  const BreathLoop three = makeBreathLoop(breath.recording(person), {.mostTargets = 3});
  const BreathLoop five = makeBreathLoop(breath.recording(person));
  EXPECT_THAT(namesOf(three), ElementsAre("breath_chest", "breath_belly", "breath_shoulders"));
  EXPECT_GT(two.largestError, 1e-3);
  EXPECT_LT(five.largestError, 5e-4);
  EXPECT_LT(five.meanError, three.meanError);
  EXPECT_LE(five.targetCount(), 5u);
}

TEST(BreathLoop, SameBitsForAnyThreadCount) {
  const test::CapsulePerson person(3);
  const test::CapsuleBreath breath(person, 0.4, {1, 1, 1});
  setThreadCount(1);
  const BreathLoop one = makeBreathLoop(breath.recording(person));
  setThreadCount(4);
  const BreathLoop four = makeBreathLoop(breath.recording(person));
  setThreadCount(0);
  EXPECT_EQ(one.weights, four.weights);
  for (std::size_t k = 0; k < one.targetCount(); ++k)
    EXPECT_EQ(one.targets[k].offsets, four.targets[k].offsets);
}

TEST(BreathLoop, KnowsEveryPartOfTheSkin) {
  EXPECT_EQ(breathRegion("chest"), BreathRegion::Chest);
  EXPECT_EQ(breathRegion("back"), BreathRegion::Between);
  EXPECT_EQ(breathRegion("hand"), BreathRegion::Shoulders);
  try {
    breathRegion("abdomn");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("did you mean 'abdomen'?"));
  }
}

TEST(BreathLoop, BrokenRecordingsSayWhatIsWrong) {
  const test::CapsulePerson person(2);
  const test::CapsuleBreath good(person, 0.4, {1, 1, 1});
  const auto messageOf = [&](const auto& breakIt) -> std::string {
    test::CapsuleBreath breath = good;
    test::CapsulePerson other = person;
    breakIt(breath, other);
    try {
      makeBreathLoop(breath.recording(other));
    } catch (const InputError& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_THAT(messageOf([](auto& b, auto&) { b.frames[7].pop_back(); }),
              HasSubstr("frame 7 has 161 vertices"));
  EXPECT_THAT(messageOf([](auto& b, auto&) { b.frames[7][3].x() = std::nan(""); }),
              HasSubstr("vertex 3 of frame 7 is not finite"));
  EXPECT_THAT(messageOf([](auto& b, auto&) { b.volumes.pop_back(); }), HasSubstr("lung volumes"));
  EXPECT_THAT(messageOf([](auto& b, auto&) { b.volumes.assign(b.volumes.size(), 1); }),
              HasSubstr("0 whole breaths"));
  EXPECT_THAT(
      messageOf([](auto&, auto& p) { p.regions.assign(p.regions.size(), BreathRegion::Belly); }),
      HasSubstr("no vertex of the skin lies in the region 'chest'"));
  EXPECT_THAT(messageOf([](auto&, auto& p) { p.skin.triangles[0][1] = 9999; }),
              HasSubstr("names vertex 9999"));
}

}  // namespace
}  // namespace pneuma::stage
