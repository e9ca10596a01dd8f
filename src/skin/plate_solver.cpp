#include "skin/plate_solver.h"

#include "pneuma/core/check.h"
#include "pneuma/core/index.h"
#include "skin/vector_cholesky.h"

namespace pneuma::skin::internal {

namespace {

using Matrix = Eigen::SparseMatrix<double>;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3>;
using Entry = Eigen::Triplet<double>;

}  // namespace

struct PlateSolver::Impl {
  std::vector<std::int32_t> free, fixed;  // points
  Matrix toFree, fromFixed;               // transpose of D's free columns; D's fixed columns
  VectorCholesky factor;
  Columns residual, known, right;
  std::vector<Vec3> found;
};

PlateSolver::PlateSolver(const Neighbours& neighbours, const std::vector<bool>& free)
    : impl_(std::make_unique<Impl>()) {
  std::vector<int> column(neighbours.size(), -1);
  std::vector<bool> counts = free;
  for (std::size_t i = 0; i < free.size(); ++i)
    if (free[i])
      for (const std::int32_t j : neighbours[i]) counts[at(j)] = true;
  const auto columnOf = [&](std::int32_t i) {
    std::vector<std::int32_t>& list = free[at(i)] ? impl_->free : impl_->fixed;
    if (column[at(i)] < 0) {
      column[at(i)] = static_cast<int>(list.size());
      list.push_back(i);
    }
    return column[at(i)];
  };
  std::vector<Entry> inner, outer;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!counts[i]) continue;
    const int row = static_cast<int>(rows_.size());
    rows_.push_back(static_cast<std::int32_t>(i));
    const auto put = [&](std::int32_t j, double weight) {
      const int c = columnOf(j);
      if (free[at(j)])
        inner.emplace_back(c, row, weight);
      else
        outer.emplace_back(row, c, weight);
    };
    put(rows_.back(), -1);
    for (const std::int32_t j : neighbours[i])
      put(j, 1 / static_cast<double>(neighbours[i].size()));
  }
  const auto rows = static_cast<Eigen::Index>(rows_.size());
  const auto unknowns = static_cast<Eigen::Index>(impl_->free.size());
  impl_->toFree.resize(unknowns, rows);
  impl_->toFree.setFromTriplets(inner.begin(), inner.end());
  impl_->fromFixed.resize(rows, static_cast<Eigen::Index>(impl_->fixed.size()));
  impl_->fromFixed.setFromTriplets(outer.begin(), outer.end());
  if (unknowns == 0) return;
  PNEUMA_CHECK(impl_->factor.factorise(impl_->toFree * Matrix(impl_->toFree.transpose())),
               "plate of {} points", unknowns);
  impl_->residual.resize(rows, 3), impl_->known.resize(impl_->fromFixed.cols(), 3);
  impl_->right.resize(unknowns, 3), impl_->found.resize(impl_->free.size());
}
PlateSolver::~PlateSolver() = default;
PlateSolver::PlateSolver(PlateSolver&&) noexcept = default;

void PlateSolver::solve(std::span<const Vec3> offsets, std::vector<Vec3>& x) {
  Impl& m = *impl_;
  if (m.free.empty()) return;
  for (std::size_t i = 0; i < m.fixed.size(); ++i)
    m.known.row(static_cast<Eigen::Index>(i)) = x[at(m.fixed[i])].transpose();
  for (std::size_t i = 0; i < offsets.size(); ++i)
    m.residual.row(static_cast<Eigen::Index>(i)) = offsets[i].transpose();
  m.residual.noalias() -= m.fromFixed * m.known;
  m.right.noalias() = m.toFree * m.residual;
  for (std::size_t i = 0; i < m.free.size(); ++i)
    m.found[i] = m.right.row(static_cast<Eigen::Index>(i)).transpose();
  m.factor.solve(m.found);
  for (std::size_t i = 0; i < m.free.size(); ++i) x[at(m.free[i])] = m.found[i];
}

}  // namespace pneuma::skin::internal
