#pragma once

#include <algorithm>

#include "pneuma/muscle/force_sample.h"

namespace pneuma::muscle {

/// The spring-like muscle element of the breathing torso.
///
///   F_m = min[-k (l - l0) - b l', 0]                                       [Zordan05, Eq. 1]
///   F_m = min[-alpha k_ac (l - r l0) - k_pe (l - l0) - b l', 0]             [Zordan05, Eq. 2]
///
///   l, l0  length now and at rest [m]     l'  lengthening rate [m/s]     b  damping [N s/m]
///   k_ac, k_pe  active and passive gain [N/m]     alpha  actuation level, 0..1 (our activation)
///   r  contraction ratio of l0 that full actuation aims at, in (0, 1]
///
/// Eq. 1 is Eq. 2 at alpha = 0 with k = k_pe.
/// Reading: the paper counts a pull as negative; ours is tension = -F_m >= 0, the same numbers.
/// Reading: units are SI (N/m, N s/m); with them the paper's tables give its tidal volumes.
struct SpringElement {
  double activeStiffness = 0;   ///< k_ac [N/m], >= 0
  double passiveStiffness = 0;  ///< k_pe [N/m], >= 0
  double damping = 0;           ///< b [N s/m], >= 0
  double restLength = 1;        ///< l0 [m], > 0
  double contraction = 1;       ///< r [-], in (0, 1]
};

inline ForceSample evaluateForce(const SpringElement& e, double length, double lengthRate,
                                 double activation) {
  const double pull = e.activeStiffness * (length - e.contraction * e.restLength);
  const double tension = activation * pull + e.passiveStiffness * (length - e.restLength) +
                         e.damping * lengthRate;  // Eq. 2
  const double on = tension > 0 ? 1.0 : 0.0;
  return {std::max(tension, 0.0), on * (activation * e.activeStiffness + e.passiveStiffness),
          on * e.damping, on * pull};
}

/// Energy stored at a length and an activation, the integral of the force at rest [J].
double storedEnergy(const SpringElement& element, double length, double activation);

/// Throws InputError naming the field when a value is out of range.
void validate(const SpringElement& element);

}  // namespace pneuma::muscle
