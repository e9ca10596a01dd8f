#include "pneuma/control/motion_plan.h"

#include "pneuma/core/check.h"

namespace pneuma::control {

using skeleton::RowMatX;

MotionPlan::MotionPlan(const skeleton::Model& model, const muscle::PathSet& paths,
                       std::span<const DofDrive> drive)
    : paths_(paths) {
  PNEUMA_CHECK(static_cast<int>(drive.size()) == model.dofCount());
  for (int j = 0; j < model.dofCount(); ++j) {
    const DofDrive who = drive[static_cast<std::size_t>(j)];
    prescribed_.push_back(who != DofDrive::Passive);
    std::vector<int>& list = who == DofDrive::Muscles   ? driven_
                             : who == DofDrive::Passive ? passive_
                                                        : held_;
    row_.push_back(who == DofDrive::Muscles ? static_cast<int>(list.size()) : -1);
    list.push_back(j);
  }
  findArms();
  const auto p = static_cast<Eigen::Index>(passive_.size());
  block_.resize(p, p);
  rhs_.resize(p);
  solution_.resize(p);
  follow_.resize(p, rowCount());
}

/// Arms are stored muscle by muscle and range by range, ascending as the rows are.
void MotionPlan::findArms() {
  for (int i = 0; i < paths_.muscleCount(); ++i)
    for (int r = paths_.rangeBegin[i]; r < paths_.rangeBegin[i + 1]; ++r)
      for (int j = 0; j < paths_.ranges[r].count; ++j) {
        if (row_[static_cast<std::size_t>(paths_.ranges[r].dof + j)] < 0) continue;
        const int arm = paths_.ranges[r].row + j;
        if (!armRuns_.empty() && armRuns_.back().muscle == i &&
            armRuns_.back().arm + armRuns_.back().count == arm)
          ++armRuns_.back().count;
        else
          armRuns_.push_back({i, arm, 1});
      }
}

void MotionPlan::begin(const RowMatX& A) {
  const auto p = static_cast<int>(passive_.size());
  for (int i = 0; i < p; ++i)
    for (int j = 0; j < p; ++j) block_(i, j) = A(passive_[i], passive_[j]);
  if (p > 0) lu_.compute(block_);
}

void MotionPlan::plan(const RowMatX& A, const VecX& b, const VecX& v, const VecX& vDot, double h,
                      VecX& velocity, VecX& torque) {
  // Known: the driven joints. With zeros at the passive ones A v' gives the coupling terms.
  velocity.setZero();
  for (const int j : driven_) velocity[j] = v[j] + h * vDot[j];
  for (const int j : held_) velocity[j] = v[j] + h * vDot[j];
  const auto p = static_cast<int>(passive_.size());
  for (int i = 0; i < p; ++i) rhs_[i] = b[passive_[i]] - A.row(passive_[i]).dot(velocity);
  if (p > 0) {
    solution_ = lu_.solve(rhs_);
    for (int i = 0; i < p; ++i) velocity[passive_[i]] = solution_[i];
  }
  for (int r = 0; r < rowCount(); ++r)
    torque[r] = (A.row(driven_[r]).dot(velocity) - b[driven_[r]]) / h;
}

void MotionPlan::computeInertia(const RowMatX& A, MatX& inertia) {
  const auto p = static_cast<int>(passive_.size());
  // Column by column: for several at once Eigen takes memory from the heap.
  for (int c = 0; c < rowCount() && p > 0; ++c) {
    for (int i = 0; i < p; ++i) rhs_[i] = A(passive_[i], driven_[c]);
    solution_ = lu_.solve(rhs_);
    follow_.col(c) = solution_;
  }
  for (int r = 0; r < rowCount(); ++r)
    for (int c = 0; c < rowCount(); ++c) {
      double sum = A(driven_[r], driven_[c]);
      for (int i = 0; i < p; ++i) sum -= A(driven_[r], passive_[i]) * follow_(i, c);
      inertia(r, c) = sum;
    }
  for (int r = 0; r < rowCount(); ++r)
    for (int c = 0; c < r; ++c)
      inertia(r, c) = inertia(c, r) = 0.5 * (inertia(r, c) + inertia(c, r));
}

MuscleColumns MotionPlan::makeColumns() const {
  MuscleColumns columns(rowCount());
  std::vector<int> rows;
  for (int i = 0; i < paths_.muscleCount(); ++i) {
    rows.clear();
    for (int r = paths_.rangeBegin[i]; r < paths_.rangeBegin[i + 1]; ++r)
      for (int k = 0; k < paths_.ranges[r].count; ++k)
        if (const int row = row_[static_cast<std::size_t>(paths_.ranges[r].dof + k)]; row >= 0)
          rows.push_back(row);
    columns.addColumn(rows);
  }
  return columns;
}

void MotionPlan::computeColumns(const muscle::PathKinematics& k, const VecX& activeForce,
                                MuscleColumns& columns) const {
  double* out = columns.values.data();
  for (const ArmRun& run : armRuns_) {
    const double* arms = k.arms.data() + run.arm;
    const double force = -activeForce[run.muscle];
    for (int j = 0; j < run.count; ++j) *out++ = force * arms[j];
  }
}

}  // namespace pneuma::control
