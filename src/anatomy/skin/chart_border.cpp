#include "anatomy/skin/chart_border.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "anatomy/skin/chart_flatten.h"
#include "pneuma/core/check.h"
#include "pneuma/core/index.h"

namespace pneuma::anatomy::internal {
namespace {

/// Nearest point of a segment, as its share of the way from a to b.
template <class V>
double nearestShare(const V& p, const V& a, const V& b) {
  const V along = b - a;
  const double length = along.squaredNorm();
  return length > 0 ? std::clamp((p - a).dot(along) / length, 0.0, 1.0) : 0.0;
}

bool onBothSides(const Vec2& a, const Vec2& b, const Vec2& p, const Vec2& q) {
  return (signedArea2(a, b, p) > 0) != (signedArea2(a, b, q) > 0);
}

}  // namespace

ChartBorder::ChartBorder(const TriangleMesh& disc) : disc_(disc) {
  std::map<std::pair<std::int32_t, std::int32_t>, bool> edges;
  for (const Triangle& t : disc.triangles)
    for (std::size_t k = 0; k < 3; ++k) edges[{t[k], t[(k + 1) % 3]}] = true;
  std::map<std::int32_t, std::int32_t> next;
  for (const auto& [edge, present] : edges)
    if (!edges.contains({edge.second, edge.first})) next[edge.first] = edge.second;
  PNEUMA_CHECK(!next.empty(), "skin: a chart without a border");
  const std::int32_t first = next.begin()->first;
  for (std::int32_t v = first; loop_.empty() || v != first; v = next.at(v)) loop_.push_back(v);
  PNEUMA_CHECK(loop_.size() == next.size(),
               "skin: a chart with {} vertices on its border, {} of "
               "them on one loop",
               next.size(), loop_.size());
}

bool ChartBorder::crossesItself(std::span<const Vec2> uv) const {
  const std::size_t n = loop_.size();
  const auto p = [&](std::size_t i) -> const Vec2& { return uv[at(loop_[i % n])]; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 2; j < n; ++j) {
      if (i == 0 && j == n - 1) continue;  // next to one another
      if (onBothSides(p(i), p(i + 1), p(j), p(j + 1)) &&
          onBothSides(p(j), p(j + 1), p(i), p(i + 1)))
        return true;
    }
  return false;
}

ChartBorder::Repulsion ChartBorder::repulsion(std::span<const Vec2> uv, double gap) const {
  const std::size_t n = loop_.size();
  Repulsion result{.forces = std::vector<Vec2>(n, Vec2::Zero())};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t k = (j + 1) % n;
      if (i == j || i == k) continue;
      const Vec2 &p = uv[at(loop_[i])], &a = uv[at(loop_[j])], &b = uv[at(loop_[k])];
      if ((p - a).cwiseAbs().maxCoeff() > gap + (b - a).cwiseAbs().maxCoeff()) continue;
      const double share = nearestShare(p, a, b);
      const Vec2 way = p - a - share * (b - a);
      const double distance = way.norm();
      if (distance >= gap || distance <= 0) continue;
      const Vec3 &p3 = disc_.positions[at(loop_[i])], &a3 = disc_.positions[at(loop_[j])],
                 &b3 = disc_.positions[at(loop_[k])];
      const double between = (p3 - a3 - nearestShare(p3, a3, b3) * (b3 - a3)).norm();
      const double wanted = std::min(gap, 0.5 * between), lacking = wanted - distance;
      if (lacking <= 0) continue;
      result.energy += wanted * (wanted * std::log(wanted / distance) - lacking);
      const Vec2 push = wanted * lacking / (distance * distance) * way;
      result.forces[i] += push;
      result.forces[j] -= (1 - share) * push;
      result.forces[k] -= share * push;
    }
  return result;
}

}  // namespace pneuma::anatomy::internal
