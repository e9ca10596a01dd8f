#include "pneuma/io/toml_depth.h"

#include <algorithm>

namespace pneuma::io {
namespace {

/// The end of the string that begins at `at` (with its quotes), whatever its kind.
std::size_t endOfString(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool many = text.substr(at, 3) == std::string_view(quote == '"' ? "\"\"\"" : "'''");
  const std::size_t width = many ? 3 : 1;
  const std::string_view closing = text.substr(at, width);
  for (std::size_t i = at + width; i < text.size(); ++i) {
    if (text[i] == '\\' && quote == '"') {
      ++i;
    } else if (text.substr(i, width) == closing) {
      return i + width;
    } else if (text[i] == '\n' && !many) {
      return i;  // not closed: the parser will say so
    }
  }
  return text.size();
}

}  // namespace

int lineOfDeepKey(std::string_view text) {
  int line = 1, dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = endOfString(text, i);
      line += static_cast<int>(std::count(text.begin() + static_cast<long>(i),
                                          text.begin() + static_cast<long>(end), '\n'));
      i = end;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '.' && ++dots >= kDeepestKey) return line;
    // Whatever cannot be part of a key begins the next one.
    if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots = 0;
    line += c == '\n';
    ++i;
  }
  return 0;
}

}  // namespace pneuma::io
