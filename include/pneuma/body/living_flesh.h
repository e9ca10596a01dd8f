#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/anatomy/skin_surface.h"
#include "pneuma/body/living_step.h"
#include "pneuma/flesh/embedded/body_flesh.h"
#include "pneuma/skin/flesh_driver.h"

namespace pneuma::body {

/// How a body's flesh is cut and what it is made of.
struct FleshOptions {
  flesh::embedded::FleshLevel level = flesh::embedded::FleshLevel::Default;
  flesh::embedded::FleshPreset preset = flesh::embedded::FleshPreset::Human;
  /// Diaphragm and abdominal wall move the flesh; without them (no breath is simulated) it is free
  /// there.
  bool walls = true;
  skin::FleshEffects effects;
};

/// What lies under a person's skin: muscle solids, bones, lines, lungs, gut, and the walls of the
/// breathing cage, all at rest. `measured` is the body before it was fitted to the person of
/// `model`; lines are those of `lines`, which may be compiled for another articulation.
flesh::embedded::FleshAnatomy fleshAnatomy(const LivingModel& model, const anatomy::Body& measured,
                                           const anatomy::CompiledBody& lines, bool walls,
                                           const anatomy::GeometryCache& cache);

/// The person's flesh. Its lattice fills the skin at its middle level, whatever level is drawn, and
/// is kept in `cache`.
std::shared_ptr<const flesh::embedded::BodyFlesh> makeFlesh(const LivingModel& model,
                                                            const anatomy::Body& measured,
                                                            const anatomy::CompiledBody& lines,
                                                            const FleshOptions& options,
                                                            const anatomy::GeometryCache& cache);

/// The one skin on the flesh of a living body.
class LivingFlesh {
 public:
  /// `guide` as in skin::FleshDriver.
  LivingFlesh(const LivingModel& model, std::shared_ptr<const flesh::embedded::BodyFlesh> flesh,
              const TriangleMesh& skin, const skin::FleshEffects& effects = {},
              std::unique_ptr<skin::LayeredDriver> guide = nullptr,
              const skin::FleshDriver::Settings& settings = {});

  /// Vertices in the world for a state whose points are placed (refresh). Throws SimulationError.
  void pose(const LivingState& state, const LivingWorkspace& workspace, std::span<Vec3> positions);

  /// Motions of the bones in the last pose, as in skin::SkinInputs.
  std::span<const Pose> bones() const { return bones_; }
  skin::FleshDriver& driver() { return *driver_; }
  const skin::FleshDriver& driver() const { return *driver_; }

 private:
  const LivingModel* model_;
  std::unique_ptr<skin::FleshDriver> driver_;
  std::vector<Pose> bones_;
  std::vector<std::vector<std::int32_t>> used_;  ///< points of the cage in each wall
  std::vector<std::vector<Vec3>> walls_;
};

}  // namespace pneuma::body
