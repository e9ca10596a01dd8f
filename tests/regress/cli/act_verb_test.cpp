#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/regress/cli/run_files.h"
#include "tests/support/run_pneuma.h"

namespace pneuma::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ActVerb : public RunTest {
 protected:
  ActVerb() : RunTest({"act", "--quiet", "--no-pictures"}) {}
};

/// Rows of numbers below the header of a CSV, without its comments.
std::vector<std::vector<double>> rowsOf(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::vector<double>> rows;
  bool header = true;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with('#')) continue;
    if (std::exchange(header, false)) continue;
    std::vector<double> row;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    rows.push_back(std::move(row));
  }
  return rows;
}

TEST_F(ActVerb, ACurlFollowsItsPosesByBoundedActivations) {
  auto words = command("run", {"--no-film", "curl", "--seconds", "1", "--json"});
  std::erase(words, "--quiet");
  std::erase(words, "--no-pictures");
  const ProgramResult result = runPneuma(words);
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const auto j = nlohmann::json::parse(result.out);
  EXPECT_EQ(j["muscles"], 814);
  EXPECT_LT(j["largest_error_rad"], 0.01);
  EXPECT_TRUE(j["out_of_strength"].empty());

  const auto activations = rowsOf(folder_ / "run" / "activations.csv");
  ASSERT_EQ(activations.size(), 31u);
  for (std::size_t k = 0; k < activations.size(); ++k)  // as far apart as a film plays them
    EXPECT_NEAR(activations[k][0], static_cast<double>(k) / 30, 1e-6);
  double largest = 0;
  for (const auto& row : activations) {
    ASSERT_EQ(row.size(), 815u);
    for (std::size_t i = 1; i < row.size(); ++i) {
      ASSERT_GE(row[i], 0);
      ASSERT_LE(row[i], 1);
      largest = std::max(largest, row[i]);
    }
  }
  EXPECT_GT(largest, 0.1);
  for (const char* file : {"joints.csv", "errors.csv", "torque_asked.csv", "torque_given.csv"})
    for (const auto& row : rowsOf(folder_ / "run" / file))
      for (const double x : row) ASSERT_TRUE(std::isfinite(x)) << file;
  for (const char* file : {"still.png", "activations.svg", "tracking.svg", "act.glb", "report.html",
                           "report.md", "run.toml"})
    EXPECT_FALSE(contentOf(folder_ / "run" / file).empty()) << file;
}

TEST_F(ActVerb, MoreWeightAsksForMoreActivation) {
  const auto sum = [&](const std::string& run, std::vector<std::string> more) {
    more.insert(more.end(), {"hold", "--seconds", "0.1"});
    const ProgramResult result = runPneuma(command(run, more));
    EXPECT_EQ(result.exitCode, 0) << result.err;
    double total = 0;
    for (const auto& row : rowsOf(folder_ / run / "activations.csv"))
      for (std::size_t i = 1; i < row.size(); ++i) total += row[i];
    return total;
  };
  EXPECT_GT(sum("heavy", {"--load", "4kg@hand_r"}), sum("free", {}));
}

TEST_F(ActVerb, ResumedAfterAKillGivesTheSameBytes) {
  const std::vector<std::string> settings = {"trunk-bend", "--seconds", "0.5", "--checkpoint-every",
                                             "0.1"};
  ASSERT_EQ(runPneuma(command("whole", settings)).exitCode, 0);
  killProgramWhen(PNEUMA_PROGRAM, command("killed", settings),
                  [&] { return hasCheckpoint(folder_ / "killed"); });
  auto resumed = command("killed", settings);
  resumed.push_back("--resume");
  const ProgramResult result = runPneuma(resumed);
  ASSERT_EQ(result.exitCode, 0) << result.err;
  for (const char* file : {"joints.csv", "activations.csv", "torque_given.csv"})
    EXPECT_EQ(contentOf(folder_ / "whole" / file), contentOf(folder_ / "killed" / file)) << file;
}

TEST_F(ActVerb, WhatIsNotUnderstoodIsBadInputWithTheNearestName) {
  const fs::path poses = folder_ / "poses.csv";
  std::ofstream(poses) << "time,elbo_r\n0,10\n1,90\n";
  const fs::path stretched = folder_ / "stretched.csv";
  std::ofstream(stretched) << "time,elbow_r\n0,10\n1,900\n";
  struct Case {
    std::vector<std::string> words;
    std::vector<std::string> said;
  };
  for (const Case& c :
       {Case{{"crul"}, {"unknown exercise 'crul'", "'curl'"}},
        Case{{"--load", "5kg@hand_x"}, {"--load", "hand_x", "'hand_"}},
        Case{{"--load", "-5kg@hand_r"}, {"--load", "negative"}},
        Case{{"--load", "heavy"}, {"--load", "heavy"}},
        Case{{"--coactivation", "amrs=0.5"}, {"--coactivation", "'arms'"}},
        Case{{"--poses", poses.string()}, {"poses.csv:1", "elbo_r", "'elbow"}},
        Case{{"--poses", stretched.string()}, {"stretched.csv:3", "elbow", "145 degrees"}},
        Case{{"curl", "--poses", poses.string()}, {"--poses"}},
        Case{{"--motion", poses.string()}, {"poses.csv"}},
        Case{{"--motion", "no.bvh", "--articulation", "upper-body"}, {"--motion", "'whole'"}},
        Case{{"curl", "--motion", "no.bvh"}, {"--motion", "stands beside another"}},
        Case{{"--seconds", "-1"}, {"--seconds"}}}) {
    const ProgramResult result = runPneuma(command("run", c.words));
    EXPECT_EQ(result.exitCode, 2) << c.words[0] << result.err;
    for (const std::string& text : c.said) EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_FALSE(fs::exists(folder_ / "run"));
  }
}

class Lee2009Reproduction : public RunTest {
 protected:
  Lee2009Reproduction() : RunTest({"reproduce", "lee2009", "--quick"}) {}
};

TEST_F(Lee2009Reproduction, PutsThePapersNumbersBesideOurs) {
  const ProgramResult result = runPneuma(command("run", {"--json"}));
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const auto j = nlohmann::json::parse(result.out);
  EXPECT_LT(j["curl_error_rad"], 0.01);
  EXPECT_LT(j["pectoral_dance_error_rad"], 0.01);
  EXPECT_LT(j["rib_breath_error_rad"], 0.01);
  EXPECT_LT(j["coactivation_torque_apart"], 1e-6);
  EXPECT_GT(j["elbow_stiffness_nm_rad"][2], 1.2 * j["elbow_stiffness_nm_rad"][0].get<double>());
  EXPECT_GT(j["load_jump_dip_degrees"], 10 * j["load_jump_dip_at_once_degrees"].get<double>());
  EXPECT_GT(j["rib_breath_litres"], 0.1);
  EXPECT_GT(j["sensitivity_pcsa_small_share"], 0.9);  // as the paper's
  EXPECT_LE(j["components_99"], 100);
  const std::string report = contentOf(folder_ / "run" / "report.md");
  for (const char* text : {"Fig. 1:", "Fig. 14", "Fig. 15", "Fig. 16", "Fig. 17", "pectoral dance",
                           "principal components", "How the paper was read"})
    EXPECT_THAT(report, HasSubstr(text));
}

}  // namespace
}  // namespace pneuma::test
