#pragma once

#include <memory>
#include <vector>

#include "pneuma/body/bone_motions.h"
#include "pneuma/body/living_flesh.h"
#include "pneuma/skeleton/pose_maker.h"
#include "tests/support/human.h"

namespace pneuma::body {

/// The default man, and how his bones move.
struct PosedMan {
  anatomy::GeometryCache cache;
  LivingModel model = makeLivingModel(std::make_shared<anatomy::Body>(
      anatomy::fitToPerson(*test::humanBody(), test::humanBody()->person)));

  /// Motions of bones with joints away from neutral, and those that people move with them.
  std::vector<Pose> bones(const std::vector<skeleton::JointSetting>& settings) const {
    skeleton::Kinematics k(model.tree);
    skeleton::computePoses(model.tree,
                           skeleton::PoseMaker(model.compiled, model.tree).make(settings), k);
    std::vector<Pose> motions;
    boneMotions(model, k, motions);
    return motions;
  }
};

}  // namespace pneuma::body
