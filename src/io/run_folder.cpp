#include "pneuma/io/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <toml++/toml.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "pneuma/core/hash.h"
#include "pneuma/core/log.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/io/toml_depth.h"

namespace pneuma::io {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kDescriptionFile = "run.toml";
constexpr std::string_view kLockFile = ".lock";
constexpr std::string_view kCheckpointKind = "checkpoint";
constexpr std::string_view kCheckpointEnding = ".checkpoint";
constexpr std::size_t kCheckpointsKept = 2;

/// The part of run.toml that a resumed run must share with its former part.
Json identity(const RunDescription& d) {
  return {{"version", d.version}, {"body", d.bodyHash}, {"seed", d.seed}, {"settings", d.settings}};
}

using FlatSettings = std::map<std::string, std::string>;

void flatten(const toml::table& table, const std::string& prefix, FlatSettings& flat) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (const toml::table* inner = node.as_table()) {
      flatten(*inner, name + ".", flat);
    } else {
      std::ostringstream text;
      node.visit([&](const auto& value) { text << value; });
      flat[name] = text.str();
    }
  }
}

/// The compared fields of a run.toml by dotted name.
FlatSettings comparedFields(const std::string& text, const std::string& file) {
  FlatSettings flat;
  if (const int line = lineOfDeepKey(text))
    throw InputError(
        lineError(file, line, "a dotted key is too deep", "a run.toml written by Pneuma"));
  try {
    flatten(toml::parse(text, file), "", flat);
  } catch (const toml::parse_error& e) {
    throw InputError(lineError(file, static_cast<int>(e.source().begin.line),
                               std::string(e.description()), "a run.toml written by Pneuma"));
  }
  flat.erase("command");
  flat.erase("verb");
  flat.erase("state");
  return flat;
}

/// One error per field that differs.
std::vector<Diagnostic> differences(const FlatSettings& former, const FlatSettings& now,
                                    const std::string& file) {
  std::vector<Diagnostic> errors;
  const auto add = [&](const std::string& field, std::string message) {
    errors.push_back({.where = {.file = file},
                      .subject = "cannot resume",
                      .field = field,
                      .message = std::move(message)});
  };
  for (const auto& [field, value] : former) {
    const auto it = now.find(field);
    if (it == now.end()) {
      add(field, fmt::format("is {} in the run to resume, and absent now", value));
    } else if (it->second != value) {
      add(field, fmt::format("is {} in the run to resume, but {} now", value, it->second));
    }
  }
  for (const auto& [field, value] : now)
    if (!former.contains(field))
      add(field, fmt::format("is absent in the run to resume, but {} now", value));
  return errors;
}

/// Steps of the checkpoints in a folder, newest first.
std::vector<std::uint64_t> savedSteps(const fs::path& folder) {
  std::vector<std::uint64_t> steps;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != kCheckpointEnding) continue;
    const std::string stem = it->path().stem().string();
    std::uint64_t step = 0;
    const auto [rest, bad] = std::from_chars(stem.data(), stem.data() + stem.size(), step);
    if (bad == std::errc() && rest == stem.data() + stem.size()) steps.push_back(step);
  }
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

/// A checkpoint renamed to another step must not pass for one of that step.
std::uint64_t tagOfStep(std::uint64_t tag, std::uint64_t step) {
  return Hash64().value(tag).value(step).digest();
}

fs::path checkpointFile(const fs::path& folder, std::uint64_t step) {
  return folder / fmt::format("{:012}{}", step, kCheckpointEnding);
}

void removeCheckpoints(const fs::path& folder, std::size_t keep) {
  const std::vector<std::uint64_t> steps = savedSteps(folder);
  std::error_code ignored;
  for (std::size_t i = keep; i < steps.size(); ++i)
    fs::remove(checkpointFile(folder, steps[i]), ignored);
}

/// Nothing but our lock and left-over temporaries.
bool holdsNothing(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool ours =
        name == kLockFile || (name.starts_with(".run.toml.") && name.ends_with(".tmp"));
    if (!ours) return false;
  }
  return true;
}

/// The verb of the run that a folder holds; "" when that cannot be told.
std::string formerVerb(const fs::path& folder) {
  const Result<std::string> text = readFile(folder / kDescriptionFile);
  if (!text || lineOfDeepKey(*text) != 0) return "";
  try {
    return toml::parse(*text)["verb"].value_or(std::string());
  } catch (const toml::parse_error&) {
    return "";
  }
}

void checkIsOurs(const fs::path& folder, const std::string& verb) {
  std::error_code error;
  if (!fs::exists(folder, error)) return;
  if (!fs::is_directory(folder, error))
    throw InputError(fileError(folder.string(), "is a file", "a folder for the run"));
  if (!fs::exists(folder / kDescriptionFile, error) && !holdsNothing(folder))
    throw InputError(fileError(folder.string(), "holds files but no run (no run.toml); left alone",
                               "a new folder, an empty one or that of a former run"));
  const std::string former = formerVerb(folder);
  if (!former.empty() && !verb.empty() && former != verb)
    throw InputError(fileError(folder.string(),
                               fmt::format("holds a run of 'pneuma {}'; left alone", former),
                               fmt::format("a new folder, an empty one or that of a former "
                                           "'pneuma {}'",
                                           verb)));
}

/// Takes the folder for this process. The kernel frees the lock when the process ends, however it
/// ends.
int lockFolder(const fs::path& folder) {
  const fs::path lockPath = folder / kLockFile;
  const int fd = ::open(lockPath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0)
    throw InputError(
        fileError(folder.string(), fmt::format("cannot be written: {}", std::strerror(errno))));
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    throw InputError(fileError(folder.string(), "is in use by another run"));
  }
  return fd;
}

}  // namespace

RunFolder RunFolder::open(const fs::path& folder, const RunDescription& description, bool resume) {
  checkIsOurs(folder, description.verb);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fileError(folder.string(), "cannot be created: " + error.message()));

  RunFolder run(folder, description, lockFolder(folder));
  removeStaleTemporaries(folder);
  removeStaleTemporaries(run.checkpointFolder());
  if (!resume || !fs::exists(folder / kDescriptionFile)) {
    if (resume) logWarning(fmt::format("nothing to resume in {}: starting anew", folder.string()));
    run.startAnew();
  } else {
    run.continueFormer(readFile(folder / kDescriptionFile).valueOrThrow());
  }
  return run;
}

RunFolder::RunFolder(fs::path folder, const RunDescription& description, int lock)
    : folder_(std::move(folder)),
      description_(description),
      tag_(Hash64().text(toToml(identity(description))).digest()),
      lock_(lock) {}

RunFolder::RunFolder(RunFolder&& other) noexcept
    : folder_(std::move(other.folder_)),
      description_(std::move(other.description_)),
      tag_(other.tag_),
      complete_(other.complete_),
      lock_(std::exchange(other.lock_, -1)) {}

RunFolder::~RunFolder() {
  if (lock_ >= 0) ::close(lock_);
}

void RunFolder::startAnew() {
  // Old checkpoints go first: killed in between, the folder must not pair them with new settings.
  removeCheckpoints(checkpointFolder(), 0);
  writeDescription();
}

void RunFolder::continueFormer(const std::string& formerText) {
  const std::string file = (folder_ / kDescriptionFile).string();
  const std::string nowText = toToml(identity(description_));
  const FlatSettings former = comparedFields(formerText, file);
  const FlatSettings now = comparedFields(nowText, "settings");
  const std::vector<Diagnostic> errors = differences(former, now, file);
  if (!errors.empty()) throw InputError(errors);
  complete_ = toml::parse(formerText)["state"].value_or(std::string()) == "complete";
}

void RunFolder::writeDescription() const {
  Json content = {{"command", description_.command},
                  {"verb", description_.verb},
                  {"state", complete_ ? "complete" : "running"}};
  content.update(identity(description_));
  writeFile(folder_ / kDescriptionFile, toToml(content));
}

std::optional<Checkpoint> RunFolder::lastCheckpoint() const {
  for (const std::uint64_t step : savedSteps(checkpointFolder())) {
    const fs::path path = checkpointFile(checkpointFolder(), step);
    Result<std::string> state = readBlob(path, kCheckpointKind, tagOfStep(tag_, step));
    if (state) return Checkpoint{.step = step, .state = std::move(*state)};
    logWarning(toString(state.diagnostics()) + "; it is left out");
  }
  return std::nullopt;
}

void RunFolder::saveCheckpoint(std::uint64_t step, std::string_view state) {
  writeBlob(checkpointFile(checkpointFolder(), step), kCheckpointKind, tagOfStep(tag_, step),
            state);
  removeCheckpoints(checkpointFolder(), kCheckpointsKept);
}

void RunFolder::finish() {
  complete_ = true;
  writeDescription();
  removeCheckpoints(checkpointFolder(), 0);
  std::error_code ignored;
  fs::remove(checkpointFolder(), ignored);
}

}  // namespace pneuma::io
