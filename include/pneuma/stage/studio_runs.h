#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pneuma::stage {

/// A run's report that can be looked at.
struct StudioRun {
  std::string id;    ///< what it is asked for by: no path
  std::string name;  ///< its folder, below the one that was given
  std::string when;  ///< "2026-11-18 01:20", of the report
  std::filesystem::path report;
};

/// Run folders (run.toml beside report.html) up to three levels below a folder, the newest first,
/// at most 200. Links are not followed, so nothing outside the folder is found. An unreadable
/// folder has none.
std::vector<StudioRun> findRuns(const std::filesystem::path& folder);

/// [{"id", "name", "when"}]
nlohmann::ordered_json runsJson(const std::vector<StudioRun>& runs);

}  // namespace pneuma::stage
