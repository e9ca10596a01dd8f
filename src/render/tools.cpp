#include "pneuma/render/tools.h"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "render/process.h"

namespace pneuma::render {
namespace {

void require(const std::string& program, const std::string& package) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (::access(((folder.empty() ? "." : folder) + "/" + program).c_str(), X_OK) == 0) return;
  internal::failNotInstalled(program, package);
}

}  // namespace

void requirePlotting() {
  require("gnuplot", "gnuplot-nox");
}
void requireFilming() {
  require("ffmpeg", "ffmpeg");
}

}  // namespace pneuma::render
