#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pneuma/skeleton/coupled_solver.h"
#include "pneuma/skeleton/link_element.h"
#include "pneuma/skeleton/loads.h"
#include "pneuma/skeleton/subsystem.h"
#include "pneuma/skeleton/workspace.h"

/// Time stepping of a skeleton with everything attached to it.
namespace pneuma::skeleton {

namespace internal {
struct PivotingSolver;
struct PartitionedSolver;
}  // namespace internal

/// Something attached to the skeleton: muscles, springs, limits, external forces. It reads the
/// state and adds itself to the loads. addLoads must not allocate after its first call.
class LoadSource {
 public:
  virtual ~LoadSource() = default;
  /// See Loads for what to add; the kinematics belong to the state.
  virtual void addLoads(const Model& model, const State& state, const Kinematics& kinematics,
                        Loads& loads) = 0;
  /// Which degrees of freedom its derivatives couple; everything, unless it says better.
  virtual void addCoupling(Coupling& coupling) const { coupling.coupleAll(); }
  /// Stored energy [J].
  virtual double energy(const Model&, const State&, const Kinematics&) const { return 0; }
};

/// Joint damping, springs and limits of the model as a source.
class JointResistanceSource : public LoadSource {
 public:
  void addLoads(const Model&, const State&, const Kinematics&, Loads&) override;
  void addCoupling(Coupling&) const override {}
  double energy(const Model&, const State&, const Kinematics&) const override;
};

/// Springs and bushings between links as a source.
class LinkElementSource : public LoadSource {
 public:
  explicit LinkElementSource(LinkElements elements) : elements_(std::move(elements)) {}
  void addLoads(const Model&, const State&, const Kinematics&, Loads&) override;
  void addCoupling(Coupling&) const override;
  double energy(const Model&, const State&, const Kinematics&) const override;
  const LinkElements& elements() const { return elements_; }

 private:
  LinkElements elements_;
};

/// Generalised force constant in the step (motors, tests).
class ConstantForceSource : public LoadSource {
 public:
  explicit ConstantForceSource(VecX generalized) : force(std::move(generalized)) {}
  void addLoads(const Model&, const State&, const Kinematics&, Loads&) override;
  void addCoupling(Coupling&) const override {}
  VecX force;
};

/// What is attached, and the scratch of a step. Sized once; steps allocate nothing.
struct StepWorkspace {
  explicit StepWorkspace(const Model& model, std::vector<LoadSource*> sources = {},
                         std::vector<Subsystem*> subsystems = {});
  ~StepWorkspace();

  std::vector<LoadSource*> sources;    ///< not owned
  std::vector<Subsystem*> subsystems;  ///< not owned; take part in stepImplicitHybrid
  Workspace dynamics;
  Loads loads;
  CoupledSolver solver;
  VecX vDot;                        ///< joint accelerations at the start of the last step
  VecX rhs, velocity, q;            ///< scratch
  State stage;                      ///< scratch of Runge-Kutta
  VecX rate, sumStep, sumVelocity;  ///< "
  std::unique_ptr<internal::PivotingSolver> pivoting;
  std::unique_ptr<internal::PartitionedSolver> partition;  ///< of stepImplicitHybrid
  int pivotedSteps = 0;  ///< steps in which the fast solver met a small pivot
};

/// q' = q + h v,  v' = v + h vDot(q, v). For comparison: it gains energy.
void stepExplicitEuler(const Model& model, State& state, StepWorkspace& workspace, double h);

/// v' = v + h vDot(q, v),  q' = q + h v'.
void stepSymplecticEuler(const Model& model, State& state, StepWorkspace& workspace, double h);

/// Classical Runge-Kutta of order 4, four evaluations; balls are integrated in the rotation vector
/// from the start of the step [MuntheKaas98], which keeps the order. For references and light,
/// non-stiff models.
void stepRungeKutta4(const Model& model, State& state, StepWorkspace& workspace, double h);

/// Linearly implicit Euler [Lee09, Eq. 6-7] with the full stiffness and damping of everything
/// attached and of the dynamics themselves:
///
///   dv = h (phi + dphi/dq h (v + dv) + dphi/dv dv),   v' = v + dv,  q' = q + h v'
///
/// Multiplied by M and written for v' (M dphi/dx = dF/dx - d tau/dx at the acceleration phi):
///
///   (M + h (dtau/dv - dF/dv) + h^2 (dtau/dq - dF/dq)) v' = M v + h (F + cv - g - (dF/dv) v)
///
/// with tau inverse dynamics, cv its velocity products (quadratic in v, so (dtau/dv) v = 2 cv) and
/// g gravity.
/// Reading: Eq. 7 prints dphi/dqDot twice; the first one must be dphi/dq, as in Eq. 6.
void stepImplicitEuler(const Model& model, State& state, StepWorkspace& workspace, double h);

/// The same with part of the joints prescribed: joints with prescribed[j] != 0 get exactly
/// v'_j = v_j + h vDotTarget_j, the others follow from the partitioned system
///
///   A_pp v'_p = b_p - A_pm v'_m,   then  tau_m = (A_m v' - b_m) / h
///
/// tau (n entries) receives the generalised force that has to be added at the prescribed joints, 0
/// at the others. The workspace's subsystems own degrees of freedom besides and answer to the links
/// within the step, equal and opposite (see Subsystem).
/// Departure: [Lee09, Sec. 4.3] looks ahead with an explicit Euler step of the passive joints and
/// runs hybrid dynamics there. Partitioning the implicit system is exact for the prescribed joints,
/// saves two sweeps, and stays stable where the springs' damping is too high for an explicit step
/// (test ImplicitHybridStep.StaysStableWhereTheExplicitLookAheadDoesNot).
void stepImplicitHybrid(const Model& model, std::span<const std::uint8_t> prescribed,
                        const VecX& vDotTarget, State& state, StepWorkspace& workspace, double h,
                        VecX& tau);

/// The same system in separate calls, for whoever has to know it before it is solved, as a
/// controller does: A v' = b + h tau, of all degrees of freedom, without subsystems.
///
/// assemble: linearised about the accelerations vDotTarget at the prescribed joints and what
/// follows from them at the others; leaves A in loads.matrix (whole; loads.symmetric is 0) and b in
/// rhs. Both may then be changed within the pattern of couplings.
void assembleImplicitSystem(const Model& model, std::span<const std::uint8_t> prescribed,
                            const VecX& vDotTarget, const State& state, StepWorkspace& workspace,
                            double h);
/// solve: A v' = b as they stand, into workspace.velocity.
void solveImplicitSystem(StepWorkspace& workspace);
/// advance: commits workspace.velocity. Throws SimulationError and leaves the state as it was when
/// something is not finite.
void advanceImplicitSystem(const Model& model, State& state, StepWorkspace& workspace, double h);

/// Loads and accelerations at a state (forward dynamics with everything attached).
void computeAcceleration(const Model& model, const State& state, StepWorkspace& workspace,
                         VecX& vDot);

/// Books of energy at a state [J].
struct EnergyBook {
  double kinetic = 0, gravity = 0, elastic = 0;
  double total() const { return kinetic + gravity + elastic; }
};
EnergyBook computeEnergy(const Model& model, const State& state, StepWorkspace& workspace);

}  // namespace pneuma::skeleton
