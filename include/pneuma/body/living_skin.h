#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/body/living_step.h"
#include "pneuma/skin/layered_driver.h"

namespace pneuma::body {

/// The one skin on a living body: pose by weights, breath as a layer in the rest pose, bellies that
/// swing under it where the model has them, and a volume that swings as the gas in the lungs does
/// (skin/layered_driver.h).
class LivingSkin {
 public:
  /// `surface` is the skin of the model's person, bound to the person's bones
  /// (skin::bindSkin(surface, *model.body, model.compiled, cache)).
  LivingSkin(const LivingModel& model, const anatomy::SkinSurface& surface,
             const skin::SkinBinding& binding);
  LivingSkin(const LivingModel& model, const anatomy::SkinSurface& surface,
             const anatomy::GeometryCache& cache);

  const TriangleMesh& rest() const { return driver_->rest(); }
  const std::vector<anatomy::SkinPart>& parts() const { return parts_; }
  /// Vertices in the world for a state whose points are placed (refresh).
  void pose(const LivingState& state, const LivingWorkspace& workspace, std::span<Vec3> positions);
  /// The breath of a recorded moment in the rest pose (skin::LayeredDriver::breathe), from the
  /// motion of each compiled link from its place at rest, the wall (points of wallPoints()) and the
  /// gas in the lungs against rest [m^3].
  void breathe(const std::vector<Pose>& links, std::span<const Vec3> wall, double gas,
               std::span<Vec3> positions);
  /// The points of the abdominal wall that skin follows, in the cage's numbering, ascending.
  const std::vector<std::int32_t>& wallPoints() const { return wall_; }
  /// What any driver of this person's skin looks at in a state whose points are placed; valid until
  /// the next call of this, pose() or breathe().
  skin::SkinInputs inputs(const LivingState& state, const LivingWorkspace& workspace);
  /// The traces of such inputs at rest, which a driver is bound to.
  skin::PointTrace trace() const;
  const skin::LayerReport& report() const { return driver_->report(); }
  const skin::LayeredDriver& driver() const { return *driver_; }

 private:
  const LivingModel* model_;
  std::vector<anatomy::SkinPart> parts_;
  std::vector<std::int32_t> wall_;  // free points of the abdominal wall in the cage's numbering
  std::vector<Vec3> wallRest_, wallNow_;
  skin::PointTrace trace_;  // of the inputs
  std::unique_ptr<skin::LayeredDriver> driver_;
  skeleton::Kinematics posture_;
  VecX q_;
  std::vector<Pose> bones_, postureBones_;
  std::vector<Vec3> swings_;  // of the bellies
};

}  // namespace pneuma::body
