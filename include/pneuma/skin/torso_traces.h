#pragma once

#include <span>
#include <vector>

#include "pneuma/anatomy/body.h"
#include "pneuma/breath/torso_model.h"
#include "pneuma/skin/driver.h"

namespace pneuma::skin {

/// What the breathing torso tells a skin: motions of the bones that its bodies carry, and the
/// abdominal wall as the trace "wall".
class TorsoTraces {
 public:
  /// The torso breathes; `body` names the bones. Bones that the torso does not hold (legs) stand
  /// still.
  TorsoTraces(const breath::TorsoModel& torso, const anatomy::Body& body);

  /// The wall at rest, for binding a driver.
  std::span<const PointTrace> traces() const { return {&trace_, 1}; }
  /// Takes all points of the model, the motions of its bodies against rest (trunk first, then arms
  /// when they are simulated) and the lungs' volume [m^3].
  SkinInputs follow(const breath::PointArray& points, std::span<const Pose> bodies,
                    double lungVolume);

  TorsoTraces(const TorsoTraces&) = delete;
  TorsoTraces& operator=(const TorsoTraces&) = delete;

 private:
  double restLung_;
  std::vector<int> bodyOf_;            // of each bone, or -1
  std::vector<std::int32_t> indices_;  // of the wall in the model's points
  std::vector<Vec3> rest_, now_;
  std::vector<Pose> bones_, posture_;  // the trunk stands still: no posture
  PointTrace trace_;
};

}  // namespace pneuma::skin
