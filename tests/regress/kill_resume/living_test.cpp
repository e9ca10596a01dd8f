#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/regress/kill_resume/wait_for.h"
#include "tests/support/scratch_folder.h"

extern char** environ;

/// `pneuma live` killed after its first checkpoint and taken up again.
namespace pneuma {
namespace {

namespace fs = std::filesystem;

pid_t startLiving(const fs::path& folder, const char* threads, bool resume) {
  const std::string place = folder.string();
  std::vector<const char*> arguments{
      PNEUMA_PROGRAM,     "live",  "--posture", "supine",     "--seconds",     "12",
      "--skin-triangles", "0",     "--fps",     "5",          "--no-pictures", "--quiet",
      "--threads",        threads, "--out",     place.c_str()};
  if (resume) arguments.push_back("--resume");
  arguments.push_back(nullptr);
  pid_t child = -1;
  ::posix_spawn(&child, PNEUMA_PROGRAM, nullptr, nullptr,
                const_cast<char* const*>(arguments.data()), environ);
  return child;
}

std::string stateHash(const fs::path& folder) {
  std::ifstream in(folder / "summary.json");
  return nlohmann::json::parse(in).at("state_hash").get<std::string>();
}

bool hasCheckpoint(const fs::path& folder) {
  if (!fs::exists(folder)) return false;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".checkpoint") return true;
  return false;
}

TEST(KillResumeLiving, EndsWithTheBitsOfARunThatWasNotStopped) {
  const test::ScratchFolder root;
  ASSERT_EQ(test::waitFor(startLiving(root / "whole", "1", false)), 0);
  const pid_t child = startLiving(root / "cut", "1", false);
  for (int i = 0; i < 6000 && !hasCheckpoint(root / "cut"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, SIGKILL);
  test::waitFor(child);
  ASSERT_TRUE(hasCheckpoint(root / "cut"));
  ASSERT_EQ(test::waitFor(startLiving(root / "cut", "2", true)), 0);
  EXPECT_EQ(stateHash(root / "cut"), stateHash(root / "whole"));
}

}  // namespace
}  // namespace pneuma
