#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/regress/cli/run_files.h"
#include "tests/support/run_pneuma.h"
#include "tests/support/shared_data.h"

namespace pneuma::test {
namespace {

using ::testing::HasSubstr;

class FitResume : public RunTest {
 protected:
  FitResume() : RunTest({"fit", "--quiet", "--no-pictures", "--sex", "male", "--fps", "5"}) {}

  void expectRefused(std::vector<std::string> more, const char* why) const {
    more.push_back("--resume");
    const ProgramResult result = runPneuma(command("killed", std::move(more)));
    EXPECT_EQ(result.exitCode, 2) << why;
    EXPECT_THAT(result.err, HasSubstr("cannot resume"));
    EXPECT_THAT(result.err, HasSubstr(why));
  }
};

TEST_F(FitResume, KilledAfterAStageAndResumedGivesTheSameBytes) {
  const auto data = sharedData("characters");
  if (data.empty()) GTEST_SKIP() << "no shared characters";
  const std::filesystem::path man = folder_ / "man.obj";
  std::filesystem::copy_file(data / "male_average.obj", man);
  std::filesystem::permissions(man, std::filesystem::perms::owner_write,
                               std::filesystem::perm_options::add);
  killProgramWhen(PNEUMA_PROGRAM, command("killed", {man.string()}),
                  [&] { return hasCheckpoint(folder_ / "killed"); });
  ASSERT_TRUE(hasCheckpoint(folder_ / "killed"));
  ASSERT_FALSE(std::filesystem::exists(folder_ / "killed" / "summary.json"));
  // Another person, another file, another content of the same file.
  expectRefused({man.string(), "--age", "50"}, "settings.age");
  expectRefused({(data / "male_thin.obj").string()}, "settings.character");
  const std::string content = contentOf(man);
  folder_.put("man.obj", contentOf(data / "male_thin.obj"));
  expectRefused({man.string()}, "settings.character_hash");
  folder_.put("man.obj", content);

  const ProgramResult resumed = runPneuma(command("killed", {man.string(), "--resume"}));
  ASSERT_EQ(resumed.exitCode, 0) << resumed.err;
  const ProgramResult whole = runPneuma(command("whole", {man.string()}));
  ASSERT_EQ(whole.exitCode, 0) << whole.err;
  for (const char* file : {"man.toml", "man.pc2", "man_preview.glb", "summary.json"}) {
    EXPECT_FALSE(contentOf(folder_ / "whole" / file).empty()) << file;
    EXPECT_EQ(contentOf(folder_ / "whole" / file), contentOf(folder_ / "killed" / file)) << file;
  }
  EXPECT_FALSE(hasCheckpoint(folder_ / "killed"));
}

}  // namespace
}  // namespace pneuma::test
