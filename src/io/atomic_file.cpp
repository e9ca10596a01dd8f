#include "pneuma/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "pneuma/core/check.h"
#include "pneuma/io/file.h"

namespace pneuma::io {
namespace fs = std::filesystem;

namespace {

/// `.name.<process>.<counter>.tmp`: hidden, unique in this process, and its owner can be asked for.
fs::path temporaryName(const fs::path& path) {
  static std::atomic<unsigned> counter{0};
  return path.parent_path() /
         fmt::format(".{}.{}.{}.tmp", path.filename().string(), ::getpid(), counter++);
}

/// The process id in a temporary name, or 0 when the name is not one of ours.
long ownerOfTemporary(const std::string& name) {
  if (!name.starts_with('.') || !name.ends_with(".tmp")) return 0;
  const std::string stem = name.substr(0, name.size() - 4);
  const std::size_t counterDot = stem.rfind('.');
  if (counterDot == std::string::npos || counterDot == 0) return 0;
  const std::size_t ownerDot = stem.rfind('.', counterDot - 1);
  if (ownerDot == std::string::npos || ownerDot == 0) return 0;
  long owner = 0;
  const char* end = stem.data() + counterDot;
  const auto [rest, error] = std::from_chars(stem.data() + ownerDot + 1, end, owner);
  return error == std::errc() && rest == end && owner > 0 ? owner : 0;
}

/// A rename survives a power cut only when its folder is flushed as well. Best effort: some file
/// systems refuse to flush folders.
void flushFolder(const fs::path& folder) {
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

/// A folder, or a name that only a folder can have (`x/`), before anything is made for it.
void refuseFolder(const fs::path& path) {
  std::error_code error;
  if (!path.has_filename() || fs::is_directory(path, error))
    throw InputError(fileError(path.string(), "is a folder", "the name of a file to write"));
}

}  // namespace

AtomicFile::AtomicFile(fs::path path) : path_(std::move(path)), temporary_(temporaryName(path_)) {
  std::error_code error;
  refuseFolder(path_);
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
  stream_ = std::fopen(temporary_.c_str(), "wbe");
  if (!stream_) fail("cannot be written");
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      stream_(std::exchange(other.stream_, nullptr)) {}

AtomicFile::~AtomicFile() {
  discard();
}

void AtomicFile::write(const void* data, std::size_t size) {
  PNEUMA_CHECK(stream_, "{} is already committed", path_.string());
  if (size > 0 && std::fwrite(data, 1, size, stream_) != size) fail("cannot be written");
}

void AtomicFile::writeAt(std::uint64_t offset, const void* data, std::size_t size) {
  PNEUMA_CHECK(stream_, "{} is already committed", path_.string());
  const bool ok = ::fseeko(stream_, static_cast<off_t>(offset), SEEK_SET) == 0;
  if (!ok) fail("cannot be written");
  write(data, size);
  if (::fseeko(stream_, 0, SEEK_END) != 0) fail("cannot be written");
}

void AtomicFile::commit() {
  PNEUMA_CHECK(stream_, "{} is already committed", path_.string());
  if (std::fflush(stream_) != 0 || ::fsync(::fileno(stream_)) != 0) fail("cannot be written");
  std::FILE* closing = std::exchange(stream_, nullptr);
  if (std::fclose(closing) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    std::remove(temporary_.c_str());
    errno = reason;
    fail("cannot be written");
  }
  flushFolder(path_.parent_path());
}

void AtomicFile::fail(const char* what) const {
  throw InputError(fileError(path_.string(), fmt::format("{}: {}", what, std::strerror(errno))));
}

void AtomicFile::discard() noexcept {
  if (!stream_) return;
  std::fclose(stream_);
  stream_ = nullptr;
  std::remove(temporary_.c_str());
}

void requireWritable(const fs::path& path) {
  std::error_code error;
  refuseFolder(path);
  // The nearest folder that exists must take a new file or a new folder.
  fs::path folder = fs::absolute(path, error).parent_path();
  while (!fs::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  if (!fs::is_directory(folder, error))
    throw InputError(fileError(path.string(),
                               fmt::format("cannot be written: {} is no folder", folder.string())));
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    throw InputError(fileError(path.string(), fmt::format("cannot be written: {}: {}",
                                                          folder.string(), std::strerror(errno))));
}

void writeFile(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void removeStaleTemporaries(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const long owner = ownerOfTemporary(it->path().filename().string());
    const bool gone = owner > 0 && ::kill(static_cast<pid_t>(owner), 0) != 0 && errno == ESRCH;
    std::error_code ignored;
    if (gone) fs::remove(it->path(), ignored);
  }
}

}  // namespace pneuma::io
