#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace pneuma::test {

/// Folder of real data beside the repository (anatomy, characters, breath, motion), or an empty
/// path when it is not there. Tests that need it skip with a message then.
inline std::filesystem::path sharedData(const std::string& folder) {
  const char* set = std::getenv("PNEUMA_SHARED");
  const std::filesystem::path root =
      set != nullptr ? std::filesystem::path(set)
                     : std::filesystem::path(PNEUMA_SOURCE_DIR) / ".." / "shared";
  const std::filesystem::path path = root / folder;
  return std::filesystem::is_directory(path) ? path : std::filesystem::path();
}

}  // namespace pneuma::test
