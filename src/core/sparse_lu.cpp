#include "core/sparse_lu.h"

#include <klu.h>

#include <algorithm>
#include <vector>

namespace pneuma::internal {

struct ShiftedSparseLu::Klu {
  klu_common common{};
  klu_symbolic* symbolic = nullptr;
  klu_numeric* numeric = nullptr;

  Klu() { klu_defaults(&common); }
  ~Klu() { release(); }
  void release() {
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
  }
};

ShiftedSparseLu::ShiftedSparseLu() : klu_(std::make_unique<Klu>()) {}
ShiftedSparseLu::~ShiftedSparseLu() = default;

bool ShiftedSparseLu::samePattern(const SparseMat& J) const {
  return static_cast<Eigen::Index>(patternOuter_.size()) == J.outerSize() + 1 &&
         static_cast<Eigen::Index>(patternInner_.size()) == J.nonZeros() &&
         std::equal(patternOuter_.begin(), patternOuter_.end(), J.outerIndexPtr()) &&
         std::equal(patternInner_.begin(), patternInner_.end(), J.innerIndexPtr());
}

void ShiftedSparseLu::buildPattern(const SparseMat& J) {
  patternOuter_.assign(J.outerIndexPtr(), J.outerIndexPtr() + J.outerSize() + 1);
  patternInner_.assign(J.innerIndexPtr(), J.innerIndexPtr() + J.nonZeros());
  std::vector<Eigen::Triplet<double>> entries;
  for (int c = 0; c < J.outerSize(); ++c) {
    entries.emplace_back(c, c, 1.0);
    for (SparseMat::InnerIterator it(J, c); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), c, 1.0);
  }
  matrix_.resize(J.rows(), J.cols());
  matrix_.setFromTriplets(entries.begin(), entries.end());
  matrix_.makeCompressed();

  const auto entryOf = [this](int row, int column) {
    const int* begin = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column];
    const int* end = matrix_.innerIndexPtr() + matrix_.outerIndexPtr()[column + 1];
    return static_cast<int>(std::lower_bound(begin, end, row) - matrix_.innerIndexPtr());
  };
  fromJ_.clear();
  diagonal_.clear();
  for (int c = 0; c < J.outerSize(); ++c) {
    diagonal_.push_back(entryOf(c, c));
    for (SparseMat::InnerIterator it(J, c); it; ++it)
      fromJ_.push_back(entryOf(static_cast<int>(it.row()), c));
  }
  klu_->release();
  klu_->symbolic = klu_analyze(static_cast<int>(matrix_.rows()), matrix_.outerIndexPtr(),
                               matrix_.innerIndexPtr(), &klu_->common);
}

bool ShiftedSparseLu::factor(const SparseMat& J, double h) {
  if (!samePattern(J)) buildPattern(J);
  if (klu_->symbolic == nullptr) return false;
  double* values = matrix_.valuePtr();
  std::fill_n(values, matrix_.nonZeros(), 0.0);
  for (std::size_t i = 0; i < fromJ_.size(); ++i) values[fromJ_[i]] -= h * J.valuePtr()[i];
  for (const int d : diagonal_) values[d] += 1;

  int* outer = matrix_.outerIndexPtr();
  int* inner = matrix_.innerIndexPtr();
  klu_common& common = klu_->common;
  if (klu_->numeric != nullptr) {
    const bool refactored =
        klu_refactor(outer, inner, values, klu_->symbolic, klu_->numeric, &common) &&
        klu_rcond(klu_->symbolic, klu_->numeric, &common) && common.rcond > 1e-14;
    if (refactored) return true;
    klu_free_numeric(&klu_->numeric, &common);
  }
  klu_->numeric = klu_factor(outer, inner, values, klu_->symbolic, &common);
  return klu_->numeric != nullptr;
}

bool ShiftedSparseLu::solve(VecX& b) {
  return klu_solve(klu_->symbolic, klu_->numeric, static_cast<int>(b.size()), 1, b.data(),
                   &klu_->common) != 0;
}

}  // namespace pneuma::internal
