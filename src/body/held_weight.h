#pragma once

#include <optional>

#include "pneuma/body/living_model.h"
#include "pneuma/skeleton/step.h"

namespace pneuma::body::internal {

/// What carries ribs and sternum: the tone of the trunk's muscles, on the joints between the cage's
/// links and the spine. It stands for their weight as the chest feels it, in every pose and in
/// every step of a gait, so that no rib drops, rises or bounces by its own mass; in the torso
/// weight is left out alike. For the bounce this stands in for what the model lacks: people's wall
/// is dynamically five times as stiff as at rest (Hantos 1986).
class HeldWeight : public skeleton::LoadSource {
 public:
  explicit HeldWeight(const LivingModel& model);
  /// How the chest's given motion goes on: its spatial acceleration about the kinematics' origin;
  /// nothing when it moves freely.
  void carry(const std::optional<Vec6>& acceleration) { acceleration_ = acceleration; }
  void addLoads(const skeleton::Model& tree, const skeleton::State& state,
                const skeleton::Kinematics& kinematics, skeleton::Loads& loads) override;
  /// Has no derivatives.
  void addCoupling(skeleton::Coupling&) const override {}

  /// Adds what holds the cage's links where `kinematics` has them.
  void add(const Vec3& gravity, const skeleton::Kinematics& kinematics, VecX& force);

 private:
  const LivingModel& model_;
  std::optional<Vec6> acceleration_;
  std::vector<int> links_;    // of the cage, parents first
  std::vector<Vec6> wrench_;  // of their subtrees
};

/// What holds them in the neutral configuration.
VecX heldAtRest(const LivingModel& model);

}  // namespace pneuma::body::internal
