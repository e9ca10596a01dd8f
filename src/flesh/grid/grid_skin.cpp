#include "pneuma/flesh/grid_skin.h"

#include <array>
#include <cmath>

#include "flesh/grid/grid_terms.h"

namespace pneuma::flesh {
namespace {

/// Weights of the nodes along one axis for position `fine` of `refinement` pieces per edge.
std::vector<std::pair<int, double>> cubicWeights(int fine, int refinement, int count) {
  if (count == 1 || fine % refinement == 0) return {{fine / refinement, 1.0}};
  const int i = fine / refinement;
  const double u = static_cast<double>(fine % refinement) / refinement;
  const std::array<double, 4> w{
      -0.5 * u + u * u - 0.5 * u * u * u, 1 - 2.5 * u * u + 1.5 * u * u * u,
      0.5 * u + 2 * u * u - 1.5 * u * u * u, -0.5 * u * u + 0.5 * u * u * u};
  // Beyond an end the line goes straight on: p[-1] = 2 p[0] - p[1].
  std::array<double, 4> inside = w;
  int low = i - 1;
  if (i == 0) inside = {0, w[1] + 2 * w[0], w[2] - w[0], w[3]};
  if (i + 2 == count) {
    inside[2] += 2 * inside[3];
    inside[1] -= inside[3];
    inside[3] = 0;
  }
  std::vector<std::pair<int, double>> list;
  for (int k = 0; k < 4; ++k)
    if (inside[static_cast<std::size_t>(k)] != 0 && low + k >= 0 && low + k < count)
      list.emplace_back(low + k, inside[static_cast<std::size_t>(k)]);
  return list;
}

}  // namespace

GridSkin::GridSkin(const GridSize& size, int refinement) {
  const auto fineCount = [&](int n) { return (n - 1) * refinement + 1; };
  const GridSize fine{fineCount(size.m), fineCount(size.n), fineCount(size.o)};
  // Number the nodes of the fine lattice that the surface uses, in order.
  std::vector<Triangle> triangles = gridSurface(fine);
  std::vector<std::int32_t> number(static_cast<std::size_t>(fine.nodeCount()), -1);
  for (const Triangle& t : triangles)
    for (std::int32_t v : t) number[static_cast<std::size_t>(v)] = 0;
  std::int32_t next = 0;
  first_.push_back(0);
  for (int i = 0; i < fine.m; ++i)
    for (int j = 0; j < fine.n; ++j)
      for (int k = 0; k < fine.o; ++k) {
        std::int32_t& id = number[static_cast<std::size_t>(fine.index(i, j, k))];
        if (id < 0) continue;
        id = next++;
        for (const auto& [a, wa] : cubicWeights(i, refinement, size.m))
          for (const auto& [b, wb] : cubicWeights(j, refinement, size.n))
            for (const auto& [c, wc] : cubicWeights(k, refinement, size.o))
              weights_.emplace_back(size.index(a, b, c), wa * wb * wc);
        first_.push_back(weights_.size());
      }
  for (Triangle& t : triangles)
    for (std::int32_t& v : t) v = number[static_cast<std::size_t>(v)];
  triangles_ = std::move(triangles);
}

std::vector<Vec3> GridSkin::positions(const VecX& q) const {
  std::vector<Vec3> points(vertexCount(), Vec3::Zero());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t w = first_[i]; w < first_[i + 1]; ++w)
      points[i] += weights_[w].second * node(q, weights_[w].first);
  return points;
}

}  // namespace pneuma::flesh
