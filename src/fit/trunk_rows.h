#pragma once

#include <span>
#include <vector>

#include "pneuma/fit/inside.h"

/// Pieces of the trunk, alike on both sides, as a body file keeps them.
namespace pneuma::fit::internal {

struct PointPairs {
  std::vector<Vec3> from, to;
};
Vec3 meanPoint(std::span<const Vec3> points);

/// Least squares, axis by axis: x' on x, y' on y, z' on z and y. What differs between left and
/// right drops out of the first.
anatomy::TrunkRow levelRow(const PointPairs& pairs);
/// The same size in all directions.
anatomy::TrunkRow alikeRow(const PointPairs& pairs);

/// The row of a head that changes, and the map of its bones.
anatomy::TrunkRow changed(anatomy::TrunkRow row, const HeadChange& head);
AffineMap changed(const AffineMap& map, const HeadChange& head);

/// A cage as large as bones are, where the skin says that it lies. Skin shows how long a trunk is,
/// much less how wide the ribs below it are, and least how deep: breasts, back muscles and fat lie
/// before and behind. What it leaves open is told by stature and trunk, half each:
///
///   p = sqrt(h)     w = p^(1 - a) w'^a     d = p^(1 - b) d'^b
///
///   h, w', d'  height, width and depth of `carried`, against a person of that sex and stature
///   a, b       kWidthCounts, kDepthCounts
///
/// The middle of the cage stays.
anatomy::TrunkRow sizedCage(const anatomy::TrunkRow& carried, const Vec3& middle);

AffineMap affineOf(const anatomy::TrunkRow& row);

}  // namespace pneuma::fit::internal
