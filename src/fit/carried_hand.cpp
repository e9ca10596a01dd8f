#include "pneuma/fit/carried_hand.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/interpolate.h"

namespace pneuma::fit {
namespace {

constexpr double kShared = 0.003;  // so far to either side of a joint its pieces share [m]
constexpr double kNearest = 1e-4;  // distance to a line that counts [m]

double distanceToRay(const Vec3& p, const std::vector<Vec3>& line) {
  double least = 1e300;
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    const Vec3 d = line[k + 1] - line[k];
    const double t = std::clamp((p - line[k]).dot(d) / d.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (p - line[k] - t * d).norm());
  }
  return least;
}

/// Share of a place that lies beyond a joint of a ray.
double beyond(const CarriedHand::Ray& ray, std::size_t joint, const Vec3& p) {
  const Vec3 along = (ray.joints[joint + 1] - ray.joints[joint]).normalized();
  return smoothStep(-kShared, kShared, (p - ray.joints[joint]).dot(along));
}

}  // namespace

CarriedHand::Part CarriedHand::partOf(const Vec3& p) const {
  Part part{.map = {Mat3::Zero(), Vec3::Zero()}, .taper = kPalm};
  const auto add = [&](double share, const AffineMap& map) {
    part.map.linear += share * map.linear;
    part.map.offset += share * map.offset;
  };
  std::array<double, 5> weights{};
  double sum = 0, most = 0;
  std::size_t nearest = 0;
  for (std::size_t r = 0; r < rays.size(); ++r) {
    weights[r] = std::pow(std::max(distanceToRay(p, rays[r].joints), kNearest), -8);
    sum += weights[r];
    if (weights[r] > most) most = weights[r], nearest = r;
  }
  for (std::size_t r = 0; r < rays.size(); ++r) {
    const Ray& ray = rays[r];
    double left = weights[r] / sum;
    for (std::size_t k = ray.maps.size(); k-- > 0;) {
      const double share = left * beyond(ray, k, p);
      add(share, ray.maps[k]);
      left -= share;
    }
    add(left, palm);
  }
  if (beyond(rays[nearest], rays[nearest].free, p) > 0.5) part.taper = nearest;
  return part;
}

Vec3 CarriedHand::operator()(const Vec3& p) const {
  const Part part = partOf(p);
  return part.map(taper(part.taper)(p));
}

}  // namespace pneuma::fit
