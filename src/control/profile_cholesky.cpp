#include "pneuma/control/profile_cholesky.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/wide_registers.h"

namespace pneuma::control {

ProfileCholesky::ProfileCholesky(int size)
    : ProfileCholesky(std::vector<int>(static_cast<std::size_t>(size))) {}

ProfileCholesky::ProfileCholesky(std::vector<int> first)
    : first_(std::move(first)), values_(first_.size() * first_.size()) {
  std::ptrdiff_t used = 0;
  for (int i = 0; i < size(); ++i) {
    PNEUMA_CHECK(this->first(i) >= 0 && this->first(i) <= i, "row {} begins at {}", i,
                 this->first(i));
    if (i % kWidth != 0) continue;
    int begin = i;
    for (int r = i; r < std::min(i + kWidth, size()); ++r) begin = std::min(begin, this->first(r));
    panels_.push_back({begin / kWidth * kWidth, used});
    used += static_cast<std::ptrdiff_t>(kWidth) * (i + kWidth - panels_.back().begin);
  }
  factor_.resize(static_cast<std::size_t>(used));
  inverse_.resize(panels_.size() * kWidth, 1.0);
  solution_.resize(inverse_.size());
}

void ProfileCholesky::setZero() {
  for (int i = 0; i < size(); ++i) std::fill(row(i) + first(i), row(i) + i + 1, 0.0);
}

/// Copies four rows of the matrix; rows beyond the last are those of the identity.
PNEUMA_INTO_BOTH void ProfileCholesky::load(int panel) {
  const Panel& p = panels_[static_cast<std::size_t>(panel)];
  const int top = kWidth * panel;
  std::fill(column(p, p.begin), column(p, top + kWidth), 0.0);
  for (int r = 0; r < kWidth; ++r) {
    const int i = top + r;
    if (i >= size()) {
      column(p, i)[r] = 1;
      continue;
    }
    const double* from = row(i);
    double* to = column(p, first(i)) + r;
    for (int k = first(i); k <= i; ++k, to += kWidth) *to = from[k];
  }
}

/// The tile of `own` in the columns [at, at + 4) of the panel `other`: takes off what the columns
/// before it give, then divides by the other's diagonal tile.
PNEUMA_INTO_BOTH void ProfileCholesky::eliminate(const Panel& own, const Panel& other, int at) {
  double tile[kWidth][kWidth];  // by column
  double* target = column(own, at);
  std::copy_n(target, kWidth * kWidth, &tile[0][0]);
  const int from = std::max(own.begin, other.begin);
  const double* a = column(own, from);
  const double* b = column(other, from);
  for (int k = from; k < at; ++k, a += kWidth, b += kWidth)
    for (int c = 0; c < kWidth; ++c)
      for (int r = 0; r < kWidth; ++r) tile[c][r] -= a[r] * b[c];
  for (int c = 0; c < kWidth; ++c) {
    for (int d = 0; d < c; ++d) {
      const double l = column(other, at + d)[c];
      for (int r = 0; r < kWidth; ++r) tile[c][r] -= l * tile[d][r];
    }
    const double inverse = inverse_[static_cast<std::size_t>(at + c)];
    for (int r = 0; r < kWidth; ++r) tile[c][r] *= inverse;
  }
  std::copy_n(&tile[0][0], kWidth * kWidth, target);
}

PNEUMA_INTO_BOTH bool ProfileCholesky::factorDiagonal(const Panel& own, int at) {
  double tile[kWidth][kWidth];
  double* target = column(own, at);
  std::copy_n(target, kWidth * kWidth, &tile[0][0]);
  const double* a = column(own, own.begin);
  for (int k = own.begin; k < at; ++k, a += kWidth)
    for (int c = 0; c < kWidth; ++c)
      for (int r = 0; r < kWidth; ++r) tile[c][r] -= a[r] * a[c];
  for (int c = 0; c < kWidth; ++c) {
    for (int d = 0; d < c; ++d)
      for (int r = c; r < kWidth; ++r) tile[c][r] -= tile[d][c] * tile[d][r];
    if (!(tile[c][c] > 0)) return false;
    const double inverse = 1 / std::sqrt(tile[c][c]);
    for (int r = c; r < kWidth; ++r) tile[c][r] *= inverse;
    for (int r = 0; r < c; ++r) tile[c][r] = 0;
    inverse_[static_cast<std::size_t>(at + c)] = inverse;
  }
  std::copy_n(&tile[0][0], kWidth * kWidth, target);
  return true;
}

bool ProfileCholesky::factor() {
  bool definite = true;
  pneuma::internal::inRegisters([&]() PNEUMA_INLINED {
    for (std::size_t p = 0; p < panels_.size() && definite; ++p) {
      load(static_cast<int>(p));
      const Panel& own = panels_[p];
      for (std::size_t q = static_cast<std::size_t>(own.begin) / kWidth; q < p; ++q)
        eliminate(own, panels_[q], kWidth * static_cast<int>(q));
      definite = factorDiagonal(own, kWidth * static_cast<int>(p));
    }
  });
  return definite;
}

void ProfileCholesky::solve(VecX& b) {
  PNEUMA_ASSERT(b.size() == size());
  double* y = solution_.data();
  std::copy_n(b.data(), b.size(), y);
  std::fill(solution_.begin() + b.size(), solution_.end(), 0.0);
  // L y = b
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    const int top = kWidth * static_cast<int>(p);
    double x[kWidth];
    std::copy_n(y + top, kWidth, x);
    const double* l = column(panels_[p], panels_[p].begin);
    for (int k = panels_[p].begin; k < top; ++k, l += kWidth)
      for (int r = 0; r < kWidth; ++r) x[r] -= l[r] * y[k];
    for (int c = 0; c < kWidth; ++c, l += kWidth) {
      x[c] *= inverse_[static_cast<std::size_t>(top + c)];
      for (int r = c + 1; r < kWidth; ++r) x[r] -= l[r] * x[c];
    }
    std::copy_n(x, kWidth, y + top);
  }
  // L^T x = y
  for (std::size_t p = panels_.size(); p-- > 0;) {
    const int top = kWidth * static_cast<int>(p);
    double x[kWidth];
    std::copy_n(y + top, kWidth, x);
    for (int c = kWidth - 1; c >= 0; --c) {
      const double* l = column(panels_[p], top + c);
      for (int r = c + 1; r < kWidth; ++r) x[c] -= l[r] * x[r];
      x[c] *= inverse_[static_cast<std::size_t>(top + c)];
    }
    std::copy_n(x, kWidth, y + top);
    const double* l = column(panels_[p], panels_[p].begin);
    for (int k = panels_[p].begin; k < top; ++k, l += kWidth)
      y[k] -= (l[0] * x[0] + l[1] * x[1]) + (l[2] * x[2] + l[3] * x[3]);
  }
  std::copy_n(y, b.size(), b.data());
}

}  // namespace pneuma::control
