#pragma once

#include <string>
#include <vector>

#include "cli/breath_frames.h"
#include "pneuma/anatomy/body.h"
#include "pneuma/breath/trunk_skin.h"
#include "pneuma/render/renderer.h"

namespace pneuma::cli {

/// What a picture of the torso shows.
struct TorsoLook {
  double skinOpacity = 1;  ///< 0: no skin
  bool bones = false, diaphragm = false, gut = false, flesh = false;
};

/// Surfaces of one torso: built once, posed for any frame.
class TorsoShapes {
 public:
  /// The person's own bones and skin, in the rest pose of the model.
  TorsoShapes(const breath::BreathSimulation& simulation, const anatomy::Body& body);

  struct RigidShape {
    std::string name;
    int body = 0;       ///< of the 28
    TriangleMesh mesh;  ///< at rest, in the world
  };
  /// A soft body of the shoulder layer: a range of the layer's points.
  struct SoftShape {
    std::string name;
    std::size_t first = 0, count = 0;
    std::vector<Triangle> triangles;
  };
  const breath::TorsoModel& model() const { return *model_; }
  const std::vector<RigidShape>& bones() const { return bones_; }
  const std::vector<SoftShape>& flesh() const { return flesh_; }
  const breath::TrunkSkin& skin() const { return skin_; }
  const std::vector<breath::ShoulderElement>& elements() const { return elements_; }

  std::vector<Vec3> skin(const BreathFrame& frame) const;
  TriangleMesh dome(const BreathFrame& frame) const;
  /// Without its upper face, which is the diaphragm.
  TriangleMesh gut(const BreathFrame& frame) const;
  TriangleMesh softBody(const BreathFrame& frame, const SoftShape& shape) const;
  /// Both ends of every spring of the trunk and of every element of the shoulders.
  std::vector<Vec3> springEnds(const BreathFrame& frame) const;

  render::Scene scene(const BreathFrame& frame, const TorsoLook& look) const;
  /// Moves a renderer made from scene() of any frame to this frame.
  void pose(render::Renderer& renderer, const BreathFrame& frame, const TorsoLook& look) const;
  /// Trunk and head from the hips up; `aspect` is width over height of the picture.
  render::Camera camera(const Vec3& direction, double aspect) const;

 private:
  const breath::TorsoModel* model_;
  breath::TrunkSkin skin_;
  std::vector<RigidShape> bones_;
  std::vector<SoftShape> flesh_;
  std::vector<breath::ShoulderElement> elements_;
};

}  // namespace pneuma::cli
