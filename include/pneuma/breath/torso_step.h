#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "pneuma/breath/cage_system.h"
#include "pneuma/breath/torso_model.h"

/// Motion of the breathing torso by itself.
namespace pneuma::breath {

/// A lead ball above the navel of a person lying on the back: gravity points to the spine. It falls
/// `drop` metres before it touches.
BallState makeLeadBall(const TorsoModel& model, double mass, double drop = 0.05);

/// All that a checkpoint has to keep.
struct TorsoState {
  double time = 0;
  std::uint64_t steps = 0;
  skeleton::State tree;  ///< spine, ribs and sternum
  CageState cage;

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);
  std::string hash() const;  ///< 16 hexadecimal digits over every bit of the state
};

TorsoState makeRestState(const TorsoModel& model);

/// Scratch of one torso. Sized for the model by the first step.
class TorsoWorkspace {
 public:
  TorsoWorkspace();
  ~TorsoWorkspace();
  TorsoWorkspace(TorsoWorkspace&&) noexcept;
  TorsoWorkspace& operator=(TorsoWorkspace&&) noexcept;

  const CageSystem& cage() const;  ///< after the first step or updatePoints
  const TorsoReading& reading() const;
  TorsoReading& reading();
  /// World positions of all points after the last updatePoints or step's beginning.
  const PointArray& points() const;
  /// Tension of each spring at the last step's beginning [N].
  const std::vector<double>& tensions() const;
  const std::vector<double>& lengths() const;

  struct Data;
  Data& data() { return *data_; }

 private:
  std::unique_ptr<Data> data_;
};

/// Advances the state by dt: one step of the skeleton's engine (stepImplicitHybrid, nothing
/// prescribed) with the cage as its subsystem.
///
/// Departure: the paper takes explicit Euler steps, which add negative damping to the pressure.
///
/// Throws SimulationError when the state is not finite any more; it then holds the last good one.
void step(const TorsoModel& model, TorsoState& state, const MuscleDrive& drive,
          TorsoWorkspace& workspace, double dt);

/// Places all points for a state without stepping; then workspace.points() and reading() are
/// current.
void updatePoints(const TorsoModel& model, const TorsoState& state, TorsoWorkspace& workspace);

/// Kinematics of the tree at a state.
skeleton::Kinematics torsoKinematics(const TorsoModel& model, const TorsoState& state);

/// World pose of a body.
Pose bodyPose(const TorsoModel& model, const TorsoState& state, int body);

}  // namespace pneuma::breath
