#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {

/// Which rows of a matrix take part in a solution, in groups of neighbours; the others stay as they
/// are.
struct RowMask {
  static constexpr std::int32_t kGroup = 64;

  std::int32_t rows = 0;
  std::vector<std::uint8_t> group;

  static RowMask all(std::int32_t rows) { return {rows, groupsOf(rows, 1)}; }
  static RowMask none(std::int32_t rows) { return {rows, groupsOf(rows, 0)}; }

  bool has(std::int32_t row) const { return group[std::size_t(row / kGroup)] != 0; }
  void add(std::int32_t row) { group[std::size_t(row / kGroup)] = 1; }
  void add(const RowMask& other) {
    for (std::size_t g = 0; g < group.size(); ++g) group[g] |= other.group[g];
  }
  bool contains(const RowMask& other) const {
    for (std::size_t g = 0; g < group.size(); ++g)
      if (other.group[g] > group[g]) return false;
    return true;
  }
  bool empty() const { return std::ranges::find(group, 1) == group.end(); }
  double share() const {
    return static_cast<double>(std::ranges::count(group, 1)) / static_cast<double>(group.size());
  }
  bool operator==(const RowMask&) const = default;

  /// Calls body(begin, end) for the rows of each group that takes part.
  template <class Body>
  void each(std::size_t firstGroup, std::size_t lastGroup, Body&& body) const {
    for (std::size_t g = firstGroup; g < lastGroup; ++g)
      if (group[g] != 0)
        body(std::int32_t(g) * kGroup, std::min(rows, std::int32_t(g + 1) * kGroup));
  }
  /// The same for all groups, in parallel.
  template <class Body>
  void each(Body&& body) const {
    parallelFor(group.size(), kGrain,
                [&](std::size_t begin, std::size_t end) { each(begin, end, body); });
  }
  static constexpr std::size_t kGrain = 32;  ///< groups of one piece of work

 private:
  static std::vector<std::uint8_t> groupsOf(std::int32_t rows, std::uint8_t value) {
    return std::vector<std::uint8_t>(std::size_t((rows + kGroup - 1) / kGroup), value);
  }
};

}  // namespace pneuma::flesh::embedded
