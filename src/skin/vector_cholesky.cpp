#include "skin/vector_cholesky.h"

#include <Eigen/SparseCholesky>

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"

namespace pneuma::skin::internal {

bool VectorCholesky::factorise(const Eigen::SparseMatrix<double>& matrix) {
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> found(matrix);
  if (found.info() != Eigen::Success) return false;
  const Eigen::SparseMatrix<double> L = found.matrixL();
  const auto n = static_cast<std::size_t>(L.cols());
  const auto& order = found.permutationP().indices();
  place_.assign(order.data(), order.data() + order.size());
  begin_.assign(1, 0);
  rows_.clear(), values_.clear(), diagonal_.assign(n, 0);
  for (Eigen::Index column = 0; column < L.cols(); ++column) {
    for (Eigen::SparseMatrix<double>::InnerIterator e(L, column); e; ++e) {
      if (e.row() == column) {
        diagonal_[static_cast<std::size_t>(column)] = e.value();
        continue;
      }
      rows_.push_back(static_cast<std::int32_t>(e.row()));
      values_.push_back(e.value());
    }
    begin_.push_back(rows_.size());
  }
  ordered_.assign(n, Eigen::Vector4d::Zero());
  return true;
}

void VectorCholesky::solve(std::span<Vec3> x) {
  PNEUMA_CHECK(x.size() == ordered_.size(), "{} vectors for {} unknowns", x.size(),
               ordered_.size());
  for (std::size_t i = 0; i < x.size(); ++i) ordered_[at(place_[i])].head<3>() = x[i];
  for (std::size_t c = 0; c < ordered_.size(); ++c) {  // L y = b
    const Eigen::Vector4d y = ordered_[c] /= diagonal_[c];
    for (std::size_t e = begin_[c]; e < begin_[c + 1]; ++e)
      ordered_[at(rows_[e])] -= values_[e] * y;
  }
  for (std::size_t c = ordered_.size(); c-- > 0;) {  // L^T x = y
    Eigen::Vector4d sum = ordered_[c];
    for (std::size_t e = begin_[c]; e < begin_[c + 1]; ++e)
      sum -= values_[e] * ordered_[at(rows_[e])];
    ordered_[c] = sum / diagonal_[c];
  }
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = ordered_[at(place_[i])].head<3>();
}

}  // namespace pneuma::skin::internal
