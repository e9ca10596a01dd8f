#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "pneuma/core/progress.h"

namespace pneuma::stage {

/// Long work for a folder that is not there yet. What `Progress` throws must leave it.
struct StudioJob {
  std::string name;  ///< of what it does, the beginning of its folder's name
  std::function<void(const std::filesystem::path& folder, Progress& progress)> work;
};

/// Runs that a page asks the program for: one at a time, in a thread of its own, each in a new
/// folder. All may be called from any thread.
class StudioJobs {
 public:
  /// Folders are made below `runs`.
  explicit StudioJobs(std::filesystem::path runs);
  /// What is under way is cancelled, as by cancel().
  ~StudioJobs();

  /// False, and nothing begins, while another one is at work.
  bool start(StudioJob job);
  /// Ends the one at work when it next tells of its progress, and removes its folder.
  void cancel();

  /// The one at work or the last one: {"state": "none", "running", "done", "failed" or "cancelled",
  /// "run": folder below `runs`, "title", "done", "total" (0: unknown), "message": why it failed}.
  nlohmann::ordered_json json() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pneuma::stage
