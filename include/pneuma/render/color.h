#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Colours as people write them (sRGB), colour maps for scalars, and the palette that pictures,
/// plots and reports share.
namespace pneuma::render {

/// An sRGB colour, components in [0, 1].
struct Color {
  float r = 0, g = 0, b = 0;

  /// From 0xRRGGBB, as in a style sheet.
  static constexpr Color hex(std::uint32_t rgb) {
    return {static_cast<float>((rgb >> 16) & 255u) / 255.0f,
            static_cast<float>((rgb >> 8) & 255u) / 255.0f,
            static_cast<float>(rgb & 255u) / 255.0f};
  }
  std::string toHex() const;  ///< "#rrggbb"
  bool operator==(const Color&) const = default;
};

/// (1 - t) a + t b, in sRGB.
Color mix(const Color& a, const Color& b, double t);

/// Colours for the curves of a plot and for parts told apart by hue. They stay distinct for common
/// colour-vision deficiencies; index wraps around.
Color seriesColor(std::size_t index);
inline constexpr std::size_t kSeriesColors = 8;

/// Ink, captions and backgrounds of everything we draw.
namespace palette {
inline constexpr Color kInk = Color::hex(0x22292f);       ///< text and axes
inline constexpr Color kMuted = Color::hex(0x6b7680);     ///< secondary text, ticks
inline constexpr Color kPaper = Color::hex(0xffffff);     ///< page
inline constexpr Color kBackdrop = Color::hex(0xf1f3f5);  ///< behind bodies
inline constexpr Color kAccent = Color::hex(0x1f6f8b);    ///< our blue-green
inline constexpr Color kGood = Color::hex(0x2e7d4f);
inline constexpr Color kBad = Color::hex(0xb3372f);
}  // namespace palette

/// Maps [0, 1] to colours.
enum class ColorMap {
  Sequential,  ///< dark violet over green to yellow, even in lightness: amounts from zero
  Diverging,   ///< blue over light grey to red: signed values around zero
  Heat,        ///< light over orange to dark red: activation, strain
};

/// Colour at `t`, clamped to [0, 1]; a non-finite t gives mid grey.
Color sample(ColorMap map, double t);

/// How a scalar becomes a colour, and how the legend names it.
struct ColorScale {
  ColorMap map = ColorMap::Sequential;
  double min = 0;     ///< value at the lower end
  double max = 1;     ///< value at the upper end, > min
  std::string label;  ///< quantity and unit: "displacement [mm]"

  Color operator()(double value) const { return sample(map, (value - min) / (max - min)); }
};

/// A scale that covers the finite values: from 0 (or the least value) to a round number for
/// Sequential and Heat, symmetric about zero for Diverging.
ColorScale makeColorScale(std::span<const double> values, ColorMap map, std::string label);

/// About `count` round numbers (1, 2, 2.5, 5 times a power of ten) that cover [min, max] from
/// inside.
std::vector<double> roundTicks(double min, double max, int count);

}  // namespace pneuma::render
