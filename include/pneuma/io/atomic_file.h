#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace pneuma::io {

/// A file that appears complete or not at all. Bytes go to a temporary name in the same folder;
/// commit() flushes them to the disk and renames. Without a commit (an exception, an early return)
/// the temporary file is removed and a former file of that name stays as it was. A process killed
/// at any moment leaves the old file or the complete new one, and at worst a hidden `.*.tmp`.
///
/// Folders on the way are created. Throws InputError when the place cannot be written.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  AtomicFile& operator=(AtomicFile&&) = delete;

  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  void write(const void* data, std::size_t size);
  /// Replaces bytes already written (a count in a header that is known only at the end).
  void writeAt(std::uint64_t offset, const void* data, std::size_t size);

  /// Makes the file appear. Nothing may be written afterwards.
  void commit();

  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* what) const;
  void discard() noexcept;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  std::FILE* stream_ = nullptr;
};

/// Throws InputError when a file could not be written there, before any work is done for it: the
/// path is a folder, or lies below a file or below a folder that may not be written. Creates
/// nothing.
void requireWritable(const std::filesystem::path& path);

/// Writes a whole file atomically.
void writeFile(const std::filesystem::path& path, std::string_view content);

/// Removes the temporary files that killed processes left in a folder (not those of live ones).
void removeStaleTemporaries(const std::filesystem::path& folder);

}  // namespace pneuma::io
