#pragma once

#include <vector>

#include "skeleton/motion/clip_floor.h"

namespace pneuma::skeleton::internal {

/// Frames [begin, end) in which a point of a sole stands, and where.
struct Contact {
  std::size_t begin = 0, end = 0;
  Vec3 place = Vec3::Zero();  ///< on the floor, y = 0
};

/// How a foot moves when what stands does not slide: heel and ball of one sole.
struct LockedFoot {
  std::vector<Contact> heel, ball;
  Path heelPath, ballPath;  ///< where both should be, in every frame
};

/// Finds when heel and ball of a foot stand, and moves their paths so that they do: on the floor
/// and without sliding, the distance between both being the foot's `length` [m]. A correction ends
/// within 0.18 s by a quintic, and its speed within 0.1 s, so the paths have no jolt. Nothing goes
/// below the floor.
///
/// A point stands when it is slower than `still` [m/s] and lower than 5 cm for 60 ms or more, and
/// comes down to `raised` [m] at least once: a heel that is held up for a moment does not stand.
LockedFoot lockFoot(const Path& heel, const Path& ball, double length, double dt, double still,
                    double raised);

/// Mean height of points while they stand [m]; 0 when they never do.
double standingHeight(const std::vector<LockedFoot>& feet, const std::vector<Path>& heels,
                      const std::vector<Path>& balls);

}  // namespace pneuma::skeleton::internal
