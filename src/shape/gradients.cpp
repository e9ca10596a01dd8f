#include "pneuma/shape/gradients.h"

#include <fmt/format.h>
#include <Eigen/LU>
#include <Eigen/SparseCholesky>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/index.h"

namespace pneuma::shape {
namespace {

using SparseMatrix = Eigen::SparseMatrix<double>;
using Entry = Eigen::Triplet<double>;
using Corners = Eigen::Matrix<double, 2, 3>;

constexpr double kThinnest = 1e-14;  // area of a triangle that still has a plane [m^2]

/// How a plane gradient follows from the three corners: grad = [x_0 x_1 x_2] C^T.
Corners cornerWeights(const Eigen::Matrix2d& inverse) {
  Eigen::Matrix<double, 2, 3> edges;
  edges << -1, 1, 0, -1, 0, 1;
  return inverse.transpose() * edges;
}

void checkVertices(const ShapeTemplate& shape, std::size_t count) {
  if (count != shape.vertexCount())
    throw InputError(
        fmt::format("shape: {} vertices; the template has {}", count, shape.vertexCount()));
}

}  // namespace

Mat3 trianglePlane(const Triangle& t, std::span<const Vec3> x) {
  const Vec3 a = x[at(t[1])] - x[at(t[0])], normal = a.cross(x[at(t[2])] - x[at(t[0])]);
  Mat3 frame;
  frame << a.normalized(), normal.cross(a).normalized(), normal.normalized();
  return frame;
}

struct GradientMap::Factor {
  std::vector<int> column;  // of each free vertex; -1: fixed
  std::vector<std::int32_t> free;
  Eigen::SimplicialLLT<SparseMatrix> llt;
};

GradientMap::GradientMap(const ShapeTemplate& shape)
    : shape_(&shape), factor_(std::make_unique<Factor>()) {
  for (const Triangle& t : shape.mesh.triangles) {
    const auto& x = shape.mesh.positions;
    const Vec3 a = x[at(t[1])] - x[at(t[0])], b = x[at(t[2])] - x[at(t[0])];
    const Vec3 normal = a.cross(b);
    if (!(0.5 * normal.norm() > kThinnest)) throw InputError("template: a triangle has no area");
    const Mat3 plane = trianglePlane(t, x);
    Eigen::Matrix2d M;
    M << plane.col(0).dot(a), plane.col(0).dot(b), plane.col(1).dot(a), plane.col(1).dot(b);
    areas_.push_back(0.5 * normal.norm());
    inverse_.push_back(M.inverse());
  }
  Factor& f = *factor_;
  f.column.assign(shape.vertexCount(), -1);
  for (std::size_t v = 0; v < shape.vertexCount(); ++v)
    if (!shape.fixedVertex[v]) {
      f.column[v] = static_cast<int>(f.free.size());
      f.free.push_back(static_cast<std::int32_t>(v));
    }
  // Stiffness of Eq. 2: with weights by area the cotangent Laplacian.
  std::vector<Entry> entries;
  for (std::size_t t = 0; t < areas_.size(); ++t) {
    const Corners c = cornerWeights(inverse_[t]);
    const Mat3 K = areas_[t] * c.transpose() * c;
    const Triangle& corners = shape.mesh.triangles[t];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const int row = f.column[at(corners[static_cast<std::size_t>(i)])];
        const int column = f.column[at(corners[static_cast<std::size_t>(j)])];
        if (row >= 0 && column >= 0) entries.emplace_back(row, column, K(i, j));
      }
  }
  const auto n = static_cast<Eigen::Index>(f.free.size());
  SparseMatrix matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  f.llt.compute(matrix);
  PNEUMA_CHECK(f.llt.info() == Eigen::Success, "template of {} free vertices", n);
}

GradientMap::~GradientMap() = default;
GradientMap::GradientMap(GradientMap&&) noexcept = default;

PlaneGradients GradientMap::gradients(std::span<const Vec3> x) const {
  checkVertices(*shape_, x.size());
  PlaneGradients result(areas_.size());
  for (std::size_t t = 0; t < areas_.size(); ++t) {
    const Triangle& c = shape_->mesh.triangles[t];
    PlaneGradient edges;
    edges << x[at(c[1])] - x[at(c[0])], x[at(c[2])] - x[at(c[0])];
    result[t] = edges * inverse_[t];
  }
  return result;
}

std::vector<Vec3> GradientMap::vertices(const PlaneGradients& wanted,
                                        std::span<const Vec3> fixed) const {
  checkVertices(*shape_, fixed.size());
  PNEUMA_CHECK(wanted.size() == areas_.size(), "{} gradients of {} triangles", wanted.size(),
               areas_.size());
  const Factor& f = *factor_;
  Eigen::Matrix<double, Eigen::Dynamic, 3> right(static_cast<Eigen::Index>(f.free.size()), 3);
  right.setZero();
  for (std::size_t t = 0; t < areas_.size(); ++t) {
    const Triangle& corners = shape_->mesh.triangles[t];
    const Corners c = cornerWeights(inverse_[t]);
    // What the fixed corners already give is no longer asked of the free ones.
    PlaneGradient open = wanted[t];
    for (std::size_t k = 0; k < 3; ++k)
      if (f.column[at(corners[k])] < 0)
        open -= fixed[at(corners[k])] * c.col(static_cast<Eigen::Index>(k)).transpose();
    for (std::size_t k = 0; k < 3; ++k)
      if (const int row = f.column[at(corners[k])]; row >= 0)
        right.row(row) += areas_[t] * (open * c.col(static_cast<Eigen::Index>(k))).transpose();
  }
  const Eigen::Matrix<double, Eigen::Dynamic, 3> solved = f.llt.solve(right);
  std::vector<Vec3> result(fixed.begin(), fixed.end());
  for (std::size_t i = 0; i < f.free.size(); ++i)
    result[at(f.free[i])] = solved.row(static_cast<Eigen::Index>(i)).transpose();
  return result;
}

}  // namespace pneuma::shape
