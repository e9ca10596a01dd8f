#pragma once

#include "pneuma/body/living_meter.h"
#include "pneuma/body/living_step.h"
#include "pneuma/breath/manoeuvre.h"

/// What an examiner asks of a person in a posture (breath/manoeuvre.h has the trunk by itself).
namespace pneuma::body {

/// One person who holds a pose, from rest in it.
class LivingExamination {
 public:
  /// Settles the soft parts in configuration q. The model outlives the examination.
  LivingExamination(const LivingModel& model, const VecX& q);

  /// Steps for `seconds`; contractions and the pressure at the mouth go from the present ones to
  /// those given within `ramp` s. An airway shuts and opens at once.
  void hold(const breath::Contractions& contractions, const breath::Airway& airway, double seconds,
            double ramp = 0);
  /// Against rest in this pose.
  breath::TorsoMeasures now();
  double gas() const { return state_.cage.gas; }  ///< in the lungs, by the spirometer [m^3]
  const breath::TorsoReading& reading() const { return workspace_.cage().reading(); }

 private:
  const LivingModel* model_;
  LivingWorkspace workspace_;
  LivingState state_;
  LivingMeter meter_;
  breath::Contractions present_;
  double mouth_ = 0;  // [Pa]
};

/// Chest wall around rest in a pose, by a small pressure at the mouth.
breath::WallCompliance wallCompliance(const LivingModel& model, const VecX& q);
/// Gas at full and at empty lungs: slowly in, then slowly out, with all strength [m^3].
struct LivingVitalCapacity {
  double full = 0, empty = 0;
  double volume() const { return full - empty; }
};
LivingVitalCapacity vitalCapacity(const LivingModel& model, const VecX& q);
/// Greatest alveolar pressure in, against a shut airway from empty lungs [Pa].
double greatestPressureIn(const LivingModel& model, const VecX& q);

}  // namespace pneuma::body
