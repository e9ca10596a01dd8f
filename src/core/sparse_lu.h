#pragma once

#include <memory>

#include "pneuma/core/integrator.h"

namespace pneuma::internal {

/// LU of (I - h J) for a sparse J of fixed pattern, on SuiteSparse's KLU. The first factorisation
/// chooses pivots and allocates; later ones reuse both, and choose anew only when the old pivots
/// have gone bad.
class ShiftedSparseLu {
 public:
  ShiftedSparseLu();
  ~ShiftedSparseLu();
  ShiftedSparseLu(const ShiftedSparseLu&) = delete;
  ShiftedSparseLu& operator=(const ShiftedSparseLu&) = delete;

  /// Returns false when the matrix is singular.
  bool factor(const SparseMat& J, double h);
  /// b becomes the solution.
  bool solve(VecX& b);

 private:
  struct Klu;
  bool samePattern(const SparseMat& J) const;
  void buildPattern(const SparseMat& J);

  std::unique_ptr<Klu> klu_;
  SparseMat matrix_;           // I - h J, pattern of J with a full diagonal
  std::vector<int> fromJ_;     // entry of matrix_ for each entry of J
  std::vector<int> diagonal_;  // entry of matrix_ for each diagonal element
  std::vector<int> patternOuter_, patternInner_;
};

}  // namespace pneuma::internal
