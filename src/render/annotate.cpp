#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/render/image.h"

namespace pneuma::render {
namespace {

/// Everything written on a picture grows with it; sizes are given for 720 lines.
double scaleOf(const Image& image) {
  return std::clamp(std::min(image.height / 720.0, image.width / 640.0), 0.5, 6.0);
}

int pixels(double x) {
  return static_cast<int>(std::lround(x));
}

std::string number(double value, double range) {
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(range / 20))), 0, 6);
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (range >= 1e5 || range < 1e-4) text = fmt::format("{:.3g}", value);
  // Drop zeros that say nothing, and use a true minus sign.
  if (text.find('.') != std::string::npos && text.find('e') == std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  if (!text.empty() && text[0] == '-') text = "\u2212" + text.substr(1);
  return text;
}

}  // namespace

void drawLegend(Image& image, const ColorScale& scale) {
  const double s = scaleOf(image), range = scale.max - scale.min;
  const TextStyle tickStyle{.size = 19 * s};
  const std::vector<double> ticks = roundTicks(scale.min, scale.max, 6);
  double tickWidth = 0;
  for (const double t : ticks)
    tickWidth = std::max(tickWidth, textWidth(number(t, range), tickStyle));

  const int barWidth = pixels(16 * s), barHeight = pixels(0.46 * image.height);
  const int right = image.width - pixels(28 * s);
  const int x = right - pixels(tickWidth + 10 * s) - barWidth;
  const int top = (image.height - barHeight) / 2;
  for (int row = 0; row < barHeight; ++row) {
    const double t = 1 - (row + 0.5) / barHeight;
    fillRect(image, x, top + row, barWidth, 1, sample(scale.map, t));
  }
  for (const double t : ticks) {
    const double y = top + barHeight * (1 - (t - scale.min) / range);
    drawLine(image, x + barWidth, y, x + barWidth + 5 * s, y, 1.2 * s, palette::kMuted);
    drawText(image, x + barWidth + 10 * s, y + 6.5 * s, number(t, range), tickStyle);
  }
  const TextStyle labelStyle{.size = 19 * s, .weight = 1.15, .align = Align::Right};
  drawText(image, right, top - 18 * s, scale.label, labelStyle);
}

void drawKeys(Image& image, const std::vector<std::pair<std::string, Color>>& keys) {
  const double s = scaleOf(image);
  double y = 34 * s;
  for (const auto& [text, color] : keys) {
    drawLine(image, 34 * s, y, 52 * s, y, 7 * s, color);
    drawText(image, 66 * s, y + 6.5 * s, text, {.size = 19 * s});
    y += 28 * s;
  }
}

void drawCaption(Image& image, const std::string& title, const std::string& subtitle) {
  const double s = scaleOf(image);
  double y = image.height - 26 * s;
  if (!subtitle.empty()) {
    drawText(image, 28 * s, y, subtitle, {.size = 18 * s, .color = palette::kMuted});
    y -= 28 * s;
  }
  drawText(image, 28 * s, y, title, {.size = 24 * s, .weight = 1.15});
}

Image tile(const std::vector<Tile>& tiles, int columns, const std::string& title) {
  PNEUMA_CHECK(!tiles.empty() && columns > 0, "{} tiles in {} columns", tiles.size(), columns);
  const int w = tiles[0].image.width, h = tiles[0].image.height;
  bool captions = false;
  for (const Tile& t : tiles) {
    PNEUMA_CHECK(t.image.width == w && t.image.height == h, "tiles of different size");
    captions = captions || !t.caption.empty();
  }
  const int count = static_cast<int>(tiles.size());
  const int used = std::min(columns, count), rows = (count + columns - 1) / columns;
  const double s = std::clamp(std::min(h / 400.0, w / 320.0), 0.7, 4.0);
  const int gap = pixels(10 * s), captionHeight = captions ? pixels(36 * s) : 0;
  const int head = title.empty() ? gap : pixels(58 * s);
  Image sheet(used * w + (used + 1) * gap, head + rows * (h + captionHeight + gap));
  if (!title.empty()) drawText(sheet, gap + 2 * s, 38 * s, title, {.size = 26 * s, .weight = 1.15});
  for (int i = 0; i < count; ++i) {
    const Tile& t = tiles[static_cast<std::size_t>(i)];
    const int x = gap + (i % columns) * (w + gap);
    const int y = head + (i / columns) * (h + captionHeight + gap);
    for (int row = 0; row < h; ++row)
      std::copy_n(
          &t.image.rgb[3 * static_cast<std::size_t>(row) * static_cast<std::size_t>(w)], 3 * w,
          &sheet
               .rgb[3 * (static_cast<std::size_t>(y + row) * static_cast<std::size_t>(sheet.width) +
                         static_cast<std::size_t>(x))]);
    drawText(sheet, x + 2 * s, y + h + 25 * s, t.caption, {.size = 19 * s});
  }
  return sheet;
}

}  // namespace pneuma::render
