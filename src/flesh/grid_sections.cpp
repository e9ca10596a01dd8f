#include <cmath>

#include "flesh/grid_stencil.h"

namespace pneuma::flesh {
namespace {

/// Degree of the polynomials: affine for coarse sections, cubic for fine ones.
int degree(const GridSize& size) {
  const int across = std::min(size.n, size.o);
  return across <= 2 ? 0 : across <= 6 ? 1 : across <= 12 ? 2 : 3;
}

}  // namespace

SectionPreconditioner::SectionPreconditioner(const GridSize& size) : size_(size) {
  const int p = degree(size);
  shape_.resize((p + 1) * (p + 2) / 2, size.n * size.o);
  for (int j = 0; j < size.n; ++j)
    for (int k = 0; k < size.o; ++k) {
      const double u = 2.0 * j / (size.n - 1) - 1;
      const double v = size.o > 1 ? 2.0 * k / (size.o - 1) - 1 : 0;
      int row = 0;
      for (int a = 0; a <= p; ++a)
        for (int b = 0; a + b <= p; ++b)
          shape_(row++, j * size.o + k) = static_cast<float>(std::pow(u, a) * std::pow(v, b));
    }
  const int unknowns = 3 * modes();
  diagonal_.assign(static_cast<std::size_t>(size.m), Eigen::MatrixXd::Zero(unknowns, unknowns));
  coupling_ = diagonal_;
  for (const Eigen::MatrixXd& d : diagonal_) pivot_.emplace_back(d.rows());
  product_.setZero(4, 6 * modes());
  reduced_.setZero(unknowns, size.m);
  scratch_.setZero(unknowns, unknowns);
}

void SectionPreconditioner::factor(const GridStencil& matrix) {
  const int plane = size_.n * size_.o, count = modes();
  for (int i = 0; i < size_.m; ++i) {
    Eigen::MatrixXd& D = diagonal_[static_cast<std::size_t>(i)];
    Eigen::MatrixXd& C = coupling_[static_cast<std::size_t>(i)];
    D.setZero(), C.setZero();
    for (int j = 0; j < size_.n; ++j)
      for (int k = 0; k < size_.o; ++k) {
        // A P in this row, for this plane and the one before.
        const int row = size_.index(i, j, k);
        product_.setZero();
        for (int di = i > 0 ? -1 : 0; di <= 0; ++di)
          for (int b = std::max(0, j - 1); b <= std::min(size_.n - 1, j + 1); ++b)
            for (int c = std::max(0, k - 1); c <= std::min(size_.o - 1, k + 1); ++c) {
              const int local = b * size_.o + c;
              const Eigen::Index block = matrix.block(row, (i + di) * plane + local);
              for (int s = 0; s < count; ++s)
                for (int x = 0; x < 3; ++x)
                  product_.col(3 * ((di + 1) * count + s) + x).array() +=
                      shape_(s, local) * matrix.column(block + x);
            }
        // P^T of it.
        for (int s = 0; s < count; ++s) {
          const float weight = shape_(s, j * size_.o + k);
          C.middleRows<3>(3 * s) +=
              (weight * product_.leftCols(3 * count).topRows<3>()).cast<double>();
          D.middleRows<3>(3 * s) +=
              (weight * product_.rightCols(3 * count).topRows<3>()).cast<double>();
        }
      }
    // Block Cholesky: the pivot of this plane without what the planes before take.
    if (i > 0) {
      scratch_ = pivot_[static_cast<std::size_t>(i - 1)].solve(C.transpose());
      D.noalias() -= C * scratch_;
    }
    pivot_[static_cast<std::size_t>(i)].compute(D);
  }
}

void SectionPreconditioner::applyAdd(const NodalVectors& r, NodalVectors& z) {
  const int plane = size_.n * size_.o, count = modes();
  for (int i = 0; i < size_.m; ++i)
    for (int s = 0; s < count; ++s) {
      Lane sum = Lane::Zero();
      for (int local = 0; local < plane; ++local)
        sum += shape_(s, local) * r.col(i * plane + local).array();
      reduced_.block<3, 1>(3 * s, i) = sum.head<3>().cast<double>().matrix();
    }
  for (int i = 0; i < size_.m; ++i) {
    auto x = reduced_.col(i);
    if (i > 0) x.noalias() -= coupling_[static_cast<std::size_t>(i)] * reduced_.col(i - 1);
    pivot_[static_cast<std::size_t>(i)].solveInPlace(x);
  }
  for (int i = size_.m - 2; i >= 0; --i) {
    auto known = scratch_.col(0);
    known.noalias() = coupling_[static_cast<std::size_t>(i + 1)].transpose() * reduced_.col(i + 1);
    pivot_[static_cast<std::size_t>(i)].solveInPlace(known);
    reduced_.col(i) -= known;
  }
  for (int i = 0; i < size_.m; ++i)
    for (int s = 0; s < count; ++s) {
      Lane value = Lane::Zero();
      value.head<3>() = reduced_.block<3, 1>(3 * s, i).cast<float>().array();
      for (int local = 0; local < plane; ++local)
        z.col(i * plane + local).array() += shape_(s, local) * value;
    }
}

}  // namespace pneuma::flesh
