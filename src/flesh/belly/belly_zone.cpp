#include "pneuma/flesh/belly_zone.h"

#include <algorithm>
#include <cmath>

namespace pneuma::flesh {
namespace {

Vec3 cornerOf(const Belly& belly, const Triangle& t, std::size_t i) {
  return belly.state().position(t[i]);
}

/// Axes of a triangle: first edge, across it in the plane, normal.
Mat3 axesOf(const Belly& belly, const Triangle& t) {
  const Vec3 a = cornerOf(belly, t, 0);
  const Vec3 edge = cornerOf(belly, t, 1) - a;
  Mat3 axes;
  axes.col(0) = edge.stableNormalized();
  axes.col(2) = edge.cross(cornerOf(belly, t, 2) - a).stableNormalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

Vec3 surfacePoint(const SurfacePlace& place, const Belly& on) {
  Vec3 p = Vec3::Zero();
  for (std::size_t i = 0; i < 3; ++i) p += place.weights[i] * cornerOf(on, place.triangle, i);
  return p;
}

/// Barycentric weights of the point of a triangle nearest to the origin of `a`, `b`, `c`: solved in
/// the plane, then on the edges where a weight is negative.
std::array<double, 3> nearestWeights(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, n = ab.cross(ac);
  const double area = n.squaredNorm();
  if (area > 0) {
    const double wb = n.dot(a.cross(ac)) / -area, wc = n.dot(ab.cross(a)) / -area;
    if (wb >= 0 && wc >= 0 && wb + wc <= 1) return {1 - wb - wc, wb, wc};
  }
  const auto onEdge = [](const Vec3& p, const Vec3& q) {
    const double length = (q - p).squaredNorm();
    return length > 0 ? std::clamp(-p.dot(q - p) / length, 0.0, 1.0) : 0.0;
  };
  const double s = onEdge(a, b), t = onEdge(b, c), u = onEdge(c, a);
  const std::array<std::array<double, 3>, 3> edges{{{1 - s, s, 0}, {0, 1 - t, t}, {u, 0, 1 - u}}};
  return *std::ranges::min_element(edges, {}, [&](const std::array<double, 3>& w) {
    return (w[0] * a + w[1] * b + w[2] * c).squaredNorm();
  });
}

}  // namespace

SurfacePlace findPlace(const Belly& on, const Vec3& point) {
  SurfacePlace best;
  double least = 1e300;
  for (const Triangle& t : on.model().triangles()) {
    SurfacePlace place{t, nearestWeights(cornerOf(on, t, 0) - point, cornerOf(on, t, 1) - point,
                                         cornerOf(on, t, 2) - point)};
    const double d = (surfacePoint(place, on) - point).squaredNorm();
    if (d < least) least = d, best = place;
  }
  best.offset = axesOf(on, best.triangle).transpose() * (point - surfacePoint(best, on));
  return best;
}

Vec3 offsetOf(const SurfacePlace& place, const Belly& on) {
  return axesOf(on, place.triangle) * place.offset;
}

Vec3 pointOf(const SurfacePlace& place, const Belly& on) {
  return surfacePoint(place, on) + offsetOf(place, on);
}

std::vector<int> zoneParticles(const Belly& belly, const anatomy::BellyZone& zone,
                               std::span<const Vec3> facing) {
  const BellyModel& model = belly.model();
  const auto distance = [&](const Vec3& p) {
    double least = 1e300;
    for (const Vec3& q : facing) least = std::min(least, (q - p).squaredNorm());
    return least;
  };
  std::vector<int> particles;
  for (int s = 0; s < model.slices(); ++s) {
    const double t = (s + 1.0) / (model.slices() + 1.0);
    if (t < zone.from || t > zone.until) continue;
    const auto particle = [&](int a) { return 1 + s * model.around() + a; };
    int middle = 0;
    double least = 1e300;
    for (int a = 0; a < model.around(); ++a) {
      const double d = distance(belly.state().position(particle(a)));
      if (d < least) least = d, middle = a;
    }
    for (int a = 0; a < model.around(); ++a) {
      const double angle =
          std::remainder(2 * kPi * (a - middle) / model.around() - zone.direction, 2 * kPi);
      if (std::abs(angle) <= 0.5 * zone.width) particles.push_back(particle(a));
    }
  }
  return particles;
}

BellyTie::BellyTie(Belly& belly, Belly& other, std::span<const int> particles)
    : first_(belly.goals().size()),
      firstOfOther_(other.goals().size()),
      particles_(particles.begin(), particles.end()) {
  // No particle of the other belly may bear more than one whole goal, or it would need finer steps.
  std::vector<double> burden(static_cast<std::size_t>(other.model().particleCount()), 0.0);
  for (const int particle : particles_) {
    places_.push_back(findPlace(other, belly.state().position(particle)));
    for (std::size_t i = 0; i < 3; ++i)
      burden[static_cast<std::size_t>(places_.back().triangle[i])] += places_.back().weights[i];
  }
  const double most = std::max(1.0, burden.empty() ? 0.0 : std::ranges::max(burden));
  const double mine = belly.model().config().goalStiffness,
               theirs = other.model().config().goalStiffness;
  const double common = std::min(mine, theirs) / most;
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    belly.goals().push_back(
        {.particles = {particles_[i], 0, 0}, .share = mine > 0 ? common / mine : 0});
    const Triangle& t = places_[i].triangle;
    other.goals().push_back({.particles = {t[0], t[1], t[2]},
                             .weights = places_[i].weights,
                             .share = theirs > 0 ? common / theirs : 0});
  }
  update(belly, other);
}

void BellyTie::update(Belly& belly, Belly& other) const {
  for (std::size_t i = 0; i < particles_.size(); ++i) {
    const Vec3 here = belly.state().position(particles_[i]), off = offsetOf(places_[i], other);
    belly.moveGoal(first_ + i, surfacePoint(places_[i], other) + off);
    other.moveGoal(firstOfOther_ + i, here - off);
  }
}

}  // namespace pneuma::flesh
