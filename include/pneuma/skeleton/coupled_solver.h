#pragma once

#include <span>
#include <vector>

#include "pneuma/skeleton/loads.h"

namespace pneuma::skeleton {

/// Which degrees of freedom the implicit matrix couples: by the tree, and by what is attached.
class Coupling {
 public:
  /// The tree alone: a degree of freedom is coupled to those above it.
  explicit Coupling(const Model& model);

  void coupleAll();
  /// Couples every pair within the given degrees of freedom.
  void couple(std::span<const DofRange> ranges);
  bool coupled(int linkA, int linkB) const { return links_[linkA * count_ + linkB] != 0; }
  const Model& model() const { return *model_; }

 private:
  void coupleLinks(int a, int b);

  const Model* model_;
  int count_;
  std::vector<char> links_;  // by link: all degrees of freedom of one joint are coupled alike
};

/// Solves A x = b for matrices with a fixed pattern of couplings. Links are eliminated in an order
/// that keeps the fill low (leaves of a bare tree first: no fill at all); links with equal
/// couplings form panels that are updated together.
///
/// No pivoting: A = M + h D + h^2 K is dominated by its positive definite part. When a pivot
/// shrinks below `kSmallPivot` of the largest one, factor() returns false and the caller takes a
/// pivoting solver instead.
class CoupledSolver {
 public:
  static constexpr double kSmallPivot = 1e-14;

  explicit CoupledSolver(const Coupling& coupling);

  /// Copies matrix + symmetric of the loads (both n x n, the latter by its lower triangle) and
  /// factorises. Allocates nothing.
  bool factor(const RowMatX& matrix, const RowMatX& symmetric);
  void solve(const VecX& b, VecX& x);

  /// Share of the dense matrix that is touched, in [0, 1].
  double fill() const;

 private:
  struct Panel {
    int begin, end;         // own columns, in elimination order
    int firstRun, lastRun;  // later columns it is coupled to, in runs_
  };

  void order(const Coupling& coupling);
  void addPanels(int begin, int end, const std::vector<char>& later);
  bool factorPanel(const Panel& panel);
  template <int kWidth>
  void updatePanel(const Panel& panel);

  int n_ = 0;
  Eigen::Index stride_ = 0;
  std::vector<int> permutation_;  // elimination position -> degree of freedom
  std::vector<int> position_;     // and back
  std::vector<Panel> panels_;
  std::vector<DofRange> runs_;
  std::vector<DofRange> rows_;  // per position: first and last coupled column
  RowMatX lu_;
  VecX work_;
  double largestPivot_ = 0;
};

}  // namespace pneuma::skeleton
