#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/render/renderer.h"
#include "pneuma/stage/complexion.h"
#include "pneuma/stage/open_eyes.h"
#include "pneuma/stage/played_motion.h"

/// A person at rest, in a posture, with single joints set, or at a moment of a clip, to be drawn.
namespace pneuma::stage {

/// How a body is shown.
enum class Shading {
  Clay,     ///< the skin's shape alone, one colour
  Skin,     ///< as a person looks
  Anatomy,  ///< bones and muscles under a see-through skin
  Xray      ///< bones in a shadow of the skin
};
/// "clay", "skin", "anatomy", "xray"; InputError with the nearest name for any other.
Shading shadingFromName(const std::string& name);
const std::vector<std::string>& shadingNames();
/// The light that a way of showing wants: a studio, for x-rays a dark room.
render::RenderOptions lightFor(Shading shading, render::RenderOptions options);

/// The parts of the skin by name: "head", "hand"...
std::vector<std::string> skinPartNames();

/// One person in one pose.
class PosedPerson {
 public:
  /// A pose that asks for nothing is the rest pose. `seconds` into the motion; absent: the first
  /// moment of a clip, the end of key poses. A posture's hanging arms are held out to the side as
  /// little as keeps forearms and hands off this person's own hips. `triangles` of the skin, 0:
  /// none is made. With `openEyes` the lids are open and the eyes look ahead.
  PosedPerson(const anatomy::Body& measured, const anatomy::Person& person,
              const MotionSource& pose, std::optional<double> seconds, int triangles,
              bool openEyes = false);

  /// The person in one way of showing. In a pose bones go with their joints, muscles with the skin
  /// over them; muscles without a skin throw InputError.
  render::Scene scene(Shading shading) const;
  /// Layers by name, "skeleton", "muscles", "skin"; the skin over others is see-through.
  render::Scene scene(std::span<const std::string> layers) const;
  /// What a part of the skin fills in the pose, of pairs the left one. InputError for an unknown
  /// name.
  Box boxOf(const std::string& skinPart) const;
  /// The skin in its pose; empty when none was made.
  const TriangleMesh& skin() const { return skin_; }

 private:
  VecX besideHips(const PlayedMotion& motion, const VecX& q) const;
  void hold(const PlayedMotion& motion, const VecX& q);
  void addBones(render::Scene& scene) const;
  void addMuscles(render::Scene& scene) const;
  void addEyes(render::Scene& scene) const;
  void addLashes(std::span<const Lash> lashes, const Pose& head, render::Scene& scene) const;
  void addHair(render::Scene& scene) const;
  Pose head() const;
  Complexion complexion() const;

  const anatomy::Body& measured_;
  anatomy::Person person_;
  anatomy::Body fitted_;
  anatomy::GeometryCache cache_;
  anatomy::SkinSurface surface_;
  TriangleMesh skin_;
  std::vector<Eyeball> eyes_;           ///< at rest; empty: the lids are closed
  std::vector<Lash> lidLines_;          ///< at rest; where closed lids meet
  std::vector<render::Polyline> hair_;  ///< at rest
  std::vector<Pose> bones_;             ///< motions of Body::bones; empty: at rest
  std::vector<Pose> motions_;           ///< of the skin's vertices, likewise
};

}  // namespace pneuma::stage
