#include <Eigen/SparseCholesky>

#include <array>
#include <map>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/shape/gradients.h"

namespace pneuma::shape {
namespace {

using Edge = std::pair<std::int32_t, std::int32_t>;

/// Pairs of triangles with a common edge.
std::vector<Edge> adjacentTriangles(const std::vector<Triangle>& triangles) {
  std::map<Edge, std::int32_t> first;
  std::vector<Edge> pairs;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      const Edge edge = std::minmax(triangles[t][k], triangles[t][(k + 1) % 3]);
      const auto [found, isNew] = first.emplace(edge, static_cast<std::int32_t>(t));
      if (!isNew) pairs.emplace_back(found->second, static_cast<std::int32_t>(t));
    }
  return pairs;
}

std::array<Vec3, 2> twoEdges(const Triangle& t, std::span<const Vec3> x) {
  return {x[at(t[1])] - x[at(t[0])], x[at(t[2])] - x[at(t[0])]};
}

}  // namespace

struct SmoothGradients::Data {
  const ShapeTemplate* shape;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor;
};

SmoothGradients::SmoothGradients(const ShapeTemplate& shape, double beta)
    : data_(std::make_unique<Data>()) {
  if (!(beta > 0))
    throw InputError(Diagnostic{.field = "beta", .message = "out of range", .expected = "above 0"});
  data_->shape = &shape;
  const auto n = static_cast<Eigen::Index>(3 * shape.triangleCount());
  std::vector<Eigen::Triplet<double>> entries;
  double squared = 0;
  for (std::size_t t = 0; t < shape.triangleCount(); ++t)
    for (const Vec3& e : twoEdges(shape.mesh.triangles[t], shape.mesh.positions)) {
      squared += e.squaredNorm() / (2 * static_cast<double>(shape.triangleCount()));
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          entries.emplace_back(static_cast<int>(3 * t) + i, static_cast<int>(3 * t) + j,
                               e[i] * e[j]);
    }
  for (const auto& [a, b] : adjacentTriangles(shape.mesh.triangles))
    for (int i = 0; i < 3; ++i) {
      const int p = 3 * a + i, q = 3 * b + i;
      entries.emplace_back(p, p, beta * squared), entries.emplace_back(q, q, beta * squared);
      entries.emplace_back(p, q, -beta * squared), entries.emplace_back(q, p, -beta * squared);
    }
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  data_->factor.compute(matrix);
  PNEUMA_CHECK(data_->factor.info() == Eigen::Success, "Eq. 5 of {} triangles",
               shape.triangleCount());
}

SmoothGradients::~SmoothGradients() = default;

std::vector<Mat3> SmoothGradients::solve(std::span<const Vec3> positions,
                                         std::span<const Mat3> rotations) const {
  const ShapeTemplate& shape = *data_->shape;
  if (positions.size() != shape.vertexCount() || rotations.size() != shape.partNames.size())
    throw InputError("shape: vertices or rotations do not fit the template");
  // Column r of the unknowns is row r of every S: each row sees the same matrix.
  MatX right = MatX::Zero(static_cast<Eigen::Index>(3 * shape.triangleCount()), 3);
  for (std::size_t t = 0; t < shape.triangleCount(); ++t) {
    const Triangle& c = shape.mesh.triangles[t];
    const auto from = twoEdges(c, shape.mesh.positions), to = twoEdges(c, positions);
    const Mat3 back = rotations[at(shape.partOfTriangle[t])].transpose();
    for (std::size_t e = 0; e < 2; ++e)
      right.middleRows<3>(static_cast<Eigen::Index>(3 * t)) += from[e] * (back * to[e]).transpose();
  }
  const MatX solved = data_->factor.solve(right);
  std::vector<Mat3> S;
  for (std::size_t t = 0; t < shape.triangleCount(); ++t)
    S.push_back(solved.middleRows<3>(static_cast<Eigen::Index>(3 * t)).transpose());
  return S;
}

}  // namespace pneuma::shape
