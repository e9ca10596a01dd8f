#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "pneuma/flesh/embedded/body_flesh.h"

namespace pneuma::flesh::embedded {

/// A place on a path and the direction there.
struct PathPoint {
  Vec3 place = Vec3::Zero();
  Vec3 tangent = Vec3::UnitX();
};
double pathLength(std::span<const Vec3> points);
/// The place a length of the path after its beginning.
PathPoint alongPath(std::span<const Vec3> points, double length);
/// How far along a path the place of it is that lies nearest to another place.
double lengthAt(std::span<const Vec3> points, const Vec3& place);

/// "_l", "_r" or "" at the end of a name.
std::string_view sideOf(std::string_view name);
/// The muscle that a solid is of: "long_head_of_biceps_brachii_l" gives "biceps_brachii".
std::string_view muscleOf(std::string_view solid);

/// Which lines pull in which solid, and how they run.
class FibrePaths {
 public:
  explicit FibrePaths(const FleshAnatomy& anatomy);

  struct Nearest {
    std::int32_t line = -1;
    Vec3 tangent = Vec3::UnitX();
  };
  /// The line of a solid nearest to a place; none: -1. The tangent turns from piece to piece of the
  /// path over half of each, so fibres bend as a path does.
  Nearest nearest(std::size_t solid, const Vec3& place) const;
  const std::vector<std::int32_t>& linesOf(std::size_t solid) const { return lines_[solid]; }

 private:
  const FleshAnatomy& anatomy_;
  std::vector<std::vector<std::int32_t>> lines_;
};

}  // namespace pneuma::flesh::embedded
