#pragma once

#include "pneuma/anatomy/compile.h"
#include "pneuma/flesh/grid_presets.h"
#include "pneuma/skeleton/model.h"
#include "pneuma/stage/grid_film.h"

namespace pneuma::stage {

/// The left arm of the layered figure, as measured: its bones, its elbow, and the two bellies of
/// its biceps for comparison with the continuum muscle.
class FigureArm {
 public:
  explicit FigureArm(anatomy::Body measured);

  /// Elbow and attachments of the biceps (the middle of both heads at the scapula).
  const flesh::ArmMeasurements& measurements() const { return measurements_; }
  /// The bones from collarbone to hand: anchor 0 above the elbow, 1 below.
  std::vector<FilmPart> bones(const Vec3& shift = Vec3::Zero()) const;
  /// Both heads as angular-spring bellies that follow a curl, one frame per time [s].
  std::vector<FilmCompanion> bellies(const flesh::ElbowCurl& curl, const std::vector<double>& times,
                                     const Vec3& shift) const;

 private:
  VecX pose(double flexion) const;

  anatomy::Body body_;
  anatomy::CompiledBody compiled_;
  skeleton::Model model_;
  int elbow_ = -1;  ///< link that the elbow bends, in the articulation
  flesh::ArmMeasurements measurements_;
};

}  // namespace pneuma::stage
