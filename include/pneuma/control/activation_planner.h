#pragma once

#include <span>
#include <vector>

#include "pneuma/control/activation_qp.h"
#include "pneuma/control/body_parts.h"
#include "pneuma/io/state_blob.h"

namespace pneuma::control {

/// How activations are found.
struct ActivationPlannerConfig {
  /// Arms and head-neck by themselves, then the torso, as the paper does; else all at once, which
  /// costs less effort and lets the scalenes of the neck lift the first ribs.
  bool grouped = false;
  /// Pull towards the last step's activations against that towards 0 [-], >= 0: static optimisation
  /// is not smooth in time by itself.
  double smoothness = 0;
  ActivationSolverConfig solver;
  /// eps of `close` when all is solved at once: a hundredth of a rad/s^2 or so is given up on
  /// joints within reach, and the problems converge in tens of steps where 1e-4 takes hundreds.
  double closingSlackCost = 1e-2;
};

/// What the last solution took.
struct PlannerEffort {
  int solves = 0;
  int iterations = 0;   ///< of all of them
  double residual = 0;  ///< the largest, see ActivationSolver
  int unconverged = 0;
};

/// Activations for a torque, with agonists and antagonists [Lee09, Eq. 14-16]:
///
///   a_g = argmin |w a|, C a = tau        a_n = argmin |w a|, C a = -tau
///   a   = (1 + gamma) a_g + gamma a_n    gamma >= 0 by body part
///
/// With bounds and slack the sum need neither stay below 1 nor give tau, so one more problem closes
/// it: the activations nearest to it that do. gamma = 0 takes the first problem alone.
///
/// When only some parts are tensed, agonists and antagonists are those of these parts, by problems
/// with their own rows and muscles as in the paper; the closing problem then finds the activations
/// nearest to their sum and, of all others, the least: one large problem instead of three.
///
/// Grouped, each part's problem has the rows and muscles of the part, and the torque that the final
/// activations of the parts before it give on its rows is taken off its demand.
///
/// Where a demand is not met, `close` solves over all rows and muscles with the inertia of the
/// joints as measure of what is missing. Two things need it: a demand out of reach; and the paper's
/// groups, whose parts cannot do without one another (scalenes of the neck lift the first ribs,
/// trapezius of the trunk holds C7).
/// Multipliers are kept as start of the next solution.
class ActivationPlanner {
 public:
  /// `partOfRow` by row of the columns, `partOfMuscle` by column.
  ActivationPlanner(const MuscleColumns& columns, std::span<const BodyPart> partOfRow,
                    std::span<const BodyPart> partOfMuscle,
                    const ActivationPlannerConfig& config = {});

  PerPart coactivation;  ///< gamma
  VecX smoothness;       ///< by muscle, see ActivationPlannerConfig

  /// `problem`: demand, slackScale, weight, lower and upper are the caller's; reference is not
  /// used. `a` holds the last activations and receives the new ones, `slack` by row tau - C a.
  void solve(const MuscleColumns& columns, const ActivationProblem& problem, VecX& a, VecX& slack);
  /// What `solve` left unmet, solved anew with problem.slackInertia as near as can be to what the
  /// parts found (grouped) or with their costs (all at once). `a` and `slack` as left by solve.
  void close(const MuscleColumns& columns, const ActivationProblem& problem, VecX& a, VecX& slack);
  /// The same without `solve` before it, when it is known to be in vain; `a` as for solve. Only for
  /// a plain planner.
  void closeAtOnce(const MuscleColumns& columns, const ActivationProblem& problem, VecX& a,
                   VecX& slack);
  bool plain() const { return !config_.grouped && !coactivation.anyPositive(); }
  const PlannerEffort& effort() const { return effort_; }
  const ActivationPlannerConfig& config() const { return config_; }

  /// Forgets the multipliers: the next solution starts cold.
  void forget();
  void save(io::StateWriter& out) const;
  void load(io::StateReader& in);

 private:
  /// One problem: rows and muscles of a part, or all.
  struct Group {
    std::vector<int> rows, muscles;
    std::vector<int> source;  // of each value in the whole columns
    ActivationSolver solver;
    ActivationProblem problem;
    VecX agonist, antagonist, closing;  // multipliers
    VecX gamma;                         // by muscle
    VecX kept;                          // share of the last activation that costs nothing
    VecX last, a, agonists, antagonists;
  };
  static Group makeGroup(const MuscleColumns& columns, std::vector<int> rows,
                         std::vector<int> muscles, const ActivationSolverConfig& config);
  void take(const MuscleColumns& columns, const ActivationProblem& problem, const VecX& last,
            Group& group) const;
  void solveGroup(Group& group, const MuscleColumns& columns, const ActivationProblem& problem);
  void tense(Group& group);
  void tensePart(Group& part, Group& group, const MuscleColumns& columns,
                 const ActivationProblem& problem);
  void run(Group& group, VecX& multipliers, VecX& a, bool sameMatrix = false);
  void computeSlack(const MuscleColumns& columns, const ActivationProblem& problem, const VecX& a,
                    VecX& slack);

  ActivationPlannerConfig config_;
  std::vector<BodyPart> partOfMuscle_;
  std::vector<Group> groups_;
  std::vector<Group> parts_;  // for parts tensed by themselves when all is solved at once
  Group whole_;               // of close
  VecX last_, product_;
  PlannerEffort effort_;
};

}  // namespace pneuma::control
