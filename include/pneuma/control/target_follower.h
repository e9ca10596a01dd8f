#pragma once

#include <span>

#include "pneuma/control/desired_acceleration.h"
#include "pneuma/io/state_blob.h"

namespace pneuma::control {

/// How a body is led to a pose.
struct FollowerConfig {
  double rate = 6;  ///< omega [1/s], > 0: the last of a way fades as (1 + omega t) e^-omega t
  double largestTurn = 1;  ///< E [rad], > 0: no link is led faster than omega E / 2
};

/// Leads a body to poses that may jump at any time: a hand that someone drags, a slider, an agent's
/// action. A jump of the target of Eq. 12 asks for accelerations that no muscle gives (kp times a
/// radian is 400 rad/s^2); a person moves there instead. The target that the controller sees is a
/// critically damped body of its own,
///
///   a = omega^2 s x - 2 omega v,   v <- v + h a,   q <- q (+) h v
///
///   x  from the target to the goal, rotations of balls in the link's own axes
///   s  min(1, E / turn), so that all joints arrive together and long ways take longer
///   turn  largest sum of |x| over the joints between a link and the root [rad]
///
/// The goal's hinges and slides are kept within their ranges of motion first; how many had to be is
/// `outOfRange`.
class TargetFollower {
 public:
  /// `led` by degree of freedom: not 0 where the target moves; others stay where they start (what
  /// hangs has no target).
  TargetFollower(const skeleton::Model& model, std::span<const std::uint8_t> led,
                 const FollowerConfig& config = {});

  /// At a state, as it moves there.
  void start(const VecX& q, const VecX& v);
  /// The target of the next step of length h [s] on the way to `goal`. Throws InputError for a goal
  /// that is not finite. Allocates nothing.
  const MotionTarget& lead(const VecX& goal, double h);
  /// Joints whose last goal lay beyond their range.
  int outOfRange() const { return outOfRange_; }

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  void keepWithinRanges(const VecX& goal);
  double largestTurn() const;

  const skeleton::Model& model_;
  std::vector<std::uint8_t> led_;
  FollowerConfig config_;
  MotionTarget target_;
  VecX goal_, way_, step_;
  mutable std::vector<double> turn_;  // by link
  int outOfRange_ = 0;
};

}  // namespace pneuma::control
