#pragma once

#include "pneuma/core/wide_registers.h"

/// Sums over short ranges of numbers in vector registers of a stated width, so that every machine
/// adds in the same order. Call them from within inRegisters().
namespace pneuma::internal {

/// A width that depends on a template's argument is not taken by compilers: one type for each.
template <int kLanes>
struct LanesOf;
template <>
struct LanesOf<4> {
  using Type = double __attribute__((vector_size(32), aligned(8), may_alias));
};
template <>
struct LanesOf<2> {
  using Type = double __attribute__((vector_size(16), aligned(8), may_alias));
};
template <>
struct LanesOf<1> {
  using Type = double __attribute__((vector_size(8), may_alias));
};
template <int kLanes>
using Lanes = typename LanesOf<kLanes>::Type;
static_assert(sizeof(Lanes<4>) == 32 && sizeof(Lanes<2>) == 16 && sizeof(Lanes<1>) == 8);

template <int kLanes>
PNEUMA_INTO_BOTH const Lanes<kLanes>& loadLanes(const double* p) {
  return *reinterpret_cast<const Lanes<kLanes>*>(p);
}
template <int kLanes>
PNEUMA_INTO_BOTH Lanes<kLanes>& lanesAt(double* p) {
  return *reinterpret_cast<Lanes<kLanes>*>(p);
}

/// Visits [0, n) in registers of four, two and one. Of a plain loop over a short range most of the
/// time goes by before and after the registers.
template <class Visit>
PNEUMA_INTO_BOTH void inLanes(int n, const Visit& visit) {
  int j = 0;
  for (; j + 4 <= n; j += 4) visit.template operator()<4>(j);
  if (n & 2) visit.template operator()<2>(j), j += 2;
  if (n & 1) visit.template operator()<1>(j);
}

/// row[j] += c p[j]
PNEUMA_INTO_BOTH void addScaled(double c, const double* p, int n, double* row) {
  inLanes(n, [=]<int kLanes>(int j)
                 PNEUMA_INLINED { lanesAt<kLanes>(row + j) += c * loadLanes<kLanes>(p + j); });
}

/// row[j] += c p[j] + d q[j]
PNEUMA_INTO_BOTH void addScaled(double c, const double* p, double d, const double* q, int n,
                                double* row) {
  inLanes(n, [=]<int kLanes>(int j) PNEUMA_INLINED {
    lanesAt<kLanes>(row + j) += c * loadLanes<kLanes>(p + j) + d * loadLanes<kLanes>(q + j);
  });
}

/// A scalar product of several ranges, four sums side by side.
struct LaneSum {
  Lanes<4> four{};
  Lanes<2> two{};
  double one = 0;

  PNEUMA_INTO_BOTH void add(const double* p, const double* q, int n) {
    int j = 0;
    for (; j + 4 <= n; j += 4) four += loadLanes<4>(p + j) * loadLanes<4>(q + j);
    if (n & 2) two += loadLanes<2>(p + j) * loadLanes<2>(q + j), j += 2;
    if (n & 1) one += p[j] * q[j];
  }
  PNEUMA_INTO_BOTH double value() const {
    return ((four[0] + four[2]) + two[0]) + ((four[1] + four[3]) + two[1]) + one;
  }
};

}  // namespace pneuma::internal
