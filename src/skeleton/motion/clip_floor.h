#pragma once

#include <span>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::skeleton::internal {

/// Places of one point of a body over time, evenly spaced.
using Path = std::vector<Vec3>;

/// The floor under a clip: what a recording calls level seldom is, and a walk of three metres then
/// climbs by five centimetres.
///
/// Where a point of a foot hardly moves it stands, and its height is that of the floor there plus
/// its own: y = a_k + b x + c z, with an a_k for each path (ankles and toes stand at heights of
/// their own) and one slope (b, c) for all, by least squares. A slope is taken to be 0 +- 0.01
/// before anything is seen: one second of standing at +- 1 m outweighs that, standing on the spot
/// does not.
///
/// Returns the rigid motion that makes the floor level: a turn about a level axis through where the
/// body is.
Pose levelFloor(std::span<const Path> feet, double dt);

/// Frames in which both ends of a foot stand: still, and hardly higher than where they are lowest.
std::vector<std::size_t> standingFrames(std::span<const Pose> ankle, const Path& toe, double dt);

}  // namespace pneuma::skeleton::internal
