#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

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

}  // namespace pneuma::test
