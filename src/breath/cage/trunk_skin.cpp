#include "pneuma/breath/trunk_skin.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/parallel.h"

namespace pneuma::breath {
namespace {

constexpr double kReach = 0.028;  // standard deviation of the weights [m]

}  // namespace

TrunkSkin::TrunkSkin(const TorsoModel& model, const ShoulderLayer& layer, TriangleMesh rest,
                     const std::vector<double>& mobility)
    : rest_(std::move(rest)) {
  const std::size_t own = model.rest.size();
  for (std::size_t i = 0; i < own; ++i) followed_.push_back(model.rest[i]);
  followed_.insert(followed_.end(), layer.restPoints().begin(), layer.restPoints().end());
  // Of the torso: surfaces of cage and wall, with everything fixed (pelvis and loins).
  std::vector<bool> used(followed_.size(), false);
  for (const auto* faces : {&model.cage, &model.wall})
    for (const Triangle& t : *faces)
      for (const std::int32_t i : t) used[static_cast<std::size_t>(i)] = true;
  std::fill(used.begin() + static_cast<std::ptrdiff_t>(own), used.end(), true);
  std::vector<std::int32_t> list;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (used[i]) list.push_back(static_cast<std::int32_t>(i));

  influences_.resize(rest_.vertexCount());
  parallelFor(influences_.size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) influences_[v] = influencesOf(v, list, mobility[v]);
  });
}

std::vector<TrunkSkin::Influence> TrunkSkin::influencesOf(std::size_t v,
                                                          const std::vector<std::int32_t>& list,
                                                          double share) const {
  std::vector<Influence> out;
  if (share < 1e-4) return out;
  const Vec3& p = rest_.positions[v];
  double nearest = 1e9, total = 0;
  for (const std::int32_t i : list)
    nearest = std::min(nearest, (followed_[static_cast<std::size_t>(i)] - p).squaredNorm());
  for (const std::int32_t i : list) {
    // Relative to the nearest point, so that thick flesh does not leave the weights empty.
    const double d = (followed_[static_cast<std::size_t>(i)] - p).squaredNorm() - nearest;
    const double w = std::exp(-d / (2 * kReach * kReach));
    if (w < 1e-3) continue;
    out.push_back({i, w});
    total += w;
  }
  for (Influence& f : out) f.weight *= share / total;
  return out;
}

std::vector<Vec3> TrunkSkin::deform(const PointArray& points,
                                    const std::vector<Vec3>& layerPoints) const {
  std::vector<Vec3> travel(followed_.size());
  for (std::size_t i = 0; i < travel.size(); ++i)
    travel[i] = (i < points.size() ? points[i] : layerPoints[i - points.size()]) - followed_[i];
  std::vector<Vec3> out = rest_.positions;
  parallelFor(out.size(), 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      for (const Influence& f : influences_[v])
        out[v] += f.weight * travel[static_cast<std::size_t>(f.point)];
  });
  return out;
}

}  // namespace pneuma::breath
