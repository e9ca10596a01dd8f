#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "tests/regress/cli/run_files.h"
#include "tests/support/run_pneuma.h"

namespace pneuma::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class BreatheVerb : public RunTest {
 protected:
  BreatheVerb() : RunTest({"breathe", "--quiet", "--no-pictures"}) {}

  nlohmann::json measuresOf(std::vector<std::string> more) const {
    std::vector<std::string> words = {"breathe", "--quiet", "--no-output", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = runPneuma(words);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }
};

TEST_F(BreatheVerb, KilledAtRandomMomentsAndResumedGivesTheSameBytes) {
  // Variability draws random numbers; the sighs make every breath another.
  const std::vector<std::string> settings = {
      "--style", "sigh", "--seconds", "9", "--fps", "8", "--variability", "0.2", "--seed", "7"};
  ASSERT_EQ(runPneuma(command("whole", settings)).exitCode, 0);
  std::minstd_rand random(11);  // the same moments every time
  for (int kill = 0; kill < 3; ++kill) {
    auto words = command("killed", settings);
    if (kill > 0) words.push_back("--resume");
    const auto begin = std::chrono::steady_clock::now();
    const auto wait = std::chrono::milliseconds(100 + random() % 700);
    killProgramWhen(PNEUMA_PROGRAM, words, [&] {
      return hasCheckpoint(folder_ / "killed") && std::chrono::steady_clock::now() - begin > wait;
    });
  }
  auto resumed = command("killed", settings);
  resumed.push_back("--resume");
  const ProgramResult result = runPneuma(resumed);
  ASSERT_EQ(result.exitCode, 0) << result.err;
  for (const char* file : {"breath.csv", "breath.glb"}) {
    EXPECT_FALSE(contentOf(folder_ / "whole" / file).empty()) << file;
    EXPECT_EQ(contentOf(folder_ / "whole" / file), contentOf(folder_ / "killed" / file)) << file;
  }
  const auto hash = [&](const char* run) {
    return nlohmann::json::parse(contentOf(folder_ / run / "summary.json"))["state_hash"];
  };
  EXPECT_EQ(hash("whole"), hash("killed"));
}

TEST_F(BreatheVerb, WritesAnAssetAndAsManyFramesAsAskedFor) {
  auto words = command("run", {"--seconds", "9", "--fps", "10", "--asset", "--json"});
  const ProgramResult result = runPneuma(words);
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const nlohmann::json j = nlohmann::json::parse(result.out);
  EXPECT_GE(j["loop_breaths"].get<int>(), 1);
  EXPECT_LT(j["asset_bytes"].get<double>(), 3e6);
  EXPECT_EQ(fs::file_size(folder_ / "run" / "asset.glb"), j["asset_bytes"].get<std::size_t>());
  EXPECT_LT(fs::file_size(folder_ / "run" / "breath.glb"), 9'000'000u);
  for (const char* glb : {"asset.glb", "breath.glb"})
    EXPECT_THAT(contentOf(folder_ / "run" / glb), HasSubstr("CC BY-SA 2.1 JP")) << glb;
  EXPECT_THAT(contentOf(folder_ / "run" / "run.toml"), HasSubstr("fps = 10"));
  // A tenth of a second is a whole frame: the loop ends on one.
  const double frames = 10 * j["loop_s"].get<double>();
  EXPECT_NEAR(frames, std::round(frames), 1e-6);
}

TEST_F(BreatheVerb, ResumingWithOtherSettingsIsRefused) {
  ASSERT_EQ(runPneuma(command("run", {"--seconds", "4", "--fps", "2"})).exitCode, 0);
  const ProgramResult other =
      runPneuma(command("run", {"--seconds", "4", "--fps", "2", "--height", "163", "--resume"}));
  EXPECT_EQ(other.exitCode, 2);
  EXPECT_THAT(other.err, HasSubstr("height"));
}

TEST_F(BreatheVerb, PrintsTheMeasuresAsFlatKeys) {
  const nlohmann::json j = measuresOf({"--style", "casual", "--seconds", "12"});
  for (const char* key : {"tidal_ml", "gut_error_pct", "sternum_forward_mm", "sternum_up_mm",
                          "rib_cage_share_pct", "dome_mm", "chest_circumference_mm",
                          "below_rest_ml", "gut_pressure_pa", "realtime_factor", "shoulder_up_mm"})
    EXPECT_TRUE(j[key].is_number()) << key;
  for (const char* key : {"pump_deg", "bucket_deg"}) EXPECT_EQ(j[key].size(), 10u) << key;
  EXPECT_EQ(j["state_hash"].get<std::string>().size(), 16u);
  EXPECT_NEAR(j["tidal_ml"].get<double>(), 500, 50);
}

TEST_F(BreatheVerb, ABallOnTheCommandLineHitsTheBelly) {
  const nlohmann::json still = measuresOf({"--rate", "0", "--seconds", "1.5"});
  const nlohmann::json hit = measuresOf({"--rate", "0", "--seconds", "1.5", "--ball", "3"});
  EXPECT_LT(still["belly_mm"].get<double>(), 0.01);
  EXPECT_GT(hit["belly_mm"].get<double>(), 1);
}

/// What happens stands in the heading; quiet people say nothing about somebody who is hit or a
/// child.
TEST_F(BreatheVerb, OnlyAnAdultsBreathIsComparedWithPeople) {
  const auto text = [](std::vector<std::string> more) {
    std::vector<std::string> words{"breathe", "--seconds", "0.5", "--no-output"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = runPneuma(words);
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return result.out;
  };
  EXPECT_THAT(text({}),
              AllOf(StartsWith("man 175 cm, casual, upright\n"), HasSubstr("quiet 350-550")));
  EXPECT_THAT(text({"--rate", "0", "--ball", "3"}),
              AllOf(StartsWith("man 175 cm, breath held, a ball of 3 kg falls on the belly\n"),
                    Not(HasSubstr("quiet")), Not(HasSubstr("upright"))));
  EXPECT_THAT(text({"--age", "6", "--sex", "girl"}),
              AllOf(StartsWith("girl 114 cm, casual, upright; no ranges for children\n"),
                    Not(HasSubstr("quiet")), HasSubstr("paper < 2")));
}

/// A cough is no quiet breath: each style stands beside what is known of it.
TEST_F(BreatheVerb, EachStyleStandsBesideItsOwnRanges) {
  struct Case {
    const char *style, *seconds, *range, *other;
  };
  for (const Case& c :
       {Case{"cough", "1.7", "cough 100-300", "quiet"}, Case{"sneeze", "2.4", "sneeze 1-2", "deep"},
        Case{"laugh", "5", "laugh 1150-1950", "quiet"},
        Case{"speech", "11", "speech 40-60 / 20-40", "quiet"},
        Case{"deep", "1", "deep > 2000", "quiet"}, Case{"hiccup", "1", "paper < 2", "quiet"}}) {
    const ProgramResult result =
        runPneuma({"breathe", "--no-output", "--style", c.style, "--seconds", c.seconds});
    EXPECT_EQ(result.exitCode, 0) << result.err;
    EXPECT_THAT(result.out, AllOf(HasSubstr(c.range), Not(HasSubstr(c.other)))) << c.style;
  }
}

/// A whole body that holds its posture is what live simulates: the same state to the last bit.
TEST_F(BreatheVerb, OfAWholeBodyIsLiveWithoutMotion) {
  const nlohmann::json breathed = measuresOf(
      {"--articulation", "whole", "--posture", "supine", "--style", "deep", "--seconds", "2"});
  const ProgramResult live = runPneuma(
      {"live", "--quiet", "--json", "--posture", "supine", "--breath", "deep", "--seconds", "2"});
  ASSERT_EQ(live.exitCode, 0) << live.err;
  const nlohmann::json lived = nlohmann::json::parse(live.out);
  EXPECT_EQ(breathed["state_hash"], lived["state_hash"]);
  EXPECT_EQ(breathed["tidal_ml"], lived["tidal_ml"]);
  // A torso by itself has no hips to sit on, a whole body no ball and no paper's preset.
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"--posture", "sitting"},
                                              {"--articulation", "whole", "--ball", "3"},
                                              {"--articulation", "whole", "--preset", "zordan2005"},
                                              {"--articulation", "whole", "--manoeuvre", "mip"}}) {
    std::vector<std::string> words = {"breathe", "--quiet", "--no-output"};
    words.insert(words.end(), bad.begin(), bad.end());
    const ProgramResult refused = runPneuma(words);
    EXPECT_EQ(refused.exitCode, 2) << bad[0];
    EXPECT_THAT(refused.err, HasSubstr("articulation")) << bad[0];
  }
}

TEST_F(BreatheVerb, TakesThePersonOptionsOfBody) {
  const nlohmann::json cm = measuresOf({"--sex", "female", "--height", "163", "--seconds", "4"});
  const nlohmann::json m =
      measuresOf({"--sex", "female", "--height", "1.63", "--age", "30", "--seconds", "4"});
  EXPECT_EQ(cm["state_hash"], m["state_hash"]);
  EXPECT_NEAR(cm["frc_ml"].get<double>(), 2395, 10);  // 2530 of GLI, less by BMI 23.9
}

TEST_F(BreatheVerb, AManoeuvrePrintsFiniteFiguresBesidePeoples) {
  const nlohmann::json j = measuresOf({"--manoeuvre", "forced", "--sex", "female", "--age", "50"});
  EXPECT_EQ(j["person"]["age_years"], 50);
  for (const char* id : {"fvc", "fev1", "fev1_fvc", "peak_flow", "fef50", "fef75"})
    EXPECT_GT(j["figures"][id]["value"].get<double>(), 0) << id;
  // The ranges are those of a man of 30 years, whom alone they judge.
  EXPECT_TRUE(j["figures"]["peak_flow"].contains("people"));
  EXPECT_FALSE(j["figures"]["peak_flow"].contains("inside"));
  const nlohmann::json his = measuresOf({"--manoeuvre", "forced"});
  const nlohmann::json& peak = his["figures"]["peak_flow"];
  const double value = peak["value"];
  EXPECT_EQ(peak["inside"].get<bool>(), value >= peak["people"][0] && value <= peak["people"][1]);
}

TEST_F(BreatheVerb, AManoeuvreIsWrittenWithItsTableAndDiagram) {
  const std::string out = (folder_ / "mip").string();
  const ProgramResult result =
      runPneuma({"breathe", "--quiet", "--manoeuvre", "mip", "--out", out});
  ASSERT_EQ(result.exitCode, 0) << result.err;
  for (const char* file : {"manoeuvre.csv", "manoeuvre.svg", "report.html", "summary.json"})
    EXPECT_FALSE(contentOf(folder_ / "mip" / file).empty()) << file;
  // Another manoeuvre's results would mix with these.
  EXPECT_EQ(runPneuma({"breathe", "--quiet", "--manoeuvre", "mep", "--out", out}).exitCode, 2);
}

TEST_F(BreatheVerb, AManoeuvreRefusesAWrongNameAndWhatHasNoEffect) {
  const ProgramResult wrong = runPneuma({"breathe", "--manoeuvre", "relaxasion"});
  EXPECT_EQ(wrong.exitCode, 2);
  EXPECT_THAT(wrong.err, HasSubstr("relaxation"));
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"--style", "deep"},
                                              {"--seconds", "3"},
                                              {"--no-pictures"},
                                              {"--preset", "zordan2005"}}) {
    std::vector<std::string> words = {"breathe", "--quiet", "--manoeuvre", "mip"};
    words.insert(words.end(), bad.begin(), bad.end());
    const ProgramResult result = runPneuma(words);
    EXPECT_EQ(result.exitCode, 2) << bad[0];
    EXPECT_THAT(result.err, HasSubstr(bad[0].substr(2))) << bad[0];
  }
}

/// Forty seconds of breaths of five seconds, 40 % of each spent inhaling, with a defect.
std::string brokenRecording(const std::string& defect) {
  std::minstd_rand random(7);
  std::normal_distribution<double> noise(0, 0.354);  // the deviation of the breath: 0 dB
  std::string csv = "time [s],belt\n";
  for (int i = 0; i <= 2000; ++i) {
    const double t = i / 50.0, phase = std::fmod(t / 5, 1.0);
    const double x = phase < 0.4 ? phase / 0.4 : 1 - (phase - 0.4) / 0.6;
    double v = 0.5 - 0.5 * std::cos(3.14159265358979 * x);
    if (defect == "gap" && t > 16 && t < 24) continue;
    if (defect == "step" && t > 21) v += 3;
    if (defect == "spike" && std::abs(t - 20.3) < 0.03) v += 6;
    if (defect == "noise") v += noise(random);
    if (defect == "clipped") v = std::min(0.8, v);
    if (defect == "reversed") v = -v;
    csv += std::to_string(t) + ',' + std::to_string(v) + '\n';
  }
  return csv;
}

/// What is wrong with a recording is said before it is used: what would become a breath that was
/// none is refused until it is repaired knowingly, the rest is warned of.
TEST_F(BreatheVerb, ABrokenRecordingIsRefusedOrWarnedOf) {
  struct Case {
    const char *defect, *message, *repair;
    bool refused;
  };
  for (const Case& c :
       {Case{"gap", "1 gap(s) without samples, the longest 8.0 s", "--fill-gaps", true},
        Case{"step", "the baseline jumps 1 time(s)", "--robust", true},
        Case{"spike", "1 spike(s)", "--robust", true},
        Case{"noise", "dB above the noise: breaths may be counted that are none", "--robust",
             false},
        Case{"clipped", "are cut off flat", "", false},
        Case{"reversed", "inspiration may point down (--invert)", "--invert", false}}) {
    const fs::path file = folder_ / (std::string(c.defect) + ".csv");
    std::ofstream(file) << brokenRecording(c.defect);
    std::vector<std::string> words = {"breathe", "--no-output", "--seconds",
                                      "1",       "--volume",    file.string()};
    const ProgramResult as = runPneuma(words);
    EXPECT_EQ(as.exitCode, c.refused ? 2 : 0) << c.defect << ' ' << as.err;
    EXPECT_THAT(as.err, HasSubstr(c.message)) << c.defect;
    EXPECT_THAT(as.err, HasSubstr(c.refused ? "error" : "warning")) << c.defect;
    if (*c.repair == 0) continue;
    words.push_back(c.repair);
    const ProgramResult repaired = runPneuma(words);
    EXPECT_EQ(repaired.exitCode, 0) << c.defect << ' ' << repaired.err;
    EXPECT_THAT(repaired.err, Not(HasSubstr("error"))) << c.defect;
  }
}

TEST_F(BreatheVerb, BadSettingsAreBadInputAndWriteNothing) {
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"--style", "casul"},
                                              {"--rate", "301"},
                                              {"--height", "9"},
                                              {"--ball", "-1"},
                                              {"--preset", "zordan"},
                                              {"--volume", "/nowhere.csv"}}) {
    const ProgramResult result = runPneuma(command("run", bad));
    EXPECT_EQ(result.exitCode, 2) << bad[0] << ' ' << result.err;
    EXPECT_FALSE(fs::exists(folder_ / "run"));
  }
}

}  // namespace
}  // namespace pneuma::test
