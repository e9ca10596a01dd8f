#pragma once

#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::control {

/// Cholesky factorisation of symmetric positive definite matrices of one profile: row i begins at
/// column first[i], and what lies left of it stays zero in the factor. Allocates at construction
/// only.
class ProfileCholesky {
 public:
  /// Every row full.
  explicit ProfileCholesky(int size = 0);
  explicit ProfileCholesky(std::vector<int> first);

  int size() const { return static_cast<int>(first_.size()); }
  void setZero();
  /// Start of a row; entries [first(i), i] are valid.
  double* row(int i) { return values_.data() + static_cast<std::ptrdiff_t>(i) * stride_; }
  const double* row(int i) const {
    return values_.data() + static_cast<std::ptrdiff_t>(i) * stride_;
  }
  int first(int i) const { return first_[static_cast<std::size_t>(i)]; }

  /// Replaces the lower triangle by its factor; false when a pivot is not positive.
  bool factor();
  /// b <- A^-1 b
  void solve(VecX& b) const;

 private:
  std::vector<int> first_;
  std::ptrdiff_t stride_ = 0;
  std::vector<double> values_;
};

}  // namespace pneuma::control
