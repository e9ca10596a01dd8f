#pragma once

#include <array>

#include "pneuma/flesh/grid_solid.h"

/// Helpers shared by the sources of the finite-difference solid.
namespace pneuma::flesh {

inline auto node(const VecX& q, int i) {
  return q.segment<3>(3 * static_cast<Eigen::Index>(i));
}
inline auto node(VecX& q, int i) {
  return q.segment<3>(3 * static_cast<Eigen::Index>(i));
}

inline std::array<Vec3, 8> gather(const VecX& q, const GridCell& cell) {
  std::array<Vec3, 8> x;
  for (std::size_t c = 0; c < 8; ++c) x[c] = node(q, cell.nodes[c]);
  return x;
}

/// The six faces of a cell, corners counter-clockwise seen from outside.
inline constexpr std::array<std::array<int, 4>, 6> kCellFaces{{
    {0, 1, 3, 2},
    {4, 6, 7, 5},
    {0, 4, 5, 1},
    {2, 3, 7, 6},
    {0, 2, 6, 4},
    {1, 5, 7, 3},
}};

}  // namespace pneuma::flesh
