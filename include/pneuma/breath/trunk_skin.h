#pragma once

#include <vector>

#include "pneuma/breath/torso_step.h"

namespace pneuma::breath {

/// A skin that follows the torso: the trunk lofted through its measured contours, or any skin
/// given.
///
/// Each vertex moves by the weighted mean of the motion of the ribs, the sternum, the spine and the
/// abdominal wall around it (Gaussian weights over distance, normalised, found once). Weights are
/// smooth over the surface, so it cannot tear or pop, and the topology never changes.
class TrunkSkin {
 public:
  /// A skin in the torso's rest pose. `mobility` in [0, 1] per vertex scales how far it follows: 1
  /// on the trunk, falling to 0 where the body is still (hands, legs).
  TrunkSkin(const TorsoModel& model, TriangleMesh rest, const std::vector<double>& mobility);

  const TriangleMesh& rest() const { return rest_; }
  /// Vertices for the positions of all points of the model (TorsoWorkspace::points()).
  std::vector<Vec3> deform(const PointArray& points) const;

 private:
  struct Influence {
    std::int32_t point;
    double weight;
  };
  const TorsoModel* model_;
  TriangleMesh rest_;
  std::vector<std::vector<Influence>> influences_;
};

}  // namespace pneuma::breath
