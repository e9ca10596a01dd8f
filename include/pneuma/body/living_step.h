#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pneuma/body/living_model.h"
#include "pneuma/breath/cage_system.h"
#include "pneuma/skeleton/kinematics.h"
#include "pneuma/skeleton/pose_track.h"

/// Motion of a living body.
namespace pneuma::body {

/// All that a checkpoint has to keep.
struct LivingState {
  std::uint64_t steps = 0;
  skeleton::State tree;  ///< with the time
  breath::CageState cage;
  flesh::BelliesState bellies;  ///< empty: none are simulated
  std::vector<flesh::GridState> gridMuscles;
  flesh::SealedState shoulderBodies;  ///< empty: none are simulated

  double time() const { return tree.time; }
  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);
  std::string hash() const;  ///< 16 hexadecimal digits over every bit of the state
};

/// What acts from outside in one step.
struct LivingInputs {
  const skeleton::PoseTrack* motion = nullptr;  ///< of the joints that are given; null: held
  breath::MuscleDrive drive;                    ///< of the muscles of breathing
};

/// Scratch of one living body, and what its last step found out.
class LivingWorkspace {
 public:
  explicit LivingWorkspace(const LivingModel& model);
  ~LivingWorkspace();
  LivingWorkspace(LivingWorkspace&&) noexcept;

  const breath::CageSystem& cage() const;
  breath::CageSystem& cage();
  /// Null when the model has none.
  const flesh::BellySystem* bellies() const;
  const flesh::GridLinkSystem& gridMuscle(std::size_t i) const;
  /// Null when the model has none.
  const flesh::SealedLinkSystem* shoulderBodies() const;
  /// At the beginning of the last step, or of the last refresh.
  const skeleton::Kinematics& kinematics() const;
  /// Generalised forces that the given motion needs [N m] or [N]; 0 at simulated joints.
  const VecX& effort() const;

  struct Data;
  Data& data() { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// At rest in a configuration: ribs, sternum and cartilages at their places on the given joints,
/// soft parts carried along by chest and pelvis.
LivingState makeLivingState(const LivingModel& model, const VecX& q);

/// Advances by h. The given joints arrive exactly where the motion has them at the step's end,
///
///   v' = (q_motion(t + h) (-) q) / h,
///
/// the others follow from the coupled implicit step (skeleton::stepImplicitHybrid). Throws
/// SimulationError naming the part; the state is then the last good one.
void step(const LivingModel& model, LivingState& state, const LivingInputs& inputs,
          LivingWorkspace& workspace, double h);

/// Brings kinematics and points to the present state, for output.
void refresh(const LivingModel& model, const LivingState& state, LivingWorkspace& workspace);

/// How a settling ended.
struct Settled {
  double seconds = 0;        ///< simulated
  double residualSpeed = 0;  ///< fastest point of the gut against its carriers at the end [m/s]
  double lungVolume = 0;     ///< [m^3]
  double gutVolume = 0;      ///< [m^3]
};

/// Lets the soft parts come to rest in the pose of the state, without drive: steps with the joints
/// held, velocities taken out again and again (dynamic relaxation), until nothing moves faster than
/// a tenth of a millimetre a second, at most twice `seconds`. Steps are of h, at most 2 ms: rest is
/// the same at any.
Settled settle(const LivingModel& model, LivingState& state, LivingWorkspace& workspace, double h,
               double seconds = 12);

}  // namespace pneuma::body
