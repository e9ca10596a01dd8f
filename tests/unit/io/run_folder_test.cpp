#include "pneuma/io/run_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/scratch_folder.h"

namespace pneuma::io {
namespace {

using test::contentOf;
using test::ScratchFolder;

using ::testing::HasSubstr;

RunDescription example() {
  return {.command = "pneuma breathe --out x",
          .verb = "breathe",
          .version = "0.1.0",
          .bodyHash = "00ff",
          .seed = 12345678901234567890ull,
          .settings = {{"style", "quiet \"a\""},
                       {"dt", 0.001},
                       {"whole", 2.0},
                       {"steps", 100},
                       {"flags", {true, false}},
                       {"lung", {{"stiffness", 1e3}, {"deep", {{"x", -1}}}}}}};
}

std::string openError(const std::filesystem::path& folder, const RunDescription& d, bool resume) {
  try {
    RunFolder::open(folder, d, resume);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(RunFolder, DescribesItselfInToml) {
  const ScratchFolder folder;
  RunFolder::open(folder / "run", example(), false);
  EXPECT_EQ(contentOf(folder / "run/run.toml"),
            "command = \"pneuma breathe --out x\"\nverb = \"breathe\"\nstate = "
            "\"running\"\nversion = \"0.1.0\"\n"
            "body = \"00ff\"\nseed = \"12345678901234567890\"\n\n[settings]\n"
            "style = \"quiet \\\"a\\\"\"\ndt = 0.001\nwhole = 2.0\nsteps = 100\n"
            "flags = [true, false]\n\n[settings.lung]\nstiffness = 1000.0\n\n"
            "[settings.lung.deep]\nx = -1\n");
}

TEST(RunFolder, LeavesTheRunOfAnotherVerbAlone) {
  const ScratchFolder folder;
  RunFolder::open(folder / "run", example(), false).saveCheckpoint(1, "state");
  const std::string before = contentOf(folder / "run/run.toml");
  RunDescription other = example();
  other.verb = "muscle";
  for (const bool resume : {false, true})
    EXPECT_THAT(openError(folder / "run", other, resume),
                HasSubstr("holds a run of 'pneuma breathe'; left alone; expected a new folder, an "
                          "empty one or that of a former 'pneuma muscle'"));
  EXPECT_EQ(contentOf(folder / "run/run.toml"), before);
  EXPECT_TRUE(std::filesystem::exists(folder / "run/checkpoints/000000000001.checkpoint"));
}

TEST(RunFolder, RefusesToResumeFromADeeplyNestedDescription) {
  const ScratchFolder folder;
  { RunFolder::open(folder / "run", example(), false); }
  std::string deep = "a";
  for (int i = 0; i < 300000; ++i) deep += ".a";
  std::ofstream(folder / "run/run.toml") << "x = 1\n" << deep << " = 1\n";
  EXPECT_THAT(openError(folder / "run", example(), true),
              HasSubstr("run.toml:2: a dotted key is too deep"));
}

TEST(RunFolder, ResumesWithTheSameSettingsFromTheLastCheckpoint) {
  const ScratchFolder folder;
  {
    RunFolder run = RunFolder::open(folder / "run", example(), false);
    EXPECT_FALSE(run.lastCheckpoint());
    for (std::uint64_t n = 1; n <= 4; ++n) run.saveCheckpoint(n * 10, "state " + std::to_string(n));
  }
  RunFolder run = RunFolder::open(folder / "run", example(), true);
  const auto checkpoint = run.lastCheckpoint();
  ASSERT_TRUE(checkpoint);
  EXPECT_EQ(checkpoint->step, 40u);
  EXPECT_EQ(checkpoint->state, "state 4");
  EXPECT_FALSE(std::filesystem::exists(folder / "run/checkpoints/000000000020.checkpoint"));
  EXPECT_TRUE(std::filesystem::exists(folder / "run/checkpoints/000000000030.checkpoint"));
}

TEST(RunFolder, FallsBackToTheOlderCheckpointWhenTheNewestIsDamaged) {
  const ScratchFolder folder;
  RunFolder run = RunFolder::open(folder / "run", example(), false);
  run.saveCheckpoint(10, "ten");
  run.saveCheckpoint(20, "twenty");
  folder.put("run/checkpoints/000000000020.checkpoint", "garbage");
  EXPECT_EQ(run.lastCheckpoint()->state, "ten");
  folder.put("run/checkpoints/000000000010.checkpoint", "");
  EXPECT_FALSE(run.lastCheckpoint());
}

TEST(RunFolder, ACheckpointRenamedToALaterStepIsNotTaken) {
  const ScratchFolder folder;
  RunFolder run = RunFolder::open(folder / "run", example(), false);
  run.saveCheckpoint(10, "ten");
  std::filesystem::rename(folder / "run/checkpoints/000000000010.checkpoint",
                          folder / "run/checkpoints/000000000900.checkpoint");
  EXPECT_FALSE(run.lastCheckpoint().has_value());
}

TEST(RunFolder, ResumesARunWhosePathsAreNotUtf8) {
  const ScratchFolder folder;
  RunDescription d = example();
  d.command = "pneuma breathe --out \xff\xfe";
  d.settings["volume"] = "a\xc3\xa9\xe2\x82.csv";  // a whole character, and a broken one
  const auto path = folder / "run\xff";
  RunFolder::open(path, d, false).saveCheckpoint(1, "one");
  EXPECT_TRUE(RunFolder::open(path, d, true).lastCheckpoint().has_value());
  EXPECT_THAT(contentOf(path / "run.toml"), HasSubstr("a\xc3\xa9\xef\xbf\xbd"));
}

TEST(RunFolder, RefusesToResumeWithOtherSettingsAndNamesEachDifference) {
  const ScratchFolder folder;
  RunFolder::open(folder / "run", example(), false);
  const std::string before = contentOf(folder / "run/run.toml");
  RunDescription other = example();
  other.command = "pneuma breathe --resume";  // may differ
  other.settings["dt"] = 0.002;
  other.settings["lung"]["deep"].erase("x");
  other.version = "0.2.0";
  const std::string file = (folder / "run/run.toml").string();
  EXPECT_EQ(
      openError(folder / "run", other, true),
      file +
          ": cannot resume: field 'settings.dt': is 0.001 in the run to resume, but 0.002 now\n" +
          file +
          ": cannot resume: field 'settings.lung.deep.x': is -1 in the run to resume, and absent "
          "now\n" +
          file +
          ": cannot resume: field 'version': is '0.1.0' in the run to resume, but '0.2.0' now");
  EXPECT_EQ(contentOf(folder / "run/run.toml"), before);
}

TEST(RunFolder, LeavesAnUnrelatedFolderAlone) {
  const ScratchFolder folder;
  folder.put("thesis.tex", "years of work");
  EXPECT_THAT(openError(folder.path(), example(), false), HasSubstr("holds files but no run"));
  EXPECT_THAT(openError(folder.path(), example(), true), HasSubstr("holds files but no run"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                          std::filesystem::directory_iterator()),
            1);
  EXPECT_THAT(openError(folder / "thesis.tex", example(), false), HasSubstr("is a file"));
}

TEST(RunFolder, StartingAnewDropsOldCheckpointsAndKeepsOldResults) {
  const ScratchFolder folder;
  {
    RunFolder run = RunFolder::open(folder / "run", example(), false);
    run.saveCheckpoint(10, "old");
    folder.put("run/breath.csv", "old result");
  }
  RunDescription other = example();
  other.seed = 3;
  RunFolder run = RunFolder::open(folder / "run", other, false);
  EXPECT_FALSE(run.lastCheckpoint());
  EXPECT_EQ(contentOf(run.file("breath.csv")), "old result");
}

TEST(RunFolder, AFinishedRunSaysSoWhenResumed) {
  const ScratchFolder folder;
  {
    RunFolder run = RunFolder::open(folder / "run", example(), false);
    run.saveCheckpoint(10, "x");
    EXPECT_FALSE(run.alreadyComplete());
    run.finish();
  }
  EXPECT_TRUE(RunFolder::open(folder / "run", example(), true).alreadyComplete());
  EXPECT_FALSE(std::filesystem::exists(folder / "run/checkpoints"));
  EXPECT_FALSE(RunFolder::open(folder / "run", example(), false).alreadyComplete());
}

TEST(RunFolder, IsUsedByOneProcessAtATime) {
  const ScratchFolder folder;
  RunFolder run = RunFolder::open(folder / "run", example(), false);
  EXPECT_THAT(openError(folder / "run", example(), true), HasSubstr("in use by another run"));
}

TEST(RunFolder, ReportsABrokenDescriptionWithItsLine) {
  const ScratchFolder folder;
  folder.put("run.toml", "version = \"1\"\nseed = = 3\n");
  EXPECT_THAT(openError(folder.path(), example(), true), HasSubstr("run.toml:2: "));
}

}  // namespace
}  // namespace pneuma::io
