#include "skin/surface_laplacian.h"

#include <algorithm>
#include <map>

namespace pneuma::skin::internal {

Eigen::SparseMatrix<double> surfaceLaplacian(const TriangleMesh& mesh) {
  constexpr double kThinnest = 1e-12;  // twice the area of a triangle that still counts [m^2]
  std::map<std::pair<std::int32_t, std::int32_t>, double> edges;
  for (const Triangle& t : mesh.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::int32_t i = t[(k + 1) % 3], j = t[(k + 2) % 3];
      const Vec3& x = mesh.positions[static_cast<std::size_t>(t[k])];
      const Vec3 a = mesh.positions[static_cast<std::size_t>(i)] - x;
      const Vec3 b = mesh.positions[static_cast<std::size_t>(j)] - x;
      edges[std::minmax(i, j)] += 0.5 * a.dot(b) / std::max(a.cross(b).norm(), kThinnest);
    }
  std::vector<Eigen::Triplet<double>> entries;
  for (const auto& [edge, weight] : edges) {
    const double w = std::max(weight, 0.0);
    entries.emplace_back(edge.first, edge.first, w);
    entries.emplace_back(edge.second, edge.second, w);
    entries.emplace_back(edge.first, edge.second, -w);
    entries.emplace_back(edge.second, edge.first, -w);
  }
  const auto n = static_cast<Eigen::Index>(mesh.vertexCount());
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

std::vector<double> vertexAreas(const TriangleMesh& mesh) {
  std::vector<double> areas(mesh.vertexCount(), 0);
  for (const Triangle& t : mesh.triangles) {
    const auto& x = mesh.positions;
    const double third =
        triangleArea(x[static_cast<std::size_t>(t[0])], x[static_cast<std::size_t>(t[1])],
                     x[static_cast<std::size_t>(t[2])]) /
        3;
    for (const std::int32_t v : t) areas[static_cast<std::size_t>(v)] += third;
  }
  return areas;
}

}  // namespace pneuma::skin::internal
