#pragma once

#include <Eigen/LU>
#include <cstdint>
#include <span>
#include <vector>

#include "pneuma/control/muscle_columns.h"
#include "pneuma/muscle/muscle_forces.h"
#include "pneuma/skeleton/step.h"

/// What muscles have to do for a desired motion.
namespace pneuma::control {

/// Who moves a degree of freedom.
enum class DofDrive : std::uint8_t {
  Muscles,  ///< muscles, towards its desired acceleration
  Passive,  ///< nobody: it follows its neighbours, springs and passive forces
  Held,     ///< the world (a seat, the floor): it has its desired acceleration whatever that takes
};

/// Inverse dynamics of a body with driven joints m and passive ones p [Lee09, Eq. 13], on the
/// linearly implicit system of the step itself (skeleton/step.h):
///
///   [A_mm A_mp] [v'_m]   [b_m]     [C]
///   [A_pm A_pp] [v'_p] = [b_p] + h [0] (a - a0)        c_i = -(p_i F_l F_v)_m
///
///   v'_m = v_m + h vDot*_m   given      a0  activations of the last step, inside A and b
///   p_i  moment arms of muscle i [m]    F_l F_v  its active force per activation [N]
///
/// The passive rows give v'_p; what is left is linear in the activations:
///
///   C (a - a0) = (A_m v' - b_m) / h
///
/// Departure: [Lee09, Sec. 4.3] looks ahead with an explicit step of hybrid dynamics, which
/// diverges with our cartilages' damping.
/// Departure: a change of activation acts in its own step with its force on driven joints alone;
/// its stiffness and its pull on passive joints follow with the next step. So one assembly serves
/// plan and step, and the step equals the plan (test MuscleController.StepEqualsThePlan). The paper
/// drops all muscle forces on the passive sternum and cartilages (Eq. 3); we keep them. Letting the
/// change act on them at once, with columns reduced by A_mp A_pp^-1, was tried and dropped: pulling
/// the sternum is then a way to hold the ribs for one step, and both trembled at a quarter of the
/// step rate.
class MotionPlan {
 public:
  /// `drive` by degree of freedom.
  MotionPlan(const skeleton::Model& model, const muscle::PathSet& paths,
             std::span<const DofDrive> drive);

  const std::vector<int>& driven() const { return driven_; }  ///< degree of freedom of each row
  const std::vector<int>& passive() const { return passive_; }
  const std::vector<int>& held() const { return held_; }
  /// By degree of freedom, not 0 where an acceleration is desired.
  const std::vector<std::uint8_t>& prescribed() const { return prescribed_; }
  int rowCount() const { return static_cast<int>(driven_.size()); }

  /// Factors A_pp of the matrix that assembleImplicitSystem left.
  void begin(const skeleton::RowMatX& A);
  /// Velocities v' for desired accelerations (by degree of freedom), and the torque by row that has
  /// to be added to that of the activations a0 [N m].
  void plan(const skeleton::RowMatX& A, const VecX& b, const VecX& v, const VecX& vDot, double h,
            VecX& velocity, VecX& torque);

  /// What the driven joints feel of the matrix with the passive ones following, symmetric part of
  /// A_mm - A_mp A_pp^-1 A_pm: a torque r missing at driven joints costs h times its inverse times
  /// r of velocity. Needs begin().
  void computeInertia(const skeleton::RowMatX& A, MatX& inertia);

  /// Pattern of the columns, values 0.
  MuscleColumns makeColumns() const;
  /// Values of the columns for active forces per activation F_l F_v [N].
  void computeColumns(const muscle::PathKinematics& k, const VecX& activeForce,
                      MuscleColumns& columns) const;

 private:
  void findArms();

  const muscle::PathSet& paths_;
  std::vector<int> driven_, passive_, held_;
  std::vector<std::uint8_t> prescribed_;
  std::vector<int> row_;  // of each degree of freedom, -1: not driven
  /// Arms of the driven joints, muscle by muscle, as the columns have them.
  struct ArmRun {
    int muscle, arm, count;
  };
  std::vector<ArmRun> armRuns_;
  Eigen::PartialPivLU<MatX> lu_;  // of A_pp
  MatX block_;                    // A_pp
  VecX rhs_, solution_;           // of p rows
  MatX follow_;                   // A_pp^-1 A_pm
};

}  // namespace pneuma::control
