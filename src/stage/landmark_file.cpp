#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "pneuma/core/error.h"
#include "pneuma/io/file.h"
#include "pneuma/stage/fit_run.h"

namespace pneuma::stage {
namespace {

/// Ends of a body: all five or none.
const std::vector<std::string> kBodyEnds = {"head", "hand_l", "hand_r", "foot_l", "foot_r"};

std::vector<std::string> knownLandmarks() {
  std::vector<std::string> names = kBodyEnds;
  for (const fit::NamedPair& pair : fit::kNamedPairs)
    for (const char* side : {"_l", "_r"}) names.push_back(std::string(pair.name) + side);
  return names;
}

/// The place of a row "name,x,y,z"; nothing for any other row.
std::optional<fit::Landmark> landmarkOf(const std::string& row) {
  const std::size_t comma = row.find(',');
  if (comma == std::string::npos) return std::nullopt;
  fit::Landmark mark{.name = row.substr(0, comma)};
  int used = 0;
  const int numbers = std::sscanf(row.c_str() + comma + 1, "%lf ,%lf ,%lf %n", &mark.place.x(),
                                  &mark.place.y(), &mark.place.z(), &used);
  const bool more = row.size() > comma + 1 + static_cast<std::size_t>(used);
  if (numbers != 3 || more || !mark.place.allFinite()) return std::nullopt;
  return mark;
}

/// A joint without its other side, or some ends without the others, would count for nothing.
void requireCompanions(const std::vector<fit::Landmark>& landmarks, const std::string& file) {
  const auto given = [&](const std::string& name) {
    return std::ranges::find(landmarks, name, &fit::Landmark::name) != landmarks.end();
  };
  std::vector<Diagnostic> missing;
  const auto miss = [&](const std::string& name, const std::string& expected) {
    missing.push_back({.where = {file, 0, 0},
                       .subject = "landmarks",
                       .field = name,
                       .message = "is not given",
                       .expected = expected});
  };
  if (std::ranges::any_of(kBodyEnds, given))
    for (const std::string& end : kBodyEnds)
      if (!given(end)) miss(end, "head, hand_l, hand_r, foot_l and foot_r, or none of them");
  for (const fit::NamedPair& pair : fit::kNamedPairs) {
    const std::string left = std::string(pair.name) + "_l", right = std::string(pair.name) + "_r";
    if (given(left) != given(right))
      miss(given(left) ? right : left, fmt::format("both {} and {}, or neither", left, right));
  }
  if (!missing.empty()) throw InputError(std::move(missing));
}

}  // namespace

std::vector<fit::Landmark> readLandmarks(const std::filesystem::path& path) {
  const std::string text = io::readFile(path).valueOrThrow();
  const std::vector<std::string> known = knownLandmarks();
  std::vector<fit::Landmark> landmarks;
  std::vector<Diagnostic> findings;
  int line = 0;
  // Every row is looked at, so that all that is wrong is said at once.
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string row = text.substr(begin, end - begin);
    begin = end + 1, ++line;
    if (!row.empty() && row.back() == '\r') row.pop_back();
    if (row.empty() || row[0] == '#' || row.starts_with("name")) continue;
    const auto wrong = [&](std::string message, std::string expected, std::string nearest = "") {
      findings.push_back({.where = {path.string(), line, 0},
                          .subject = "landmarks",
                          .message = std::move(message),
                          .expected = std::move(expected),
                          .nearest = std::move(nearest)});
    };
    std::optional<fit::Landmark> mark = landmarkOf(row);
    if (!mark)
      wrong(fmt::format("'{}' is no landmark", row), "name,x,y,z in the file's units");
    else if (std::ranges::find(known, mark->name) == known.end())
      wrong(fmt::format("unknown landmark '{}'", mark->name),
            fmt::format("{}", fmt::join(known, ", ")), nearestName(mark->name, known));
    else if (std::ranges::find(landmarks, mark->name, &fit::Landmark::name) != landmarks.end())
      wrong(fmt::format("'{}' is given twice", mark->name), "each place once");
    else
      landmarks.push_back(*std::move(mark));
  }
  if (!findings.empty()) throw InputError(std::move(findings));
  requireCompanions(landmarks, path.string());
  return landmarks;
}

}  // namespace pneuma::stage
