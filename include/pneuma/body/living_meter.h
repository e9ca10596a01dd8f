#pragma once

#include "pneuma/body/living_step.h"
#include "pneuma/breath/torso_measures.h"

namespace pneuma::body {

/// Measures a living body against the rest it settled to, seen from its chest wherever that goes.
class LivingMeter {
 public:
  /// `rest` is the workspace of the settled body. The model outlives the meter.
  LivingMeter(const LivingModel& model, const LivingWorkspace& rest);

  /// All points of the cage at rest, seen from the chest.
  const breath::PointArray& restPoints() const { return restPoints_; }
  /// Takes the world to the place where the chest is at rest.
  Pose toChest(const LivingWorkspace& now) const;
  /// Of a state whose kinematics and points are placed (refresh).
  breath::TorsoMeasures measure(const LivingWorkspace& now, double time) const;

 private:
  const LivingModel* model_;
  breath::PointArray restPoints_;
};

}  // namespace pneuma::body
