#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/support/run_pneuma.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::test {
namespace {

using nlohmann::json;

json lived(std::vector<std::string> options) {
  options.insert(options.begin(), {"live", "--json", "--quiet"});
  const ProgramResult r = runPneuma(options);
  EXPECT_EQ(r.exitCode, 0) << r.err;
  return r.exitCode == 0 ? json::parse(r.out) : json::object();
}

TEST(LiveVerb, BreathesStandingAndLyingDownLosesAirAndRibShare) {
  const json standing = lived({"--seconds", "9"});
  EXPECT_NEAR(standing["tidal_ml"].get<double>(), 500, 50);
  const json supine = lived({"--posture", "supine", "--seconds", "9"});
  EXPECT_LT(supine["rest_volume_change_ml"].get<double>(), -300);
  EXPECT_LT(supine["rib_cage_share_pct"].get<double>(),
            standing["rib_cage_share_pct"].get<double>() - 10);
}

TEST(LiveVerb, WithoutBreathTheLungsStayAsTheyAre) {
  EXPECT_LT(lived({"--breath", "none", "--seconds", "2"})["tidal_ml"].get<double>(), 1);
}

TEST(LiveVerb, AStoppedRunGoesOnWithTheSameBitsAndRefusesOtherSettings) {
  const ScratchFolder folder;
  const std::string out = (folder / "run").string();
  const std::vector<std::string> options{
      "--joint", "spine.flexion=20", "--skin-triangles", "0", "--no-pictures", "--out", out};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), options.begin(), options.end());
    return more;
  };
  const json whole = lived(with({"--seconds", "3"}));
  const json again = lived(with({"--seconds", "3", "--resume"}));
  EXPECT_EQ(whole["state_hash"], again["state_hash"]);
  for (const char* name : {"living.csv", "living.glb", "report.html", "summary.json", "run.toml"})
    EXPECT_GT(contentOf(folder / "run" / name).size(), 100u) << name;
  std::vector<std::string> other = with({"--seconds", "3", "--resume", "--breath", "deep"});
  other.insert(other.begin(), "live");
  const ProgramResult refused = runPneuma(other);
  EXPECT_EQ(refused.exitCode, 2);
  EXPECT_THAT(refused.err, testing::HasSubstr("breath"));
}

/// The description inside a GLB.
json glbOf(const std::filesystem::path& path) {
  const std::string bytes = contentOf(path);
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 12, sizeof length);
  return json::parse(bytes.substr(20, length));
}

TEST(LiveVerb, AnAssetIsSmallAndInLayers) {
  const ScratchFolder folder;
  const std::string out = (folder / "run").string();
  const json j = lived({"--joint", "shoulder_l.abduction=40", "--seconds", "9", "--no-pictures",
                        "--asset", "--fps", "20", "--out", out});
  EXPECT_EQ(j["loop_breaths"], 2);
  EXPECT_EQ(j["loop_seam_mm"], 0.0);
  EXPECT_LT(j["asset_bytes"].get<double>(), 3e6);
  EXPECT_EQ(j["asset_draw_calls"], 3);
  EXPECT_EQ(j["asset_skin_triangles"].size(), 3u);
  for (const char* name : {"asset.glb", "living.glb"}) {
    const json glb = glbOf(folder / "run" / name);
    ASSERT_EQ(glb["animations"].size(), 2u) << name;
    EXPECT_EQ(glb["animations"][0]["name"], "motion");
    EXPECT_EQ(glb["animations"][1]["name"], "breath");
    EXPECT_EQ(glb["meshes"][0]["extras"]["targetNames"][0], "breath_chest");
    EXPECT_EQ(glb["skins"].size(), 1u);
    EXPECT_THAT(glb["asset"]["copyright"].get<std::string>(),
                ::testing::HasSubstr("CC BY-SA 2.1 JP"));
    // As many frames a second as asked for.
    const json& input = glb["accessors"][glb["animations"][1]["samplers"][0]["input"].get<int>()];
    EXPECT_NEAR(input["max"][0].get<double>() / (input["count"].get<double>() - 1), 0.05, 1e-6);
  }
}

TEST(LiveVerb, BadSettingsAreBadInput) {
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"--breath", "casul"},
                                              {"--posture", "suppine"},
                                              {"--strides-per-breath", "2"},
                                              {"--posture", "supine", "--joint", "elbow_l=20"},
                                              {"--resume"},
                                              {"--breath", "none", "--effort", "2"},
                                              {"--fps", "30"},
                                              {"--asset"},
                                              {"--asset", "--skin-triangles", "0", "--out", "x"},
                                              {"--fps", "0"}}) {
    std::vector<std::string> command{"live"};
    command.insert(command.end(), bad.begin(), bad.end());
    const ProgramResult r = runPneuma(command);
    EXPECT_EQ(r.exitCode, 2) << bad.front();
    EXPECT_EQ(r.err.find("internal"), std::string::npos) << r.err;
  }
}

}  // namespace
}  // namespace pneuma::test
