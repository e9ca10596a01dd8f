#pragma once

#include <memory>
#include <vector>

#include "pneuma/stage/perform.h"
#include "pneuma/stage/played_motion.h"
#include "pneuma/stage/skin_rig.h"

/// A learned breath in any pose: morph first, then the pose.
namespace pneuma::stage {

/// A person who breathes by a model while joints are set or a clip is played.
class PosedPerformance {
 public:
  /// Model and person must outlive this; `source` asks for a motion. Beyond its end the last pose
  /// is held. Throws InputError.
  PosedPerformance(const shape::BreathModel& model, const shape::PersonBreath& person,
                   const anatomy::Body& measured, const anatomy::Person& who,
                   const MotionSource& source, double framesPerSecond);

  /// The skin of frame k with these weights: breath at rest, turned by the joints, reshaped by Q
  /// (shape::PoseSolver).
  std::vector<Vec3> skin(std::size_t frame, const VecX& weights) const;
  /// The same as an engine does it: linear blend of the joints.
  std::vector<Vec3> plainSkin(std::size_t frame, const VecX& weights) const;
  /// performScene on an armature of the person's joints, with a second animation `motion`.
  io::GltfScene scene(const BreathTrack& track, const std::vector<VecX>& weights) const;

 private:
  const VecX& configuration(std::size_t frame) const;

  const shape::BreathModel* model_;
  const shape::PersonBreath* person_;
  shape::ShapeTemplate shape_;
  PlayedMotion motion_;
  SkinRig rig_;
  shape::PoseSolver solver_;
};

}  // namespace pneuma::stage
