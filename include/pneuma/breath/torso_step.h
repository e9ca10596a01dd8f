#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "pneuma/breath/torso_model.h"
#include "pneuma/io/state_blob.h"

/// Motion of the breathing torso.
namespace pneuma::breath {

/// A free rigid body.
struct FreeBodyState {
  Vec3 position = Vec3::Zero();  ///< of the body's origin [m]
  Quat rotation = Quat::Identity();
  Vec3 velocity = Vec3::Zero();  ///< of the origin [m/s]
  Vec3 spin = Vec3::Zero();      ///< angular velocity, world axes [rad/s]
};

/// A rib, relative to the spine.
struct RibState {
  Quat rotation = Quat::Identity();  ///< R_spine_rib; about the neck axis only with RibJoint::Neck
  Vec3 spin = Vec3::Zero();          ///< relative angular velocity, axes of the spine [rad/s]
  double angle = 0;                  ///< about the neck axis [rad], RibJoint::Neck
  double rate = 0;                   ///< [rad/s]
};

/// A rigid ball that can be dropped on the gut (Fig. 4).
struct BallState {
  bool present = false;
  double radius = 0.05;            ///< [m]
  double mass = 2;                 ///< [kg]
  double contactStiffness = 4000;  ///< per wall point inside it [N/m]
  Vec3 gravity = Vec3::Zero();     ///< of the ball alone [m/s^2]
  Vec3 position = Vec3::Zero(), velocity = Vec3::Zero();
};

/// A lead ball above the navel of a person lying on the back: gravity points to the spine. It falls
/// `drop` metres before it touches.
BallState makeLeadBall(const TorsoModel& model, double mass, double drop = 0.05);

/// All that a checkpoint has to keep.
struct TorsoState {
  double time = 0;
  std::uint64_t steps = 0;
  PointArray position, velocity;  ///< of particles
  FreeBodyState spine, sternum;
  std::array<RibState, 2 * kRibCount> ribs;
  BallState ball;

  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);
  std::string hash() const;  ///< 16 hexadecimal digits over every bit of the state
};

TorsoState makeRestState(const TorsoModel& model);

/// The control inputs of Eq. 2, one pair per channel.
struct MuscleDrive {
  std::array<double, channel::kCount> alpha{};
  std::array<double, channel::kCount> ratio;  ///< r

  MuscleDrive() { ratio.fill(1.0); }
};

/// What a step found out on its way, at the time of the state it started from.
struct TorsoReading {
  double lungVolume = 0;    ///< [m^3]
  double gutVolume = 0;     ///< [m^3]
  double gutPressure = 0;   ///< [Pa]
  double lungPressure = 0;  ///< in the cavity, relative to rest [Pa]
};

/// Scratch of one torso. Sized for the model by the first step.
class TorsoWorkspace {
 public:
  TorsoWorkspace();
  ~TorsoWorkspace();
  TorsoWorkspace(TorsoWorkspace&&) noexcept;
  TorsoWorkspace& operator=(TorsoWorkspace&&) noexcept;

  const TorsoReading& reading() const;
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

/// Advances the state by dt.
///
/// Semi-implicit Euler whose inertia carries the stiffness and the damping of the springs:
///
///   (M + h D + h^2/2 K) dv = h f(x, v),   v += dv,   x += h v
///
/// With K and D at least those of the active springs this is stable for every h (a spring of
/// stiffness k needs h^2 k / 4, a damper h b / 2), has no numerical damping, and differs from
/// semi-implicit Euler only by terms of order h. M, D and K are:
///  - particles: masses, and the graph Laplacian of the springs, the same for x, y and z, factored
///    once per model and step size;
///  - ribs: hinge or ball inertia, with springs and joint friction (Eq. 3) on the diagonal; the
///  ribs
///    are eliminated exactly, then the spine is solved and the ribs follow (tree of depth two);
///  - the gut's pressure, rank one over all of these (Sherman-Morrison).
/// Departure: the paper takes explicit Euler steps, which add negative damping to the pressure.
///
/// Throws SimulationError when the state is not finite any more; it then holds the last good one.
void step(const TorsoModel& model, TorsoState& state, const MuscleDrive& drive,
          TorsoWorkspace& workspace, double dt);

/// Places all points for a state without stepping; then workspace.points() and reading() are
/// current.
void updatePoints(const TorsoModel& model, const TorsoState& state, TorsoWorkspace& workspace);

/// World pose of a body.
Pose bodyPose(const TorsoModel& model, const TorsoState& state, int body);

}  // namespace pneuma::breath
