#pragma once

#include <Eigen/Cholesky>
#include <deque>

#include "pneuma/core/types.h"

namespace pneuma::flesh::embedded {

/// Newton steps that shrink slowly, gone on together [Anderson 1965, J. ACM 12:547].
///
/// A matrix without negative eigenvalues is stiffer than the flesh it stands for where flesh is
/// pressed, so steps come out too short by the same part again and again. The combination of the
/// last steps f(y) that is smallest, taken at the same combination of places, skips them:
///
///   y + f - sum_j g_j (dy_j + df_j),   g = argmin |f - sum_j g_j df_j|
class Acceleration {
 public:
  void clear() {
    dy_.clear(), df_.clear();
    y_.resize(0);
  }

  /// Takes in a place and the step from there; `step` becomes the step of the combination.
  /// Returns whether it differs.
  bool improve(const VecX& y, VecX& step) {
    if (y_.size() == y.size()) {
      dy_.push_back(y - y_), df_.push_back(step - f_);
      if (dy_.size() > kDepth) dy_.pop_front(), df_.pop_front();
    }
    y_ = y, f_ = step;
    const auto m = static_cast<Eigen::Index>(df_.size());
    if (m == 0) return false;
    Eigen::MatrixXd a(m, m);
    VecX b(m);
    for (Eigen::Index i = 0; i < m; ++i) {
      b[i] = df_[std::size_t(i)].dot(step);
      for (Eigen::Index j = 0; j <= i; ++j)
        a(i, j) = a(j, i) = df_[std::size_t(i)].dot(df_[std::size_t(j)]);
    }
    a.diagonal() *= 1 + kDamping;
    const VecX g = a.ldlt().solve(b);
    if (!g.allFinite()) return false;
    for (Eigen::Index i = 0; i < m; ++i) step -= g[i] * (dy_[std::size_t(i)] + df_[std::size_t(i)]);
    return true;
  }

 private:
  static constexpr std::size_t kDepth = 5;
  static constexpr double kDamping = 1e-6;  ///< of steps that are nearly alike

  std::deque<VecX> dy_, df_;
  VecX y_, f_;
};

}  // namespace pneuma::flesh::embedded
