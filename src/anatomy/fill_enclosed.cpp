#include "anatomy/fill_enclosed.h"

#include <algorithm>
#include <cmath>

#include "anatomy/field_mesh.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy::internal {
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

}  // namespace pneuma::anatomy::internal
