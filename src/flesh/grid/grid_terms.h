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

/// Edges of a face as numbered in GridFace.
inline std::array<Vec3, 4> faceEdges(const VecX& q, const GridFace& face) {
  const Vec3 p0 = node(q, face.nodes[0]), p1 = node(q, face.nodes[1]), p2 = node(q, face.nodes[2]),
             p3 = node(q, face.nodes[3]);
  return {p1 - p0, p3 - p2, p2 - p0, p3 - p1};
}

/// Nodes at the two ends of each edge of a face: edge = position[end] - position[start].
inline constexpr std::array<std::array<std::size_t, 2>, 4> kFaceEdges{
    {{0, 1}, {2, 3}, {0, 2}, {1, 3}}};

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
