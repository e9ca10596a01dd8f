#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pneuma/render/color.h"

namespace pneuma::render {

/// An 8-bit sRGB picture, rows from the top.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< 3 * width * height

  Image() = default;
  Image(int w, int h, Color fill = palette::kPaper);
  Color at(int x, int y) const;
  void set(int x, int y, const Color& color);
  /// Mixes `color` into a pixel; coordinates outside do nothing.
  void blend(int x, int y, const Color& color, double opacity);
  bool empty() const { return rgb.empty(); }
  std::uint64_t hash() const;
};

/// PNG bytes of a picture.
std::vector<std::uint8_t> encodePng(const Image& image);
/// JPEG bytes of a picture, `quality` from 1 to 100: a fifth of the PNG's size for something drawn
/// with light and shade.
std::vector<std::uint8_t> encodeJpeg(const Image& image, int quality);
/// Writes a PNG; the file appears complete or not at all. Throws InputError when it cannot.
void writePng(const Image& image, const std::filesystem::path& path);
/// Writes a PNG or, for a name that ends in .jpg, a JPEG; the same promises.
void writeImage(const Image& image, const std::filesystem::path& path);
/// Reads an 8-bit PNG (alpha over white). Throws InputError with the reason.
Image readPng(const std::filesystem::path& path);

/// Where a text stands from its anchor point.
enum class Align { Left, Center, Right };

/// How a text is written into a picture.
struct TextStyle {
  double size = 18;  ///< height of a capital letter's line, in pixels
  Color color = palette::kInk;
  double weight = 1;  ///< 1 regular, 1.6 bold
  Align align = Align::Left;
  double halo = 0;  ///< width of a light rim that keeps text readable on a picture [pixels]
};

/// Draws one line of text with its baseline at y. ASCII and the signs used with units
/// (degree, plus-minus, superscripts, micro, times, middle dot, dashes, Greek delta and others).
void drawText(Image& image, double x, double y, const std::string& text,
              const TextStyle& style = {});
/// Width that drawText would need [pixels].
double textWidth(const std::string& text, const TextStyle& style = {});
/// An antialiased line.
void drawLine(Image& image, double x0, double y0, double x1, double y1, double thickness,
              const Color& color, double opacity = 1);
void fillRect(Image& image, int x, int y, int width, int height, const Color& color,
              double opacity = 1);

/// Copies a picture into a larger one, its upper left corner at x, y; it must fit.
void paste(const Image& source, int x, int y, Image& target);

/// A vertical colour bar with ticks and its label at the right edge of the picture.
void drawLegend(Image& image, const ColorScale& scale);
/// Keys of named colours (for parts or lines), stacked in the upper left corner.
void drawKeys(Image& image, const std::vector<std::pair<std::string, Color>>& keys);
/// A line of text in the lower left corner; a second, smaller one below it.
void drawCaption(Image& image, const std::string& title, const std::string& subtitle = "");

/// One panel of a picture sheet.
struct Tile {
  Image image;
  std::string caption;
};
/// Puts pictures of one size into a grid, with captions below each and an optional title.
Image tile(const std::vector<Tile>& tiles, int columns, const std::string& title = "");
/// Half size by averaging 2x2 pixels; scaled to a width by area averaging.
Image resize(const Image& image, int width, int height);

}  // namespace pneuma::render
