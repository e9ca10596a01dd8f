#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/regress/cli/run_files.h"
#include "tests/support/run_pneuma.h"

namespace pneuma::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MoveVerb : public RunTest {
 protected:
  MoveVerb() : RunTest({"move", "--no-scene", "--quiet"}) {}
};

TEST_F(MoveVerb, SimulatesTheUpperBodyWithAllItsMuscles) {
  auto words = command("run", {"--activations", "random", "--seconds", "0.2", "--json"});
  std::erase(words, "--quiet");
  const ProgramResult result = runPneuma(words);
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const auto j = nlohmann::json::parse(result.out);
  EXPECT_EQ(j["dofs"], 147);
  EXPECT_EQ(j["muscles"], 814);
  EXPECT_EQ(j["frames"], 6);
  for (const char* file :
       {"joints.csv", "lengths.csv", "forces.csv", "activations.csv", "energy.csv", "run.toml"})
    EXPECT_TRUE(fs::exists(folder_ / "run" / file)) << file;
}

/// Without a word about what moves it the body greets: the right hand goes up beside the head, and
/// nothing falls over.
TEST_F(MoveVerb, GreetsUnlessToldOtherwise) {
  const ProgramResult result =
      runPneuma(command("hello", {"--no-pictures", "--fps", "5", "--articulation", "whole"}));
  ASSERT_EQ(result.exitCode, 0) << result.err;
  std::istringstream table(contentOf(folder_ / "hello" / "joints.csv"));
  std::string line;
  std::getline(table, line);
  std::vector<std::string> names;
  std::istringstream head(line);
  for (std::string name; std::getline(head, name, ',');) names.push_back(name);
  double raised = 0, bent = 0, leaned = 0;
  while (std::getline(table, line)) {
    std::istringstream row(line);
    std::size_t k = 0;
    for (std::string value; std::getline(row, value, ','); ++k) {
      if (names[k].starts_with("root_rotation"))
        leaned = std::max(leaned, std::abs(std::stod(value)));
      if (names[k].starts_with("r_shoulder")) raised = std::max(raised, std::abs(std::stod(value)));
      if (names[k].starts_with("r_elbow_flexion")) bent = std::max(bent, std::stod(value));
    }
  }
  EXPECT_GT(raised, 50);  // about any axis, without what the blade takes [degrees]
  EXPECT_GT(bent, 80);
  EXPECT_LT(leaned, 15);
}

TEST_F(MoveVerb, ResumedAfterAKillGivesTheSameBytes) {
  const std::vector<std::string> settings = {"--activations",      "random", "--seconds", "4",
                                             "--checkpoint-every", "0.5"};
  ASSERT_EQ(runPneuma(command("whole", settings)).exitCode, 0);

  killProgramWhen(PNEUMA_PROGRAM, command("killed", settings),
                  [&] { return hasCheckpoint(folder_ / "killed"); });

  auto resumed = command("killed", settings);
  resumed.push_back("--resume");
  const ProgramResult result = runPneuma(resumed);
  ASSERT_EQ(result.exitCode, 0) << result.err;
  for (const char* file : {"joints.csv", "forces.csv", "energy.csv"})
    EXPECT_EQ(contentOf(folder_ / "whole" / file), contentOf(folder_ / "killed" / file)) << file;
}

/// As `flesh pose --activation` and the body's text name them: a muscle of one side, all its lines.
TEST_F(MoveVerb, AMuscleIsAllItsLines) {
  const auto activations = [&](const char* run, const char* names) {
    const ProgramResult result =
        runPneuma(command(run, {"--activations", names, "--seconds", "0.05"}));
    EXPECT_EQ(result.exitCode, 0) << result.err;
    return contentOf(folder_ / run / "activations.csv");
  };
  EXPECT_EQ(activations("muscle", "biceps_brachii_l=0.5"),
            activations("lines", "biceps_brachii_long_l=0.5,biceps_brachii_short_l=0.5"));
  EXPECT_EQ(activations("both", "biceps_brachii=0.5"), activations("group", "Biceps brachii=0.5"));
}

TEST_F(MoveVerb, WrongActivationsAreBadInput) {
  const ProgramResult high = runPneuma(command("run", {"--activations", "1.5"}));
  EXPECT_EQ(high.exitCode, 2);
  EXPECT_THAT(high.err, HasSubstr("the constant is 1.5; expected a number in 0..1"));
  const ProgramResult unknown = runPneuma(command("run", {"--activations", "bicepz=0.5"}));
  EXPECT_EQ(unknown.exitCode, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown muscle or group 'bicepz'"));
  const ProgramResult word = runPneuma(command("run", {"--activations", "randon"}));
  EXPECT_EQ(word.exitCode, 2);
  EXPECT_THAT(word.err, HasSubstr("cannot read 'randon'; expected rest, random, a number"));
  EXPECT_THAT(word.err, HasSubstr("did you mean 'random'?"));
  const ProgramResult missing = runPneuma(command("run", {"--activations", "none.csv"}));
  EXPECT_EQ(missing.exitCode, 2);
  const ProgramResult step = runPneuma(command("run", {"--step", "0"}));
  EXPECT_EQ(step.exitCode, 2);
  EXPECT_THAT(step.err, HasSubstr("--step"));
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

}  // namespace
}  // namespace pneuma::test
