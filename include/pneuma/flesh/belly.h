#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "pneuma/core/integrator.h"
#include "pneuma/flesh/belly_grid.h"

/// Muscle bellies as surfaces of particles with linear and angular springs. [Nedel00,
/// sections 4.3-4.5]
namespace pneuma::flesh {

/// Settings of one belly. Horizontal means along the rings, vertical along the action line.
///
/// Only the ratios of the four coefficients shape the belly at rest; those of the default keep the
/// volume of slender to stout fusiform muscles (radius over length 0.05 to 0.18) within 12 % under
/// 30 % compression and under 10 % stretch. Their common scale and the mass set the time scale.
struct BellyConfig {
  double elasticityHorizontal = 2.0;  ///< linear springs along the rings [N/m], >= 0
  double elasticityVertical = 4.0;    ///< linear springs along the line [N/m], >= 0
  double curvatureHorizontal = 4.0;   ///< angular springs along the rings [N/m], >= 0
  double curvatureVertical = 16.0;    ///< angular springs along the line [N/m], >= 0
  double totalMass = 0;       ///< shared evenly by the particles [kg]; 0: volume times 1060 kg/m^3
  double damping = 0.25;      ///< gamma, per particle [N s/m], >= 0
  double goalStiffness = 20;  ///< of zonal constraints [N/m], >= 0
  double shapeStiffness = 0;  ///< of the global constraint, per particle [N/m], >= 0
  bool freeEnds = false;      ///< extremities are particles too, instead of following the line
  bool keepVolume = false;    ///< correct the volume exactly after every step (beyond the paper)
  IntegratorKind integrator = IntegratorKind::RungeKutta4;
  double sleepSpeed = 1e-3;  ///< asleep when no particle is faster [m/s], >= 0
  double wakeDistance =
      1e-5;  ///< awake when a point of the action line has moved farther [m], >= 0
};

/// What stays the same while a belly moves: connectivity, rest lengths, mass.
///
///   f_spring  = -k (|x_j - x_i| - l0) u                  to four neighbours, k by direction
///   f_angular = -k (|x_0 - (x_1 + x_3) / 2| - d0) u      to the midpoint of either pair of them
///   m x'' + gamma x' + dE/dx = f_extern                  [Nedel00, Sec. 4.5]
///
/// Reading: the paper attaches the angular spring to the midpoint of the neighbours without saying
/// what pulls these; we take the spring's energy, so each neighbour gets half of the opposite force
/// and momentum is conserved (belly_test, MomentumIsConservedWithoutConstraints).
/// Reading: section 4.3 knows global constraints beside local and zonal ones, without an example.
/// `shapeStiffness` draws every particle to where the action line alone would carry it: its ring
/// moved with the line, and all rings wider or narrower by what keeps the volume of that shape. A
/// belly so "involves completely an action line" (section 4.2) in a bend, which springs alone would
/// cut short, and a flat one does not fold.
/// Departure: particles are first carried along with the frames of the action line, rings widened
/// by the root of what the belly got shorter, and the equations are solved for what remains. In the
/// paper only the attachments move, so a fast arm would leave its muscles behind until the springs
/// pull them; carried along, the line's rigid motion costs no steps (belly_test,
/// FollowsARigidMotionExactly). Where a belly comes to rest is up to its springs alone.
class BellyModel {
 public:
  /// The grid's shape is the rest shape. Throws InputError for bad settings.
  BellyModel(const BellyGrid& rest, const BellyConfig& config);

  const BellyConfig& config() const { return config_; }
  int slices() const { return slices_; }
  int around() const { return around_; }
  int particleCount() const { return slices_ * around_ + 2; }
  double particleMass() const { return particleMass_; }  ///< [kg]
  double restVolume() const { return restVolume_; }      ///< [m^3]
  const std::vector<Triangle>& triangles() const { return triangles_; }
  /// Longest explicit step that keeps every oscillation stable, by a bound on the stiffest one [s].
  double stableStep() const { return stableStep_; }

 private:
  friend class BellyForces;
  int slices_, around_;
  BellyConfig config_;
  double particleMass_, restVolume_, stableStep_;
  std::vector<Triangle> triangles_;
  // Rest lengths on padded rows (see belly_forces.h): along rings, along the line, and of both
  // angular springs.
  std::vector<double> ringRest_, lineRest_, ringAngularRest_, lineAngularRest_;
};

/// A place on a belly's surface that should be somewhere: a particle, or a point between three.
/// [Nedel00, Sec. 4.3: geometric constraints]
///
///   E = k / 2 |sum_i w_i x_i - target|^2,   k = share * goalStiffness
struct BellyGoal {
  std::array<int, 3> particles{};
  std::array<double, 3> weights{1, 0, 0};  ///< sum 1 [-]
  Vec3 target = Vec3::Zero();              ///< moved by `Belly::moveGoal` [m]
  double share = 1;                        ///< of the belly's goal stiffness, 0 to 1 [-]
};

/// What one would save. Positions are in the world [m], velocities relative to the carried frames
/// [m/s].
struct BellyState {
  VecX x;  ///< x, y, z of all particles (three blocks), then their velocities
  double time = 0;
  bool asleep = false;

  Vec3 position(int particle) const;
  void positions(std::vector<Vec3>& out) const;
};

class BellyForces;

/// One belly being simulated: its line, its goals, its scratch.
class Belly {
 public:
  Belly(std::shared_ptr<const BellyModel> model, const BellyGrid& rest, ActionLine line,
        const Vec3& reference);
  ~Belly();
  Belly(Belly&&) noexcept;

  /// Moves the action line; `reference` is the first ring's direction, carried by the bone of
  /// origin.
  void moveLine(std::span<const Vec3> points, const Vec3& reference);
  /// Moves the action line alone: where it would carry the particles follows (carried), they stay.
  /// For who steps them otherwise (belly_system.h).
  void aim(std::span<const Vec3> points, const Vec3& reference);
  /// Where the line alone would carry the particles, x, y, z in three blocks [m].
  const VecX& carried() const { return carried_; }
  /// Puts the particles somewhere, x, y, z in three blocks [m]; velocities and time stay.
  void setPositions(const Eigen::Ref<const VecX>& positions);
  /// Moves a goal; a belly asleep wakes when that is farther than its wake distance.
  void moveGoal(std::size_t goal, const Vec3& target);
  std::vector<BellyGoal>& goals() { return goals_; }
  const std::vector<BellyGoal>& goals() const { return goals_; }

  /// Advances by dt in as many inner steps as stability asks for. Does nothing while asleep.
  /// Throws SimulationError when the state stops being finite; the last good state stays.
  void advance(double dt);

  const BellyModel& model() const { return *model_; }
  const ActionLine& line() const { return line_; }
  const BellyState& state() const { return state_; }
  void restore(const BellyState& state);
  double volume() const;         ///< signed: negative would be inside out [m^3]
  double elasticEnergy() const;  ///< of all springs and goals [J]
  /// Minus the gradient of elasticEnergy, three blocks x, y, z [N].
  void elasticForces(VecX& forces) const;
  int lastInnerSteps() const { return lastInnerSteps_; }

 private:
  void correctVolume();
  /// Sets line, next frames and carried places; the width of the carried rings, over rest.
  double follow(std::span<const Vec3> points, const Vec3& reference);
  /// Moves particles with a frame of the path, about their middle.
  void carry(int first, int count, int frame, double widening);
  /// Where the line alone carries all particles, rings `width` times as wide as at rest.
  void place(const std::vector<Pose>& frames, double width);
  std::size_t frameOf(int particle) const;

  std::shared_ptr<const BellyModel> model_;
  ActionLine line_;
  std::vector<Pose> frames_, nextFrames_;
  std::vector<BellyGoal> goals_;
  std::vector<Vec3> places_;   // of all particles at rest, in the frames of their rings
  std::vector<Vec3> middles_;  // of the rings, likewise
  VecX carried_;               // where the line alone would carry them, x, y, z in three blocks
  double width_ = 1;           // of the carried rings, over rest
  BellyState state_, before_;
  std::unique_ptr<BellyForces> forces_;
  std::unique_ptr<Integrator> integrator_;
  double restLength_ = 0;  // of the line between the tendons [m]
  int lastInnerSteps_ = 0;
};

}  // namespace pneuma::flesh
