#pragma once

#include <memory>
#include <vector>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/body/living_model.h"
#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skin/flesh_driver.h"
#include "pneuma/stage/figure_actor.h"
#include "pneuma/stage/flesh_record.h"
#include "pneuma/stage/flesh_request.h"

namespace pneuma::stage {

/// Flesh and skin of a body that acts by its own muscles: bones and activations of the articulation
/// that acts, no breath.
class ActFlesh {
 public:
  /// `measured` before it was fitted to the person of `described`; both and `compiled` (the
  /// articulation that acts) and `tree` outlive it. Adds a skin of about `triangles` and the
  /// numbers of the flesh to the actor, whose last scalars they are. Hands are shown as held.
  ActFlesh(const anatomy::Body& measured, const anatomy::Body& described,
           const anatomy::CompiledBody& compiled, const skeleton::Model& tree,
           const FleshRequest& request, int triangles, const anatomy::RelaxedHands& hands,
           FigureActor& actor);

  /// Fills skin and numbers of a frame. Throws SimulationError.
  void capture(const skeleton::Kinematics& kinematics, std::span<const double> activations,
               body::Frame& frame);

  const FleshRecord& record() const { return record_; }
  skin::FleshDriver& driver() { return *driver_; }
  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  /// A vertex of a hand and where it is shown, from where it was measured, at rest.
  struct HandVertex {
    std::size_t vertex = 0, bone = 0;
    Vec3 shift = Vec3::Zero();
  };
  void holdHands(const anatomy::SkinSurface& skin, const anatomy::Body& body,
                 const anatomy::RelaxedHands& hands);

  const anatomy::CompiledBody& compiled_;
  const skeleton::Model& tree_;
  std::vector<int> links_;
  FigureActor& actor_;
  int skinSet_ = -1;
  std::unique_ptr<skin::FleshDriver> driver_;
  std::vector<HandVertex> hands_;
  FleshRecord record_;
};

}  // namespace pneuma::stage
