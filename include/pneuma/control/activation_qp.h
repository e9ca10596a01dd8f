#pragma once

#include <cstdint>

#include "pneuma/control/muscle_columns.h"
#include "pneuma/control/profile_cholesky.h"

/// Which activations give a torque at the least effort.
namespace pneuma::control {

/// One problem of static optimisation, [Lee09, Eq. 14] with bounds and slack:
///
///   min  1/2 sum_i (w_i (a_i - ref_i))^2  +  1/(2 eps) r^T G^-1 r
///   a,r       C a + r = tau,    lower <= a <= upper
///
///   a  activations [-]      C  torque per activation, MuscleColumns [N m]
///   r  slack [N m]          tau  torque asked for [N m]
///   w  cost of an activation [-], > 0     ref  activation that costs nothing [-]
///   G  diag(s^2) with s the scale of a row's slack [N m], > 0; or any positive definite matrix.
///      With the inertia of the joints, r^T G^-1 r is Gauss's measure of how far the motion is from
///      the desired one.
///
/// Eq. 15 is the same with -tau; the closing problem of coactivation has ref != 0.
/// Departure: the paper has no slack and no upper bound, and raises w_i when an activation exceeds
/// 1. Some rows cannot be met (a muscle only pulls), and then its problem has no solution.
struct ActivationProblem {
  ActivationProblem() = default;
  ActivationProblem(int rows, int muscles);

  VecX demand;        ///< tau [N m]
  VecX slackScale;    ///< s [N m], > 0; for solvers without coupledSlack
  MatX slackInertia;  ///< G by its lower triangle; for solvers with coupledSlack
  VecX weight;        ///< w [-], > 0
  VecX reference;     ///< [-]
  VecX lower, upper;  ///< [-], lower <= upper
};

/// How well a problem was solved.
struct ActivationSolution {
  int iterations = 0;   ///< Newton steps
  double residual = 0;  ///< of the optimality conditions, see ActivationSolver
  bool converged = false;
};

/// Settings of the solver.
struct ActivationSolverConfig {
  double slackCost = 1e-4;  ///< eps [-], > 0: the smaller, the less slack on rows within reach
  double tolerance = 1e-8;  ///< of the residual [-], > 0
  int mostIterations = 200;
  bool coupledSlack = false;  ///< G is slackInertia, not diagonal
};

/// Solves problems with one pattern of columns by a semismooth Newton method on the dual
///
///   a_i = clamp(ref_i + c_i . lambda / w_i^2),   r = eps G lambda        (primal of a lambda)
///   g   = tau - C a - r                                                  (gradient of the dual)
///   (sum over free i of c_i c_i^T / w_i^2 + eps G) d = g
///
/// with free i strictly between their bounds, and an exact search along d for the maximum of the
/// piecewise quadratic dual. The dual is strongly concave because of eps, so it converges from
/// every start, and in one step when the right muscles are free: with lambda of the last time step
/// one or two steps are usual.
///
/// Stationarity in a and r and the bounds hold exactly for every lambda. What is left is g, and
/// the residual is the largest |g_j| / (|tau_j| + |r_j| + sum_i |c_ji| a_i).
/// Nothing is allocated after construction.
class ActivationSolver {
 public:
  explicit ActivationSolver(MuscleColumns columns, const ActivationSolverConfig& config = {});

  MuscleColumns columns;  ///< values may be changed between calls, the pattern not

  /// Starts from `lambda` and leaves the solution's there. A vector of zeros is a cold start.
  /// `sameMatrix`: columns, weights and slack are those of the last call, whose matrix then serves:
  /// only muscles that became free or bound since are added or taken off.
  ActivationSolution solve(const ActivationProblem& problem, VecX& lambda, VecX& a,
                           bool sameMatrix = false);
  /// r of the last solution [N m].
  const VecX& slack() const { return slack_; }

 private:
  void evaluate(const ActivationProblem& p, const VecX& lambda, VecX& a);
  double residual(const ActivationProblem& p) const;
  void startHessian(const ActivationProblem& p);
  void addToHessian(int muscle, double share);
  void factorHessian(const ActivationProblem& p);
  double search(const ActivationProblem& p) const;
  double slope(const ActivationProblem& p, double t, double& curvature) const;
  void slackOf(const ActivationProblem& p, const VecX& lambda, VecX& out) const;

  ActivationSolverConfig config_;
  VecX gradient_, slack_, direction_, slackRate_;
  VecX unbounded_;                                                // ref_i + c_i . lambda / w_i^2
  VecX rate_;                                                     // c_i . d / w_i^2
  VecX product_;                                                  // C a
  VecX magnitude_;                                                // sum of |c_ji| a_i
  double demandAlong_ = 0, slackAlong_ = 0, slackCurvature_ = 0;  // of the search
  ProfileCholesky hessian_;
  std::vector<std::uint8_t> free_;  // muscles in the matrix
};

}  // namespace pneuma::control
