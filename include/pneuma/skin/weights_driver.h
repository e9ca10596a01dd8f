#pragma once

#include <array>
#include <vector>

#include "pneuma/skin/driver.h"
#include "pneuma/skin/skin_weights.h"

namespace pneuma::skin {

/// The motions of all joint groups in one moment, to be blended through dual quaternions
/// [Kavan08]:
///
///   Q_v = sum_k w_vk s_vk Q_k / | sum_k w_vk s_vk R_k |
///
///   Q_k = R_k + eps D_k  unit dual quaternion of group k's motion from rest
///   w_vk weight of group k at vertex v; s_vk = +1 or -1, the side of R_k nearer to the strongest
///   group's
///
/// Between two groups the skin turns about their common joint and keeps its section, where a linear
/// blend of matrices would shrink it.
class GroupMotions {
 public:
  /// Takes the motion of each group's carrier. Throws InputError for too few bones.
  void follow(const JointGroups& groups, std::span<const Pose> bones);
  Pose blend(const SkinWeights::Vertex& vertex) const;

 private:
  std::vector<std::array<Vec4, 2>> now_;  // real (x, y, z, w) and dual part of each group
};

/// Skin carried by joint groups with weights: the driver that games use.
class WeightsDriver : public PoseDriver {
 public:
  /// Throws InputError for weights that name a group which is not there.
  WeightsDriver(JointGroups groups, SkinWeights weights);

  void carry(std::span<const Pose> bones, std::span<Pose> motions) override;

  const JointGroups& groups() const { return groups_; }
  const SkinWeights& weights() const { return weights_; }

 private:
  JointGroups groups_;
  SkinWeights weights_;
  GroupMotions now_;
};

}  // namespace pneuma::skin
