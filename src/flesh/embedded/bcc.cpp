#include "flesh/embedded/bcc.h"

#include <algorithm>
#include <map>
#include <vector>

namespace pneuma::flesh::embedded::bcc {
namespace {

constexpr std::array<std::array<int, 3>, 6> kPermutations{
    {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};

/// Barycentric coordinates times 16.
using Bary = std::array<int, 4>;

/// Corners of the eight children in barycentric coordinates.
std::array<std::array<Bary, 4>, 8> refine(const std::array<Bary, 4>& corners) {
  std::array<Bary, kPoints> p{};
  for (std::size_t k = 0; k < 4; ++k) p[k] = corners[k];
  for (std::size_t e = 0; e < 6; ++e)
    for (std::size_t d = 0; d < 4; ++d)
      p[4 + e][d] = (corners[static_cast<std::size_t>(kEdges[e][0])][d] +
                     corners[static_cast<std::size_t>(kEdges[e][1])][d]) /
                    2;
  std::array<std::array<Bary, 4>, 8> children{};
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t k = 0; k < 4; ++k)
      children[c][k] = p[static_cast<std::size_t>(kChildren[c][k])];
  return children;
}

std::array<Bary, 4> wholeCell() {
  return {{{16, 0, 0, 0}, {0, 16, 0, 0}, {0, 0, 16, 0}, {0, 0, 0, 16}}};
}

std::vector<std::array<Bary, 4>> microCells() {
  std::vector<std::array<Bary, 4>> cells;
  for (const auto& child : refine(wholeCell()))
    for (const auto& small : refine(child)) cells.push_back(small);
  return cells;
}

std::array<Bary, 3> faceOf(const std::array<Bary, 4>& cell, std::size_t f) {
  std::array<Bary, 3> face{};
  for (std::size_t k = 0; k < 3; ++k) face[k] = cell[static_cast<std::size_t>(kFaces[f][k])];
  std::sort(face.begin(), face.end());
  return face;
}

/// The face of the whole cell in which all three places lie, or -1.
int outerFace(const std::array<Bary, 3>& face) {
  for (std::size_t d = 0; d < 4; ++d)
    if (face[0][d] == 0 && face[1][d] == 0 && face[2][d] == 0) return static_cast<int>(d);
  return -1;
}

void fillNeighbours(const std::vector<std::array<Bary, 4>>& cells, MicroTables& t) {
  std::map<std::array<Bary, 3>, std::size_t> seen;
  for (std::size_t m = 0; m < 64; ++m)
    for (std::size_t f = 0; f < 4; ++f) {
      const auto [other, fresh] = seen.emplace(faceOf(cells[m], f), m);
      if (fresh) continue;
      t.neighbours[m] |= std::uint64_t{1} << other->second;
      t.neighbours[other->second] |= std::uint64_t{1} << m;
    }
}

/// Small tetrahedra of each face, in the order of their faces' places seen with permuted corners.
void fillFaces(const std::vector<std::array<Bary, 4>>& cells, MicroTables& t) {
  std::array<std::vector<std::pair<Bary, std::uint8_t>>, 4> members;
  for (std::size_t m = 0; m < 64; ++m)
    for (std::size_t f = 0; f < 4; ++f) {
      const std::array<Bary, 3> face = faceOf(cells[m], f);
      const int outer = outerFace(face);
      if (outer < 0) continue;
      Bary sum{};
      for (const Bary& corner : face)
        for (std::size_t d = 0; d < 4; ++d) sum[d] += corner[d];
      members[static_cast<std::size_t>(outer)].push_back({sum, static_cast<std::uint8_t>(m)});
      t.faceMask[static_cast<std::size_t>(outer)] |= std::uint64_t{1} << m;
    }
  for (std::size_t f = 0; f < 4; ++f)
    for (std::size_t p = 0; p < 6; ++p) {
      std::vector<std::pair<std::array<int, 3>, std::uint8_t>> order;
      for (const auto& [sum, m] : members[f]) {
        std::array<int, 3> key{};
        for (std::size_t k = 0; k < 3; ++k)
          key[k] = sum[static_cast<std::size_t>(
              kFaces[f][static_cast<std::size_t>(kPermutations[p][k])])];
        order.push_back({key, m});
      }
      std::sort(order.begin(), order.end());
      for (std::size_t k = 0; k < 16; ++k) t.onFace[f][p][k] = order[k].second;
    }
}

MicroTables makeTables() {
  MicroTables t;
  const auto cells = microCells();
  for (std::size_t m = 0; m < 64; ++m)
    for (const Bary& corner : cells[m])
      for (std::size_t d = 0; d < 4; ++d) t.centroid[m][d] += corner[d];
  for (auto& centroid : t.centroid)
    for (int& d : centroid) d /= 4;  // corners are multiples of four
  fillNeighbours(cells, t);
  fillFaces(cells, t);
  const auto children = refine(wholeCell());
  for (std::size_t c = 0; c < 8; ++c)
    for (std::size_t f = 0; f < 4; ++f) t.parentFace[c][f] = outerFace(faceOf(children[c], f));
  return t;
}

}  // namespace

const MicroTables& microTables() {
  static const MicroTables tables = makeTables();
  return tables;
}

int permutationOf(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const std::array<std::uint64_t, 3> key{a, b, c};
  for (int p = 0; p < 6; ++p) {
    const auto& q = kPermutations[static_cast<std::size_t>(p)];
    if (key[static_cast<std::size_t>(q[0])] <= key[static_cast<std::size_t>(q[1])] &&
        key[static_cast<std::size_t>(q[1])] <= key[static_cast<std::size_t>(q[2])])
      return p;
  }
  return 0;
}

Corners topCell(const Int3& corner, std::int32_t s, int which) {
  const int axis = which / 4, side = which % 4;
  const auto unit = [](int d) { return Int3{d % 3 == 0, d % 3 == 1, d % 3 == 2}; };
  const Int3 along = unit(axis), u = unit(axis + 1), v = unit(axis + 2);
  const Int3 centre = corner + Int3{s / 2, s / 2, s / 2};
  // The face's corners in turn, counter-clockwise seen from the far centre.
  const Int3 base = corner + along * s;
  const std::array<Int3, 4> ring{base, base + u * s, base + u * s + v * s, base + v * s};
  const auto k = static_cast<std::size_t>(side);
  return {centre, centre + along * s, ring[k], ring[(k + 1) % 4]};
}

}  // namespace pneuma::flesh::embedded::bcc
