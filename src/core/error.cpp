#include "pneuma/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "pneuma/core/check.h"

namespace pneuma {

std::string Diagnostic::toString() const {
  std::string text;
  if (!where.file.empty()) {
    text += where.file;
    if (where.line > 0) text += fmt::format(":{}", where.line);
    if (where.line > 0 && where.column > 0) text += fmt::format(":{}", where.column);
    text += ": ";
  }
  if (severity == Severity::Warning) text += "warning: ";
  if (!subject.empty()) text += subject + ": ";
  if (!field.empty()) text += fmt::format("field '{}': ", field);
  text += message;
  if (!expected.empty()) text += fmt::format("; expected {}", expected);
  if (!nearest.empty()) text += fmt::format(" (did you mean '{}'?)", nearest);
  return text;
}

std::string toString(std::span<const Diagnostic> diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics) {
    if (!text.empty()) text += '\n';
    text += d.toString();
  }
  return text;
}

InputError::InputError(Diagnostic diagnostic)
    : InputError(std::vector<Diagnostic>{std::move(diagnostic)}) {}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(toString(diagnostics)), diagnostics_(std::move(diagnostics)) {}

InputError::InputError(const std::string& message) : InputError(Diagnostic{.message = message}) {}

SimulationError::SimulationError(double timeSeconds, std::string part, std::string cause)
    : std::runtime_error(fmt::format("stopped at t = {:.6g} s: {}: {}", timeSeconds, part, cause)),
      time_(timeSeconds),
      part_(std::move(part)),
      cause_(std::move(cause)) {}

namespace {

/// Damerau-Levenshtein (adjacent swaps count one), ignoring case.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearestName(std::string_view wrong, std::span<const std::string> candidates) {
  // A monstrous word from a broken file is no typing mistake, and would cost quadratic time.
  if (wrong.empty() || wrong.size() > 128) return {};
  std::string best;
  // A third of the word may be wrong; more is a guess that misleads.
  std::size_t bestDistance = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 256) continue;
    const std::size_t distance = editDistance(wrong, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  if (!best.empty()) return best;
  // An abbreviation: the only candidate that begins with what was typed.
  if (wrong.size() >= 3) {
    std::size_t matches = 0;
    for (const std::string& candidate : candidates) {
      if (candidate.starts_with(wrong)) {
        best = candidate;
        ++matches;
      }
    }
    if (matches == 1) return best;
  }
  return {};
}

namespace internal {

void failCheck(const char* condition, const char* file, int line, const std::string& detail) {
  throw InternalError(fmt::format("internal error at {}:{}: {} does not hold{}{}", file, line,
                                  condition, detail.empty() ? "" : ": ", detail));
}

}  // namespace internal
}  // namespace pneuma
