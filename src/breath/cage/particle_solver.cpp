#include "breath/cage/particle_solver.h"

#include <Eigen/SparseCholesky>

#include "pneuma/core/check.h"

namespace pneuma::breath::internal {

ParticleSolver::ParticleSolver(std::span<const double> mass, std::span<const WeightedEdge> edges) {
  const auto n = static_cast<int>(mass.size());
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) entries.emplace_back(i, i, mass[static_cast<std::size_t>(i)]);
  for (const WeightedEdge& e : edges) {
    entries.emplace_back(e.a, e.a, e.weight);
    if (e.b < 0) continue;
    entries.emplace_back(e.b, e.b, e.weight);
    entries.emplace_back(e.a, e.b, -e.weight);
    entries.emplace_back(e.b, e.a, -e.weight);
  }
  Eigen::SparseMatrix<double> matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  const Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor(matrix);
  PNEUMA_CHECK(factor.info() == Eigen::Success, "the inertia of the particles is not positive");

  const Eigen::SparseMatrix<double> l = factor.matrixL();
  columnStart_.push_back(0);
  for (int c = 0; c < n; ++c) {
    for (Eigen::SparseMatrix<double>::InnerIterator it(l, c); it; ++it) {
      if (it.row() == c) {
        inverseDiagonal_.push_back(1 / it.value());
      } else {
        rowIndex_.push_back(static_cast<int>(it.row()));
        value_.push_back(it.value());
      }
    }
    columnStart_.push_back(static_cast<int>(rowIndex_.size()));
  }
  order_.resize(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i)
    order_[static_cast<std::size_t>(factor.permutationP().indices()[i])] = i;
  work_.resize(static_cast<std::size_t>(n));
}

/// All right sides of a row at once in vector registers: plain loops over them stay scalar, for the
/// compiler cannot know that two rows are never the same.
void ParticleSolver::solve(std::vector<Row>& rows) {
  using Lanes = Eigen::Array<double, kWidth, 1>;
  const auto lanes = [](Row& row) { return Eigen::Map<Lanes>(row.data()); };
  const std::size_t n = work_.size();
  for (std::size_t i = 0; i < n; ++i) work_[i] = rows[static_cast<std::size_t>(order_[i])];
  for (std::size_t c = 0; c < n; ++c) {  // L y = b
    const Lanes y = lanes(work_[c]) * inverseDiagonal_[c];
    lanes(work_[c]) = y;
    for (int k = columnStart_[c]; k < columnStart_[c + 1]; ++k)
      lanes(work_[static_cast<std::size_t>(rowIndex_[static_cast<std::size_t>(k)])]) -=
          value_[static_cast<std::size_t>(k)] * y;
  }
  for (std::size_t c = n; c-- > 0;) {  // L^T x = y
    Lanes sum = lanes(work_[c]);
    for (int k = columnStart_[c]; k < columnStart_[c + 1]; ++k)
      sum -= value_[static_cast<std::size_t>(k)] *
             lanes(work_[static_cast<std::size_t>(rowIndex_[static_cast<std::size_t>(k)])]);
    lanes(work_[c]) = sum * inverseDiagonal_[c];
  }
  for (std::size_t i = 0; i < n; ++i) rows[static_cast<std::size_t>(order_[i])] = work_[i];
}

}  // namespace pneuma::breath::internal
