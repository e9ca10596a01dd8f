#include "pneuma/render/color.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/vec.h"

namespace pneuma::render {
namespace {

/// Nodes of the maps, equally spaced. The sequential one rises evenly in lightness from about 15
/// to 90 (CIELAB), so that it also reads in grey; the diverging one is symmetric in lightness.
constexpr std::array kSequential = {
    Color::hex(0x440154), Color::hex(0x482878), Color::hex(0x3e4a89), Color::hex(0x31688e),
    Color::hex(0x26828e), Color::hex(0x1f9e89), Color::hex(0x35b779), Color::hex(0x6dcd59),
    Color::hex(0xb4de2c), Color::hex(0xfde725)};
constexpr std::array kDiverging = {
    Color::hex(0x1f4f8f), Color::hex(0x3f77b5), Color::hex(0x78a6d0),
    Color::hex(0xb3cde2), Color::hex(0xeceae6), Color::hex(0xefc3ae),
    Color::hex(0xdf8b70), Color::hex(0xc24f45), Color::hex(0x8f1d2c)};
constexpr std::array kHeat = {Color::hex(0xfbf1e3), Color::hex(0xf8d9b0), Color::hex(0xf3b375),
                              Color::hex(0xe88550), Color::hex(0xd4573f), Color::hex(0xae2f37),
                              Color::hex(0x7a1530)};
constexpr std::array<Color, kSeriesColors> kSeries = {
    Color::hex(0x1f6f8b), Color::hex(0xd9743c), Color::hex(0x4c9a5b), Color::hex(0xa23e48),
    Color::hex(0x7d6bb0), Color::hex(0xc9a227), Color::hex(0x4fa3c7), Color::hex(0x5c6670)};

Color interpolate(std::span<const Color> nodes, double t) {
  const double x = std::clamp(t, 0.0, 1.0) * static_cast<double>(nodes.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(x), nodes.size() - 2);
  return mix(nodes[i], nodes[i + 1], x - static_cast<double>(i));
}

/// Least of the steps, times a power of ten, that is >= value.
double roundUp(double value, std::initializer_list<double> steps = {1.0, 2.0, 2.5, 5.0}) {
  const double unit = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : steps)
    if (value <= step * unit * (1 + 1e-9)) return step * unit;
  return 10 * unit;
}

/// Ends of a colour scale: finer than ticks, so that the colours are used up.
constexpr std::initializer_list<double> kEnds = {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8};

}  // namespace

namespace internal {

float srgbToLinear(float c) {
  return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f);
}

float linearToSrgb(float c) {
  if (c <= 0) return 0;
  return c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
}

}  // namespace internal

std::string Color::toHex() const {
  const auto byte = [](float c) {
    return static_cast<int>(std::lround(255 * internal::clamp01(c)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(r), byte(g), byte(b));
}

Color mix(const Color& a, const Color& b, double t) {
  const auto f = static_cast<float>(t);
  return {a.r + f * (b.r - a.r), a.g + f * (b.g - a.g), a.b + f * (b.b - a.b)};
}

Color seriesColor(std::size_t index) {
  return kSeries[index % kSeriesColors];
}

Color sample(ColorMap map, double t) {
  if (!std::isfinite(t)) return Color::hex(0x808080);
  switch (map) {
    case ColorMap::Diverging:
      return interpolate(kDiverging, t);
    case ColorMap::Heat:
      return interpolate(kHeat, t);
    case ColorMap::Sequential:
      break;
  }
  return interpolate(kSequential, t);
}

ColorScale makeColorScale(std::span<const double> values, ColorMap map, std::string label) {
  double low = 0, high = 0;
  bool any = false;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    low = any ? std::min(low, v) : v;
    high = any ? std::max(high, v) : v;
    any = true;
  }
  ColorScale scale{map, 0, 1, std::move(label)};
  if (map == ColorMap::Diverging) {
    const double largest = std::max(std::abs(low), std::abs(high));
    scale.max = largest > 0 ? roundUp(largest, kEnds) : 1;
    scale.min = -scale.max;
  } else {
    // Amounts start at zero unless the values stay far from it.
    const bool fromZero = low >= 0 && low < 0.5 * high;
    scale.min = fromZero || low == high ? std::min(0.0, low) : low;
    const double range = high - scale.min;
    scale.max = range > 0 ? scale.min + roundUp(range, kEnds) : scale.min + 1;
  }
  return scale;
}

std::vector<double> roundTicks(double min, double max, int count) {
  std::vector<double> ticks;
  if (!(max > min) || count < 1) return ticks;
  const double step = roundUp((max - min) / count);
  const double slack = 1e-9 * (max - min);
  for (double k = std::ceil((min - slack) / step); k * step <= max + slack; ++k)
    ticks.push_back(k == 0 ? 0 : k * step);
  return ticks;
}

}  // namespace pneuma::render
