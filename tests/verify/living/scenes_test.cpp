#include <gtest/gtest.h>

#include <cstdlib>

#include "pneuma/core/parallel.h"
#include "pneuma/core/version.h"
#include "scenes/body_living.h"
#include "tests/support/human_breath.h"

/// The named scenes: the same bits whoever runs them, however often they are stopped.
namespace pneuma::scenes {
namespace {

const LivingData& human() {
  static const LivingData data{test::humanBody(),
                               breath::readBreathStyles(dataFile("breath/styles.toml"))};
  return data;
}

std::string hashOf(std::string_view name) {
  const auto scene = makeLivingScene(name, human());
  scene->run(kHashSeconds);
  return scene->hash();
}

class LivingScenes : public ::testing::TestWithParam<std::string_view> {
 protected:
  ~LivingScenes() override { setThreadCount(0); }
};

TEST_P(LivingScenes, SameBitsForOneTwoAndFourThreads) {
  setThreadCount(1);
  const std::string one = hashOf(GetParam());
  for (const int threads : {2, 4}) {
    setThreadCount(threads);
    EXPECT_EQ(hashOf(GetParam()), one) << threads << " threads";
  }
}

TEST_P(LivingScenes, TakenUpFromACheckpointEndWithTheSameBits) {
  const auto whole = makeLivingScene(GetParam(), human());
  whole->run(0.8);
  io::StateWriter out;
  whole->save(out);
  whole->run(1.2);
  const auto resumed = makeLivingScene(GetParam(), human());
  io::StateReader in(out.bytes());
  resumed->load(in);
  EXPECT_NEAR(resumed->time(), 0.8, 1e-9);
  resumed->run(1.2);
  EXPECT_EQ(resumed->hash(), whole->hash());
}

/// A change of these bits is a change of the physics: meant, and then renewed by `make hashes`, or
/// an accident. Other compilers and instruction sets round differently and keep no hashes.
TEST_P(LivingScenes, KeepTheirHash) {
  const KeptHashes kept = readHashes(PNEUMA_SOURCE_DIR "/scenes/hashes.txt");
  if (kept.build != buildDescription())
    GTEST_SKIP() << "kept for '" << kept.build << "', this is '" << buildDescription() << "'";
  EXPECT_EQ(hashOf(GetParam()), kept.of(GetParam()))
      << "if the physics was meant to change: make hashes";
}

INSTANTIATE_TEST_SUITE_P(Named, LivingScenes,
                         ::testing::ValuesIn(livingSceneNames().begin(), livingSceneNames().end()),
                         [](const auto& named) { return std::string(named.param); });

/// Writes the file anew; runs only when asked for (make hashes).
TEST(SceneHashes, AreRenewedOnRequest) {
  if (std::getenv("PNEUMA_RENEW_HASHES") == nullptr) GTEST_SKIP() << "make hashes";
  KeptHashes kept{std::string(buildDescription()), {}};
  for (const std::string_view name : livingSceneNames())
    kept.hashes.emplace_back(name, hashOf(name));
  writeHashes(PNEUMA_SOURCE_DIR "/scenes/hashes.txt", kept);
}

}  // namespace
}  // namespace pneuma::scenes
