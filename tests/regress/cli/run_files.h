#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/scratch_folder.h"

namespace pneuma::test {

/// Whether a run has saved a checkpoint yet.
inline bool hasCheckpoint(const std::filesystem::path& run) {
  std::error_code error;
  const std::filesystem::path folder = run / "checkpoints";
  return std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error);
}

/// Runs of one verb, each in a subfolder of a folder that is removed afterwards.
class RunTest : public ::testing::Test {
 protected:
  /// `always`: the verb and the options of every run.
  explicit RunTest(std::vector<std::string> always) : always_(std::move(always)) {}

  std::vector<std::string> command(const std::string& run, std::vector<std::string> more) const {
    std::vector<std::string> words = always_;
    words.insert(words.end(), {"--out", (folder_ / run).string()});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  const ScratchFolder folder_;

 private:
  std::vector<std::string> always_;
};

}  // namespace pneuma::test
