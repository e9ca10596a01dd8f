#pragma once

#include "pneuma/muscle/force_sample.h"
#include "pneuma/muscle/zajac_curves.h"

namespace pneuma::muscle {

/// Zajac's musculotendon unit: a pennate fibre in series with a tendon.
///
///   F_m = F_0 max(0, a f_L(l) f_V(v) + f_P(l) + beta v)       force along the fibre
///   F   = F_m cos(alpha) = F_0 f_T(e)                         force of the whole unit
///   L   = s + l_T,   s = l l_0 cos(alpha),   l l_0 sin(alpha) = l_0 sin(alpha_0)
///
///   L  length of the unit [m]      l_T  tendon length [m], strain e = l_T / l_s - 1
///   l, v  fibre length over l_0 and velocity over v_max l_0;   the curves f are ZajacCurves
///   The last relation keeps the muscle's thickness, so the pennation angle grows on shortening.
///
/// Fibre length enters through its projection s on the tendon's line: l = sqrt(s^2 + w^2) with
/// w = l_0 sin(alpha_0). That is smooth for every s >= 0 and needs no limit on the angle.
/// Departure: beta, a small viscosity of the fibre, makes the velocity unique at zero activation.
struct Musculotendon {
  double maxForce = 1000;      ///< F_0, isometric, fully active, at l = 1 [N], > 0
  double optimalLength = 0.1;  ///< l_0 [m], > 0
  double slackLength = 0.1;    ///< l_s of the tendon [m], >= 0 (rigid) or > 0 (elastic)
  double pennation = 0;        ///< alpha_0 at l = 1 [rad], in [0, 1.4]
  double maxVelocity = 10;     ///< v_max [l_0 / s], > 0
  double fibreDamping = 0.01;  ///< beta [-], >= 0
};

/// Energy stored in the passive fibre and the tendon [J]; a rigid tendon (length - fibre projection
/// at its slack length) stores none.
double storedEnergy(const ZajacCurves& curves, const Musculotendon& unit, double length,
                    double fibreLength);

/// Throws InputError naming the field when a value is out of range.
void validate(const Musculotendon& unit, bool elasticTendon);

/// The whole unit with a rigid tendon: s = L - l_s, never below 0 (then the unit is slack).
ForceSample evaluateForce(const ZajacCurves& curves, const Musculotendon& unit, double length,
                          double lengthRate, double activation);

/// State of a unit with an elastic tendon after a solve.
struct TendonEquilibrium {
  ForceSample sample;      ///< of the whole unit; see each function for what is held constant
  double fibreLength = 0;  ///< l l_0 [m]
  double cosPennation = 1;
  double tendonStrain = 0;
  int iterations = 0;  ///< Newton or bisection steps used
};

/// Equilibrium of fibre and tendon at rest (v = 0). A solution is bracketed between a slack tendon
/// and a vanishing fibre, so the solve cannot fail, at any length and activation. Where the
/// descending limb allows several equilibria it returns one of them.
TendonEquilibrium solveIsometric(const ZajacCurves& curves, const Musculotendon& unit,
                                 double length, double activation);

/// One implicit Euler step of the fibre: equilibrium at the end of the step with
/// v = (l - fibreLength) / dt. Stable for any step, any activation (zero included). sample.dLength
/// is the series stiffness of tendon and fibre (with the fibre's viscosity over dt); dVelocity is
/// 0, because the force depends on the unit's length at the end of the step alone.
TendonEquilibrium stepElastic(const ZajacCurves& curves, const Musculotendon& unit, double length,
                              double activation, double fibreLength, double dt);

/// Fibre velocity [m/s] that balances the tendon at a given fibre length, for explicit integrators.
/// Unique for fibreDamping > 0; clamped to +-10 v_max l_0.
double fibreVelocity(const ZajacCurves& curves, const Musculotendon& unit, double length,
                     double activation, double fibreLength);

}  // namespace pneuma::muscle
