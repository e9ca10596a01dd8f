#include "survey/fill_enclosed.h"

#include <algorithm>
#include <cmath>

#include "anatomy/shape/field_mesh.h"
#include "pneuma/core/parallel.h"

namespace pneuma::survey::internal {

using namespace anatomy;
using namespace anatomy::internal;
namespace {

constexpr double kCoarse = 0.004;   ///< grid on which enclosure is decided [m]
constexpr double kGap = 0.0006;     ///< half the width of gaps that close [m]
constexpr int kOpenDirections = 1;  ///< of 26 that may leave the solid

bool leaves(const DistanceVolume& v, const Vec3& p, const Vec3& direction, const Box& box) {
  for (Vec3 q = p;; q += kCoarse * 0.5 * direction) {
    if ((q.array() < box.min.array()).any() || (q.array() > box.max.array()).any()) return true;
    if (v.sample(q) < kGap) return false;
  }
}

/// Largest value within `reach` nodes along one axis, in place.
void spreadMaximum(DistanceVolume& v, int axis, int reach) {
  const Eigen::Vector3i n = v.size();
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  std::vector<float> line(static_cast<std::size_t>(n[axis]));
  for (int i = 0; i < n[a]; ++i)
    for (int j = 0; j < n[b]; ++j) {
      const auto at = [&](int k) {
        Eigen::Vector3i p;
        p[axis] = k, p[a] = i, p[b] = j;
        return v.index(p.x(), p.y(), p.z());
      };
      for (int k = 0; k < n[axis]; ++k) line[static_cast<std::size_t>(k)] = v.at(at(k));
      for (int k = 0; k < n[axis]; ++k) {
        const auto from = line.begin() + std::max(k - reach, 0);
        const auto to = line.begin() + std::min(k + reach + 1, n[axis]);
        v.at(at(k)) = *std::max_element(from, to);
      }
    }
}

bool enclosed(const DistanceVolume& v, const Vec3& p, const Box& box) {
  int open = 0;
  for (int k = 0; k < 27 && open <= kOpenDirections; ++k) {
    if (k == 13) continue;
    const Vec3 d = Vec3(k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1).normalized();
    open += leaves(v, p, d, box);
  }
  return open <= kOpenDirections;
}

}  // namespace

DistanceVolume filledEnclosed(const DistanceVolume& volume) {
  Box box = volume.interiorBounds();
  box.min.array() -= 4 * volume.cell();
  box.max.array() += 4 * volume.cell();
  Box around = box;  // a rim of open nodes, so that nothing beyond the solid counts as enclosed
  around.min.array() -= 2 * kCoarse;
  around.max.array() += 2 * kCoarse;
  DistanceVolume fill(around, kCoarse, 1);  // 1 outside, -1 enclosed
  parallelFor(fill.values().size(), 256, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Vec3 p = fill.position(i);
      if (volume.sample(p) < kGap || enclosed(volume, p, box)) fill.at(i) = -1;
    }
  });
  const FieldFunction field = [&](const Vec3& p) {
    const double d = volume.sample(p) - kGap;
    return d > 0 && fill.sample(p) < 0 ? -0.01 : d;
  };
  const BlockField everywhere = [&](const Box&, double) { return field; };
  // A fresh distance field of the filled solid's surface.
  const std::vector<TriangleMesh> surface{meshField(everywhere, box, volume.cell())};
  DistanceVolume filled = volume;
  fillDistances(surface, filled);
  for (float& d : filled.values()) d += static_cast<float>(kGap);
  return filled;
}

DistanceVolume depthNearby(const DistanceVolume& volume, double reach) {
  DistanceVolume depth = volume;
  for (float& d : depth.values()) d = -d;
  const int nodes = static_cast<int>(std::ceil(reach / volume.cell()));
  for (int axis = 0; axis < 3; ++axis) spreadMaximum(depth, axis, nodes);
  return depth;
}

DistanceVolume thickened(const DistanceVolume& volume, double thickness) {
  const double half = 0.5 * thickness;
  const DistanceVolume depth = depthNearby(volume, 1.2 * thickness);
  DistanceVolume thick = volume;
  for (std::size_t i = 0; i < thick.values().size(); ++i)
    thick.at(i) -=
        static_cast<float>(std::clamp(half - static_cast<double>(depth.at(i)), 0.0, half));
  return thick;
}

}  // namespace pneuma::survey::internal
