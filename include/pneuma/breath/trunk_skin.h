#pragma once

#include <vector>

#include "pneuma/breath/torso_step.h"

namespace pneuma::breath {

/// The outer surface of the trunk, lofted through its measured contours, that follows the torso.
///
/// Each vertex moves by the weighted mean of the motion of the ribs, the sternum, the spine and the
/// abdominal wall around it (Gaussian weights over distance, normalised, found once). Weights are
/// smooth over the surface, so it cannot tear or pop, and the topology never changes.
class TrunkSkin {
 public:
  explicit TrunkSkin(const TorsoModel& model);

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
