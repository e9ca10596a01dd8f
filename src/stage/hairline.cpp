#include "stage/hairline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "pneuma/core/interpolate.h"

namespace pneuma::stage {
namespace {

/// A number in [-1, 1] for each cell of a lattice.
double cellValue(std::int64_t x, std::int64_t y, std::int64_t z) {
  std::uint64_t h = static_cast<std::uint64_t>(x) * 0x9e3779b97f4a7c15u ^
                    static_cast<std::uint64_t>(y) * 0xc2b2ae3d27d4eb4fu ^
                    static_cast<std::uint64_t>(z) * 0x165667b19e3779f9u;
  h ^= h >> 31, h *= 0xbf58476d1ce4e5b9u, h ^= h >> 29;
  return static_cast<double>(h >> 11) / static_cast<double>(1ull << 52) - 1;
}

/// Height of the line at a depth of the measured man [m].
double lineAt(double z) {
  constexpr std::array<std::array<double, 2>, 7> kLine{{{-0.1, 1.492},
                                                        {0.035, 1.498},
                                                        {0.055, 1.550},
                                                        {0.095, 1.560},
                                                        {0.108, 1.556},
                                                        {0.13, 1.598},
                                                        {0.175, 1.617}}};  // z, y [m]
  std::size_t k = 0;
  while (k + 2 < kLine.size() && z >= kLine[k + 1][0]) ++k;
  const double u = (z - kLine[k][0]) / (kLine[k + 1][0] - kLine[k][0]);
  return kLine[k][1] + (kLine[k + 1][1] - kLine[k][1]) * std::clamp(u, 0.0, 1.0);
}

}  // namespace

double smoothNoise(const Vec3& p, const Vec3& size) {
  const Vec3 q = p.cwiseQuotient(size);
  std::array<std::int64_t, 3> n;
  Vec3 f;
  for (int a = 0; a < 3; ++a) {
    n[static_cast<std::size_t>(a)] = static_cast<std::int64_t>(std::floor(q[a]));
    f[a] = smoothStep(q[a] - std::floor(q[a]));
  }
  double sum = 0;
  for (int c = 0; c < 8; ++c) {
    const int i = c & 1, j = c >> 1 & 1, k = c >> 2;
    sum += (i ? f.x() : 1 - f.x()) * (j ? f.y() : 1 - f.y()) * (k ? f.z() : 1 - f.z()) *
           cellValue(n[0] + i, n[1] + j, n[2] + k);
  }
  return sum;
}

double overHairline(const Vec3& p) {
  if (p.y() < 1.47) return -1;
  // The corners of the line are rounded by its mean over some 20 mm, and across a steep part a
  // step in height is a short way.
  constexpr double kHalf = 0.011;
  double ahead = 0, behind = 0;
  for (const double step : {0.25, 0.75}) {
    ahead += 0.5 * lineAt(p.z() + step * kHalf);
    behind += 0.5 * lineAt(p.z() - step * kHalf);
  }
  const double slope = (ahead - behind) / kHalf;
  return (p.y() - 0.5 * (ahead + behind)) / std::sqrt(1 + slope * slope) +
         0.003 * smoothNoise(p, Vec3::Constant(0.011));
}

double hairDensity(double overLine) {
  constexpr double kRim = 0.010, kDense = 0.016;  // where it begins and is full [m]
  return smoothStep(-kRim, kDense, overLine);
}

}  // namespace pneuma::stage
