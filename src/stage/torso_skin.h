#pragma once

#include <memory>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/breath/breath_simulation.h"
#include "pneuma/skin/bone_samples.h"
#include "pneuma/skin/torso_traces.h"
#include "pneuma/stage/body_layers.h"

namespace pneuma::stage::internal {

/// The person's skin on a breathing torso: the one driver, with the torso's bones and wall before
/// it.
class TorsoSkin {
 public:
  static constexpr int kPictureTriangles = 80000;

  /// `measured` is the body before it was fitted to the simulation's person.
  TorsoSkin(const breath::BreathSimulation& simulation, const anatomy::Body& measured,
            int triangles = kPictureTriangles);
  /// Bound by these samples of the person's bones, whose surfaces then need not be made.
  TorsoSkin(const breath::BreathSimulation& simulation, const anatomy::Body& measured,
            int triangles, skin::BoneSamples samples);

  const TriangleMesh& rest() const { return surface_.mesh; }
  const anatomy::SkinSurface& surface() const { return surface_; }
  /// Vertices in a frame of torsoLayout.
  std::vector<Vec3> pose(const body::Frame& frame, const body::FrameLayout& layout);

  /// How to read frames of torsoLayout as layers, but for the cast and the skin.
  RecordedBody recorded(const body::FrameLayout& layout) const;

 private:
  const anatomy::Body& body_;  // fitted
  anatomy::CompiledBody compiled_;
  anatomy::SkinSurface surface_;
  std::shared_ptr<const anatomy::SkinTopology> fileTopology_;
  skin::TorsoTraces traces_;
  std::unique_ptr<skin::LayeredDriver> driver_;
  breath::PointArray points_;
  std::vector<Pose> bodies_;
};

}  // namespace pneuma::stage::internal
