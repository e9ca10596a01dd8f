#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pneuma/control/activation_planner.h"
#include "pneuma/control/desired_acceleration.h"
#include "pneuma/control/held_loads.h"
#include "pneuma/control/motion_plan.h"
#include "pneuma/muscle/driven_body.h"

/// A body that moves by its own muscles.
namespace pneuma::control {

/// The body's settings for acting. The parallel element reaches the peak force at half the slack
/// length of stretch, as the fibres of [Zajac89] do: k_s = A / (exp(3) - 1).
/// Departure: with the paper's k_s = 0.8 A a neck turned by 25 degrees is held back by 4 times the
/// strength of its short muscles, and no activation brings it there.
muscle::DrivenBodyConfig actingBodyConfig();

/// Settings of a controller.
struct ControlConfig {
  TrackingGains gains;
  ActivationPlannerConfig planner;
  /// Activations follow excitations through the muscles' first-order lag and cannot jump; else they
  /// are set directly, as the paper does.
  bool excitation = false;
  double sensingRate = 5;  ///< sigma of Eq. 17 [1/s], > 0; reading: the paper gives none
  /// At rest (functional residual capacity) the chest wall is in balance without muscles: the
  /// recoil that carries the ribs in the neutral pose acts as a constant torque of their joints.
  /// Else the intercostals carry them, at activations near 1.
  bool balanceRibs = true;
  bool holdRoot = true;  ///< a free root is held by the world
  bool holdLegs = true;  ///< joints of legs are held by the world, standing or seated
};

/// A joint that muscles could be asked to move and are not, with what they could do.
struct UncontrolledDof {
  int dof = 0;
  std::string name;
  double positive = 0, negative = 0;  ///< largest torques either way in the neutral pose [N m]
};

/// Part of a torque asked for that is given, 0..1; 1 where next to nothing is asked for.
double givenShare(double asked, double missing);

/// What a step was asked for and gave, by row of the plan.
struct ControlReport {
  VecX demand;                ///< active torque asked for [N m]
  VecX slack;                 ///< what of it is missing [N m]
  int largestRow = 0;         ///< row with the largest missing acceleration
  double largestMissing = 0;  ///< that acceleration [rad/s^2]
  PlannerEffort effort;

  double share(int row) const { return givenShare(demand[row], slack[row]); }
};

/// Computes the muscle activations that bring a body to its targets, step by step [Lee09, Sec. 4],
/// and steps the body with them.
///
///   desired accelerations (12)  ->  plan on the implicit system (13)  ->  activations (14-16)
///   ->  the same system with these activations and the loads as they are  ->  new state
///
/// Where the demand exceeds the muscles, the problem is solved anew with the inertia of the joints
/// as measure of what is missing (MotionPlan::computeInertia): of all motions within reach the body
/// takes the one nearest to the desired one in the sense of Gauss's least constraint, a projection,
/// which cannot amplify. So every joint gets the largest share of its demand that does not cost
/// others more, and the report says which. The clamp of the error keeps the demand from growing
/// while a joint is kept away. The motion always follows from the muscles, never from the plan.
/// Tried and dropped: measuring what is missing joint by joint. A torque missing at one joint then
/// throws its light neighbours, and 22 kg put into one hand that expects 2 made the steps diverge.
/// Scaling the return to the target of a whole part down to the largest share within reach: one
/// tired vertebra then stops the neck, falling behind asks for more, and the share goes to 0 within
/// a tenth of a second.
///
/// A step allocates nothing, and ends with the same bits when repeated or resumed.
class MuscleController {
 public:
  /// `body` is made from `compiled` and at rest in its neutral pose; both outlive the controller.
  /// The passive joints are let down to where they hang.
  MuscleController(muscle::DrivenBody& body, const anatomy::CompiledBody& compiled,
                   const ControlConfig& config = {});
  MuscleController(const MuscleController&) = delete;
  MuscleController& operator=(const MuscleController&) = delete;

  const muscle::DrivenBody& body() const { return body_; }
  const ControlConfig& config() const { return config_; }
  const BodyParts& parts() const { return parts_; }
  const MotionPlan& plan() const { return plan_; }
  HeldLoads& loads() { return loads_; }
  const HeldLoads& loads() const { return loads_; }
  PerPart& coactivation() { return planner_.coactivation; }
  VecX& weights() { return problem_.weight; }  ///< w of Eq. 14, by muscle
  /// Joints that are left to hang in their muscles, which pull one way only: the thyroid cartilage.
  const std::vector<UncontrolledDof>& uncontrolled() const { return uncontrolled_; }
  const std::string& rowName(int row) const {
    return body_
        .dofNames()[static_cast<std::size_t>(plan_.driven()[static_cast<std::size_t>(row)])];
  }

  /// Sets a muscle's activation from outside, whatever the motion asks for (a pectoral dance).
  void prescribe(int muscle, double activation);
  void release(int muscle);

  /// Activations that hold the present state against the target, without a step: a start in
  /// balance.
  void settle(const MotionTarget& target);
  /// One step towards the target. Throws SimulationError naming link and time; the last good state
  /// stays.
  void step(const MotionTarget& target);

  const ControlReport& report() const { return report_; }
  /// Velocities that the last step was planned to end with.
  const VecX& plannedVelocity() const { return planned_; }
  /// C of the last step, by row and muscle [N m].
  const MuscleColumns& columns() const { return columns_; }
  /// The problem of the last step; its demand is that of the report.
  const ActivationProblem& problem() const { return problem_; }
  /// Excitations that give the activations of the last step.
  void computeExcitations(const VecX& before, std::vector<double>& out) const;

  /// Everything that the next step depends on, the body's state included.
  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  void steadyPullsOnPassiveJoints();
  void balance();
  void measureRows();
  void prepare(const MotionTarget& target);
  void setBounds();
  void measureInertia();
  void solve();
  void measureMissing();

  muscle::DrivenBody& body_;
  ControlConfig config_;
  BodyParts parts_;
  std::vector<UncontrolledDof> uncontrolled_;
  MotionPlan plan_;
  HeldLoads loads_;
  skeleton::ConstantForceSource recoil_;  // of the chest wall
  MuscleColumns columns_;
  ActivationPlanner planner_;
  ActivationProblem problem_;
  std::vector<BodyPart> partOfRow_;
  ProfileCholesky gauge_;  // tells whether the inertia is positive definite
  VecX prescribed_;        // activation from outside, below 0: none
  VecX compliance_;        // acceleration per torque by row, in the neutral pose
  VecX vDot_, still_, planned_, torque_, a_, change_;  // still_: no acceleration
  ControlReport report_;
  bool outOfReach_ = false;  // far, in the last step
};

}  // namespace pneuma::control
