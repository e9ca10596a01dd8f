#include "flesh/embedded/column_raster.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {
namespace {

/// Twice the signed area of a, b and the column, computed from the lower vertex number on, so that
/// both triangles of an edge see exactly opposite values.
double edgeFunction(const std::vector<Vec3>& v, std::int32_t a, std::int32_t b, double y,
                    double z) {
  const bool swapped = a > b;
  const Vec3& p = v[static_cast<std::size_t>(swapped ? b : a)];
  const Vec3& q = v[static_cast<std::size_t>(swapped ? a : b)];
  const double value = (q.y() - p.y()) * (z - p.z()) - (q.z() - p.z()) * (y - p.y());
  return swapped ? -value : value;
}

std::int32_t clampInt(double value, std::int32_t low, std::int32_t high) {
  return static_cast<std::int32_t>(std::clamp(value, double(low), double(high)));
}

}  // namespace

template <class Visit>
void ColumnRaster::scan(const std::vector<Vec3>& v, const Triangle& t, Visit&& visit) const {
  const Vec3& a = v[static_cast<std::size_t>(t[0])];
  const Vec3& b = v[static_cast<std::size_t>(t[1])];
  const Vec3& c = v[static_cast<std::size_t>(t[2])];
  const auto [y0, y1] = std::minmax({a.y(), b.y(), c.y()});
  const auto [z0, z1] = std::minmax({a.z(), b.z(), c.z()});
  const std::int32_t yEnd = clampInt(std::floor(y1), -1, height_ - 1);
  const std::int32_t zEnd = clampInt(std::floor(z1), -1, depth_ - 1);
  for (std::int32_t z = clampInt(std::ceil(z0), 0, depth_); z <= zEnd; ++z)
    for (std::int32_t y = clampInt(std::ceil(y0), 0, height_); y <= yEnd; ++y) {
      const double wa = edgeFunction(v, t[1], t[2], y, z), wb = edgeFunction(v, t[2], t[0], y, z),
                   wc = edgeFunction(v, t[0], t[1], y, z);
      const bool positive = wa > 0 && wb > 0 && wc > 0, negative = wa < 0 && wb < 0 && wc < 0;
      if (!positive && !negative) continue;
      const double x = (wa * a.x() + wb * b.x() + wc * c.x()) / (wa + wb + wc);
      // A triangle that faces +x is left there, seen along +x.
      visit(column(y, z), Crossing{static_cast<float>(x), positive ? -1 : 1});
    }
}

ColumnRaster::ColumnRaster(const std::vector<Vec3>& vertices,
                           const std::vector<Triangle>& triangles, std::int32_t height,
                           std::int32_t depth)
    : height_(height), depth_(depth) {
  const std::size_t columns = static_cast<std::size_t>(height) * static_cast<std::size_t>(depth);
  start_.assign(columns + 1, 0);
  for (const Triangle& t : triangles)
    scan(vertices, t, [&](std::size_t c, const Crossing&) { ++start_[c + 1]; });
  for (std::size_t c = 0; c < columns; ++c) start_[c + 1] += start_[c];
  crossings_.resize(start_[columns]);
  std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
  for (const Triangle& t : triangles)
    scan(vertices, t, [&](std::size_t c, const Crossing& x) { crossings_[next[c]++] = x; });
  parallelFor(columns, 1 << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      std::sort(crossings_.begin() + start_[c], crossings_.begin() + start_[c + 1],
                [](const Crossing& a, const Crossing& b) {
                  return a.x < b.x || (a.x == b.x && a.sense > b.sense);
                });
  });
}

TouchedCubes::TouchedCubes(const std::vector<Vec3>& vertices,
                           const std::vector<Triangle>& triangles,
                           const std::array<std::int32_t, 3>& extent) {
  for (std::size_t d = 0; d < 3; ++d) size_[d] = extent[d] / bcc::kFine + 1;
  touched_.assign(index(size_[0] - 1, size_[1] - 1, size_[2] - 1) + 1, 0);
  for (const Triangle& t : triangles) {
    Box box;
    for (const std::int32_t v : t) box.add(vertices[static_cast<std::size_t>(v)]);
    std::array<std::int32_t, 3> low{}, high{};
    for (int d = 0; d < 3; ++d) {
      const auto k = static_cast<std::size_t>(d);
      low[k] = clampInt(std::floor(box.min[d] / bcc::kFine), 0, size_[k] - 1);
      high[k] = clampInt(std::floor(box.max[d] / bcc::kFine), 0, size_[k] - 1);
    }
    for (std::int32_t z = low[2]; z <= high[2]; ++z)
      for (std::int32_t y = low[1]; y <= high[1]; ++y)
        for (std::int32_t x = low[0]; x <= high[0]; ++x) touched_[index(x, y, z)] = 1;
  }
}

bool TouchedCubes::touches(const bcc::Corners& cell) const {
  std::array<std::int32_t, 3> low{}, high{};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto at = [&](const bcc::Int3& p) { return d == 0 ? p.x : d == 1 ? p.y : p.z; };
    const auto [least, most] = std::minmax({at(cell[0]), at(cell[1]), at(cell[2]), at(cell[3])});
    low[d] = std::clamp((least - 1) / bcc::kFine, 0, size_[d] - 1);
    high[d] = std::clamp(most / bcc::kFine, 0, size_[d] - 1);
  }
  for (std::int32_t z = low[2]; z <= high[2]; ++z)
    for (std::int32_t y = low[1]; y <= high[1]; ++y)
      for (std::int32_t x = low[0]; x <= high[0]; ++x)
        if (touched_[index(x, y, z)]) return true;
  return false;
}

}  // namespace pneuma::flesh::embedded
