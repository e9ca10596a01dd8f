#include "pneuma/control/profile_cholesky.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"

namespace pneuma::control {
namespace {

using Row = Eigen::Map<const VecX>;

double dot(const double* a, const double* b, int n) {
  return n > 0 ? Row(a, n).dot(Row(b, n)) : 0.0;
}

}  // namespace

ProfileCholesky::ProfileCholesky(int size)
    : ProfileCholesky(std::vector<int>(static_cast<std::size_t>(size))) {}

ProfileCholesky::ProfileCholesky(std::vector<int> first)
    : first_(std::move(first)),
      stride_((static_cast<std::ptrdiff_t>(first_.size()) + 3) / 4 * 4),
      values_(first_.size() * static_cast<std::size_t>(stride_)) {
  for (int i = 0; i < size(); ++i)
    PNEUMA_CHECK(this->first(i) >= 0 && this->first(i) <= i, "row {} begins at {}", i,
                 this->first(i));
}

void ProfileCholesky::setZero() {
  for (int i = 0; i < size(); ++i) std::fill(row(i) + first(i), row(i) + i + 1, 0.0);
}

bool ProfileCholesky::factor() {
  for (int i = 0; i < size(); ++i) {
    double* L = row(i);
    for (int j = first(i); j < i; ++j) {
      const int from = std::max(first(i), first(j));
      L[j] = (L[j] - dot(L + from, row(j) + from, j - from)) / row(j)[j];
    }
    const double pivot = L[i] - dot(L + first(i), L + first(i), i - first(i));
    if (!(pivot > 0)) return false;
    L[i] = std::sqrt(pivot);
  }
  return true;
}

void ProfileCholesky::solve(VecX& b) const {
  PNEUMA_ASSERT(b.size() == size());
  for (int i = 0; i < size(); ++i)
    b[i] = (b[i] - dot(row(i) + first(i), b.data() + first(i), i - first(i))) / row(i)[i];
  for (int i = size() - 1; i >= 0; --i) {
    b[i] /= row(i)[i];
    for (int j = first(i); j < i; ++j) b[j] -= row(i)[j] * b[i];
  }
}

}  // namespace pneuma::control
