#pragma once

#include <algorithm>

#include "pneuma/muscle/exponential.h"
#include "pneuma/muscle/force_sample.h"

namespace pneuma::muscle {

/// Linearised Hill-type muscle: an exponential parallel element and a contractile element.
///
///   f_p = max(0, k_s (exp(k_c e) - 1) + k_d e')                             [Lee09, Eq. 1]
///   f_c = a F_l(l) F_v(l')                                                  [Lee09, Eq. 2]
///   F_l = max(0, k_max (l - l_m))          F_v = max(0, 1 + min(l', 0) / v_m)
///
///   e = (l - l0) / l0, e' = l' / l0  strain and its rate      l0  slack length [m]
///   a  activation, 0..1      l_m = 0.3 l0      v_m = 8 l0 / s      k_c = 6
///   k_s = 0.8 A, k_d = 0.1 k_s, k_max = A / (l0 - l_m)  with A the force of the cross section [N]
///
/// Reading: the paper scales by the cross-sectional area and names no unit; A here is area times a
/// specific tension, so that the active force at the slack length is specificTension * area.
/// Reading: k_max = A / (l - l_m) in the text would cancel the force-length relation; l there is
/// l0. Departure: the strength of the two elements can be set apart (LinearHillConfig), because the
/// equal scaling makes the passive force 66 % of the active one at 10 % stretch.
struct LinearHill {
  double slackLength = 1;      ///< l0 [m], > 0
  double passiveForce = 0;     ///< k_s [N], >= 0
  double passiveExponent = 6;  ///< k_c [-], > 0
  double passiveDamping = 0;   ///< k_d [N s], >= 0
  double activeStiffness = 0;  ///< k_max [N/m], >= 0
  double minimumLength = 0.3;  ///< l_m [m], below it no active force
  double maximumVelocity = 8;  ///< v_m [m/s], > 0
};

/// How the paper's constants follow from a muscle's size.
struct LinearHillConfig {
  double specificTension = 3.0e5;         ///< active stress at slack length [Pa], > 0
  double passiveSpecificTension = 3.0e5;  ///< the same scale for the parallel element [Pa], >= 0
  double passiveScale = 0.8;              ///< k_s / A [-]
  double dampingScale = 0.1;              ///< k_d / k_s [s]
  double passiveExponent = 6;             ///< k_c [-]
  double minimumLengthRatio = 0.3;        ///< l_m / l0 [-], in [0, 1)
  double maximumVelocityRatio = 8;        ///< v_m / l0 [1/s], > 0
};

/// The paper's constants for a slack length [m] and a physiological cross-sectional area [m^2].
/// Throws InputError when a value is out of range.
LinearHill makeLinearHill(double slackLength, double crossSection,
                          const LinearHillConfig& config = {});

inline ForceSample evaluateForce(const LinearHill& m, double length, double lengthRate,
                                 double activation) {
  // Eq. 1
  const double perLength = 1 / m.slackLength;
  const double growth =
      internal::exponential(m.passiveExponent * (length - m.slackLength) * perLength);
  const double passive = m.passiveForce * (growth - 1) + m.passiveDamping * lengthRate * perLength;
  const double on = passive > 0 ? 1.0 : 0.0;

  // Eq. 2
  const double reach = length - m.minimumLength;
  const double forceLength = m.activeStiffness * std::max(reach, 0.0);
  const double speed = 1 / m.maximumVelocity;
  const double forceVelocity = std::max(1 + std::min(lengthRate, 0.0) * speed, 0.0);
  const double lengthSlope = reach > 0 ? m.activeStiffness : 0.0;
  const double velocitySlope = (lengthRate < 0 ? speed : 0.0) * (forceVelocity > 0 ? 1.0 : 0.0);

  return {std::max(passive, 0.0) + activation * forceLength * forceVelocity,
          on * m.passiveForce * m.passiveExponent * perLength * growth +
              activation * lengthSlope * forceVelocity,
          on * m.passiveDamping * perLength + activation * forceLength * velocitySlope,
          forceLength * forceVelocity};
}

/// Energy stored in the parallel element [J].
double storedEnergy(const LinearHill& muscle, double length);

/// Throws InputError naming the field when a value is out of range.
void validate(const LinearHill& muscle);

}  // namespace pneuma::muscle
