#include "skeleton/dynamics/dense_elimination.h"

#include <cmath>

#include "pneuma/core/check.h"
#include "pneuma/core/wide_registers.h"

namespace pneuma::skeleton::internal {
namespace {

constexpr Eigen::Index kLanes = 4;
using Lanes = double __attribute__((vector_size(8 * kLanes), aligned(8), may_alias));

PNEUMA_INTO_BOTH Lanes& lanesAt(double* place) {
  return *reinterpret_cast<Lanes*>(place);
}

Eigen::Index wholeRegisters(Eigen::Index n) {
  return (n + kLanes - 1) / kLanes * kLanes;
}

/// Row with the largest number in column k, from k on.
PNEUMA_INTO_BOTH Eigen::Index findPivot(const double* a, Eigen::Index n, Eigen::Index stride,
                                        Eigen::Index k) {
  Eigen::Index best = k;
  double largest = std::abs(a[k * stride + k]);
  for (Eigen::Index i = k + 1; i < n; ++i) {
    const double size = std::abs(a[i * stride + k]);
    if (size > largest) best = i, largest = size;
  }
  return best;
}

/// Exchanges row k for that with the largest number in column k.
PNEUMA_INTO_BOTH void bringPivot(double* a, Eigen::Index n, Eigen::Index stride, Eigen::Index k) {
  const Eigen::Index pivot = findPivot(a, n, stride, k);
  if (pivot == k) return;
  for (Eigen::Index j = 0; j < stride; j += kLanes) {
    const Lanes other = lanesAt(a + pivot * stride + j);
    lanesAt(a + pivot * stride + j) = lanesAt(a + k * stride + j);
    lanesAt(a + k * stride + j) = other;
  }
}

/// Takes columns k and k + 1 out of the rows below them, which are fetched and put back once for
/// both; their factors stand in those columns meanwhile. Whole registers: what stands left of k is
/// not read again.
PNEUMA_INTO_BOTH void eliminateTwo(double* a, Eigen::Index n, Eigen::Index stride, Eigen::Index k) {
  bringPivot(a, n, stride, k);
  const double* p = a + k * stride;
  double* q = a + (k + 1) * stride;
  const double inverse = 1 / p[k];
  for (Eigen::Index i = k + 1; i < n; ++i) {
    double* row = a + i * stride;
    row[k] *= inverse;
    row[k + 1] -= row[k] * p[k + 1];
  }
  bringPivot(a, n, stride, k + 1);
  const Eigen::Index first = k / kLanes * kLanes;
  const double qFactor = q[k], pivot = q[k + 1];
  for (Eigen::Index j = first; j < stride; j += kLanes)
    lanesAt(q + j) -= qFactor * *reinterpret_cast<const Lanes*>(p + j);
  q[k + 1] = pivot;  // taken already
  const double second = 1 / pivot;
  for (Eigen::Index i = k + 2; i < n; ++i) {
    double* row = a + i * stride;
    const double f = row[k], g = row[k + 1] * second;
    if (f == 0 && g == 0) continue;
    for (Eigen::Index j = first; j < stride; j += kLanes) {
      const Lanes once = lanesAt(row + j) - f * *reinterpret_cast<const Lanes*>(p + j);
      lanesAt(row + j) = once - g * *reinterpret_cast<const Lanes*>(q + j);
    }
  }
}

/// Upper triangle and right-hand sides to solutions, from the last row on.
PNEUMA_INTO_BOTH void substituteBack(double* a, const EliminationLayout& layout) {
  const Eigen::Index n = layout.size, stride = layout.columns;
  for (Eigen::Index k = n; k-- > 0;) {
    double* row = a + k * stride;
    const double inverse = 1 / row[k];
    for (Eigen::Index s = layout.firstSide; s < stride; s += kLanes) {
      Lanes sum = lanesAt(row + s);
      for (Eigen::Index j = k + 1; j < n; ++j) sum -= row[j] * lanesAt(a + j * stride + s);
      lanesAt(row + s) = inverse * sum;
    }
  }
}

}  // namespace

EliminationLayout::EliminationLayout(Eigen::Index n, Eigen::Index sides)
    : size(n), firstSide(wholeRegisters(n)), columns(wholeRegisters(n) + wholeRegisters(sides)) {}

void eliminate(const EliminationLayout& layout, RowMatX& system) {
  PNEUMA_CHECK(system.rows() == layout.size && system.cols() == layout.columns,
               "a system of {} x {} in a layout of {} x {}", system.rows(), system.cols(),
               layout.size, layout.columns);
  pneuma::internal::inRegisters([&]() PNEUMA_INLINED {
    double* a = system.data();
    const Eigen::Index n = layout.size, stride = layout.columns;
    // The last column has nothing below it, be it alone or the second of two.
    for (Eigen::Index k = 0; k + 1 < n; k += 2) eliminateTwo(a, n, stride, k);
    substituteBack(a, layout);
  });
}

}  // namespace pneuma::skeleton::internal
