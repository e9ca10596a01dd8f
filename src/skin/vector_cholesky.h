#pragma once

#include <Eigen/SparseCore>
#include <span>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::skin::internal {

/// Cholesky factor of a sparse symmetric matrix for right sides that are vectors in space. A solve
/// is bound by reading the factor, so all three components go through it in one pass.
class VectorCholesky {
 public:
  /// False when the matrix is not positive definite.
  [[nodiscard]] bool factorise(const Eigen::SparseMatrix<double>& matrix);

  /// Of A x = b, b given in `x`.
  void solve(std::span<Vec3> x);

 private:
  std::vector<std::int32_t> place_;  // in the factor's order of each unknown
  std::vector<std::size_t> begin_;   // of each column below its diagonal
  std::vector<std::int32_t> rows_;
  std::vector<double> values_, diagonal_;
  std::vector<Eigen::Vector4d> ordered_;  // the fourth component fills the registers
};

}  // namespace pneuma::skin::internal
