#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "flesh/embedded/bcc.h"
#include "pneuma/core/triangle_mesh.h"

namespace pneuma::flesh::embedded {

/// Inside or outside of a closed surface at integer places: where each column along x crosses it,
/// and in which sense. A place is inside when more crossings enter than leave before it, so pieces
/// that overlap count once.
class ColumnRaster {
 public:
  /// `vertices` in lattice units, not negative. Columns [0, height) x [0, depth).
  ColumnRaster(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles,
               std::int32_t height, std::int32_t depth);

  bool inside(const bcc::Int3& p) const {
    if (p.y < 0 || p.z < 0 || p.y >= height_ || p.z >= depth_) return false;
    const std::size_t c = column(p.y, p.z);
    int winding = 0;
    for (std::uint32_t k = start_[c]; k < start_[c + 1]; ++k) {
      if (crossings_[k].x > static_cast<float>(p.x)) break;
      winding += crossings_[k].sense;
    }
    return winding > 0;
  }

 private:
  struct Crossing {
    float x;
    std::int32_t sense;  ///< +1 entering, -1 leaving
  };
  std::size_t column(std::int32_t y, std::int32_t z) const {
    return static_cast<std::size_t>(z) * static_cast<std::size_t>(height_) +
           static_cast<std::size_t>(y);
  }
  template <class Visit>
  void scan(const std::vector<Vec3>& vertices, const Triangle& t, Visit&& visit) const;

  std::int32_t height_, depth_;
  std::vector<std::uint32_t> start_;
  std::vector<Crossing> crossings_;
};

/// Which cubes of one finest edge a surface may pass through: those that a triangle's box meets.
class TouchedCubes {
 public:
  TouchedCubes(const std::vector<Vec3>& vertices, const std::vector<Triangle>& triangles,
               const std::array<std::int32_t, 3>& extent);
  /// Whether the surface may pass through the box of a cell.
  bool touches(const bcc::Corners& cell) const;

 private:
  std::size_t index(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(size_[1]) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(size_[0]) +
           static_cast<std::size_t>(x);
  }
  std::array<std::int32_t, 3> size_{};
  std::vector<std::uint8_t> touched_;
};

}  // namespace pneuma::flesh::embedded
