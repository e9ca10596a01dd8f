#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/run_program.h"
#include "tests/support/scratch_folder.h"

/// A population through a real Slurm of one node, two of its units killed.
namespace pneuma {
namespace {

namespace fs = std::filesystem;
using test::ProgramResult;
using Words = std::vector<std::string>;

/// Eight by `make prove-slurm`.
const int kPeople = std::getenv("PNEUMA_PROVE") != nullptr ? 8 : 4;
const std::string kScript = std::string(PNEUMA_SOURCE_DIR) + "/scripts/slurm_here.sh";

bool installed(const char* program) {
  return test::runProgram("/bin/sh", {"-c", std::string("command -v ") + program}).exitCode == 0;
}

/// Slurm as long as it lives.
class OneNode {
 public:
  explicit OneNode(const fs::path& folder) : folder_(folder) {
    const ProgramResult started = test::runProgram(kScript, {"start", folder.string()});
    running_ = started.exitCode == 0;
    reason_ = started.err;
    ::setenv("SLURM_CONF", (folder / "slurm.conf").c_str(), 1);
  }
  ~OneNode() { test::runProgram(kScript, {"stop", folder_.string()}); }
  OneNode(const OneNode&) = delete;
  OneNode& operator=(const OneNode&) = delete;

  bool running() const { return running_; }
  const std::string& reason() const { return reason_; }

 private:
  fs::path folder_;
  bool running_ = false;
  std::string reason_;
};

Words words(const fs::path& out, const Words& more) {
  Words all{"population", "--people", std::to_string(kPeople),
            "--trials",   "short",    "--frames",
            "3",          "--json",   "--out",
            out.string()};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// The first process that does a unit of this folder; 0: none.
pid_t findUnit(const fs::path& out) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream in(entry.path() / "cmdline");
    const std::string line((std::istreambuf_iterator<char>(in)), {});
    if (line.find("--unit") != std::string::npos && line.find(out.string()) != std::string::npos &&
        line.find("/pneuma") != std::string::npos && line.find("/bin/sh") == std::string::npos)
      return static_cast<pid_t>(std::atoi(entry.path().filename().c_str()));
  }
  return 0;
}

TEST(Slurm, TwoKilledUnitsAreDoneAgainWithTheSameBits) {
  for (const char* program : {"sbatch", "slurmctld", "slurmd", "munged"})
    if (!installed(program)) GTEST_SKIP() << program << " is not installed";
  if (::geteuid() != 0) GTEST_SKIP() << "a Slurm of one's own needs root";
  const test::ScratchFolder root;
  const OneNode slurm(root / "slurm");
  if (!slurm.running()) GTEST_SKIP() << slurm.reason();
  const fs::path far = root / "far", near = root / "near";
  // Two units die as soon as they are seen.
  std::jthread killer([&](const std::stop_token& stop) {
    int killed = 0;
    while (killed < 2 && !stop.stop_requested()) {
      if (const pid_t unit = findUnit(far)) {
        ::kill(unit, SIGKILL);
        ++killed;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
  });
  const ProgramResult cluster =
      test::runProgram(PNEUMA_PROGRAM, words(far, {"--cluster", "slurm", "--wait"}));
  killer.request_stop();
  ASSERT_EQ(cluster.exitCode, 0) << cluster.err;
  const ProgramResult local = test::runProgram(PNEUMA_PROGRAM, words(near, {"--quiet"}));
  ASSERT_EQ(local.exitCode, 0) << local.err;
  const auto a = nlohmann::json::parse(cluster.out), b = nlohmann::json::parse(local.out);
  EXPECT_TRUE(a.at("complete").get<bool>());
  EXPECT_EQ(a.at("data_hash"), b.at("data_hash"));
}

}  // namespace
}  // namespace pneuma
