#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "pneuma/render/renderer.h"

namespace pneuma::render {
namespace {

constexpr int kFine = 3;  // samples a pixel, each way

/// Marks the samples whose centres a triangle covers; corners in units of samples.
void fill(const std::array<Vec2, 3>& corner, int width, int height, std::vector<char>& mask) {
  double low = corner[0].y(), high = low;
  for (const Vec2& c : corner) low = std::min(low, c.y()), high = std::max(high, c.y());
  const int first = std::max(0, static_cast<int>(std::ceil(low - 0.5)));
  const int last = std::min(height - 1, static_cast<int>(std::floor(high - 0.5)));
  for (int row = first; row <= last; ++row) {
    const double y = row + 0.5;
    double left = width, right = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec2 &a = corner[k], &b = corner[(k + 1) % 3];
      if ((a.y() > y) == (b.y() > y)) continue;
      const double x = a.x() + (y - a.y()) / (b.y() - a.y()) * (b.x() - a.x());
      left = std::min(left, x), right = std::max(right, x);
    }
    const int begin = std::max(0, static_cast<int>(std::ceil(left - 0.5)));
    const int end = std::min(width, static_cast<int>(std::ceil(right - 0.5)));
    if (begin < end)
      std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(row) * width + begin, end - begin, 1);
  }
}

/// How much of each pixel a mesh covers, 0 .. 1. Triangles that reach behind the eye are left out.
std::vector<float> coverage(const TriangleMesh& mesh, const Camera& camera, int width, int height) {
  const int fineWidth = kFine * width, fineHeight = kFine * height;
  std::vector<Vec3> seen;
  for (const Vec3& p : mesh.positions) seen.push_back(camera.project(p, fineWidth, fineHeight));
  std::vector<char> mask(static_cast<std::size_t>(fineWidth) *
                         static_cast<std::size_t>(fineHeight));
  for (const Triangle& t : mesh.triangles) {
    std::array<Vec2, 3> corner;
    bool before = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& p = seen[static_cast<std::size_t>(t[k])];
      corner[k] = p.head<2>();
      before = before && p.z() > 0;
    }
    if (before) fill(corner, fineWidth, fineHeight, mask);
  }
  std::vector<float> covered(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < fineHeight; ++y)
    for (int x = 0; x < fineWidth; ++x)
      covered[static_cast<std::size_t>(y / kFine) * static_cast<std::size_t>(width) +
              static_cast<std::size_t>(x / kFine)] +=
          static_cast<float>(
              mask[static_cast<std::size_t>(y) * static_cast<std::size_t>(fineWidth) +
                   static_cast<std::size_t>(x)]) /
          (kFine * kFine);
  return covered;
}

}  // namespace

void drawOutline(Image& image, const TriangleMesh& mesh, const Camera& camera, double thickness,
                 const Color& color) {
  const std::vector<float> covered = coverage(mesh, camera, image.width, image.height);
  const auto at = [&](int x, int y) {
    return covered[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                   static_cast<std::size_t>(x)];
  };
  // Marching squares between pixel centres: where the edge crosses the four sides of a cell.
  for (int y = 0; y + 1 < image.height; ++y)
    for (int x = 0; x + 1 < image.width; ++x) {
      const std::array<float, 4> c{at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)};
      constexpr std::array<std::array<int, 2>, 4> kCorner{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
      std::array<Vec2, 4> crossing;
      std::size_t count = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const std::size_t n = (k + 1) % 4;
        if ((c[k] >= 0.5f) == (c[n] >= 0.5f)) continue;
        const double t = (0.5 - c[k]) / (c[n] - c[k]);
        crossing[count++] = {x + 0.5 + kCorner[k][0] + t * (kCorner[n][0] - kCorner[k][0]),
                             y + 0.5 + kCorner[k][1] + t * (kCorner[n][1] - kCorner[k][1])};
      }
      for (std::size_t k = 0; k + 1 < count; k += 2)
        drawLine(image, crossing[k].x(), crossing[k].y(), crossing[k + 1].x(), crossing[k + 1].y(),
                 thickness, color);
    }
}

}  // namespace pneuma::render
