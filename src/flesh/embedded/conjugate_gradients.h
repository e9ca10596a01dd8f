#pragma once

#include <cmath>
#include <vector>

#include "flesh/embedded/block_matrix.h"
#include "pneuma/core/parallel.h"

namespace pneuma::flesh::embedded {

/// Conjugate gradients with a preconditioner: vectors in Scalar, products of vectors in double,
/// summed chunk by chunk.
template <class Scalar>
class ConjugateGradients {
 public:
  explicit ConjugateGradients(std::size_t size)
      : x_(size), r_(size), z_(size), p_(size), q_(size) {}

  /// step ~ -A^-1 gradient with a residual of `tolerance` times that of the start, measured by the
  /// preconditioner. Returns the iterations.
  template <class Precondition>
  int solve(const BlockMatrix<Scalar>& a, Precondition&& precondition, const VecX& gradient,
            double tolerance, int most, VecX& step) {
    const std::size_t n = x_.size();
    // Float has room for forces between 1e-38 and 1e38: scaled to one.
    const double scale = gradient.cwiseAbs().maxCoeff();
    step = VecX::Zero(static_cast<Eigen::Index>(n));
    if (!(scale > 0)) return 0;
    for (std::size_t i = 0; i < n; ++i)
      r_[i] = static_cast<Scalar>(-gradient[i] / scale), x_[i] = 0;
    precondition(r_.data(), z_.data());
    p_ = z_;
    double rz = dot(r_, z_);
    const double goal = tolerance * tolerance * rz;
    int k = 0;
    while (k < most && rz > goal && rz > 0) {
      a.multiply(p_.data(), q_.data());
      const double pq = dot(p_, q_);
      if (!(pq > 0)) break;  // rounding has used up the matrix
      const auto alpha = static_cast<Scalar>(rz / pq);
      each(n, [&](std::size_t i) { x_[i] += alpha * p_[i], r_[i] -= alpha * q_[i]; });
      precondition(r_.data(), z_.data());
      const double next = dot(r_, z_);
      const auto beta = static_cast<Scalar>(next / rz);
      each(n, [&](std::size_t i) { p_[i] = z_[i] + beta * p_[i]; });
      rz = next;
      ++k;
    }
    for (std::size_t i = 0; i < n; ++i) step[i] = scale * double(x_[i]);
    return k;
  }

 private:
  static constexpr std::size_t kGrain = 16384;
  template <class Body>
  static void each(std::size_t n, Body&& body) {
    parallelFor(n, kGrain, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(i);
    });
  }
  static double dot(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
    return parallelReduce(a.size(), kGrain, 0.0, [&](std::size_t begin, std::size_t end) {
      // Four partial sums in a fixed order.
      double s[4] = {};
      std::size_t i = begin;
      for (; i + 4 <= end; i += 4)
        for (std::size_t k = 0; k < 4; ++k) s[k] += double(a[i + k]) * double(b[i + k]);
      for (; i < end; ++i) s[0] += double(a[i]) * double(b[i]);
      return (s[0] + s[1]) + (s[2] + s[3]);
    });
  }

  std::vector<Scalar> x_, r_, z_, p_, q_;
};

}  // namespace pneuma::flesh::embedded
