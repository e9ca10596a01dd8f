#include "pneuma/render/image.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "pneuma/core/error.h"
#include "render/font.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::render {
namespace {

namespace fs = std::filesystem;

double ink(const Image& image) {
  double sum = 0;
  for (const std::uint8_t b : image.rgb) sum += (255 - b) / 255.0 / 3;
  return sum;
}

TEST(Image, PngRoundTripsExactly) {
  Image image(7, 5);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 7; ++x)
      image.set(x, y, {static_cast<float>(x) / 7, static_cast<float>(y) / 5, 0.5f});
  const test::ScratchFolder folder;
  const fs::path path = folder / "round_trip.png";
  writePng(image, path);
  EXPECT_EQ(readPng(path).hash(), image.hash());
}

TEST(Image, BrokenPngIsAnErrorThatNamesTheFile) {
  const test::ScratchFolder folder;
  const fs::path path = folder / "broken.png";
  std::vector<std::uint8_t> bytes = encodePng(Image(64, 64, palette::kAccent));
  bytes.resize(bytes.size() / 2);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  try {
    readPng(path);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find(path.string()), std::string::npos);
  }
  EXPECT_THROW(readPng(folder / "missing.png"), InputError);
}

TEST(Image, UnwritablePlaceIsAnError) {
  EXPECT_THROW(writePng(Image(2, 2), "/proc/nowhere/picture.png"), InputError);
}

TEST(Text, EveryPrintableAsciiCharacterHasItsOwnGlyph) {
  const internal::Glyph& missing = internal::glyph(U'\ufffd');
  for (char32_t c = 33; c < 127; ++c) {
    EXPECT_NE(&internal::glyph(c), &missing) << static_cast<unsigned>(c);
    EXPECT_FALSE(internal::glyph(c).strokes.empty()) << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U'°', U'±', U'²', U'³', U'µ', U'·', U'×', U'−', U'–', U'→', U'Δ'})
    EXPECT_NE(&internal::glyph(c), &missing) << static_cast<unsigned>(c);
}

TEST(Text, StaysWithinItsMeasuredWidthWhateverTheAlignment) {
  const std::string text = "Volume 4.9 l ± 0.1";
  for (const auto& [align, x] : {std::pair{Align::Left, 20.0}, std::pair{Align::Center, 200.0},
                                 std::pair{Align::Right, 380.0}}) {
    Image image(400, 60);
    const TextStyle style{.size = 20, .align = align};
    const double width = textWidth(text, style);
    const double left = align == Align::Left     ? x
                        : align == Align::Center ? x - width / 2
                                                 : x - width;
    drawText(image, x, 40, text, style);
    EXPECT_GT(ink(image), 100);
    for (int y = 0; y < 60; ++y)
      for (int px = 0; px < 400; ++px) {
        if (px >= left - 2 && px <= left + width + 2) continue;
        EXPECT_EQ(image.at(px, y), palette::kPaper);
      }
  }
}

TEST(Text, BrokenUtf8BecomesABoxNotACrash) {
  EXPECT_EQ(internal::decodeUtf8("a\xff\xc3"), (std::vector<char32_t>{U'a', U'\ufffd', U'\ufffd'}));
  EXPECT_EQ(internal::decodeUtf8("°→"), (std::vector<char32_t>{U'°', U'→'}));
}

TEST(Annotation, LegendShowsTheColoursOfItsScaleInOrder) {
  Image image(640, 360);
  drawLegend(image, {ColorMap::Sequential, 0, 10, "strain [%]"});
  // Find the bar: a column that holds both ends of the map.
  int top = -1, bottom = -1;
  for (int x = 0; x < 640; ++x)
    for (int y = 0; y < 360; ++y) {
      const Color c = image.at(x, y);
      const auto close = [&](const Color& d) {
        return std::abs(c.r - d.r) + std::abs(c.g - d.g) + std::abs(c.b - d.b) < 0.06f;
      };
      if (top < 0 && close(sample(ColorMap::Sequential, 1))) top = y;
      if (close(sample(ColorMap::Sequential, 0))) bottom = y;
    }
  ASSERT_GE(top, 0);
  EXPECT_GT(bottom, top + 100);
}

TEST(Annotation, TilesKeepTheirPixels) {
  const std::vector<Tile> tiles = {{Image(80, 60, palette::kAccent), "left"},
                                   {Image(80, 60, palette::kBad), "right"},
                                   {Image(80, 60, palette::kGood), ""}};
  const Image sheet = tile(tiles, 2, "Three");
  int accent = 0, bad = 0, good = 0;
  for (int y = 0; y < sheet.height; ++y)
    for (int x = 0; x < sheet.width; ++x) {
      const std::string hex = sheet.at(x, y).toHex();
      accent += hex == palette::kAccent.toHex();
      bad += hex == palette::kBad.toHex();
      good += hex == palette::kGood.toHex();
    }
  EXPECT_EQ(accent, 80 * 60);
  EXPECT_EQ(bad, 80 * 60);
  EXPECT_EQ(good, 80 * 60);
}

TEST(Image, ResizeKeepsTheMean) {
  Image image(90, 60, Color::hex(0x000000));
  fillRect(image, 0, 0, 45, 60, Color::hex(0xffffff));
  const Image small = resize(image, 32, 20);
  double mean = 0;
  for (const std::uint8_t b : small.rgb) mean += b / 255.0;
  EXPECT_NEAR(mean / static_cast<double>(small.rgb.size()), 0.5, 0.002);
}

}  // namespace
}  // namespace pneuma::render
