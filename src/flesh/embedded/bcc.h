#pragma once

#include <array>
#include <cstdint>

#include "pneuma/core/types.h"

/// Tables of the body-centred cubic tetrahedron and its red refinement.
namespace pneuma::flesh::embedded::bcc {

/// Integer coordinates. The finest cubes have an edge of kFine units, so that nodes, midpoints and
/// the centroids of the small tetrahedra all lie on integers.
struct Int3 {
  std::int32_t x = 0, y = 0, z = 0;

  Int3 operator+(const Int3& b) const { return {x + b.x, y + b.y, z + b.z}; }
  Int3 operator-(const Int3& b) const { return {x - b.x, y - b.y, z - b.z}; }
  Int3 operator*(std::int32_t s) const { return {x * s, y * s, z * s}; }
  bool operator==(const Int3&) const = default;
  Vec3 real() const { return {double(x), double(y), double(z)}; }
};
inline constexpr std::int32_t kFine = 16;

/// Injective for coordinates in [-2^20, 2^20).
inline std::uint64_t pack(const Int3& p) {
  constexpr std::int64_t kOffset = 1 << 20;
  return (static_cast<std::uint64_t>(p.x + kOffset) << 42) |
         (static_cast<std::uint64_t>(p.y + kOffset) << 21) |
         static_cast<std::uint64_t>(p.z + kOffset);
}

/// Places of a tetrahedron: corners 0 .. 3 (0-1 and 2-3 are the long edges), then the midpoints of
/// the edges in the order of kEdges.
inline constexpr int kPoints = 10;
inline constexpr std::array<std::array<int, 2>, 6> kEdges{
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
/// Face f is opposite to corner f.
inline constexpr std::array<std::array<int, 3>, 4> kFaces{
    {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}}};
/// Children by places of the parent, oriented and ordered as the parent is.
inline constexpr std::array<std::array<int, 4>, 8> kChildren{{{0, 4, 5, 6},
                                                              {4, 1, 7, 8},
                                                              {5, 7, 2, 9},
                                                              {6, 8, 9, 3},
                                                              {4, 9, 7, 5},
                                                              {4, 9, 8, 7},
                                                              {4, 9, 6, 8},
                                                              {4, 9, 5, 6}}};

using Corners = std::array<Int3, 4>;
using Points = std::array<Int3, kPoints>;

inline Points pointsOf(const Corners& c) {
  Points p{c[0], c[1], c[2], c[3]};
  for (std::size_t e = 0; e < kEdges.size(); ++e) {
    const Int3 sum =
        c[static_cast<std::size_t>(kEdges[e][0])] + c[static_cast<std::size_t>(kEdges[e][1])];
    p[4 + e] = {sum.x / 2, sum.y / 2, sum.z / 2};
  }
  return p;
}
inline Corners childOf(const Points& p, int child) {
  Corners c;
  for (std::size_t k = 0; k < 4; ++k)
    c[k] = p[static_cast<std::size_t>(kChildren[static_cast<std::size_t>(child)][k])];
  return c;
}
/// Midpoint place between two corners.
inline int midpoint(int a, int b) {
  for (std::size_t e = 0; e < kEdges.size(); ++e)
    if ((kEdges[e][0] == a && kEdges[e][1] == b) || (kEdges[e][0] == b && kEdges[e][1] == a))
      return 4 + static_cast<int>(e);
  return -1;
}

/// The twelve tetrahedra of the cube at `corner` with edge s: those across its faces towards +x,
/// +y, +z.
Corners topCell(const Int3& corner, std::int32_t s, int which);

/// What the 64 small tetrahedra of two refinements share.
struct MicroTables {
  std::array<std::uint64_t, 64> neighbours{};     ///< bit set by small tetrahedron
  std::array<std::array<int, 4>, 64> centroid{};  ///< barycentric coordinates times 16
  /// Small tetrahedra at a face whose corners (in the order of kFaces) are taken in permutation p:
  /// the same sequence of places for both cells that share the face.
  std::array<std::array<std::array<std::uint8_t, 16>, 6>, 4> onFace{};
  std::array<std::uint64_t, 4> faceMask{};
  /// Face of the parent that face f of child c lies in, or -1.
  std::array<std::array<int, 4>, 8> parentFace{};
};
const MicroTables& microTables();
/// Number of the permutation that sorts three keys.
int permutationOf(std::uint64_t a, std::uint64_t b, std::uint64_t c);

}  // namespace pneuma::flesh::embedded::bcc
