#pragma once

#include <vector>

#include "render/tracer.h"

namespace pneuma::render::internal {

/// What the samples of one pixel say.
struct FilmPixel {
  Rgb light = Rgb::Zero();       ///< mean
  Vec3f normal = Vec3f::Zero();  ///< mean over what is seen; zero for background
  Rgb color = Rgb::Zero();       ///< mean surface colour, without light
  float depth = 0;               ///< mean distance [m]
  float variance = 0;            ///< of the mean's brightness
  bool touched = false;          ///< anything but plain background
};

struct Film {
  int width, height;
  std::vector<FilmPixel> pixels;

  Film(int w, int h)
      : width(w), height(h), pixels(static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
  FilmPixel& at(int x, int y) {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  const FilmPixel& at(int x, int y) const { return const_cast<Film*>(this)->at(x, y); }
};

/// Removes the grain of sampling: each pixel becomes a mean over neighbours that show the same
/// surface (normal, colour, distance alike) and differ in brightness by no more than their own
/// measured noise. Edges, creases and shadows stay; a picture without noise is left as it is.
std::vector<Rgb> denoise(const Film& film);

}  // namespace pneuma::render::internal
