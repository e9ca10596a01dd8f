#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "pneuma/core/version.h"
#include "pneuma/io/state_blob.h"

namespace pneuma::io {

/// What decides the result of a run. Two runs with equal settings, version, body and seed give the
/// same bits, so these are what a resumed run must share with the one it continues.
struct RunDescription {
  std::string command;  ///< as typed; for people, not compared
  std::string verb;     ///< "breathe", "reproduce dobsik"...: folders of other verbs are left alone
  std::string version{pneuma::version()};
  std::string bodyHash;
  std::uint64_t seed = 0;
  /// All resolved settings: an object of numbers, words, booleans, arrays and objects of these.
  /// What does not change the result (threads, --quiet) does not belong here.
  nlohmann::ordered_json settings = nlohmann::ordered_json::object();
};

/// A moment of a run, saved.
struct Checkpoint {
  std::uint64_t step = 0;
  std::string state;  ///< bytes of a StateWriter, read with a StateReader
};

/// A run is a folder:
///
///   run.toml                      command, verb, version, seed, body hash, settings, progress
///   checkpoints/<step>.checkpoint the last two states, each with a content hash
///   <anything else>               results, written through file() with AtomicFile
///
/// Every file appears complete or not at all, so a run killed at any moment can be resumed:
///
///   auto run = RunFolder::open(dir, description, resume);
///   if (auto c = run.lastCheckpoint()) restore(c->state);
///   while (...) { step(...); if (due) run.saveCheckpoint(n, pack(state)); }
///   writeCsv(run.file("breath.csv"), table);
///   run.finish();
class RunFolder {
 public:
  /// Opens a folder for a run, creating it when it does not exist. Throws InputError when
  ///  - the folder holds files but no run.toml: it is not ours, and is left alone;
  ///  - it holds a run of another verb, whose results would mix with the new ones;
  ///  - `resume` is set and the description differs from the stored one (each difference named);
  ///  - another process is running in it.
  /// Without `resume`, a former run's checkpoints are dropped and its results stay until they are
  /// replaced file by file. With `resume` and nothing to resume, the run starts at the beginning.
  static RunFolder open(const std::filesystem::path& folder, const RunDescription& description,
                        bool resume);

  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();

  /// The newest checkpoint that is whole. A damaged one is reported to the log and the older one is
  /// used; without any the run starts at the beginning.
  std::optional<Checkpoint> lastCheckpoint() const;
  /// Saves a state atomically, then drops all but the last two.
  void saveCheckpoint(std::uint64_t step, std::string_view state);
  void saveCheckpoint(std::uint64_t step, const StateWriter& state) {
    saveCheckpoint(step, state.bytes());
  }

  /// Marks the run complete and drops its checkpoints.
  void finish();
  /// True when the run that was resumed had already finished.
  bool alreadyComplete() const { return complete_; }

  const std::filesystem::path& path() const { return folder_; }
  const RunDescription& description() const { return description_; }
  /// Path of a result.
  std::filesystem::path file(std::string_view name) const { return folder_ / name; }

 private:
  RunFolder(std::filesystem::path folder, const RunDescription& description, int lock);
  void startAnew();
  void continueFormer(const std::string& formerText);
  void writeDescription() const;
  std::filesystem::path checkpointFolder() const { return folder_ / "checkpoints"; }

  std::filesystem::path folder_;
  RunDescription description_;
  std::uint64_t tag_ = 0;  ///< hash of what must agree; stored in every checkpoint
  bool complete_ = false;
  int lock_ = -1;  ///< descriptor that holds the folder's lock while the object lives
};

/// Writes an object as TOML, keeping its order (numbers in full precision).
std::string toToml(const nlohmann::ordered_json& object);

}  // namespace pneuma::io
