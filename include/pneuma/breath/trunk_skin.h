#pragma once

#include <vector>

#include "pneuma/breath/shoulder_layer.h"

namespace pneuma::breath {

/// A skin that follows the torso and its arms.
///
/// Each vertex moves by the weighted mean of the motion of the ribs, the sternum, the abdominal
/// wall and the points of the shoulder layer around it (pectorals, shoulders, traces along arms,
/// neck and head; Gaussian weights over distance, normalised, found once). Weights are smooth over
/// the surface, so it cannot tear or pop, and the topology never changes.
class TrunkSkin {
 public:
  /// A skin in the torso's rest pose. `mobility` in [0, 1] per vertex scales how far it follows: 1
  /// on the trunk, falling to 0 where the body is still (legs).
  TrunkSkin(const TorsoModel& model, const ShoulderLayer& layer, TriangleMesh rest,
            const std::vector<double>& mobility);

  const TriangleMesh& rest() const { return rest_; }
  /// Vertices for the positions of all points of the model (TorsoWorkspace::points()) and of the
  /// layer (ShoulderLayer::points()).
  std::vector<Vec3> deform(const PointArray& points, const std::vector<Vec3>& layerPoints) const;

 private:
  struct Influence {
    std::int32_t point;  // of the model, then of the layer
    double weight;
  };
  std::vector<Influence> influencesOf(std::size_t vertex, const std::vector<std::int32_t>& list,
                                      double share) const;

  std::vector<Vec3> followed_;  // at rest
  TriangleMesh rest_;
  std::vector<std::vector<Influence>> influences_;
};

}  // namespace pneuma::breath
