#include "pneuma/flesh/embedded/vertex_normals.h"

#include <cmath>

#include "pneuma/core/index.h"

namespace pneuma::flesh::embedded {

VertexNormals::VertexNormals(const TriangleMesh& mesh)
    : triangles_(mesh.triangles),
      start_(mesh.positions.size() + 1, 0),
      around_(3 * mesh.triangles.size()) {
  for (const Triangle& t : triangles_)
    for (const std::int32_t v : t) ++start_[at(v) + 1];
  for (std::size_t v = 0; v + 1 < start_.size(); ++v) start_[v + 1] += start_[v];
  std::vector<std::int32_t> next(start_.begin(), start_.end() - 1);
  std::int32_t corner = 0;
  for (const Triangle& t : triangles_)
    for (const std::int32_t v : t) around_[at(next[at(v)]++)] = corner++;
}

// The sum of vertexNormals in its order: the same bits.
Vec3 VertexNormals::normal(std::size_t vertex, std::span<const Vec3> x) const {
  Vec3 sum = Vec3::Zero();
  for (std::int32_t i = start_[vertex]; i < start_[vertex + 1]; ++i) {
    const Triangle& t = triangles_[at(around_[at(i)] / 3)];
    const auto place = [&](std::int32_t k) -> const Vec3& { return x[at(t[at(k % 3)])]; };
    const Vec3 n = (place(1) - place(0)).cross(place(2) - place(0));
    const double twiceArea = n.norm();
    if (!(twiceArea > 0)) continue;
    const std::int32_t k = around_[at(i)] % 3;
    const Vec3 u = place(k + 1) - place(k), v = place(k + 2) - place(k);
    sum += std::atan2(twiceArea, u.dot(v)) / twiceArea * n;
  }
  return sum.normalized();
}

}  // namespace pneuma::flesh::embedded
