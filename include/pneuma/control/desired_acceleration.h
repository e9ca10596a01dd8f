#pragma once

#include "pneuma/skeleton/model.h"

namespace pneuma::control {

/// Where the body should be at a moment. Plain input of a step: from a track of key poses, a clip,
/// or a hand that someone drags.
struct MotionTarget {
  explicit MotionTarget(const skeleton::Model& model);
  VecX q;     ///< configuration
  VecX v;     ///< its velocity; of balls in the target's own link axes
  VecX vDot;  ///< its acceleration, likewise
};

/// How joints return to their target.
struct TrackingGains {
  double position = 400;  ///< kp [1/s^2], > 0; reading: the paper gives no gains
  double velocity = 40;   ///< kv [1/s], > 0: critical damping
  /// Largest error that counts [rad] or [m], > 0: a joint that was kept away returns at no more
  /// than kp / kv times this speed.
  double largestError = 0.15;
};

/// Stability of v' = v + h vDot*, q' = q + h v': h kv < 2 and h^2 kp + 2 h kv < 4. Throws
/// InputError for gains that are not positive or not stable with the step h.
void validate(const TrackingGains& gains, double h);

/// Desired accelerations [Lee09, Eq. 12] by degree of freedom:
///
///   vDot = kp (q* - q) + kv (v* - v) + vDot*
///
/// Reading: of a ball, q* - q is the rotation vector from q to q* in the link's own axes, and v*,
/// vDot* are turned into them.
/// Beyond a hinge's or slide's range the target is its limit.
/// Departure: vDot* is added; without it a joint lags by vDot*/kp (0.015 rad in a brisk curl).
void computeDesiredAcceleration(const skeleton::Model& model, const skeleton::State& state,
                                const MotionTarget& target, const TrackingGains& gains, VecX& vDot);

}  // namespace pneuma::control
