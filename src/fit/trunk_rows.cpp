#include "fit/trunk_rows.h"

#include <cmath>

namespace pneuma::fit::internal {
namespace {

// How far the skin's measures count for the cage's (sizedCage); calibrated: one character at three
// fat levels and in three poses has one cage.
constexpr double kWidthCounts = 0.5, kDepthCounts = 0.15;

}  // namespace

Vec3 meanPoint(std::span<const Vec3> points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return points.empty() ? sum : Vec3(sum / static_cast<double>(points.size()));
}

anatomy::TrunkRow levelRow(const PointPairs& pairs) {
  if (pairs.from.size() < 4) return {};
  const Vec3 mean = meanPoint(pairs.from), meanThere = meanPoint(pairs.to);
  double xx = 0, xX = 0, yy = 0, yY = 0, yz = 0, zz = 0, yZ = 0, zZ = 0;
  for (std::size_t i = 0; i < pairs.from.size(); ++i) {
    const Vec3 a = pairs.from[i] - mean, b = pairs.to[i] - meanThere;
    xx += pairs.from[i].x() * pairs.from[i].x(), xX += pairs.from[i].x() * pairs.to[i].x();
    yy += a.y() * a.y(), yY += a.y() * b.y(), yZ += a.y() * b.z();
    yz += a.y() * a.z(), zz += a.z() * a.z(), zZ += a.z() * b.z();
  }
  anatomy::TrunkRow row;
  const double det = yy * zz - yz * yz;
  row.width = xX / xx;
  row.height = yY / yy;
  row.depth = (zZ * yy - yZ * yz) / det;
  row.lean = (yZ * zz - zZ * yz) / det;
  row.rise = meanThere.y() - row.height * mean.y();
  row.forward = meanThere.z() - row.depth * mean.z() - row.lean * mean.y();
  return row;
}

anatomy::TrunkRow alikeRow(const PointPairs& pairs) {
  if (pairs.from.size() < 2) return {};
  const Vec3 mean = meanPoint(pairs.from), meanThere = meanPoint(pairs.to);
  double own = 0, cross = 0;
  for (std::size_t i = 0; i < pairs.from.size(); ++i) {
    own += (pairs.from[i] - mean).squaredNorm();
    cross += (pairs.from[i] - mean).dot(pairs.to[i] - meanThere);
  }
  const double size = cross / own;
  return {.width = size,
          .height = size,
          .rise = meanThere.y() - size * mean.y(),
          .depth = size,
          .forward = meanThere.z() - size * mean.z()};
}

anatomy::TrunkRow changed(anatomy::TrunkRow row, const HeadChange& head) {
  for (double* number : {&row.width, &row.height, &row.rise, &row.depth, &row.lean, &row.forward})
    *number *= head.size;
  row.rise += head.shift.y(), row.forward += head.shift.z();
  return row;
}
AffineMap changed(const AffineMap& map, const HeadChange& head) {
  return {head.size * map.linear, head.size * map.offset + head.shift};
}

anatomy::TrunkRow sizedCage(const anatomy::TrunkRow& carried, const Vec3& middle) {
  anatomy::TrunkRow cage = carried;
  const double usual = std::sqrt(carried.height);
  cage.width = usual * std::pow(carried.width / usual, kWidthCounts);
  cage.depth = usual * std::pow(carried.depth / usual, kDepthCounts);
  cage.forward += (carried.depth - cage.depth) * middle.z();
  return cage;
}

AffineMap affineOf(const anatomy::TrunkRow& row) {
  AffineMap map;
  map.linear << row.width, 0, 0, 0, row.height, 0, 0, row.lean, row.depth;
  map.offset = Vec3(0, row.rise, row.forward);
  return map;
}

}  // namespace pneuma::fit::internal
