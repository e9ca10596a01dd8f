#include "pneuma/control/activation_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pneuma/core/check.h"
#include "pneuma/core/lanes.h"

namespace pneuma::control {
namespace {

/// First column of every row that some muscle couples to it: the profile of C D C^T. Coupled slack
/// couples all rows.
std::vector<int> profileOf(const MuscleColumns& columns, bool coupledSlack) {
  std::vector<int> first(static_cast<std::size_t>(columns.rows));
  if (coupledSlack) return first;
  for (int j = 0; j < columns.rows; ++j) first[static_cast<std::size_t>(j)] = j;
  for (int i = 0; i < columns.count(); ++i) {
    if (columns.begin[i] == columns.begin[i + 1]) continue;
    const int top = columns.runs[columns.begin[i]].row;
    for (int r = columns.begin[i]; r < columns.begin[i + 1]; ++r)
      for (int k = 0; k < columns.runs[r].count; ++k) {
        int& f = first[static_cast<std::size_t>(columns.runs[r].row + k)];
        f = std::min(f, top);
      }
  }
  return first;
}

/// Torque of one muscle, and its size.
PNEUMA_INTO_BOTH void addTorque(const MuscleColumns& columns, int i, double a, VecX& torque,
                                VecX& size) {
  using pneuma::internal::lanesAt;
  for (int r = columns.begin[i]; r < columns.begin[i + 1]; ++r) {
    const ColumnRun& run = columns.runs[r];
    const double* values = columns.values.data() + run.value;
    double *sum = torque.data() + run.row, *sizes = size.data() + run.row;
    pneuma::internal::inLanes(run.count, [=]<int kLanes>(int k) PNEUMA_INLINED {
      const auto own = a * pneuma::internal::loadLanes<kLanes>(values + k);
      lanesAt<kLanes>(sum + k) += own;
      lanesAt<kLanes>(sizes + k) += own < 0 ? -own : own;
    });
  }
}

double clamped(const ActivationProblem& p, int i, double y) {
  return std::min(std::max(y, p.lower[i]), p.upper[i]);
}

/// Bounds count as free, or a cold start at lambda = 0 with ref = lower would know no muscle.
bool isFree(const ActivationProblem& p, int i, double y) {
  return y >= p.lower[i] && y <= p.upper[i] && p.lower[i] < p.upper[i];
}

}  // namespace

ActivationProblem::ActivationProblem(int rows, int muscles)
    : demand(VecX::Zero(rows)),
      slackScale(VecX::Ones(rows)),
      weight(VecX::Ones(muscles)),
      reference(VecX::Zero(muscles)),
      lower(VecX::Zero(muscles)),
      upper(VecX::Ones(muscles)) {}

ActivationSolver::ActivationSolver(MuscleColumns given, const ActivationSolverConfig& config)
    : columns(std::move(given)),
      config_(config),
      gradient_(VecX::Zero(columns.rows)),
      slack_(gradient_),
      direction_(gradient_),
      slackRate_(gradient_),
      unbounded_(VecX::Zero(columns.count())),
      rate_(unbounded_),
      product_(gradient_),
      magnitude_(gradient_),
      hessian_(profileOf(columns, config.coupledSlack)),
      free_(static_cast<std::size_t>(columns.count())) {
  PNEUMA_CHECK(config.slackCost > 0 && config.tolerance > 0);
}

/// r = eps G lambda
void ActivationSolver::slackOf(const ActivationProblem& p, const VecX& lambda, VecX& out) const {
  if (config_.coupledSlack)
    out.noalias() = p.slackInertia.selfadjointView<Eigen::Lower>() * lambda;
  else
    out = p.slackScale.cwiseAbs2().cwiseProduct(lambda);
  out *= config_.slackCost;
}

/// The primal of a lambda: clamped activations, slack and what the balance of torque lacks.
void ActivationSolver::evaluate(const ActivationProblem& p, const VecX& lambda, VecX& a) {
  product_.setZero();
  magnitude_.setZero();
  columns.multiplyTransposed(lambda, unbounded_);
  for (int i = 0; i < columns.count(); ++i) {
    unbounded_[i] = p.reference[i] + unbounded_[i] / (p.weight[i] * p.weight[i]);
    a[i] = clamped(p, i, unbounded_[i]);
  }
  pneuma::internal::inRegisters([&]() PNEUMA_INLINED {
    for (int i = 0; i < columns.count(); ++i)
      if (a[i] != 0) addTorque(columns, i, a[i], product_, magnitude_);
  });
  slackOf(p, lambda, slack_);
  gradient_ = p.demand - product_ - slack_;
}

double ActivationSolver::residual(const ActivationProblem& p) const {
  double worst = 0;
  for (Eigen::Index j = 0; j < gradient_.size(); ++j) {
    const double scale = std::abs(p.demand[j]) + std::abs(slack_[j]) + magnitude_[j];
    if (gradient_[j] != 0) worst = std::max(worst, std::abs(gradient_[j]) / scale);
  }
  return worst;
}

/// eps G, no muscle free yet.
void ActivationSolver::startHessian(const ActivationProblem& p) {
  hessian_.setZero();
  for (int j = 0; j < columns.rows; ++j)
    if (config_.coupledSlack)
      for (int k = 0; k <= j; ++k) hessian_.row(j)[k] = config_.slackCost * p.slackInertia(j, k);
    else
      hessian_.row(j)[j] = config_.slackCost * p.slackScale[j] * p.slackScale[j];
  std::ranges::fill(free_, std::uint8_t{0});
}

/// Adds share c c^T of a muscle to the lower triangle.
PNEUMA_INTO_BOTH void ActivationSolver::addToHessian(int i, double share) {
  using pneuma::internal::addScaled;
  for (int r = columns.begin[i]; r < columns.begin[i + 1]; ++r) {
    const ColumnRun& run = columns.runs[r];
    for (int k = 0; k < run.count; ++k) {
      const double c = share * columns.values[run.value + k];
      double* row = hessian_.row(run.row + k);
      for (int q = columns.begin[i]; q < r; ++q) {
        const ColumnRun& other = columns.runs[q];
        addScaled(c, columns.values.data() + other.value, other.count, row + other.row);
      }
      addScaled(c, columns.values.data() + run.value, k + 1, row + run.row);
    }
  }
}

/// Brings the matrix to the muscles that are free now: few change from one Newton step to the next.
/// What rounding leaves of those taken off turns the direction, not the solution.
void ActivationSolver::factorHessian(const ActivationProblem& p) {
  pneuma::internal::inRegisters([&]() PNEUMA_INLINED {
    for (int i = 0; i < columns.count(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      const bool now = isFree(p, i, unbounded_[i]);
      if (now == (free_[at] != 0)) continue;
      free_[at] = now;
      addToHessian(i, (now ? 1 : -1) / (p.weight[i] * p.weight[i]));
    }
  });
  PNEUMA_CHECK(hessian_.factor(), "the dual's matrix is not positive definite");
}

/// d/dt of the dual at lambda + t d, and its own derivative.
double ActivationSolver::slope(const ActivationProblem& p, double t, double& curvature) const {
  double sum = demandAlong_ - slackAlong_ - t * slackCurvature_;
  curvature = -slackCurvature_;
  for (int i = 0; i < columns.count(); ++i) {
    const double y = unbounded_[i] + t * rate_[i];
    const double along = p.weight[i] * p.weight[i] * rate_[i];
    sum -= along * clamped(p, i, y);
    if (y > p.lower[i] && y < p.upper[i]) curvature -= along * rate_[i];
  }
  return sum;
}

/// The maximum of the dual along the direction: root of a falling, piecewise linear slope, by
/// Newton's method within a bracket.
double ActivationSolver::search(const ActivationProblem& p) const {
  constexpr double kEnough = 1e-3;  // of the slope at the start: sharper buys no iterations
  constexpr int kMost = 60;
  double curvature = 0;
  const double start = slope(p, 0, curvature);
  double low = 0, high = std::numeric_limits<double>::infinity(), t = 1;
  for (int k = 0; k < kMost; ++k) {
    const double s = slope(p, t, curvature);
    if (std::abs(s) <= kEnough * start) break;
    (s > 0 ? low : high) = t;
    double next = t - s / curvature;
    if (!(next > low && next < high)) next = std::isinf(high) ? 2 * t : 0.5 * (low + high);
    t = next;
  }
  return t;
}

ActivationSolution ActivationSolver::solve(const ActivationProblem& p, VecX& lambda, VecX& a,
                                           bool sameMatrix) {
  PNEUMA_CHECK(p.demand.size() == columns.rows && lambda.size() == columns.rows &&
                   p.lower.size() == columns.count() && a.size() == columns.count(),
               "{} rows, {} muscles", columns.rows, columns.count());
  ActivationSolution result;
  if (!sameMatrix) startHessian(p);
  evaluate(p, lambda, a);
  result.residual = residual(p);
  while (result.residual > config_.tolerance && result.iterations < config_.mostIterations) {
    ++result.iterations;
    factorHessian(p);
    direction_ = gradient_;
    hessian_.solve(direction_);
    columns.multiplyTransposed(direction_, rate_);
    for (int i = 0; i < columns.count(); ++i) rate_[i] /= p.weight[i] * p.weight[i];
    demandAlong_ = p.demand.dot(direction_);
    slackAlong_ = slack_.dot(direction_);
    slackOf(p, direction_, slackRate_);
    slackCurvature_ = slackRate_.dot(direction_);
    lambda += search(p) * direction_;
    evaluate(p, lambda, a);
    result.residual = residual(p);
  }
  result.converged = result.residual <= config_.tolerance;
  return result;
}

}  // namespace pneuma::control
