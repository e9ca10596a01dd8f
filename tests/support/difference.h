#pragma once

#include "pneuma/core/types.h"

namespace pneuma::test {

/// Fourth-order central difference of f along a line: f(x) is the value at distance x.
template <class F>
VecX difference4(F&& f, double h) {
  return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

}  // namespace pneuma::test
