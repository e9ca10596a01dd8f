#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "pneuma/core/random.h"
#include "tests/regress/kill_resume/wait_for.h"
#include "tests/support/scratch_folder.h"

extern char** environ;

namespace pneuma {
namespace {

namespace fs = std::filesystem;
using test::contentOf;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr const char* kSteps = "1000";

pid_t start(const fs::path& folder, bool resume) {
  const std::string place = folder.string();
  std::vector<const char*> arguments{PNEUMA_TOY_RUN, place.c_str(), kSteps};
  if (resume) arguments.push_back("--resume");
  arguments.push_back(nullptr);
  pid_t child = -1;
  ::posix_spawn(&child, PNEUMA_TOY_RUN, nullptr, nullptr,
                const_cast<char* const*>(arguments.data()), environ);
  return child;
}

/// Runs to the end, or kills after `life`; true when the process had ended by itself.
bool runFor(const fs::path& folder, bool resume, std::optional<Seconds> life) {
  const pid_t child = start(folder, resume);
  if (life) {
    std::this_thread::sleep_for(*life);
    ::kill(child, SIGKILL);
  }
  const int status = test::waitFor(child);
  EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "exit " << WEXITSTATUS(status);
  return WIFEXITED(status);
}

class KillResume : public ::testing::Test {
 protected:
  KillResume() {
    // The shorter of two: a first run that waits for the disk would place every kill behind the
    // end.
    wholeTime_ = Seconds(1e9);
    for (const char* folder : {"warm", "whole"}) {
      const auto begin = Clock::now();
      EXPECT_TRUE(runFor(root_ / folder, false, std::nullopt));
      wholeTime_ = std::min<Seconds>(wholeTime_, Clock::now() - begin);
    }
    for (const char* name : kResults) whole_.push_back(contentOf(root_ / "whole" / name));
    EXPECT_FALSE(whole_[0].empty());
  }

  /// Every result that exists is the complete one; `allowed` may stand there instead.
  void expectCompleteOr(const fs::path& folder, const std::string& allowed) {
    for (std::size_t i = 0; i < whole_.size(); ++i) {
      if (!fs::exists(folder / kResults[i])) continue;
      const std::string content = contentOf(folder / kResults[i]);
      EXPECT_TRUE(content == whole_[i] || content == allowed) << kResults[i] << " is half written";
    }
  }

  static constexpr std::array<const char*, 2> kResults{"motion.csv", "summary.json"};
  const test::ScratchFolder root_;
  Seconds wholeTime_{};
  std::vector<std::string> whole_;
};

TEST_F(KillResume, ARunKilledAtRandomMomentsEndsWithTheSameBits) {
  Random random(2024);
  int kills = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const fs::path folder = root_ / ("trial_" + std::to_string(trial));
    bool done = runFor(folder, false, random.uniform() * wholeTime_);
    kills += !done;
    for (int attempt = 0; attempt < 12 && !done; ++attempt) {
      expectCompleteOr(folder, "");
      done = runFor(folder, true, random.uniform() * 0.5 * wholeTime_);
      kills += !done;
    }
    if (!done) runFor(folder, true, std::nullopt);
    for (std::size_t i = 0; i < whole_.size(); ++i)
      EXPECT_EQ(contentOf(folder / kResults[i]), whole_[i]) << kResults[i] << " in trial " << trial;
    for (const auto& entry : fs::directory_iterator(folder))
      EXPECT_NE(entry.path().extension(), ".tmp") << "left behind: " << entry.path();
  }
  RecordProperty("kills", kills);
  EXPECT_GE(kills, 6) << "too few kills hit a living process to mean anything";
}

TEST_F(KillResume, OldResultsStayUntilTheNewOnesAreComplete) {
  Random random(7);
  const fs::path folder = root_ / "again";
  runFor(folder, false, std::nullopt);
  for (int trial = 0; trial < 10; ++trial) {
    for (const char* name : kResults) std::ofstream(folder / name) << "old";
    runFor(folder, false, random.uniform(0.3, 1.1) * wholeTime_);
    for (const char* name : kResults) EXPECT_TRUE(fs::exists(folder / name)) << name;
    expectCompleteOr(folder, "old");
  }
}

TEST_F(KillResume, ADamagedCheckpointCostsOnlyTime) {
  const fs::path folder = root_ / "damaged";
  bool done = true;
  for (int i = 0; i < 20 && done; ++i) done = runFor(folder, false, 0.5 * wholeTime_);
  ASSERT_FALSE(done) << "the run always ended before it could be killed";
  fs::path newest;
  if (fs::exists(folder / "checkpoints"))
    for (const auto& entry : fs::directory_iterator(folder / "checkpoints"))
      if (entry.path().extension() == ".checkpoint" && entry.path() > newest) newest = entry.path();
  if (!newest.empty()) fs::resize_file(newest, fs::file_size(newest) / 2);
  EXPECT_TRUE(runFor(folder, true, std::nullopt));
  for (std::size_t i = 0; i < whole_.size(); ++i)
    EXPECT_EQ(contentOf(folder / kResults[i]), whole_[i]);
}

}  // namespace
}  // namespace pneuma
