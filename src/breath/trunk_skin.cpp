#include "pneuma/breath/trunk_skin.h"

#include <algorithm>
#include <cmath>

namespace pneuma::breath {
namespace {

constexpr double kReach = 0.035;  // standard deviation of the weights [m]

}  // namespace

TrunkSkin::TrunkSkin(const TorsoModel& model, TriangleMesh rest,
                     const std::vector<double>& mobility)
    : model_(&model), rest_(std::move(rest)) {
  // Followed points: surfaces of cage and wall, and everything fixed (pelvis and loins).
  std::vector<bool> used(model.rest.size(), false);
  for (const auto* faces : {&model.cage, &model.wall})
    for (const Triangle& t : *faces)
      for (const std::int32_t i : t) used[static_cast<std::size_t>(i)] = true;
  influences_.resize(rest_.vertexCount());
  for (std::size_t v = 0; v < influences_.size(); ++v) {
    const double share = mobility[v];
    if (share < 1e-4) continue;
    const Vec3& p = rest_.positions[v];
    double nearest = 1e9;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i]) nearest = std::min(nearest, (model.rest[i] - p).squaredNorm());
    double total = 0;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i]) continue;
      // Relative to the nearest point, so that thick flesh does not leave the weights empty.
      const double d = (model.rest[i] - p).squaredNorm() - nearest;
      const double w = std::exp(-d / (2 * kReach * kReach));
      if (w < 1e-3) continue;
      influences_[v].push_back({static_cast<std::int32_t>(i), w});
      total += w;
    }
    for (Influence& f : influences_[v]) f.weight *= share / total;
  }
}

std::vector<Vec3> TrunkSkin::deform(const PointArray& points) const {
  std::vector<Vec3> out = rest_.positions;
  for (std::size_t v = 0; v < out.size(); ++v)
    for (const Influence& f : influences_[v]) {
      const auto i = static_cast<std::size_t>(f.point);
      out[v] += f.weight * (points[i] - model_->rest[i]);
    }
  return out;
}

}  // namespace pneuma::breath
