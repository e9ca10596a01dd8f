#include "pneuma/shape/pca.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/parallel.h"

namespace pneuma::shape {
namespace {

using Eigen::Index;

constexpr std::size_t kColumns = 4096;  // of a piece of work
constexpr double kNegligible = 1e-6;  // of the largest eigenvalue: 32-bit products are noise below

/// A B^T, pieces of the long side summed in order.
MatX longProduct(const FeatureRows& a, const FeatureRows& b) {
  return parallelReduce(static_cast<std::size_t>(a.cols()), kColumns,
                        MatX(MatX::Zero(a.rows(), b.rows())),
                        [&](std::size_t begin, std::size_t end) {
                          const auto first = static_cast<Index>(begin);
                          const auto count = static_cast<Index>(end - begin);
                          const Eigen::MatrixXf piece =
                              a.middleCols(first, count) * b.middleCols(first, count).transpose();
                          return MatX(piece.cast<double>());
                        });
}

/// The strongest left singular vectors (columns) and singular values of rows.
struct LeftSide {
  MatX vectors;
  VecX values;
};
LeftSide leftSide(const FeatureRows& rows, Index most) {
  const Eigen::SelfAdjointEigenSolver<MatX> solver(longProduct(rows, rows));
  const Index n = rows.rows();
  const double largest = std::max(0.0, solver.eigenvalues()[n - 1]);
  Index kept = 0;
  while (kept < std::min(most, n) && solver.eigenvalues()[n - 1 - kept] > kNegligible * largest)
    ++kept;
  LeftSide side{MatX(n, kept), VecX(kept)};
  for (Index k = 0; k < kept; ++k) {
    side.vectors.col(k) = solver.eigenvectors().col(n - 1 - k);
    side.values[k] = std::sqrt(solver.eigenvalues()[n - 1 - k]);
  }
  return side;
}

/// Right singular vectors as rows.
FeatureRows rightSide(const LeftSide& side, const FeatureRows& rows) {
  const Eigen::MatrixXf mix =
      (side.values.cwiseInverse().asDiagonal() * side.vectors.transpose()).cast<float>();
  FeatureRows right(mix.rows(), rows.cols());
  parallelFor(static_cast<std::size_t>(rows.cols()), kColumns,
              [&](std::size_t begin, std::size_t end) {
                const auto first = static_cast<Index>(begin);
                const auto count = static_cast<Index>(end - begin);
                right.middleCols(first, count) = mix * rows.middleCols(first, count);
              });
  return right;
}

}  // namespace

RowCompressor::RowCompressor(Index dimension, Index rank)
    : rank_(rank), basis_(0, dimension), coordinates_(0, 0) {}

void RowCompressor::add(const FeatureRows& rows) {
  PNEUMA_CHECK(rows.cols() == basis_.cols(), "rows of {} numbers; the basis has {}", rows.cols(),
               basis_.cols());
  total_ += rows.cast<double>().squaredNorm();
  const LeftSide own = leftSide(rows, rank_);
  FeatureRows joined(basis_.rows() + own.values.size(), rows.cols());
  joined.topRows(basis_.rows()) = strength_.cast<float>().asDiagonal() * basis_;
  joined.bottomRows(own.values.size()) =
      own.values.cast<float>().asDiagonal() * rightSide(own, rows);
  if (joined.rows() == 0) {  // nothing but zeros so far
    coordinates_ = MatX(coordinates_.rows() + rows.rows(), 0);
    return;
  }
  const LeftSide all = leftSide(joined, rank_);
  FeatureRows basis = rightSide(all, joined);
  MatX coordinates(coordinates_.rows() + rows.rows(), basis.rows());
  if (coordinates_.rows() > 0)
    coordinates.topRows(coordinates_.rows()) = coordinates_ * longProduct(basis_, basis);
  coordinates.bottomRows(rows.rows()) = longProduct(rows, basis);
  basis_ = std::move(basis);
  strength_ = all.values;
  coordinates_ = std::move(coordinates);
}

double RowCompressor::lost() const {
  return total_ > 0 ? std::max(0.0, 1 - coordinates_.squaredNorm() / total_) : 0;
}

Components principalComponents(const MatX& rows, Index count) {
  const auto n = static_cast<double>(std::max<Index>(1, rows.rows()));
  const Eigen::SelfAdjointEigenSolver<MatX> solver(rows.transpose() * rows / n);
  const Index dimension = rows.cols(), kept = std::min(count, dimension);
  Components c{MatX(kept, dimension), VecX(kept), rows.squaredNorm() / n};
  for (Index k = 0; k < kept; ++k) {
    c.directions.row(k) = solver.eigenvectors().col(dimension - 1 - k).transpose();
    c.variances[k] = std::max(0.0, solver.eigenvalues()[dimension - 1 - k]);
  }
  return c;
}

}  // namespace pneuma::shape
