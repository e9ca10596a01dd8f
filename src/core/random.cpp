#include "pneuma/core/random.h"

#include <cmath>

#include "pneuma/core/types.h"

namespace pneuma {

double Random::normal() {
  const double u = 1.0 - uniform();  // in (0, 1], so that the logarithm is finite
  const double v = uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * kPi * v);
}

}  // namespace pneuma
