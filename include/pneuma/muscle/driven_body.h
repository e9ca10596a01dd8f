#pragma once

#include <span>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/muscle/activation.h"
#include "pneuma/muscle/muscle_source.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/step.h"

namespace pneuma::muscle {

/// Settings of a body driven by its muscles.
struct DrivenBodyConfig {
  double step = 0.007;               ///< of the linearly implicit method [s], > 0 [Lee09, Sec. 3.2]
  LinearHillConfig hill;             ///< the paper's muscle, scaled by each cross section
  ActivationDynamics activation;     ///< from excitation to activation
  skeleton::FromBodyOptions joints;  ///< resistance and limits of the joints
};

/// What changes, and what a checkpoint holds.
struct DrivenBodyState {
  skeleton::State skeleton;
  MuscleState muscles;
};

/// A compiled body in forward simulation: its articulation as a tree, joint resistance and limits,
/// rib-cartilage springs, and every muscle line as a linearised Hill muscle [Lee09, Sec. 3.1-3.2],
/// advanced by the linearly implicit Euler method under gravity.
class DrivenBody {
 public:
  explicit DrivenBody(const anatomy::CompiledBody& body, const DrivenBodyConfig& config = {});
  DrivenBody(const DrivenBody&) = delete;
  DrivenBody& operator=(const DrivenBody&) = delete;

  const skeleton::Model& model() const { return model_; }
  const MuscleModel& muscles() const { return muscles_; }
  const DrivenBodyConfig& config() const { return config_; }
  /// For each link of the articulation its index in the model.
  const std::vector<int>& linkIndices() const { return linkIndices_; }
  /// "elbow_l.flexion", by degree of freedom of the model.
  const std::vector<std::string>& dofNames() const { return dofNames_; }

  DrivenBodyState& state() { return state_; }
  const DrivenBodyState& state() const { return state_; }

  /// Advances by one step with the given excitations (one per muscle, 0..1). Allocates nothing.
  /// Throws SimulationError naming link or muscle and time; the last good state stays.
  void step(std::span<const double> excitations);

  /// Brings kinematics, lengths and forces to the present state, for output.
  void refresh();
  const skeleton::Kinematics& kinematics() const { return workspace_.dynamics.kinematics; }
  const MuscleWorkspace& muscleResults() const { return source_.workspace(); }
  skeleton::EnergyBook energy();

  /// What the step is made of, for a controller that takes it apart (skeleton/step.h).
  skeleton::StepWorkspace& workspace() { return workspace_; }
  /// Adds something to everything that is attached (not owned, must outlive the body's steps). It
  /// may couple only degrees of freedom that lie between one link and the root.
  void attach(skeleton::LoadSource& source) { workspace_.sources.push_back(&source); }

 private:
  DrivenBodyConfig config_;
  skeleton::Model model_;
  std::vector<int> linkIndices_;
  MuscleModel muscles_;
  DrivenBodyState state_;
  MuscleSource source_;
  skeleton::JointResistanceSource resistance_;
  skeleton::LinkElementSource springs_;
  skeleton::StepWorkspace workspace_;
  std::vector<std::string> dofNames_;
};

/// A line as a linearised Hill muscle: its own peak force at the slack length stands in for
/// `specificTension`; the parallel element follows the cross-section. A line that only guides has
/// no force.
LinearHill linearHillOf(const anatomy::CompiledMuscle& muscle, const LinearHillConfig& config = {});
/// A line as Zajac's musculotendon: its own peak force, fibres, pennation and tendon.
Musculotendon musculotendonOf(const anatomy::CompiledMuscle& muscle);

/// The muscles of a compiled body as linearised Hill muscles.
std::vector<MuscleDescription> musclesFromBody(const anatomy::CompiledBody& body,
                                               const LinearHillConfig& config = {});
/// Its springs between links.
skeleton::LinkElements springsFromBody(const anatomy::CompiledBody& body,
                                       const skeleton::Model& model);

}  // namespace pneuma::muscle
