#include "pneuma/io/file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
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

}  // namespace

Result<std::string> readFile(const fs::path& path, std::size_t largest) {
  const std::string name = path.string();
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    Diagnostic d = fileError(name, "no such file");
    d.nearest = nearestInFolder(path);
    return d;
  }
  if (fs::is_directory(status)) return fileError(name, "is a folder", "a file");

  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) return fileError(name, fmt::format("cannot be read: {}", std::strerror(errno)));

  // Reading in pieces works for pipes too, whose size nobody knows beforehand.
  std::string content;
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
