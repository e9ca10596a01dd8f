#include <algorithm>
#include <cmath>

#include "pneuma/render/image.h"
#include "render/font.h"

namespace pneuma::render {
namespace {

double distanceToSegment(double px, double py, double x0, double y0, double x1, double y1) {
  const double dx = x1 - x0, dy = y1 - y0, length = dx * dx + dy * dy;
  const double t =
      length > 0 ? std::clamp(((px - x0) * dx + (py - y0) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(px - x0 - t * dx, py - y0 - t * dy);
}

/// Draws one glyph with its left edge at x. Coverage is that of the nearest stroke, so crossing
/// strokes do not darken twice.
void drawGlyph(Image& image, const internal::Glyph& glyph, double x, double y, double unit,
               double pen, const Color& color) {
  const int x0 = static_cast<int>(std::floor(x - pen - unit)),
            y0 = static_cast<int>(std::floor(y - 8.6 * unit - pen));
  const int x1 = static_cast<int>(std::ceil(x + glyph.width * unit + pen + unit));
  const int y1 = static_cast<int>(std::ceil(y + 3 * unit + pen));
  for (int py = std::max(0, y0); py <= std::min(image.height - 1, y1); ++py)
    for (int px = std::max(0, x0); px <= std::min(image.width - 1, x1); ++px) {
      double nearest = 1e9;
      for (const auto& s : glyph.strokes)
        nearest =
            std::min(nearest, distanceToSegment(px + 0.5, py + 0.5, x + s.x0 * unit,
                                                y - s.y0 * unit, x + s.x1 * unit, y - s.y1 * unit));
      image.blend(px, py, color, std::clamp(pen / 2 + 0.5 - nearest, 0.0, 1.0));
    }
}

}  // namespace

double textWidth(const std::string& text, const TextStyle& style) {
  const double unit = style.size / internal::kUnitsPerEm;
  double width = 0;
  for (const char32_t c : internal::decodeUtf8(text))
    width += (internal::glyph(c).width + internal::kLetterSpacing) * unit;
  return std::max(0.0, width - internal::kLetterSpacing * unit);
}

void drawText(Image& image, double x, double y, const std::string& text, const TextStyle& style) {
  const double unit = style.size / internal::kUnitsPerEm;
  if (style.align == Align::Center) x -= textWidth(text, style) / 2;
  if (style.align == Align::Right) x -= textWidth(text, style);
  const double pen = std::max(1.0, internal::kPenWidth * unit * style.weight);
  const std::vector<char32_t> codes = internal::decodeUtf8(text);
  const auto drawAll = [&](double width, const Color& color) {
    double at = x;
    for (const char32_t c : codes) {
      const internal::Glyph& g = internal::glyph(c);
      drawGlyph(image, g, at, y, unit, width, color);
      at += (g.width + internal::kLetterSpacing) * unit;
    }
  };
  if (style.halo > 0) drawAll(pen + 2 * style.halo, palette::kPaper);
  drawAll(pen, style.color);
}

void drawLine(Image& image, double x0, double y0, double x1, double y1, double thickness,
              const Color& color, double opacity) {
  const double reach = thickness / 2 + 1;
  const auto low = [&](double a, double b) {
    return static_cast<int>(std::floor(std::min(a, b) - reach));
  };
  const auto high = [&](double a, double b) {
    return static_cast<int>(std::ceil(std::max(a, b) + reach));
  };
  for (int py = std::max(0, low(y0, y1)); py <= std::min(image.height - 1, high(y0, y1)); ++py)
    for (int px = std::max(0, low(x0, x1)); px <= std::min(image.width - 1, high(x0, x1)); ++px) {
      const double d = distanceToSegment(px + 0.5, py + 0.5, x0, y0, x1, y1);
      image.blend(px, py, color, opacity * std::clamp(thickness / 2 + 0.5 - d, 0.0, 1.0));
    }
}

void fillRect(Image& image, int x, int y, int width, int height, const Color& color,
              double opacity) {
  for (int py = y; py < y + height; ++py)
    for (int px = x; px < x + width; ++px) image.blend(px, py, color, opacity);
}

}  // namespace pneuma::render
