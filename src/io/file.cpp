#include "pneuma/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

namespace pneuma::io {
namespace fs = std::filesystem;

namespace {

std::string nearestInFolder(const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names;
  // A folder of many thousand files is not worth the wait for a hint.
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    if (names.size() == 5000) break;
    names.push_back(it->path().filename().string());
  }
  return nearestName(path.filename().string(), names);
}

/// Why a path cannot be a file to read, before it is opened.
std::optional<Diagnostic> whyNoFile(const fs::path& path) {
  const std::string name = path.string();
  // The system would open what stands before it.
  if (name.find('\0') != std::string::npos) return fileError(name, "holds a NUL", "a file's name");
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  switch (status.type()) {
    case fs::file_type::none:
      return fileError(name, "cannot be read: " + error.message());
    case fs::file_type::not_found: {
      std::error_code ignored;
      if (fs::is_symlink(path, ignored))
        return fileError(name, fmt::format("is a link to '{}', which does not exist",
                                           fs::read_symlink(path, ignored).string()));
      Diagnostic d = fileError(name, "no such file");
      d.nearest = nearestInFolder(path);
      return d;
    }
    case fs::file_type::directory:
      return fileError(name, "is a folder", "a file");
    case fs::file_type::character:
    case fs::file_type::block:  // endless, or a whole disk
      return fileError(name, "is a device", "a file");
    case fs::file_type::regular:
      // Also /proc/kmsg and its like, which would keep a reader waiting.
      if (fs::file_size(path, error) == 0 && !error) return fileError(name, "is empty");
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

using Stream = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// Opens a file, or the reading end of a pipe. Opening a named pipe that nobody writes to would
/// wait forever: errno is ETIMEDOUT when no writer has come after kPatience.
Stream openToRead(const fs::path& path) {
  constexpr int kPatience = 2000;  // [ms]
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return {nullptr, &std::fclose};
  std::error_code error;
  char early = 0;
  ssize_t count = -1;
  if (fs::is_fifo(path, error)) {
    pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
    // A read tells apart "no writer" (0) and "a writer that has not written yet" (-1).
    if (::poll(&wait, 1, kPatience) == 0) count = ::read(fd, &early, 1);
    if (count == 0) {
      ::close(fd);
      errno = ETIMEDOUT;
      return {nullptr, &std::fclose};
    }
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  Stream file(::fdopen(fd, "rb"), &std::fclose);
  if (file && count == 1) std::ungetc(static_cast<unsigned char>(early), file.get());
  return file;
}

}  // namespace

Result<std::string> readFile(const fs::path& path, std::uint64_t largest) {
  const std::string name = path.string();
  if (const auto reason = whyNoFile(path)) return *reason;
  const Stream file = openToRead(path);
  if (!file && errno == ETIMEDOUT)
    return fileError(name, "is a pipe that nobody writes to", "a file");
  if (!file) return fileError(name, fmt::format("cannot be read: {}", std::strerror(errno)));

  // Reading in pieces works for pipes too, whose size nobody knows beforehand.
  std::string content;
  std::error_code error;
  if (const auto size = fs::file_size(path, error); !error) {
    if (size > largest)
      return fileError(name, fmt::format("is {} bytes large", size),
                       fmt::format("at most {} bytes", largest));
    content.reserve(size + 1);
  }
  std::vector<char> piece(std::size_t{1} << 16);
  while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), file.get())) {
    content.append(piece.data(), n);
    if (content.size() > largest)
      return fileError(name, fmt::format("is larger than {} bytes", largest));
  }
  if (std::ferror(file.get())) return fileError(name, "cannot be read to its end");
  if (content.empty()) return fileError(name, "is empty");
  return content;
}

Diagnostic fileError(const std::string& file, std::string message, std::string expected) {
  return lineError(file, 0, std::move(message), std::move(expected));
}

Diagnostic lineError(const std::string& file, int line, std::string message, std::string expected) {
  return {.where = {.file = file, .line = line},
          .message = std::move(message),
          .expected = std::move(expected)};
}

std::string quotedWord(std::string_view word) {
  constexpr std::size_t kLongest = 40;
  std::string text(word.substr(0, kLongest));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return word.size() > kLongest ? "'" + text + "...'" : "'" + text + "'";
}

}  // namespace pneuma::io
