#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "tests/regress/cli/run_files.h"
#include "tests/support/run_pneuma.h"

namespace pneuma::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MuscleVerb : public RunTest {
 protected:
  MuscleVerb() : RunTest({"muscle", "--quiet", "--no-video"}) {}
};

TEST_F(MuscleVerb, ResumedAfterAKillGivesTheSameBytes) {
  // Active muscle on the implicit step, whose tangent is reused from step to step.
  const std::vector<std::string> settings = {"--grid",    "11x3x3",    "--excite",
                                             "0:0,0.5:1", "--seconds", "6"};
  ASSERT_EQ(runPneuma(command("whole", settings)).exitCode, 0);
  killProgramWhen(PNEUMA_PROGRAM, command("killed", settings),
                  [&] { return hasCheckpoint(folder_ / "killed"); });
  auto resumed = command("killed", settings);
  resumed.push_back("--resume");
  const ProgramResult result = runPneuma(resumed);
  ASSERT_EQ(result.exitCode, 0) << result.err;
  EXPECT_FALSE(contentOf(folder_ / "whole" / "muscle.csv").empty());
  EXPECT_EQ(contentOf(folder_ / "whole" / "muscle.csv"),
            contentOf(folder_ / "killed" / "muscle.csv"));
}

TEST_F(MuscleVerb, BadSettingsAreBadInputAndWriteNothing) {
  for (const std::vector<std::string>& bad : {std::vector<std::string>{"--density", "-5"},
                                              {"--grid", "0x5x5"},
                                              {"--grid", "many"},
                                              {"--integrator", "rk5"}}) {
    const ProgramResult result = runPneuma(command("run", bad));
    EXPECT_EQ(result.exitCode, 2) << bad[0] << ' ' << bad[1];
    EXPECT_THAT(result.err, HasSubstr(bad[0].substr(2))) << result.err;
    EXPECT_FALSE(fs::exists(folder_ / "run"));
  }
}

TEST_F(MuscleVerb, AStepFarTooLargeStopsCleanlyNamingTimeAndNode) {
  const ProgramResult result =
      runPneuma(command("run", {"--integrator", "rk4", "--step", "0.0083", "--seconds", "1"}));
  EXPECT_EQ(result.exitCode, 1);
  EXPECT_THAT(result.err, HasSubstr("stopped at t = "));
  EXPECT_THAT(result.err, HasSubstr("node"));
  EXPECT_FALSE(fs::exists(folder_ / "run" / "muscle.csv"));
}

TEST_F(MuscleVerb, AMeshInMillimetresIsRefusedWithTheRemedy) {
  // A closed tetrahedron 200 units long.
  const fs::path mesh = folder_ / "long.obj";
  std::ofstream(mesh) << "v 0 0 0\nv 200 0 0\nv 0 20 0\nv 0 0 20\n"
                         "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const ProgramResult result = runPneuma(command("run", {"--mesh", mesh.string()}));
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.err, HasSubstr("--mesh-scale 0.001"));
  EXPECT_FALSE(fs::exists(folder_ / "run"));
}

TEST_F(MuscleVerb, ACurlShowsTheFiguresBonesAndBellies) {
  const ProgramResult result =
      runPneuma(command("run", {"--preset", "biceps", "--curl", "0:60", "--grid", "11x3x3",
                                "--excite", "0.1:0.5", "--seconds", "0.5"}));
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const std::string glb = contentOf(folder_ / "run" / "muscle.glb");
  for (const char* part : {"\"humerus_l\"", "\"radius_l\"", "\"fig_biceps_long_l\""})
    EXPECT_NE(glb.find(part), std::string::npos) << part;
}

class DobsikReproduction : public RunTest {
 protected:
  DobsikReproduction() : RunTest({"reproduce", "dobsik", "--quick", "--quiet"}) {}
};

TEST_F(DobsikReproduction, ResumedAfterAKillGivesTheSameNumbers) {
  killProgramWhen(PNEUMA_PROGRAM, command("killed", {}),
                  [&] { return hasCheckpoint(folder_ / "killed"); });
  ASSERT_FALSE(fs::exists(folder_ / "killed" / "numbers.json"));
  ASSERT_EQ(runPneuma(command("killed", {"--resume"})).exitCode, 0);
  ASSERT_EQ(runPneuma(command("whole", {})).exitCode, 0);
  EXPECT_FALSE(contentOf(folder_ / "whole" / "numbers.json").empty());
  EXPECT_EQ(contentOf(folder_ / "whole" / "numbers.json"),
            contentOf(folder_ / "killed" / "numbers.json"));
  // What a method does not have is left empty: no number that is none.
  int tables = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_ / "whole")) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".csv" && ending != ".json") continue;
    ++tables;
    const std::string text = contentOf(entry.path());
    EXPECT_FALSE(std::regex_search(text, std::regex("(^|[,:\\s])-?(nan|inf)", std::regex::icase)))
        << entry.path();
  }
  EXPECT_GE(tables, 2);
}

}  // namespace
}  // namespace pneuma::test
