#pragma once

#include <optional>

#include "pneuma/control/dragged_pose.h"
#include "pneuma/control/exercise.h"
#include "pneuma/control/target_follower.h"

namespace pneuma::control {

/// A body that someone directs while it moves by its muscles: an exercise over and over, links that
/// are taken and dragged, weights in its hands.
///
///   grasps   ->  DraggedPose  ->  TargetFollower  ->  MuscleController
///   exercise ->  led to its first pose as above, then its own track, again and again
///
/// What it does follows from what it was told before which step, to the last bit.
class DirectedBody {
 public:
  /// In its neutral pose and in balance. `compiled` outlives it.
  explicit DirectedBody(const anatomy::CompiledBody& compiled, const ControlConfig& config = {},
                        const muscle::DrivenBodyConfig& body = actingBodyConfig());

  const muscle::DrivenBody& body() const { return body_; }
  MuscleController& controller() { return controller_; }
  const MuscleController& controller() const { return controller_; }
  const std::vector<Grasp>& grasps() const { return dragged_.grasps(); }
  double time() const { return body_.state().skeleton.time; }  ///< [s]

  /// Goes over to an exercise, lets go of what is dragged; without one the body stands at rest. The
  /// exercise's loads are not taken.
  void perform(std::optional<Exercise> exercise);
  /// As of DraggedPose; an exercise ends. Links that the world holds are refused (InputError).
  void drag(const Grasp& grasp);
  void release(int link);
  void releaseAll();
  /// Links whose joints muscles move, on the way from the root: those that can be dragged.
  bool canBeDragged(int link) const;

  /// Throws SimulationError; the last good state stays.
  void step();

  /// At the beginning of the last step: the largest error of a driven joint [rad], the farthest way
  /// from a grasp to its place [m]; and the least part of a torque asked for that was given in it.
  double error() const { return error_; }
  double farthestGrasp() const { return farthest_; }
  double givenShare() const { return share_; }

  /// Everything that the next step depends on but the exercise, which is to be set before.
  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  const MotionTarget& nextTarget();
  bool arrived(const MotionTarget& led);
  void leaveExercise();

  muscle::DrivenBody body_;
  MuscleController controller_;
  TargetFollower follower_;
  DraggedPose dragged_;
  std::optional<Exercise> exercise_;
  double begun_ = -1;    // when the exercise began; below 0: the body is led to its first pose [s]
  MotionTarget target_;  // of the exercise
  VecX first_, away_;
  double error_ = 0, farthest_ = 0, share_ = 1;
};

}  // namespace pneuma::control
