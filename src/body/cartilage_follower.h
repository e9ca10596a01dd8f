#pragma once

#include <vector>

#include "pneuma/body/living_model.h"

/// Cartilages between sternum and ribs. What they hold is the cage's (CartilageKind::Bending: from
/// the end of a rib to the sternum); as links they are shown and bound to, and are led by both
/// bones instead of being simulated.
namespace pneuma::body::internal {

/// A cartilage's end and the place on its rib where it belongs.
struct CartilageEnd {
  int rib = -1;                                      ///< link
  Vec3 onRib = Vec3::Zero(), onLink = Vec3::Zero();  ///< in the frames of rib and cartilage
};

/// A link of cartilage on the sternum, of one or, in the costal arch, several ribs.
struct CartilageFollower {
  int link = -1;
  std::vector<CartilageEnd> ends;
};

/// Links that carry cartilages and nothing else of the cage, and move by at most three degrees of
/// freedom.
std::vector<CartilageFollower> findFollowers(const LivingModel& model);

/// Makes a link follow: its motion is given, no joint resists, and its mass, most of it flesh on
/// the costal arch, rides on its ribs in equal parts.
void follow(const CartilageFollower& follower, LivingModel& model);

/// Accelerations that bring the ends of a cartilage to their ribs by the end of a step in which
/// sternum and ribs go on as they do.
void lead(const LivingModel& model, const CartilageFollower& follower,
          const skeleton::Kinematics& kinematics, const skeleton::State& state, double h,
          VecX& target);

}  // namespace pneuma::body::internal
