#include "pneuma/core/tape.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "pneuma/core/index.h"

namespace pneuma {
namespace {

/// A plane through a point with two axes of its own.
struct Plane {
  Vec3 point, normal, u, v;

  Plane(const Vec3& p, const Vec3& n) : point(p), normal(n), u(n.unitOrthogonal()), v(n.cross(u)) {}
  double height(const Vec3& p) const { return normal.dot(p - point); }
  Vec2 flat(const Vec3& p) const { return {u.dot(p - point), v.dot(p - point)}; }
};

using Edge = std::pair<std::int32_t, std::int32_t>;  // smaller vertex first

/// Outlines of a cut: each triangle leads from the edge where the surface rises through the plane
/// to the one where it falls, so that every outline has one direction.
std::vector<std::vector<Vec3>> outlines(std::span<const Vec3> x, std::span<const Triangle> all,
                                        const Plane& plane) {
  std::vector<double> height(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) height[i] = plane.height(x[i]);
  std::map<Edge, Edge> next;
  for (const Triangle& t : all) {
    Edge from{-1, -1}, to{-1, -1};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t a = t[k], b = t[(k + 1) % 3];
      if ((height[at(a)] < 0) == (height[at(b)] < 0)) continue;
      (height[at(a)] < 0 ? from : to) = std::minmax(a, b);
    }
    if (from.first >= 0) next[from] = to;
  }
  const auto cross = [&](const Edge& e) -> Vec3 {
    const double a = height[at(e.first)], b = height[at(e.second)];
    return x[at(e.first)] + a / (a - b) * (x[at(e.second)] - x[at(e.first)]);
  };
  std::vector<std::vector<Vec3>> loops;
  while (!next.empty()) {
    std::vector<Vec3>& loop = loops.emplace_back();
    for (auto at = next.begin(); at != next.end();) {
      const Edge to = at->second;
      loop.push_back(cross(at->first));
      next.erase(at);
      at = next.find(to);
    }
  }
  return loops;
}

/// Whether a closed line goes around the origin, by the turn of the direction to it.
bool surroundsOrigin(const std::vector<Vec2>& line) {
  double turn = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const Vec2 &a = line[k], &b = line[(k + 1) % line.size()];
    turn += std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b));
  }
  return std::abs(turn) > kPi;
}

}  // namespace

double tapeLength(std::vector<Vec2> points) {
  std::sort(points.begin(), points.end(), [](const Vec2& a, const Vec2& b) {
    return a.x() < b.x() || (a.x() == b.x() && a.y() < b.y());
  });
  const auto turnsRight = [](const Vec2& o, const Vec2& a, const Vec2& b) {
    return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x()) <= 0;
  };
  double length = 0;
  for (int half = 0; half < 2; ++half) {  // lower and upper half of the hull (monotone chain)
    std::vector<Vec2> chain;
    for (const Vec2& p : points) {
      while (chain.size() > 1 && turnsRight(chain[chain.size() - 2], chain.back(), p))
        chain.pop_back();
      chain.push_back(p);
    }
    for (std::size_t k = 0; k + 1 < chain.size(); ++k) length += (chain[k + 1] - chain[k]).norm();
    std::reverse(points.begin(), points.end());
  }
  return length;
}

Tape tapeAround(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                const Vec3& point, const Vec3& normal) {
  const Plane plane(point, normal);
  Tape best;
  for (std::vector<Vec3>& loop : outlines(positions, triangles, plane)) {
    std::vector<Vec2> flat;
    for (const Vec3& p : loop) flat.push_back(plane.flat(p));
    if (!surroundsOrigin(flat)) continue;
    const double length = tapeLength(std::move(flat));
    if (best.length == 0 || length < best.length) best = {length, std::move(loop)};
  }
  return best;
}

}  // namespace pneuma
