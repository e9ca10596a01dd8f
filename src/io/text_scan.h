#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pneuma/core/error.h"
#include "pneuma/io/file.h"

/// Small tools for line-oriented text files. Nothing here allocates per line.
namespace pneuma::io::internal {

/// Lines of a text, ended by LF, CR LF or CR.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // byte order mark
  }
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find_first_of("\r\n");
    line = rest_.substr(0, end);
    if (end == std::string_view::npos) {
      rest_ = {};
    } else {
      rest_.remove_prefix(end + (rest_.substr(end).starts_with("\r\n") ? 2 : 1));
    }
    ++number_;
    return true;
  }
  int number() const { return number_; }           ///< of the last line, from 1
  std::string_view rest() const { return rest_; }  ///< what follows it

 private:
  std::string_view rest_;
  int number_ = 0;
};

inline bool isBlank(char c) {
  return c == ' ' || c == '\t';
}

inline std::string_view trimmed(std::string_view s) {
  while (!s.empty() && isBlank(s.front())) s.remove_prefix(1);
  while (!s.empty() && isBlank(s.back())) s.remove_suffix(1);
  return s;
}

/// Takes the next blank-separated word off `rest`; empty at the end.
inline std::string_view takeWord(std::string_view& rest) {
  std::size_t begin = 0;
  while (begin < rest.size() && isBlank(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !isBlank(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

/// The whole word as a number: "1", "-.5", "+1e-3", "nan". False when it is none or overflows.
inline bool parseNumber(std::string_view word, double& value) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::result_out_of_range) {
    // Too small is as good as zero; too large is not a number we can use.
    const std::size_t exponent = word.find_first_of("eE");
    const bool tiny = exponent != std::string_view::npos && exponent + 1 < word.size() &&
                      word[exponent + 1] == '-';
    value = 0;
    return tiny;
  }
  return error == std::errc() && end == word.data() + word.size();
}

inline bool parseInteger(std::string_view word, std::int64_t& value) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

/// Text files hold no zero bytes; binary ones nearly always do, early.
inline bool looksBinary(std::string_view content) {
  return content.substr(0, 4096).find('\0') != std::string_view::npos;
}

/// Collects the errors of one file; a hopeless file stops after a few.
class FileErrors {
 public:
  explicit FileErrors(const std::string& file) : file_(file) {}
  void add(int line, std::string message, std::string expected = {}) {
    errors_.push_back(lineError(file_, line, std::move(message), std::move(expected)));
  }
  bool any() const { return !errors_.empty(); }
  bool full() const { return errors_.size() >= kMost; }
  std::vector<Diagnostic> take() { return std::move(errors_); }

 private:
  static constexpr std::size_t kMost = 10;
  const std::string& file_;
  std::vector<Diagnostic> errors_;
};

}  // namespace pneuma::io::internal
