#include "pneuma/skin/trunk_compartments.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace pneuma::skin {
namespace {

/// Height of the costal margin by azimuth, from front to back.
class MarginLine {
 public:
  explicit MarginLine(const anatomy::TrunkAnatomy& trunk) {
    for (const anatomy::MarginPoint& p : anatomy::costalMargin(trunk))
      points_.emplace_back(anatomy::azimuthOf(p.position, trunk.wall.center), p.position.y());
    std::ranges::sort(points_);
  }
  double height(double azimuth) const {
    if (azimuth <= points_.front().first) return points_.front().second;
    for (std::size_t k = 0; k + 1 < points_.size(); ++k) {
      const auto& [from, low] = points_[k];
      const auto& [to, high] = points_[k + 1];
      if (azimuth > to || to <= from) continue;
      return low + (azimuth - from) / (to - from) * (high - low);
    }
    return points_.back().second;
  }

 private:
  std::vector<std::pair<double, double>> points_;  // azimuth, height
};

double capVolume(std::span<const Vec3> p, std::span<const std::array<std::int32_t, 2>> edges) {
  Vec3 middle = Vec3::Zero();
  for (const auto& [a, b] : edges) middle += p[static_cast<std::size_t>(a)];
  middle /= static_cast<double>(edges.size());
  double sum = 0;
  for (const auto& [a, b] : edges)
    sum += p[static_cast<std::size_t>(a)].dot(p[static_cast<std::size_t>(b)].cross(middle));
  return sum / 6;
}

/// Directed edges without a reverse, turned round, by the loops they make.
std::vector<std::vector<std::array<std::int32_t, 2>>> borderLoops(
    const std::vector<Triangle>& faces) {
  std::map<std::array<std::int32_t, 2>, int> count;
  for (const Triangle& t : faces)
    for (std::size_t k = 0; k < 3; ++k) ++count[{t[k], t[(k + 1) % 3]}];
  std::map<std::int32_t, std::int32_t> group;  // of vertices on the border
  const auto find = [&](std::int32_t v) {
    while (group.at(v) != v) v = group.at(v);
    return v;
  };
  std::vector<std::array<std::int32_t, 2>> border;
  for (const auto& [e, n] : count)
    if (!count.contains({e[1], e[0]})) border.push_back({e[1], e[0]});
  for (const auto& [a, b] : border) group.emplace(a, a), group.emplace(b, b);
  for (const auto& [a, b] : border) group[std::max(find(a), find(b))] = std::min(find(a), find(b));
  std::map<std::int32_t, std::vector<std::array<std::int32_t, 2>>> loops;
  for (const auto& e : border) loops[find(e[0])].push_back(e);
  std::vector<std::vector<std::array<std::int32_t, 2>>> list;
  for (auto& [root, edges] : loops) list.push_back(std::move(edges));
  return list;
}

}  // namespace

TrunkCompartments::TrunkCompartments(const TriangleMesh& rest, const anatomy::TrunkAnatomy& trunk) {
  constexpr double kWider = 1.1;  // than the trunk's table: an arm
  const MarginLine margin(trunk);
  const double top = trunk.jugularNotch.y(), xiphoid = trunk.xiphisternal.y();
  const double bottom = trunk.iliacSpine.y();
  for (const Triangle& t : rest.triangles) {
    Vec3 p = Vec3::Zero();
    for (const std::int32_t i : t) p += rest.positions[static_cast<std::size_t>(i)] / 3;
    if (p.y() > top || p.y() < bottom) continue;
    const Vec3& axis = trunk.trunk.center;
    const double azimuth = anatomy::azimuthOf(p, axis);
    if (std::hypot(p.x() - axis.x(), p.z() - axis.z()) >
        kWider * trunk.trunk.radius(p.y(), azimuth))
      continue;
    const double edge = margin.height(anatomy::azimuthOf(p, trunk.wall.center));
    parts_[p.y() > xiphoid ? 0 : p.y() > edge ? 1 : 2].triangles.push_back(t);
  }
  for (Part& part : parts_)
    for (auto& edges : borderLoops(part.triangles)) part.loops.push_back({std::move(edges)});
}

TrunkCompartments::Volumes TrunkCompartments::volumes(std::span<const Vec3> p) const {
  Volumes out{};
  for (std::size_t k = 0; k < kCount; ++k) {
    for (const auto& [a, b, c] : parts_[k].triangles)
      out[k] += p[static_cast<std::size_t>(a)].dot(
                    p[static_cast<std::size_t>(b)].cross(p[static_cast<std::size_t>(c)])) /
                6;
    for (const Loop& loop : parts_[k].loops) out[k] += capVolume(p, loop.edges);
  }
  return out;
}

}  // namespace pneuma::skin
