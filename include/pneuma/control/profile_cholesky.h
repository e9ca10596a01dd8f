#pragma once

#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::control {

/// Cholesky factorisation of symmetric positive definite matrices of one profile: row i begins at
/// column first[i], and what lies left of it stays zero in the factor. Allocates at construction
/// only.
///
/// The factor is kept in panels of four rows, column after column, so that all sums are products of
/// a column of four with a number: three times as fast as dot products of rows, and the same bits
/// for every width of the processor's registers.
class ProfileCholesky {
 public:
  /// Every row full.
  explicit ProfileCholesky(int size = 0);
  explicit ProfileCholesky(std::vector<int> first);

  int size() const { return static_cast<int>(first_.size()); }
  void setZero();
  /// Start of a row of the matrix; entries [first(i), i] are valid.
  double* row(int i) { return values_.data() + static_cast<std::ptrdiff_t>(i) * size(); }
  const double* row(int i) const {
    return values_.data() + static_cast<std::ptrdiff_t>(i) * size();
  }
  int first(int i) const { return first_[static_cast<std::size_t>(i)]; }

  /// Factors the lower triangle, which stays; false when a pivot is not positive.
  bool factor();
  /// b <- A^-1 b of the last factor().
  void solve(VecX& b);

 private:
  static constexpr int kWidth = 4;
  /// Four rows of the factor: column k of them at values + 4 (k - begin).
  struct Panel {
    int begin = 0;  // first column, a multiple of four
    std::ptrdiff_t values = 0;
  };
  double* column(const Panel& p, int k) {
    return factor_.data() + p.values + static_cast<std::ptrdiff_t>(kWidth) * (k - p.begin);
  }
  void load(int panel);
  void eliminate(const Panel& own, const Panel& other, int at);
  bool factorDiagonal(const Panel& own, int at);

  std::vector<int> first_;
  std::vector<double> values_;  // the matrix, row by row
  std::vector<Panel> panels_;
  std::vector<double> factor_, inverse_;  // inverse_: of the diagonal
  std::vector<double> solution_;          // padded to whole panels
};

}  // namespace pneuma::control
