#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pneuma/core/types.h"

namespace pneuma::skin::internal {

/// The way of a skeleton from one pose to another, joints turning evenly.
///
/// Each bone moves against the one it is jointed to by part of a screw: a joint that turns about a
/// fixed centre does so all the way. (Bones that go straight from place to place instead are drawn
/// through the joint: a forearm would pass the shoulder when an arm is raised.)
class BonePath {
 public:
  /// The bone that each is jointed to, or -1.
  explicit BonePath(std::span<const std::int32_t> parents);

  /// Motions of the bones from rest, s of the way from a to b.
  std::vector<Pose> between(std::span<const Pose> a, std::span<const Pose> b, double s) const;
  /// The largest angle by which a joint turns from a to b [rad].
  double largestTurn(std::span<const Pose> a, std::span<const Pose> b) const;

 private:
  std::vector<std::int32_t> parents_, order_;  ///< parents come first in the order
};

/// s of the screw from a to b.
Pose screwBetween(const Pose& a, const Pose& b, double s);

}  // namespace pneuma::skin::internal
