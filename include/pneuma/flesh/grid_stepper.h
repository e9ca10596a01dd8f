#pragma once

#include <memory>

#include "pneuma/flesh/grid_system.h"

namespace pneuma::flesh {

/// Settings of the grid's own implicit step. The defaults are for animation: errors of a step far
/// below a tenth of a millimetre, one or two iterations per step.
struct GridStepperConfig {
  int newtonIterations = 12;      ///< at most, >= 1; 1 is the linearly implicit step
  double newtonTolerance = 1e-5;  ///< on the largest change of a node in an iteration [m], > 0
  double solverTolerance = 3e-2;  ///< relative residual of the linear solves [-], > 0
  double forceTolerance = 1e-3;   ///< residual forces below (root of sum of squares) are left [N]
  int tangentReuse = 24;          ///< steps a tangent may serve while it converges fast, >= 0
  int solverIterations = 200;     ///< conjugate gradients, at most, >= 1
};
/// For measurements: each step solved to 1e-7 m.
GridStepperConfig preciseStepper();

/// What a step did.
struct GridStepReport {
  bool ok = true;
  int newtonIterations = 0;
  int solverIterations = 0;  ///< summed over the Newton iterations
  int halvings = 0;          ///< corrections cut back because they overshot
  int divisions = 0;         ///< times a step that would not converge was cut in two
  double reduction = 0;      ///< last residual over first one, when the iteration limit was hit
  double lastChange = 0;     ///< [m]
  bool converged = true;     ///< false: the iteration limit ended the step
};

/// Implicit Euler on the velocities alone:
///
///   M (v' - v) = h F(t + h, q + h v', v')                                [Dobsik, Eq. 6]
///
/// by Newton steps (M - h dF/dv - h^2 dF/dq) dv = residual. The matrix is made symmetric and
/// positive (derivatives of damping to positions, negative tensions and pressure terms are left out
/// of it, never out of the forces), is kept in single precision on the 27-point stencil, and is
/// solved by conjugate gradients that treat the lines along the fibres exactly. Cost per step is
/// linear in the nodes up to the number of iterations.
///
/// Energy form only. The step allocates nothing after construction.
class GridStepper {
 public:
  explicit GridStepper(const GridModel& model, const GridStepperConfig& config = {});
  ~GridStepper();

  /// Advances the state by h. A step that does not converge is done as two halves, and so on; where
  /// that fails too a SimulationError names time and node, and the state is unchanged.
  GridStepReport step(GridState& state, double h);
  /// Forgets what was learnt from earlier steps (the reused tangent). Done where a checkpoint is
  /// taken, so that a run resumed there goes on with the same bits.
  void reset();
  /// Moves the state to equilibrium at its time: steps without inertia until the forces on free
  /// nodes are below `forceTolerance` [N]. Returns false when they are not within `limit` steps.
  bool relax(GridState& state, double forceTolerance, int limit = 400);

 private:
  struct Work;
  GridStepReport advance(GridState& state, double h, int depth);
  [[noreturn]] void fail(const GridState& state, double h);
  GridStepReport newton(const GridState& from, double h, double inertia);
  double computeResidual(const GridState& from, double h, double inertia);
  /// Adds `scale` times the correction to the velocities; returns its largest part [m/s].
  double applyCorrection(const GridState& from, double h, float scale);

  const GridModel& model_;
  GridStepperConfig config_;
  std::unique_ptr<Work> work_;
};

}  // namespace pneuma::flesh
