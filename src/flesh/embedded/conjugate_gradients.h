#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "flesh/embedded/block_matrix.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {

/// Conjugate gradients with a preconditioner: vectors in Scalar, products of vectors in double,
/// summed chunk by chunk. A solution can be looked at on the way.
///
/// The preconditioner gives z = M^-1 r and with it A z, so the product with the matrix is not a
/// pass of its own: A p follows p's recurrence.
template <class Scalar>
class ConjugateGradients {
 public:
  explicit ConjugateGradients(std::size_t size)
      : x_(size), r_(size), z_(size), az_(size), p_(size), ap_(size) {}

  /// Towards x = -A^-1 gradient, from x = 0, for the given rows; x is zero in all others.
  template <class Precondition>
  void begin(const VecX& gradient, const RowMask& rows, Precondition&& precondition) {
    rows_ = rows;
    for (auto* v : {&x_, &r_, &z_, &az_, &p_, &ap_}) std::fill(v->begin(), v->end(), Scalar(0));
    // Float has room for forces between 1e-38 and 1e38: scaled to one.
    scale_ = 0;
    rows_.each(0, rows_.group.size(), [&](std::int32_t begin, std::int32_t end) {
      scale_ =
          std::max(scale_, gradient.segment(3 * begin, 3 * (end - begin)).cwiseAbs().maxCoeff());
    });
    rz_ = first_ = 0;
    if (!(scale_ > 0)) return;
    each([&](std::size_t i) {
      r_[i] = static_cast<Scalar>(-gradient[static_cast<Eigen::Index>(i)] / scale_);
    });
    precondition(r_.data(), z_.data(), az_.data());
    p_ = z_;
    ap_ = az_;
    rz_ = first_ = dot(r_, z_);
  }

  /// Goes on until the residual, measured by the preconditioner, is `tolerance` times that of the
  /// start. Returns the iterations it took.
  template <class Precondition>
  int advance(double tolerance, int most, Precondition&& precondition) {
    const double goal = tolerance * tolerance * first_;
    int k = 0;
    for (; k < most && rz_ > goal && rz_ > 0; ++k) {
      const double pq = dot(p_, ap_);
      if (!(pq > 0)) break;  // rounding has used up the matrix
      const auto alpha = static_cast<Scalar>(rz_ / pq);
      each([&](std::size_t i) { x_[i] += alpha * p_[i], r_[i] -= alpha * ap_[i]; });
      precondition(r_.data(), z_.data(), az_.data());
      const double next = dot(r_, z_);
      const auto beta = static_cast<Scalar>(next / rz_);
      each([&](std::size_t i) { p_[i] = z_[i] + beta * p_[i], ap_[i] = az_[i] + beta * ap_[i]; });
      rz_ = next;
    }
    return k;
  }

  void solution(VecX& x) const { scaled(scale_, x_, x); }

  /// After `begin`: sqrt(g^T M^-1 g), and the solution of the first iteration, all but known then.
  bool foretell(double& size, VecX& x) const {
    const double pq = dot(p_, ap_);
    if (!(rz_ > 0) || !(pq > 0)) return false;
    size = scale_ * std::sqrt(rz_);
    scaled(scale_ * rz_ / pq, p_, x);
    return true;
  }

 private:
  static void scaled(double factor, const std::vector<Scalar>& from, VecX& to) {
    to.resize(static_cast<Eigen::Index>(from.size()));
    for (std::size_t i = 0; i < from.size(); ++i)
      to[static_cast<Eigen::Index>(i)] = factor * double(from[i]);
  }
  template <class Body>
  void each(Body&& body) const {
    rows_.each([&](std::int32_t begin, std::int32_t end) {
      for (std::size_t i = 3 * std::size_t(begin); i < 3 * std::size_t(end); ++i) body(i);
    });
  }
  double dot(const std::vector<Scalar>& a, const std::vector<Scalar>& b) const {
    const auto pieces = [&](std::size_t first, std::size_t last) {
      double sum = 0;
      rows_.each(first, last, [&](std::int32_t begin, std::int32_t end) {
        // Four partial sums in a fixed order.
        double s[4] = {};
        std::size_t i = 3 * std::size_t(begin);
        for (; i + 4 <= 3 * std::size_t(end); i += 4)
          for (std::size_t k = 0; k < 4; ++k) s[k] += double(a[i + k]) * double(b[i + k]);
        for (; i < 3 * std::size_t(end); ++i) s[0] += double(a[i]) * double(b[i]);
        sum += (s[0] + s[1]) + (s[2] + s[3]);
      });
      return sum;
    };
    return parallelReduce(rows_.group.size(), RowMask::kGrain, 0.0, pieces);
  }

  RowMask rows_;
  std::vector<Scalar> x_, r_, z_, az_, p_, ap_;
  double scale_ = 0, rz_ = 0, first_ = 0;
};

}  // namespace pneuma::flesh::embedded
