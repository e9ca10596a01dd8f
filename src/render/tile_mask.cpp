#include "render/tile_mask.h"

#include <algorithm>
#include <cmath>

namespace pneuma::render::internal {

TileMask::TileMask(const Geometry& geometry, const Camera& camera, int width, int height)
    : columns_((width + kTile - 1) / kTile),
      rows_((height + kTile - 1) / kTile),
      marked_(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_)) {
  for (std::uint32_t k = 0; k < geometry.partCount(); ++k)
    mark(geometry.part(k), camera, width, height);
}

/// Every triangle and segment marks the tiles of the rectangle around it, with a pixel to spare.
/// What reaches behind the eye has no such rectangle: all tiles are marked.
void TileMask::mark(const Part& part, const Camera& camera, int width, int height) {
  std::vector<Vec3f> seen;  // x, y [pixels], depth [m]
  std::vector<float> spare;
  seen.reserve(part.vertices.size());
  const double tangent = std::tan(camera.verticalFieldOfView / 2);
  // Camera::project with what is the same for all vertices taken out: a film asks it for 200,000
  // of them in every frame.
  const Vec3 f = camera.forward(), r = camera.right(), u = r.cross(f);
  const auto project = [&](const Vec3& point) {
    const Vec3 p = point - camera.position;
    const double depth = p.dot(f);
    const double half =
        camera.orthographicHeight > 0 ? camera.orthographicHeight / 2 : depth * tangent;
    const double scale = 0.5 * height / half;
    return Vec3(0.5 * width + scale * p.dot(r), 0.5 * height - scale * p.dot(u), depth);
  };
  for (const Eigen::Vector4f& v : part.vertices) {
    const Vec3 p = project(v.head<3>().cast<double>());
    seen.push_back(p.cast<float>());
    if (!part.isLine) continue;
    // A round line bulges towards the eye; twice its radius is enough.
    const double perMetre = camera.orthographicHeight > 0
                                ? height / camera.orthographicHeight
                                : height / (2 * tangent * std::max(1e-6, p.z()));
    spare.push_back(static_cast<float>(2 * static_cast<double>(v.w()) * perMetre));
  }
  const auto box = [&](std::initializer_list<std::size_t> corners) {
    float left = 1e9f, top = 1e9f, right = -1e9f, bottom = -1e9f;
    for (const std::size_t i : corners) {
      const Vec3f& p = seen[i];
      if (camera.orthographicHeight <= 0 && !(p.z() > 0)) {
        std::ranges::fill(marked_, 1);
        return;
      }
      const float around = part.isLine ? 1 + spare[i] : 1;
      left = std::min(left, p.x() - around), right = std::max(right, p.x() + around);
      top = std::min(top, p.y() - around), bottom = std::max(bottom, p.y() + around);
    }
    mark(left, top, right, bottom);
  };
  const auto index = [](std::int32_t i) { return static_cast<std::size_t>(i); };
  for (const Triangle& t : part.triangles) box({index(t[0]), index(t[1]), index(t[2])});
  for (const std::uint32_t s : part.segments) box({s, s + 1});
}

void TileMask::mark(float left, float top, float right, float bottom) {
  const auto tile = [](float x, int count) {
    return std::clamp(static_cast<int>(std::floor(x / kTile)), -1, count);
  };
  for (int row = std::max(0, tile(top, rows_)); row <= std::min(rows_ - 1, tile(bottom, rows_));
       ++row)
    for (int column = std::max(0, tile(left, columns_));
         column <= std::min(columns_ - 1, tile(right, columns_)); ++column)
      marked_[static_cast<std::size_t>(row * columns_ + column)] = 1;
}

}  // namespace pneuma::render::internal
