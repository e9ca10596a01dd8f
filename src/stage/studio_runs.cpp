#include "pneuma/stage/studio_runs.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "pneuma/core/hash.h"

namespace pneuma::stage {
namespace {

namespace fs = std::filesystem;

constexpr int kRunLevels = 3;
constexpr std::size_t kMostRuns = 200;

struct FoundRun {
  fs::file_time_type time;
  StudioRun run;
};

bool isPlainFile(const fs::path& file) {
  std::error_code error;
  return fs::symlink_status(file, error).type() == fs::file_type::regular;
}

std::string timeText(fs::file_time_type time) {
  const auto onClock = std::chrono::file_clock::to_sys(time);
  const std::time_t seconds = std::chrono::system_clock::to_time_t(
      std::chrono::time_point_cast<std::chrono::system_clock::duration>(onClock));
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(seconds));
}

void collect(const fs::path& root, const fs::path& folder, int levels,
             std::vector<FoundRun>& found) {
  const fs::path report = folder / "report.html";
  if (isPlainFile(folder / "run.toml") && isPlainFile(report)) {
    std::error_code error;
    const fs::file_time_type time = fs::last_write_time(report, error);
    const std::string name =
        folder == root ? "." : folder.lexically_relative(root).generic_string();
    Hash64 hash;
    hash.text(name);
    if (!error) found.push_back({time, {hash.hex(), name, timeText(time), report}});
  }
  if (levels == 0) return;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->symlink_status(error).type() == fs::file_type::directory)
      collect(root, it->path(), levels - 1, found);
}

}  // namespace

std::vector<StudioRun> findRuns(const fs::path& folder) {
  std::vector<FoundRun> found;
  collect(folder, folder, kRunLevels, found);
  std::sort(found.begin(), found.end(), [](const FoundRun& a, const FoundRun& b) {
    return a.time != b.time ? a.time > b.time : a.run.name < b.run.name;
  });
  if (found.size() > kMostRuns) found.resize(kMostRuns);
  std::vector<StudioRun> runs;
  for (FoundRun& f : found) runs.push_back(std::move(f.run));
  return runs;
}

nlohmann::ordered_json runsJson(const std::vector<StudioRun>& runs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const StudioRun& r : runs)
    list.push_back({{"id", r.id}, {"name", r.name}, {"when", r.when}});
  return list;
}

}  // namespace pneuma::stage
