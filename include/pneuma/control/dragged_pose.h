#pragma once

#include <vector>

#include "pneuma/control/body_parts.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/skeleton/pose_fit.h"

namespace pneuma::control {

/// A point of a link that someone has taken and holds at a place.
struct Grasp {
  int link = 0;                  ///< of the model
  Vec3 local = Vec3::Zero();     ///< in the link's frame [m]
  Vec3 position = Vec3::Zero();  ///< where it shall be, in the world [m]
};

/// The pose of a body that is taken by its links: hands, elbows, the head. Inverse kinematics
/// (skeleton::PoseFit) with every grasp as a point target; what they leave open stays near the pose
/// at rest. Joints that nobody's muscles move for it stay there: the root, legs, what hangs.
///
/// As of skeleton::PosePlaces, head and vertebrae are met first, by neck and trunk, then hands and
/// elbows by their arms: a trunk that leaned after a hand would soon be out of strength, and so
/// would collar bones that rise. A radian of the trunk counts as much as 12 cm of the grasp's way,
/// one of arm or neck as 2 cm (r of PoseFit). The place is met to r^2 / (r^2 + l^2) of the way
/// there, l the distance from the joint: a thousandth for an arm.
/// A place out of reach is approached as far as arm or trunk reaches; head and vertebrae go at most
/// 15 cm from where they are at rest.
class DraggedPose {
 public:
  /// `rest` is the configuration that the body has untouched. Body and model outlive the pose.
  DraggedPose(const anatomy::CompiledBody& body, const skeleton::Model& model, const VecX& rest);

  /// Takes a link by a point, or moves the point by which it is held. Throws InputError for a place
  /// that is not finite or farther than 10 m from the body; the pose then stays as it was.
  void drag(const Grasp& grasp);
  void release(int link);  ///< lets go of a link, if it is held
  void releaseAll();

  const std::vector<Grasp>& grasps() const { return grasps_; }
  /// The configuration that meets the grasps best; at rest without one.
  const VecX& pose() const { return pose_; }

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  bool isLimb(int dof) const;
  void solve();
  void meet(bool limbs);

  const anatomy::CompiledBody& body_;
  const skeleton::Model& model_;
  BodyParts parts_;
  VecX rest_, pose_;
  std::vector<Grasp> grasps_;
  skeleton::Kinematics kinematics_;
};

}  // namespace pneuma::control
