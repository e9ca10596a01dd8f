#include "render/font.h"

#include <cmath>
#include <sstream>
#include <string>
#include <unordered_map>

#include "pneuma/core/check.h"
#include "pneuma/core/types.h"

namespace pneuma::render::internal {
namespace {

/// A line letter, drawn for this project. Paths: M x y moves, L x y draws, A cx cy rx ry a b draws
/// an elliptic arc from angle a to b in degrees (joined to the pen when it is down).
struct Drawing {
  char32_t code;
  float width;
  const char* path;
};

constexpr Drawing kDrawings[] = {
    {U' ', 1.6f, ""},
    {U'0', 4, "A 2 3.5 2 3.5 0 360"},
    {U'1', 4, "M .7 5.6 L 2.3 7 L 2.3 0"},
    {U'2', 4, "A 2 5 1.9 2 165 -32 L .1 0 L 4 0"},
    {U'3', 4, "A 1.9 5.3 1.75 1.7 150 -90 M 1.2 3.6 L 1.9 3.6 A 1.9 1.8 2.1 1.8 90 -152"},
    {U'4', 4.2f, "M 3.1 0 L 3.1 7 L 0 2.1 L 4.3 2.1"},
    {U'5', 4, "M 3.7 7 L .7 7 L .45 3.9 A 1.9 2.25 2.1 2.25 130 -148"},
    {U'6', 4, "A 2 2.2 2 2.2 0 360 M 0 2.6 A 3.6 2.6 3.6 4.4 180 102"},
    {U'7', 4, "M 0 7 L 4 7 L 1.4 0"},
    {U'8', 4, "A 2 5.3 1.7 1.7 0 360 M 4 1.8 A 2 1.8 2 1.8 0 360"},
    {U'9', 4, "A 2 4.8 2 2.2 0 360 M 4 4.4 A .4 4.4 3.6 4.4 0 -78"},
    {U'A', 4.8f, "M 0 0 L 2.4 7 L 4.8 0 M .8 2.3 L 4 2.3"},
    {U'B', 4.1f,
     "M 0 0 L 0 7 L 2.2 7 A 2.2 5.3 1.6 1.7 90 -90 L 0 3.6 M 2.2 3.6 A 2.2 1.8 1.9 1.8 90 -90 L 0 "
     "0"},
    {U'C', 4.6f, "A 2.7 3.5 2.7 3.5 45 315"},
    {U'D', 4.5f, "M 0 0 L 0 7 L 1.6 7 A 1.6 3.5 2.9 3.5 90 -90 L 0 0"},
    {U'E', 3.7f, "M 3.7 7 L 0 7 L 0 0 L 3.7 0 M 0 3.7 L 3.2 3.7"},
    {U'F', 3.6f, "M 3.6 7 L 0 7 L 0 0 M 0 3.6 L 3.1 3.6"},
    {U'G', 4.9f, "A 2.7 3.5 2.7 3.5 48 322 L 4.85 3.3 L 3 3.3"},
    {U'H', 4.5f, "M 0 0 L 0 7 M 4.5 0 L 4.5 7 M 0 3.6 L 4.5 3.6"},
    {U'I', .6f, "M .3 0 L .3 7"},
    {U'J', 3, "M 3 7 L 3 2 A 1.5 2 1.5 2 0 -165"},
    {U'K', 4.2f, "M 0 0 L 0 7 M 4 7 L 0 2.7 M 1.5 4.3 L 4.2 0"},
    {U'L', 3.5f, "M 0 7 L 0 0 L 3.5 0"},
    {U'M', 5.4f, "M 0 0 L 0 7 L 2.7 2 L 5.4 7 L 5.4 0"},
    {U'N', 4.5f, "M 0 0 L 0 7 L 4.5 0 L 4.5 7"},
    {U'O', 5.4f, "A 2.7 3.5 2.7 3.5 0 360"},
    {U'P', 4, "M 0 0 L 0 7 L 2.1 7 A 2.1 5.1 1.9 1.9 90 -90 L 0 3.2"},
    {U'Q', 5.4f, "A 2.7 3.5 2.7 3.5 0 360 M 3.3 1.7 L 5.2 -.6"},
    {U'R', 4.2f, "M 0 0 L 0 7 L 2.1 7 A 2.1 5.1 1.9 1.9 90 -90 L 0 3.2 M 2.1 3.2 L 4.2 0"},
    {U'S', 4, "A 2 5.3 1.8 1.7 38 270 A 2 1.8 2 1.8 90 -148"},
    {U'T', 4.4f, "M 0 7 L 4.4 7 M 2.2 7 L 2.2 0"},
    {U'U', 4.5f, "M 0 7 L 0 2.3 A 2.25 2.3 2.25 2.3 180 360 L 4.5 7"},
    {U'V', 4.8f, "M 0 7 L 2.4 0 L 4.8 7"},
    {U'W', 6.6f, "M 0 7 L 1.6 0 L 3.3 6 L 5 0 L 6.6 7"},
    {U'X', 4.4f, "M 0 7 L 4.4 0 M 4.4 7 L 0 0"},
    {U'Y', 4.4f, "M 0 7 L 2.2 3.4 L 4.4 7 M 2.2 3.4 L 2.2 0"},
    {U'Z', 4.2f, "M 0 7 L 4.2 7 L 0 0 L 4.2 0"},
    {U'a', 3.7f, "A 1.85 2.5 1.85 2.5 0 360 M 3.7 5 L 3.7 0"},
    {U'b', 3.9f, "M 0 7.3 L 0 0 M 3.9 2.5 A 1.95 2.5 1.95 2.5 0 360"},
    {U'c', 3.4f, "A 2 2.5 2 2.5 48 312"},
    {U'd', 3.9f, "A 1.95 2.5 1.95 2.5 0 360 M 3.9 7.3 L 3.9 0"},
    {U'e', 3.8f, "M .05 2.6 L 3.8 2.6 A 1.9 2.5 1.9 2.5 2 312"},
    {U'f', 2.4f, "M .8 0 L .8 5.6 A 2.3 5.6 1.5 1.7 180 85 M 0 4.8 L 2.2 4.8"},
    {U'g', 3.7f, "A 1.85 2.5 1.85 2.5 0 360 M 3.7 5 L 3.7 -.3 A 1.85 -.3 1.85 1.8 0 -148"},
    {U'h', 3.6f, "M 0 7.3 L 0 0 M 0 3 A 1.8 3 1.8 2 180 0 L 3.6 0"},
    {U'i', .6f, "M .3 0 L .3 5 M .3 6.8 L .3 6.9"},
    {U'j', 1, "M .7 5 L .7 -.8 A -.3 -.8 1 1.3 0 -95 M .7 6.8 L .7 6.9"},
    {U'k', 3.4f, "M 0 7.3 L 0 0 M 3.2 5 L 0 1.9 M 1.2 3.1 L 3.4 0"},
    {U'l', .6f, "M .3 7.3 L .3 0"},
    {U'm', 6,
     "M 0 5 L 0 0 M 0 3.2 A 1.5 3.2 1.5 1.8 180 0 L 3 0 M 3 3.2 A 4.5 3.2 1.5 1.8 180 0 L 6 0"},
    {U'n', 3.6f, "M 0 5 L 0 0 M 0 3 A 1.8 3 1.8 2 180 0 L 3.6 0"},
    {U'o', 4, "A 2 2.5 2 2.5 0 360"},
    {U'p', 3.9f, "M 0 5 L 0 -2 M 3.9 2.5 A 1.95 2.5 1.95 2.5 0 360"},
    {U'q', 3.9f, "A 1.95 2.5 1.95 2.5 0 360 M 3.9 5 L 3.9 -2"},
    {U'r', 2.3f, "M 0 5 L 0 0 M 0 2.9 A 1.9 2.9 1.9 2.1 180 72"},
    {U's', 3.2f, "A 1.6 3.8 1.45 1.2 38 270 A 1.6 1.3 1.6 1.3 90 -148"},
    {U't', 2.4f, "M .9 6.5 L .9 1.5 A 2.2 1.5 1.3 1.5 180 275 M 0 4.8 L 2.3 4.8"},
    {U'u', 3.6f, "M 0 5 L 0 1.9 A 1.8 1.9 1.8 1.9 180 360 M 3.6 5 L 3.6 0"},
    {U'v', 3.6f, "M 0 5 L 1.8 0 L 3.6 5"},
    {U'w', 5.4f, "M 0 5 L 1.35 0 L 2.7 4.4 L 4.05 0 L 5.4 5"},
    {U'x', 3.5f, "M 0 5 L 3.5 0 M 3.5 5 L 0 0"},
    {U'y', 3.7f, "M 0 5 L 1.9 .1 M 3.7 5 L 1.35 -1.3 A .4 -1 .95 1 -25 -95"},
    {U'z', 3.3f, "M 0 5 L 3.3 5 L 0 0 L 3.3 0"},
    {U'.', .6f, "M .3 0 L .3 .1"},
    {U',', .8f, "M .5 .1 L .1 -1.2"},
    {U':', .6f, "M .3 .2 L .3 .3 M .3 4 L .3 4.1"},
    {U';', .8f, "M .5 .1 L .1 -1.2 M .5 4 L .5 4.1"},
    {U'!', .6f, "M .3 7 L .3 2.2 M .3 0 L .3 .1"},
    {U'?', 3.4f, "A 1.7 5.2 1.65 1.8 165 -60 A 3.1 2.2 1.5 1.5 130 185 M 1.6 0 L 1.6 .1"},
    {U'\'', .6f, "M .3 7.2 L .3 5.2"},
    {U'"', 2, "M .3 7.2 L .3 5.2 M 1.7 7.2 L 1.7 5.2"},
    {U'(', 1.7f, "A 4.2 3 4.2 6 130 230"},
    {U')', 1.7f, "A -2.5 3 4.2 6 50 -50"},
    {U'[', 1.6f, "M 1.6 7.6 L 0 7.6 L 0 -1.4 L 1.6 -1.4"},
    {U']', 1.6f, "M 0 7.6 L 1.6 7.6 L 1.6 -1.4 L 0 -1.4"},
    {U'{', 2, "M 2 7.6 L 1 7.2 L 1 3.6 L 0 3 L 1 2.4 L 1 -1 L 2 -1.4"},
    {U'}', 2, "M 0 7.6 L 1 7.2 L 1 3.6 L 2 3 L 1 2.4 L 1 -1 L 0 -1.4"},
    {U'/', 3, "M 0 -1 L 3 7.4"},
    {U'\\', 3, "M 0 7.4 L 3 -1"},
    {U'|', .6f, "M .3 7.6 L .3 -1.4"},
    {U'+', 4, "M 0 3 L 4 3 M 2 1 L 2 5"},
    {U'-', 2.4f, "M 0 2.8 L 2.4 2.8"},
    {U'=', 4, "M 0 2.1 L 4 2.1 M 0 4 L 4 4"},
    {U'<', 3.6f, "M 3.6 5.2 L 0 3 L 3.6 .8"},
    {U'>', 3.6f, "M 0 5.2 L 3.6 3 L 0 .8"},
    {U'*', 3, "M 1.5 7.2 L 1.5 4 M .1 6.4 L 2.9 4.8 M 2.9 6.4 L .1 4.8"},
    {U'%', 6, "A 1.2 5.5 1.2 1.5 0 360 M 5.1 7 L .9 0 M 6 1.5 A 4.8 1.5 1.2 1.5 0 360"},
    {U'&', 4.8f,
     "M 4.8 0 L 1 4.6 A 1.95 5.6 1.3 1.4 215 -40 L 1 3.2 A 1.8 1.8 1.8 1.8 130 320 L 4.6 3.2"},
    {U'#', 4.6f, "M 1 0 L 1.8 7 M 2.8 0 L 3.6 7 M .2 4.8 L 4.6 4.8 M 0 2.2 L 4.4 2.2"},
    {U'@', 6,
     "A 3 2.8 1.3 1.6 0 360 M 4.3 4.3 L 4.3 1.9 A 5.1 2 .8 .9 180 340 A 3 3 3 3.6 -15 310"},
    {U'$', 4, "A 2 5 1.8 1.5 38 270 A 2 1.9 2 1.6 90 -148 M 2 7.6 L 2 -.7"},
    {U'^', 3, "M 0 4.8 L 1.5 7 L 3 4.8"},
    {U'_', 4, "M 0 -1 L 4 -1"},
    {U'`', 1.2f, "M 0 7.2 L 1.2 5.8"},
    {U'~', 4, "A 1 2.8 1 .7 180 0 A 3 2.8 1 .7 180 360"},
    {U'\u00b0', 2, "A 1 6 1 1.1 0 360"},
    {U'\u00b1', 4, "M 0 3.6 L 4 3.6 M 2 1.6 L 2 5.6 M 0 .4 L 4 .4"},
    {U'\u00b2', 2, "A 1 6.1 .95 .9 165 -32 L 0 3.9 L 2 3.9"},
    {U'\u00b3', 2, "A .95 6.3 .85 .7 150 -90 A .95 4.7 1 .85 90 -150"},
    {U'\u00b9', 1.2f, "M .1 6.3 L 1 7 L 1 3.9"},
    {U'\u207b', 1.6f, "M 0 5.4 L 1.6 5.4"},
    {U'\u00b5', 3.6f, "M 0 5 L 0 -2 M 0 1.9 A 1.8 1.9 1.8 1.9 180 360 M 3.6 5 L 3.6 0"},
    {U'\u03bc', 3.6f, "M 0 5 L 0 -2 M 0 1.9 A 1.8 1.9 1.8 1.9 180 360 M 3.6 5 L 3.6 0"},
    {U'\u00b7', .6f, "M .3 2.9 L .3 3"},
    {U'\u00d7', 3.2f, "M .2 1.4 L 3 4.4 M 3 1.4 L .2 4.4"},
    {U'\u2212', 4, "M 0 3 L 4 3"},
    {U'\u2013', 3.6f, "M 0 2.8 L 3.6 2.8"},
    {U'\u2014', 6, "M 0 2.8 L 6 2.8"},
    {U'\u2192', 5, "M 0 3 L 5 3 M 3.2 4.6 L 5 3 L 3.2 1.4"},
    {U'\u2264', 3.6f, "M 3.6 6 L 0 3.9 L 3.6 1.8 M 0 .4 L 3.6 .4"},
    {U'\u2265', 3.6f, "M 0 6 L 3.6 3.9 L 0 1.8 M 0 .4 L 3.6 .4"},
    {U'\u2248', 4, "A 1 2 1 .7 180 0 A 3 2 1 .7 180 360 M 0 4 A 1 4 1 .7 180 0 A 3 4 1 .7 180 360"},
    {U'\u0394', 4.8f, "M 0 0 L 2.4 7 L 4.8 0 L 0 0"},
    {U'\u03b1', 4.2f, "M 4.2 5 A 1.8 2.5 1.8 2.5 30 330 L 4.2 0 M 4 5 L 3.3 2.5 L 4.2 0"},
    {U'\u03b8', 3.6f, "A 1.8 3.5 1.8 3.6 0 360 M 0 3.5 L 3.6 3.5"},
    {U'\u03c3', 4.2f, "A 1.95 2.4 1.95 2.4 0 360 M 1.9 4.8 L 4.4 4.8"},
    {U'\ufffd', 4, "M 0 0 L 4 0 L 4 7 L 0 7 L 0 0"},
};

/// Turns a path into straight strokes; arcs get a piece every 15 degrees.
Glyph parse(const Drawing& drawing) {
  Glyph g;
  g.width = drawing.width;
  std::istringstream in(drawing.path);
  float x = 0, y = 0;
  bool down = false;
  const auto lineTo = [&](float nx, float ny) {
    if (down) g.strokes.push_back({x, y, nx, ny});
    x = nx, y = ny, down = true;
  };
  for (std::string op; in >> op;) {
    if (op == "M" || op == "L") {
      float nx = 0, ny = 0;
      in >> nx >> ny;
      if (op == "M") down = false;
      lineTo(nx, ny);
    } else {
      float cx = 0, cy = 0, rx = 0, ry = 0, from = 0, to = 0;
      in >> cx >> cy >> rx >> ry >> from >> to;
      const int pieces = std::max(2, static_cast<int>(std::abs(to - from) / 12));
      for (int i = 0; i <= pieces; ++i) {
        const auto angle = static_cast<float>(degreesToRadians(
            from + (to - from) * static_cast<float>(i) / static_cast<float>(pieces)));
        lineTo(cx + rx * std::cos(angle), cy + ry * std::sin(angle));
      }
    }
    PNEUMA_CHECK(!in.fail(), "glyph {}", static_cast<unsigned>(drawing.code));
  }
  return g;
}

}  // namespace

const Glyph& glyph(char32_t code) {
  static const std::unordered_map<char32_t, Glyph> font = [] {
    std::unordered_map<char32_t, Glyph> f;
    for (const Drawing& d : kDrawings) f.emplace(d.code, parse(d));
    return f;
  }();
  const auto it = font.find(code);
  return it != font.end() ? it->second : font.at(U'\ufffd');
}

std::vector<char32_t> decodeUtf8(std::string_view text) {
  std::vector<char32_t> codes;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    int more = lead < 0x80       ? 0
               : lead >> 5 == 6  ? 1
               : lead >> 4 == 14 ? 2
               : lead >> 3 == 30 ? 3
                                 : -1;
    char32_t code = more <= 0 ? lead : lead & (0x3fu >> more);
    if (more < 0) code = U'\ufffd';
    for (; more > 0; --more) {
      if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xc0u) != 0x80u) {
        code = U'\ufffd';
        break;
      }
      code = (code << 6) | (static_cast<unsigned char>(text[i++]) & 0x3fu);
    }
    codes.push_back(code);
  }
  return codes;
}

}  // namespace pneuma::render::internal
