#include "pneuma/core/data_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <system_error>

#include "pneuma/core/error.h"

namespace pneuma {

std::filesystem::path dataFolder() {
  namespace fs = std::filesystem;
  if (const char* set = std::getenv("PNEUMA_DATA")) {
    if (fs::is_directory(set)) return set;
    throw InputError(fmt::format("PNEUMA_DATA names '{}', which is not a folder", set));
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path() / ".." / "share" / "pneuma" / "data";
  if (!error && fs::is_directory(installed)) return installed.lexically_normal();
  if (fs::is_directory(PNEUMA_SOURCE_DATA_DIR)) return PNEUMA_SOURCE_DATA_DIR;
  throw InputError("the data folder of Pneuma was not found; set PNEUMA_DATA to it");
}

std::filesystem::path dataFile(std::string_view relative) {
  const std::filesystem::path path = dataFolder() / relative;
  if (!std::filesystem::exists(path))
    throw InputError(
        fmt::format("{}: this file of Pneuma's data folder is missing", path.string()));
  return path;
}

}  // namespace pneuma
