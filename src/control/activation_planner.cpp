#include "pneuma/control/activation_planner.h"

#include <algorithm>
#include <cmath>

#include "pneuma/core/check.h"

namespace pneuma::control {

namespace {

/// Indices of a part; all of them for -1.
std::vector<int> membersOf(std::span<const BodyPart> parts, int part) {
  std::vector<int> list;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (part < 0 || static_cast<int>(parts[i]) == part) list.push_back(static_cast<int>(i));
  return list;
}

/// Groups need `close` in every step, and there all torque within reach.
ActivationSolverConfig closingConfig(const ActivationPlannerConfig& config) {
  ActivationSolverConfig solver = config.solver;
  solver.coupledSlack = true;
  if (!config.grouped) solver.slackCost = config.closingSlackCost;
  return solver;
}

}  // namespace

ActivationPlanner::ActivationPlanner(const MuscleColumns& columns,
                                     std::span<const BodyPart> partOfRow,
                                     std::span<const BodyPart> partOfMuscle,
                                     const ActivationPlannerConfig& config)
    : smoothness(VecX::Constant(columns.count(), config.smoothness)),
      config_(config),
      partOfMuscle_(partOfMuscle.begin(), partOfMuscle.end()),
      whole_(makeGroup(columns, membersOf(partOfRow, -1), membersOf(partOfMuscle, -1),
                       closingConfig(config))),
      last_(VecX::Zero(columns.count())),
      product_(VecX::Zero(columns.rows)) {
  PNEUMA_CHECK(static_cast<int>(partOfRow.size()) == columns.rows &&
               static_cast<int>(partOfMuscle.size()) == columns.count());
  whole_.problem.slackInertia.setZero(columns.rows, columns.rows);
  if (!config.grouped)
    groups_.push_back(makeGroup(columns, whole_.rows, whole_.muscles, config.solver));
  for (int part = 0; part < kBodyPartCount; ++part)
    if (std::vector<int> rows = membersOf(partOfRow, part); !rows.empty())
      (config.grouped ? groups_ : parts_)
          .push_back(
              makeGroup(columns, std::move(rows), membersOf(partOfMuscle, part), config.solver));
}

/// Cuts the rows of the group out of its muscles' columns; values are looked up by `source`.
ActivationPlanner::Group ActivationPlanner::makeGroup(const MuscleColumns& columns,
                                                      std::vector<int> rows,
                                                      std::vector<int> muscles,
                                                      const ActivationSolverConfig& config) {
  std::vector<int> own(static_cast<std::size_t>(columns.rows), -1);
  for (std::size_t r = 0; r < rows.size(); ++r)
    own[static_cast<std::size_t>(rows[r])] = static_cast<int>(r);
  MuscleColumns part(static_cast<int>(rows.size()));
  std::vector<int> source, list;
  for (const int i : muscles) {
    list.clear();
    for (int r = columns.begin[i]; r < columns.begin[i + 1]; ++r)
      for (int k = 0; k < columns.runs[r].count; ++k)
        if (const int row = own[static_cast<std::size_t>(columns.runs[r].row + k)]; row >= 0) {
          list.push_back(row);
          source.push_back(columns.runs[r].value + k);
        }
    part.addColumn(list);
  }
  const int rowCount = part.rows, count = part.count();
  return Group{std::move(rows),
               std::move(muscles),
               std::move(source),
               ActivationSolver(std::move(part), config),
               ActivationProblem(rowCount, count),
               VecX::Zero(rowCount),
               VecX::Zero(rowCount),
               VecX::Zero(rowCount),
               VecX::Zero(count),
               VecX::Zero(count),
               VecX::Zero(count),
               VecX::Zero(count),
               VecX::Zero(count),
               VecX::Zero(count)};
}

/// The group's share of the problem, but for the demand.
void ActivationPlanner::take(const MuscleColumns& columns, const ActivationProblem& problem,
                             const VecX& last, Group& g) const {
  for (std::size_t k = 0; k < g.source.size(); ++k)
    g.solver.columns.values[k] = columns.values[static_cast<std::size_t>(g.source[k])];
  for (std::size_t r = 0; r < g.rows.size(); ++r)
    g.problem.slackScale[static_cast<int>(r)] = problem.slackScale[g.rows[r]];
  for (std::size_t k = 0; k < g.muscles.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    // (w a)^2 + s (w (a - last))^2 is (1 + s) (w (a - s/(1 + s) last))^2 and a constant.
    const double smooth = smoothness[g.muscles[k]];
    g.problem.weight[i] = problem.weight[g.muscles[k]] * std::sqrt(1 + smooth);
    g.kept[i] = smooth / (1 + smooth);
    g.problem.lower[i] = problem.lower[g.muscles[k]];
    g.problem.upper[i] = problem.upper[g.muscles[k]];
    g.gamma[i] = coactivation[partOfMuscle_[static_cast<std::size_t>(g.muscles[k])]];
    g.last[i] = last[g.muscles[k]];
  }
}

void ActivationPlanner::run(Group& g, VecX& multipliers, VecX& a, bool sameMatrix) {
  const ActivationSolution s = g.solver.solve(g.problem, multipliers, a, sameMatrix);
  ++effort_.solves;
  effort_.iterations += s.iterations;
  effort_.residual = std::max(effort_.residual, s.residual);
  effort_.unconverged += !s.converged;
}

/// Eq. 16 for the muscles of one part, by problems of its own rows and muscles.
void ActivationPlanner::tensePart(Group& part, Group& g, const MuscleColumns& columns,
                                  const ActivationProblem& problem) {
  take(columns, problem, g.last, part);
  part.problem.reference.setZero();
  for (std::size_t r = 0; r < part.rows.size(); ++r)
    part.problem.demand[static_cast<int>(r)] = g.problem.demand[part.rows[r]];
  tense(part);
  for (std::size_t k = 0; k < part.muscles.size(); ++k)
    g.problem.reference[part.muscles[k]] = part.problem.reference[static_cast<int>(k)];
}

/// Eq. 14 to 16; leaves the sum of agonists and antagonists as reference.
void ActivationPlanner::tense(Group& g) {
  run(g, g.agonist, g.agonists);
  g.problem.reference.setZero();
  g.problem.demand = -g.problem.demand;
  run(g, g.antagonist, g.antagonists, true);
  g.problem.demand = -g.problem.demand;
  g.problem.reference = g.agonists + g.gamma.cwiseProduct(g.agonists + g.antagonists);  // Eq. 16
}

/// Eq. 14, with coactivation Eq. 15, 16 and the closing problem.
void ActivationPlanner::solveGroup(Group& g, const MuscleColumns& columns,
                                   const ActivationProblem& problem) {
  g.problem.reference = g.kept.cwiseProduct(g.last);
  if (!(g.gamma.size() > 0 && g.gamma.maxCoeff() > 0)) {
    run(g, g.agonist, g.a);
    return;
  }
  const bool everywhere = config_.grouped || g.gamma.minCoeff() > 0;
  if (everywhere) tense(g);
  for (Group& part : parts_)
    if (!everywhere && !part.muscles.empty() && g.gamma[part.muscles.front()] > 0)
      tensePart(part, g, columns, problem);
  run(g, g.closing, g.a, everywhere);
}

void ActivationPlanner::computeSlack(const MuscleColumns& columns, const ActivationProblem& problem,
                                     const VecX& a, VecX& slack) {
  product_.setZero();
  columns.addProduct(a, product_);
  slack = problem.demand - product_;
}

void ActivationPlanner::solve(const MuscleColumns& columns, const ActivationProblem& problem,
                              VecX& a, VecX& slack) {
  effort_ = {};
  last_ = a;
  a = problem.lower;  // muscles of parts that are still to come are as relaxed as they may be
  for (Group& g : groups_) {
    take(columns, problem, last_, g);
    // What the others leave: tau - C a with the group's own muscles at 0.
    for (const int i : g.muscles) a[i] = 0;
    computeSlack(columns, problem, a, slack);
    for (std::size_t r = 0; r < g.rows.size(); ++r)
      g.problem.demand[static_cast<int>(r)] = slack[g.rows[r]];
    solveGroup(g, columns, problem);
    for (std::size_t k = 0; k < g.muscles.size(); ++k) a[g.muscles[k]] = g.a[static_cast<int>(k)];
  }
  computeSlack(columns, problem, a, slack);
}

void ActivationPlanner::closeAtOnce(const MuscleColumns& columns, const ActivationProblem& problem,
                                    VecX& a, VecX& slack) {
  PNEUMA_CHECK(plain(), "parts have to be solved first");
  effort_ = {};
  last_ = a;
  Group& g = groups_.front();
  take(columns, problem, last_, g);
  g.problem.reference = g.kept.cwiseProduct(g.last);
  close(columns, problem, a, slack);
}

void ActivationPlanner::close(const MuscleColumns& columns, const ActivationProblem& problem,
                              VecX& a, VecX& slack) {
  Group& g = whole_;
  take(columns, problem, last_, g);
  g.problem.demand = problem.demand;
  g.problem.slackInertia = problem.slackInertia;
  g.problem.reference = config_.grouped ? a : groups_.front().problem.reference;
  run(g, g.closing, a);
  computeSlack(columns, problem, a, slack);
}

void ActivationPlanner::forget() {
  for (Group& g : groups_) g.agonist.setZero(), g.antagonist.setZero(), g.closing.setZero();
  for (Group& g : parts_) g.agonist.setZero(), g.antagonist.setZero();
  whole_.closing.setZero();
}

void ActivationPlanner::save(io::StateWriter& out) const {
  for (const Group& g : groups_) out.put(g.agonist), out.put(g.antagonist), out.put(g.closing);
  for (const Group& g : parts_) out.put(g.agonist), out.put(g.antagonist);
  out.put(whole_.closing);
}

void ActivationPlanner::load(io::StateReader& in) {
  for (Group& g : groups_) in.get(g.agonist), in.get(g.antagonist), in.get(g.closing);
  for (Group& g : parts_) in.get(g.agonist), in.get(g.antagonist);
  in.get(whole_.closing);
}

}  // namespace pneuma::control
