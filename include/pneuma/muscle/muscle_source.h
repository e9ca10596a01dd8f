#pragma once

#include "pneuma/muscle/muscle_forces.h"
#include "pneuma/skeleton/step.h"

namespace pneuma::muscle {

/// The muscles as a load of the skeleton's steps (skeleton/step.h). Model and state are not owned;
/// change the activations between steps and call advance() of muscle_forces.h after each.
class MuscleSource : public skeleton::LoadSource {
 public:
  /// `dt`: size of the steps [s], for elastic tendons.
  MuscleSource(const skeleton::Model& model, const MuscleModel& muscles, const MuscleState& state,
               double dt);

  void addLoads(const skeleton::Model&, const skeleton::State&, const skeleton::Kinematics&,
                skeleton::Loads&) override;
  void addCoupling(skeleton::Coupling&) const override;
  /// Springs, parallel elements and tendons; see storedEnergy.
  double energy(const skeleton::Model&, const skeleton::State&,
                const skeleton::Kinematics&) const override;

  /// Lengths, rates, moment arms and tensions at the start of the last step.
  const MuscleWorkspace& workspace() const { return workspace_; }

 private:
  const MuscleModel& muscles_;
  const MuscleState& state_;
  double dt_;
  MuscleWorkspace workspace_;
  mutable PathKinematics energyPaths_;
};

}  // namespace pneuma::muscle
