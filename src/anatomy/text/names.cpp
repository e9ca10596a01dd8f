#include "anatomy/text/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace pneuma::anatomy::internal {
namespace {

bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

std::string mirrorWord(std::string word) {
  const std::size_t n = word.size();
  if (n > 2 && word[n - 2] == '_' && (word[n - 1] == 'l' || word[n - 1] == 'r'))
    word[n - 1] = word[n - 1] == 'l' ? 'r' : 'l';
  else if (n > 2 && word[1] == '_' && (word[0] == 'l' || word[0] == 'r'))
    word[0] = word[0] == 'l' ? 'r' : 'l';
  return word;
}

std::optional<int> wholeNumber(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || text.size() > 4 || error != std::errc() || end != text.data() + text.size() ||
      value < 0)
    return std::nullopt;
  return value;
}

std::optional<int> levelIndex(std::string_view text) {
  const auto& levels = vertebralLevels();
  const auto it = std::find(levels.begin(), levels.end(), text);
  if (it == levels.end()) return std::nullopt;
  return static_cast<int>(it - levels.begin());
}

}  // namespace

bool isValidName(std::string_view name) {
  if (name.empty() || name.size() > 128) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return isWordCharacter(c) || std::string_view("-:@.{}+").find(c) != std::string_view::npos;
  });
}

std::string mirrorName(std::string_view name) {
  std::string result, word;
  for (const char c : name) {
    if (isWordCharacter(c)) {
      word += c;
      continue;
    }
    result += mirrorWord(word) + c;
    word.clear();
  }
  return result + mirrorWord(word);
}

const std::vector<std::string>& vertebralLevels() {
  static const std::vector<std::string> levels = [] {
    std::vector<std::string> all;
    for (int i = 1; i <= 7; ++i) all.push_back(fmt::format("c{}", i));
    for (int i = 1; i <= 12; ++i) all.push_back(fmt::format("t{:02}", i));
    for (int i = 1; i <= 5; ++i) all.push_back(fmt::format("l{}", i));
    return all;
  }();
  return levels;
}

std::vector<std::string> expandRange(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return {};
  const std::string_view first = text.substr(0, dots), last = text.substr(dots + 2);
  const bool levels = levelIndex(first) && levelIndex(last);
  const auto from = levels ? levelIndex(first) : wholeNumber(first);
  const auto to = levels ? levelIndex(last) : wholeNumber(last);
  if (!from || !to) return {};
  std::vector<std::string> values;
  const int step = *to >= *from ? 1 : -1;
  for (int i = *from; i != *to + step && values.size() < 1000; i += step)
    values.push_back(levels ? vertebralLevels()[static_cast<std::size_t>(i)]
                            : fmt::format("{:0{}}", i, first.size()));
  return values;
}

std::optional<std::string> shiftLevel(std::string_view value, int steps) {
  if (const auto level = levelIndex(value)) {
    const int shifted = *level + steps;
    const auto& levels = vertebralLevels();
    if (shifted < 0 || shifted >= static_cast<int>(levels.size())) return std::nullopt;
    return levels[static_cast<std::size_t>(shifted)];
  }
  const auto number = wholeNumber(value);
  if (!number || *number + steps < 0) return std::nullopt;
  return fmt::format("{:0{}}", *number + steps, value.size());
}

}  // namespace pneuma::anatomy::internal
