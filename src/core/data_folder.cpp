#include "pneuma/core/data_folder.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <mutex>
#include <sstream>
#include <system_error>

#include "pneuma/core/error.h"

namespace pneuma {
namespace {

namespace fs = std::filesystem;

std::mutex givenMutex;
fs::path givenFolder;  // NOLINT: guarded by givenMutex

bool isFolder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

/// Where the system finds a program called without a folder.
fs::path findProgram(const fs::path& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    std::error_code error;
    if (fs::is_regular_file(fs::path(folder) / name, error)) return fs::path(folder) / name;
  }
  return {};
}

/// Beside the program or shared library this function is part of; empty when that is not known.
fs::path besideOurselves() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&dataFolder), &info) == 0 || !info.dli_fname) return {};
  fs::path self = info.dli_fname;
  if (!self.has_parent_path()) self = findProgram(self);
  std::error_code error;
  self = fs::canonical(self, error);
  if (error) return {};
  return (self.parent_path() / ".." / "share" / "pneuma" / "data").lexically_normal();
}

}  // namespace

void setDataFolder(const fs::path& folder) {
  const std::lock_guard lock(givenMutex);
  givenFolder = folder;
}

fs::path dataFolder() {
  {
    const std::lock_guard lock(givenMutex);
    if (!givenFolder.empty()) {
      if (isFolder(givenFolder)) return givenFolder;
      throw InputError(fmt::format("the data folder given is '{}', which is not a folder",
                                   givenFolder.string()));
    }
  }
  if (const char* set = std::getenv("PNEUMA_DATA")) {
    if (isFolder(set)) return set;
    throw InputError(fmt::format("PNEUMA_DATA names '{}', which is not a folder", set));
  }
  for (const fs::path& folder :
       {besideOurselves(), fs::path(PNEUMA_INSTALL_DATA_DIR), fs::path(PNEUMA_SOURCE_DATA_DIR)})
    if (!folder.empty() && isFolder(folder)) return folder;
  throw InputError("the data folder of Pneuma was not found; set PNEUMA_DATA to it");
}

fs::path dataFile(std::string_view relative) {
  const fs::path path = dataFolder() / relative;
  std::error_code error;
  if (!fs::exists(path, error))
    throw InputError(
        fmt::format("{}: this file of Pneuma's data folder is missing", path.string()));
  return path;
}

}  // namespace pneuma
