#pragma once

#include <string>
#include <vector>

#include "pneuma/core/types.h"
#include "pneuma/io/bvh.h"

namespace pneuma::skeleton::internal {

/// Most steps of a fit: from a pose far away, and from frame to frame.
inline constexpr int kFirstSteps = 200, kNextSteps = 20;

/// Place of a role in clipRoles().
std::size_t roleIndex(const std::string& name);

/// Poses of a clip's joints in its rest frame; -1: all angles zero.
std::vector<Pose> restPoses(const io::Bvh& clip, int restFrame);

/// A clip with the proportions of a figure.
struct ScaledClip {
  io::Bvh clip;         ///< in metres
  double legScale = 1;  ///< metres per unit of the clip as it was
  Mat3 facing;          ///< turns the clip's rest pose to face +Z
};

/// Scales every limb segment to the length that the figure's has, trunk, hips, shoulders and head
/// to its heights, widths and depths in the rest pose, and the path of the root with the legs.
/// `joints`: of each role in the clip, -1: none. `figure`: each role's point on the figure at rest,
/// in the world [m]. Throws InputError where joints of the clip coincide.
ScaledClip scaleClip(const io::Bvh& clip, int restFrame, const std::vector<int>& joints,
                     const std::vector<Vec3>& figure);

}  // namespace pneuma::skeleton::internal
