#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/regress/cli/run_files.h"
#include "tests/support/run_pneuma.h"

/// What run.toml holds, and what `--resume` therefore refuses.
namespace pneuma::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

/// Runs that are resumed with something changed.
class DescribedRun : public RunTest {
 protected:
  using RunTest::RunTest;
  void refused(Words more, const char* named) const {
    more.push_back("--resume");
    const ProgramResult result = runPneuma(command("run", more));
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.err, HasSubstr("cannot resume"));
    EXPECT_THAT(result.err, HasSubstr(named));
  }
};

class RunDescriptionOfBreathe : public DescribedRun {
 protected:
  RunDescriptionOfBreathe()
      : DescribedRun({"breathe", "--quiet", "--no-pictures", "--seconds", "0.2", "--fps", "5"}) {}
};

class RunDescriptionOfMotion : public DescribedRun {
 protected:
  RunDescriptionOfMotion()
      : DescribedRun({"move", "--quiet", "--no-scene", "--no-pictures", "--joint",
                      "l_elbow_flexion=90", "--fps", "2"}) {}
};

/// The default body in one file, with one number changed.
fs::path otherBody(const ScratchFolder& folder) {
  const fs::path file = folder / "other.toml";
  EXPECT_EQ(
      runPneuma({"body", "export", "--quiet", "--format", "toml", "--out", file.string()}).exitCode,
      0);
  std::string text = contentOf(file);
  const std::size_t mass = text.find("\nmass = ");
  EXPECT_NE(mass, std::string::npos);
  text.insert(mass + 8, "1");  // a bone of 0.1 kg weighs 10.1 kg now
  std::ofstream(file) << text;
  return file;
}

TEST_F(RunDescriptionOfBreathe, HoldsEverySettingAndWhoBreathes) {
  ASSERT_EQ(runPneuma(command("run", {"--rate", "12", "--tidal", "600"})).exitCode, 0);
  const std::string toml = contentOf(folder_ / "run" / "run.toml");
  for (const char* line :
       {"style = \"casual\"", "posture = \"upright\"", "preset = \"default\"", "rate = 12",
        "tidal = 600", "seconds = 0.2", "effort = 1", "refine = 1", "kappa = 1", "ball = 0",
        "detrend = 20", "invert = false", "calibrated = false", "kind = \"auto\"",
        "height_m = ", "mass_kg = ", "age_years = ", "sex = \"male\""})
    EXPECT_THAT(toml, HasSubstr(line));
}

TEST_F(RunDescriptionOfBreathe, ResumingWithAnotherBodyOrSettingNamesIt) {
  ASSERT_EQ(runPneuma(command("run", {})).exitCode, 0);
  refused({"--body", otherBody(folder_).string()}, "body");
  refused({"--effort", "1.1"}, "settings.effort");
  refused({"--frontal", "1.02"}, "settings.person.frontal");
  EXPECT_EQ(runPneuma(command("run", {"--resume"})).exitCode, 0);
}

TEST_F(RunDescriptionOfMotion, ResumingWithAnotherBodyOrSettingNamesIt) {
  ASSERT_EQ(runPneuma(command("run", {})).exitCode, 0);
  const std::string toml = contentOf(folder_ / "run" / "run.toml");
  for (const char* line :
       {"bellies = false", "skin = false", "inverse_dynamics = false", "film = false",
        "belly_rate = 20", "seconds = 1", "fps = 2", "rhythm = true", "articulation = \"figure\""})
    EXPECT_THAT(toml, HasSubstr(line));
  refused({"--bellies"}, "settings.bellies");
  refused({"--inverse-dynamics"}, "settings.inverse_dynamics");
  refused({"--height", "1.6"}, "settings.person.height_m");
  refused({"--body", otherBody(folder_).string()}, "body");
}

}  // namespace
}  // namespace pneuma::test
