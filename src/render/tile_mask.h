#pragma once

#include <vector>

#include "render/geometry.h"

namespace pneuma::render::internal {

/// Which tiles of a picture may show anything but background. Half of a picture is background, and
/// its rays would all be sent out for nothing.
class TileMask {
 public:
  TileMask(const Geometry& geometry, const Camera& camera, int width, int height);

  /// False: no ray through the pixel meets a part.
  bool mayHit(float x, float y) const {
    const int column = static_cast<int>(x) / kTile, row = static_cast<int>(y) / kTile;
    return column < 0 || row < 0 || column >= columns_ || row >= rows_ ||
           marked_[static_cast<std::size_t>(row * columns_ + column)] != 0;
  }

 private:
  static constexpr int kTile = 8;  // pixels
  void mark(const Part& part, const Camera& camera, int width, int height);
  void mark(float left, float top, float right, float bottom);

  int columns_, rows_;
  std::vector<char> marked_;
};

}  // namespace pneuma::render::internal
