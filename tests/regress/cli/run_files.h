#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace pneuma::test {

/// The whole content of a file, "" when it is not there.
inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

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
  RunTest(const std::string& name, std::vector<std::string> always)
      : folder_(std::filesystem::temp_directory_path() /
                ("pneuma_" + name + "_" + std::to_string(getpid()))),
        always_(std::move(always)) {
    std::filesystem::remove_all(folder_);
  }
  ~RunTest() override { std::filesystem::remove_all(folder_); }

  std::vector<std::string> command(const std::string& run, std::vector<std::string> more) const {
    std::vector<std::string> words = always_;
    words.insert(words.end(), {"--out", (folder_ / run).string()});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  std::filesystem::path folder_;

 private:
  std::vector<std::string> always_;
};

}  // namespace pneuma::test
