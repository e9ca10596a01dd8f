#pragma once

#include <string_view>
#include <vector>

namespace pneuma::render::internal {

/// A letter as strokes of a round pen. The baseline is y = 0, capitals are 7 high, small letters 5.
struct Glyph {
  struct Segment {
    float x0, y0, x1, y1;
  };
  std::vector<Segment> strokes;
  float width = 0;
};

inline constexpr float kUnitsPerEm = 10;  ///< font size in glyph units
inline constexpr float kLetterSpacing = 1.55f;
inline constexpr float kPenWidth = 0.88f;

/// The glyph of a code point; an open box for one that the font does not have.
const Glyph& glyph(char32_t code);

/// Code points of UTF-8 text; a broken byte becomes U+FFFD.
std::vector<char32_t> decodeUtf8(std::string_view text);

}  // namespace pneuma::render::internal
