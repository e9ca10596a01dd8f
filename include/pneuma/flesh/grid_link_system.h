#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "pneuma/anatomy/compile.h"
#include "pneuma/flesh/grid_stepper.h"
#include "pneuma/io/state_blob.h"
#include "pneuma/skeleton/subsystem.h"

/// Continuum muscles between the bones of a body: finite-difference solids (grid_muscle.h) that
/// take part in the step of links.
namespace pneuma::flesh {

/// A muscle of the body that is simulated as a solid.
struct GridMuscleRequest {
  std::string line;       ///< name of its line, "biceps_brachii_short_r"
  double excitation = 0;  ///< constant, 0 .. 1
  GridSize grid{13, 5, 5};
};

/// A continuum muscle planned on a tree of links.
struct GridMusclePlan {
  std::string name;
  GridModel model;             ///< in the body frame at rest; its anchors are the links
  std::array<int, 2> links{};  ///< of the tree: where it begins and ends
  int carrier = 0;             ///< link that its mass was taken from
};

/// Plans a muscle of `body`, which `tree` was made from: a spindle of the line's volume between the
/// ends of its path, with its force, its tendons and the fibres' rest length as the optimal one.
/// Its mass is taken from the heaviest link between its ends, so that the body weighs what it did.
/// Throws InputError for an unknown line (with the nearest), one whose ends lie on one link, or one
/// without volume or force.
/// Departure: the path is drawn straight; what it winds around does not hold the solid.
GridMusclePlan planGridMuscle(const anatomy::CompiledBody& body, const GridMuscleRequest& request,
                              skeleton::Model& tree);

/// One continuum muscle in the step of links (skeleton::Subsystem).
///
/// Its nodes take the implicit step of GridStepper with its tendons on points of the two links,
///
///   M (v' - v) = h F(t + h, q + h v', v'; X(t + h))          [Dobsik, Eq. 6]
///
/// X(t + h) as the links move by what is known of their motion. Of a living body's limbs that is
/// all: spine and limbs are given, so that the step is exact. Where a link moves freely, what the
/// step itself changes of its velocity reaches the muscle one step later (no gains, U = 0): the
/// muscle is soft beside bones, so this is stable. In either case the links get the forces of the
/// tendons as the step ends, turned round, and what the nonlinear solution left over: linear
/// momentum is exchanged to rounding, angular momentum to the order of the step.
class GridLinkSystem final : public skeleton::Subsystem {
 public:
  GridLinkSystem(const GridMusclePlan& plan, const skeleton::Model& tree);
  ~GridLinkSystem() override;

  const GridModel& model() const;
  /// In its rest shape between the links, relaxed there, moving with its carrier.
  GridState makeState(const skeleton::Kinematics& kinematics);
  /// The state that the next step changes; must stay where it is.
  void bind(GridState& state);

  double mass() const;                          ///< [kg]
  Vec3 momentum(const GridState& state) const;  ///< [kg m/s]
  /// With which it pulled at the first and at the last link in the last step, world [N].
  const std::array<Vec3, 2>& pull() const;

  void carry(const skeleton::Kinematics& kinematics, std::span<const Vec6> acceleration,
             std::span<const std::uint8_t> known, double h) override;
  void evaluate(const skeleton::Model& model, const skeleton::State& state,
                const skeleton::Kinematics& kinematics, double h, VecX& force) override;
  bool linearise(const skeleton::State&, std::span<const std::uint8_t>, double) override {
    return false;
  }
  void addGains(MatX&) const override {}
  void solve() override {}
  void addReaction(VecX&) const override {}
  int pressureCount() const override { return 0; }
  double pressureGain(int) const override { return 0; }
  const VecX& pressureGradient(int) const override;
  const VecX& condensedGradient(int) const override;
  double gradientOfMotion(int) const override { return 0; }
  double gradientOfGradient(int, int) const override { return 0; }
  void check(std::span<const double> factors, const VecX& dv, double time) override;
  void advance(std::span<const double> factors, double h) override;
  double elasticEnergy() const override;
  double kineticEnergy() const override;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace pneuma::flesh
