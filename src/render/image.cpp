#include "pneuma/render/image.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/hash.h"

namespace pneuma::render {
namespace {

std::uint8_t toByte(float c) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(c, 0.0f, 1.0f)));
}

std::size_t offset(const Image& image, int x, int y) {
  return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
              static_cast<std::size_t>(x));
}

/// Box filter along one axis: output pixel i averages the input it covers.
struct Span {
  int first, last;
  double firstWeight, lastWeight;
};
Span coveredBy(int i, double scale, int count) {
  const double from = i * scale, to = (i + 1) * scale;
  const int first = static_cast<int>(from);
  const int last = std::clamp(static_cast<int>(std::ceil(to)) - 1, first, count - 1);
  return {first, last, first + 1 - from, to - last};
}

}  // namespace

Image::Image(int w, int h, Color fill) : width(w), height(h) {
  PNEUMA_CHECK(w > 0 && h > 0, "{} x {}", w, h);
  rgb.resize(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
  const std::uint8_t bytes[3] = {toByte(fill.r), toByte(fill.g), toByte(fill.b)};
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = bytes[i % 3];
}

Color Image::at(int x, int y) const {
  const std::uint8_t* p = &rgb[offset(*this, x, y)];
  return {static_cast<float>(p[0]) / 255, static_cast<float>(p[1]) / 255,
          static_cast<float>(p[2]) / 255};
}

void Image::set(int x, int y, const Color& color) {
  std::uint8_t* p = &rgb[offset(*this, x, y)];
  p[0] = toByte(color.r), p[1] = toByte(color.g), p[2] = toByte(color.b);
}

void Image::blend(int x, int y, const Color& color, double opacity) {
  if (x < 0 || y < 0 || x >= width || y >= height || opacity <= 0) return;
  set(x, y, mix(at(x, y), color, std::min(1.0, opacity)));
}

void paste(const Image& source, int x, int y, Image& target) {
  PNEUMA_CHECK(
      x >= 0 && y >= 0 && x + source.width <= target.width && y + source.height <= target.height,
      "{} x {} at {}, {} in {} x {}", source.width, source.height, x, y, target.width,
      target.height);
  const auto row = static_cast<std::ptrdiff_t>(3 * source.width);
  for (int r = 0; r < source.height; ++r)
    std::copy_n(source.rgb.begin() + row * r, row,
                target.rgb.begin() + static_cast<std::ptrdiff_t>(offset(target, x, y + r)));
}

std::uint64_t Image::hash() const {
  return Hash64().value(width).value(height).bytes(rgb.data(), rgb.size()).digest();
}

Image resize(const Image& image, int width, int height) {
  Image out(width, height);
  const double sx = static_cast<double>(image.width) / width;
  const double sy = static_cast<double>(image.height) / height;
  for (int y = 0; y < height; ++y) {
    const Span rows = coveredBy(y, sy, image.height);
    for (int x = 0; x < width; ++x) {
      const Span columns = coveredBy(x, sx, image.width);
      double sum[3] = {0, 0, 0}, total = 0;
      for (int r = rows.first; r <= rows.last; ++r)
        for (int c = columns.first; c <= columns.last; ++c) {
          const double wr = r == rows.first  ? std::min(1.0, rows.firstWeight)
                            : r == rows.last ? rows.lastWeight
                                             : 1;
          const double wc = c == columns.first  ? std::min(1.0, columns.firstWeight)
                            : c == columns.last ? columns.lastWeight
                                                : 1;
          const std::uint8_t* p = &image.rgb[offset(image, c, r)];
          for (int k = 0; k < 3; ++k) sum[k] += wr * wc * p[k];
          total += wr * wc;
        }
      std::uint8_t* q = &out.rgb[offset(out, x, y)];
      for (int k = 0; k < 3; ++k) q[k] = static_cast<std::uint8_t>(std::lround(sum[k] / total));
    }
  }
  return out;
}

}  // namespace pneuma::render
