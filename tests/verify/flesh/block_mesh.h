#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "pneuma/flesh/embedded/flesh_solver.h"

namespace pneuma::flesh::embedded {

/// A block of cubes with a conforming surface: each cube is cut into twelve tetrahedra around its
/// centre. It has no hierarchy, so the multigrid is its coarsest level alone.
inline std::shared_ptr<Lattice> makeBlock(const std::array<int, 3>& n, double edge) {
  auto l = std::make_shared<Lattice>();
  l->config.spacing = edge;
  const auto corner = [&](int i, int j, int k) { return (k * (n[1] + 1) + j) * (n[0] + 1) + i; };
  for (int k = 0; k <= n[2]; ++k)
    for (int j = 0; j <= n[1]; ++j)
      for (int i = 0; i <= n[0]; ++i) l->nodes.push_back(edge * Vec3(i, j, k));
  // Faces of a cube as rings seen from outside; the diagonal joins corners of even index sum, so
  // neighbours agree.
  const int rings[6][4][3] = {
      {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}}, {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}},
      {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}}, {{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}},
      {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}, {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        const auto centre = static_cast<std::int32_t>(l->nodes.size());
        l->nodes.push_back(edge * Vec3(i + 0.5, j + 0.5, k + 0.5));
        for (const auto& ring : rings) {
          std::int32_t v[4];
          int even = 0;
          for (int c = 0; c < 4; ++c) {
            const int a = i + ring[c][0], b = j + ring[c][1], d = k + ring[c][2];
            v[c] = corner(a, b, d);
            if ((a + b + d) % 2 == 0 && c < 2) even = c;
          }
          const auto at = [&](int c) { return v[(even + c) % 4]; };
          l->tets.push_back({centre, at(0), at(2), at(1)});
          l->tets.push_back({centre, at(0), at(3), at(2)});
        }
      }
  l->freeCount = static_cast<std::int32_t>(l->nodes.size());
  for (Tet& t : l->tets) {
    const Vec3& o = l->nodes[t[0]];
    if ((l->nodes[t[1]] - o).cross(l->nodes[t[2]] - o).dot(l->nodes[t[3]] - o) < 0)
      std::swap(t[1], t[2]);
  }
  l->share.assign(l->tets.size(), 1);
  l->size.assign(l->tets.size(), 0);
  l->piece.assign(l->tets.size(), ~std::uint64_t{0});
  for (std::int32_t i = 0; i < l->freeCount; ++i) l->bindings.add(i, 1), l->bindings.endRow();
  return l;
}

/// Marks components of free nodes as held.
inline void hold(FleshModel& model, const std::function<int(const Vec3&)>& which) {
  const Lattice& l = *model.lattice;
  model.fixed.resize(l.freeCount, 0);
  for (std::int32_t i = 0; i < l.freeCount; ++i)
    model.fixed[i] = static_cast<std::uint8_t>(model.fixed[i] | which(l.nodes[i]));
}

inline double largestDistance(std::span<const Vec3> a, std::span<const Vec3> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

}  // namespace pneuma::flesh::embedded
