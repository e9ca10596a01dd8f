#pragma once

#include <memory>
#include <vector>

#include "pneuma/shape/learn.h"
#include "pneuma/stage/perform.h"

/// The simulated torso beside the learned one: the same person, the same lungs.
namespace pneuma::stage {

/// Skins of the simulated torso, one for each frame of a track.
struct SimulatedSkins {
  std::vector<Vec3> rest;
  std::vector<std::vector<Vec3>> frames;
  std::vector<double> volume;  ///< of the lungs above rest, as the torso reached it [m^3]
  double type = 0.5;           ///< the chest's share of what the skin gains
};
/// The torso of `breath` follows the track's volume (a style breathes as it does by itself).
/// Throws SimulationError.
SimulatedSkins simulateSkins(const shape::ShapeTemplate& shape, const BreathRequest& breath,
                             const BreathTrack& track,
                             std::shared_ptr<const anatomy::Body> measured,
                             const anatomy::Person& person,
                             const std::function<void(double)>& progress);

/// How far the performed skin is from the simulated one, on the trunk.
struct BesideErrors {
  std::vector<double> frames;  ///< rms of each frame [m]
  shape::ShapeError all;       ///< of all frames
  shape::ShapeError breath;    ///< way of the simulated skin from rest: what no breath leaves
  double volume = 0;  ///< largest gap of the simulated lungs from the track, of its range [-]
};
BesideErrors compareSkins(const shape::ShapeTemplate& shape, const shape::PersonBreath& person,
                          const BreathTrack& track, const std::vector<VecX>& weights,
                          const SimulatedSkins& simulated);

}  // namespace pneuma::stage
