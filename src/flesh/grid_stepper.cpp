#include "pneuma/flesh/grid_stepper.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "flesh/grid_stencil.h"
#include "flesh/grid_tangent.h"
#include "flesh/grid_terms.h"
#include "pneuma/core/error.h"

namespace pneuma::flesh {

namespace {
/// Newton steps that shrink less than this ask for a new tangent.
constexpr double kContraction = 0.3;
constexpr int kMostHalvings = 12;
/// An iteration that ends at its limit is good enough when the residual has shrunk to this part.
constexpr double kAcceptable = 0.05;
/// A failed step is divided into halves this many times.
constexpr int kMostDivisions = 6;
}  // namespace

struct GridStepper::Work {
  explicit Work(const GridModel& model)
      : tangent(model.solid.size), solver(model.solid.size), held(model.solid.mass.size(), 0) {
    const Eigen::Index nodes = model.solid.nodeCount();
    for (VecX* v : {&q, &v1, &f}) v->resize(3 * nodes);
    b.setZero(4, nodes), dv.setZero(4, nodes);
    for (const GridFixedNode& fixed : model.fixed) held[static_cast<std::size_t>(fixed.node)] = 1;
  }

  GridStencil tangent;
  GridSolver solver;
  std::vector<char> held;
  VecX q, v1, f;  ///< positions, velocities and forces at the end of the step
  NodalVectors b, dv;
  double tangentStep = 0;  ///< step the tangent was built for; 0: build it
  double tangentInertia = 0;
  int tangentAge = 0;  ///< steps since
};

GridStepperConfig preciseStepper() {
  return {.newtonIterations = 30,
          .newtonTolerance = 1e-7,
          .solverTolerance = 1e-3,
          .forceTolerance = 1e-4,
          .tangentReuse = 8};
}

GridStepper::GridStepper(const GridModel& model, const GridStepperConfig& config)
    : model_(model), config_(config), work_(std::make_unique<Work>(model)) {
  if (model.form != GridForm::Energy)
    throw InputError("the grid's implicit step needs the energy form");
}

GridStepper::~GridStepper() = default;

void GridStepper::reset() {
  work_->tangentStep = 0;
}

GridStepReport GridStepper::newton(const GridState& from, double h, double inertia) {
  Work& w = *work_;
  const double t1 = from.time + h;
  // Guess: go on as before; what is fixed to an anchor is known.
  w.v1 = inertia * from.v;
  for (const GridFixedNode& fixed : model_.fixed) {
    const Vec3 target = model_.anchors[static_cast<std::size_t>(fixed.anchor)](t1) *
                        model_.solid.rest[static_cast<std::size_t>(fixed.node)];
    node(w.v1, fixed.node) = (target - node(from.q, fixed.node)) / h;
  }
  w.q = from.q + h * w.v1;

  GridStepReport report;
  report.converged = false;
  if (h != w.tangentStep || inertia != w.tangentInertia || ++w.tangentAge > config_.tangentReuse)
    w.tangentStep = 0;
  double former = 0, first = 0;  // residuals before the last and the first correction
  while (report.newtonIterations < config_.newtonIterations) {
    const double residual = computeResidual(from, h, inertia);
    if (report.newtonIterations == 0) first = residual;
    if (residual <= h * config_.forceTolerance) {
      report.converged = true;
      return report;
    }
    if (report.newtonIterations > 0) {
      // A tangent that no longer brings the state closer fast is out of date; a correction that
      // made things worse is halved.
      if (!(residual < kContraction * former)) w.tangentStep = 0;
      if (!(residual < former) && report.halvings < kMostHalvings) {
        w.dv *= -0.5f;
        applyCorrection(from, h);
        w.dv *= -1.0f;
        ++report.halvings;
        continue;
      }
    }
    former = residual;
    if (w.tangentStep == 0) {
      assembleTangent(model_, t1, w.q, w.v1, h, w.tangent);
      w.solver.factor(w.tangent);
      w.tangentStep = h, w.tangentInertia = inertia, w.tangentAge = 0;
    }
    w.dv.setZero();
    const GridSolver::Outcome solved =
        w.solver.solve(w.tangent, w.b, w.dv, config_.solverTolerance,
                       0.5 * h * config_.forceTolerance, config_.solverIterations);
    report.solverIterations += solved.iterations;
    ++report.newtonIterations;
    report.ok = w.dv.allFinite() && !solved.indefinite;
    if (!report.ok) return report;
    applyCorrection(from, h);
    report.lastChange = h * static_cast<double>(w.dv.cwiseAbs().maxCoeff());
    if (report.lastChange <= config_.newtonTolerance) {
      report.converged = true;
      return report;
    }
  }
  w.tangentStep = 0;
  report.reduction = computeResidual(from, h, inertia) / first;
  return report;
}

double GridStepper::computeResidual(const GridState& from, double h, double inertia) {
  Work& w = *work_;
  computeForces(model_, from.time + h, w.q, w.v1, w.f);
  double sum = 0;
  for (int i = 0; i < model_.solid.nodeCount(); ++i) {
    const auto s = static_cast<std::size_t>(i);
    w.b.col(i).setZero();
    if (w.held[s]) continue;
    const Vec3 residual =
        h * node(w.f, i) - inertia * model_.solid.mass[s] * (node(w.v1, i) - node(from.v, i));
    sum += residual.squaredNorm();
    w.b.col(i) = lane(residual).matrix();
  }
  return std::sqrt(sum);
}

void GridStepper::applyCorrection(const GridState& from, double h) {
  Work& w = *work_;
  for (int i = 0; i < model_.solid.nodeCount(); ++i)
    node(w.v1, i) += w.dv.col(i).head<3>().cast<double>();
  w.q = from.q + h * w.v1;
}

GridStepReport GridStepper::step(GridState& state, double h) {
  return advance(state, h, 0);
}

GridStepReport GridStepper::advance(GridState& state, double h, int depth) {
  GridStepReport report = newton(state, h, 1);
  Work& w = *work_;
  const bool finite = w.q.allFinite() && w.v1.allFinite();
  if (report.ok && finite && (report.converged || report.reduction < kAcceptable)) {
    state.q.swap(w.q);
    state.v.swap(w.v1);
    state.time += h;
    return report;
  }
  if (depth == kMostDivisions) fail(state, h);
  // Two halves: from a copy, so that a failure leaves the caller's state as it was.
  GridState half = state;
  for (int part = 0; part < 2; ++part) {
    const GridStepReport inner = advance(half, h / 2, depth + 1);
    report.newtonIterations += inner.newtonIterations;
    report.solverIterations += inner.solverIterations;
    report.halvings += inner.halvings;
    report.divisions += inner.divisions;
    report.lastChange = inner.lastChange;
    report.converged = inner.converged;
  }
  report.ok = true;
  ++report.divisions;
  half.time = state.time + h;
  state = std::move(half);
  return report;
}

void GridStepper::fail(const GridState& state, double h) {
  Work& w = *work_;
  requireFinite(model_, {state.time + h, w.q, w.v1});
  int worst = 0;
  w.b.colwise().squaredNorm().maxCoeff(&worst);
  throw SimulationError(
      state.time + h, nodeName(model_.solid.size, worst),
      fmt::format("forces out of balance by {:.3g} N after {} iterations of a "
                  "step of {:.3g} s: no equilibrium found",
                  static_cast<double>(w.b.col(worst).norm()) / h, config_.newtonIterations, h));
}

bool GridStepper::relax(GridState& state, double forceTolerance, int limit) {
  Work& w = *work_;
  const double time = state.time;
  GridStepperConfig once = config_;
  once.newtonIterations = 1;
  once.forceTolerance = 0.1 * forceTolerance;
  std::swap(once, config_);
  bool settled = false;
  for (int i = 0; i < limit && !settled; ++i) {
    state.time = time - 1;  // the step of 1 s ends at the time asked for
    if (!newton(state, 1, 0).ok) break;
    state.q.swap(w.q);
    state.v.setZero();
    computeForces(model_, time, state.q, state.v, w.f);
    double worst = 0;
    for (int n = 0; n < model_.solid.nodeCount(); ++n)
      if (!w.held[static_cast<std::size_t>(n)])
        worst = std::max(worst, node(w.f, n).lpNorm<Eigen::Infinity>());
    settled = worst <= forceTolerance;
  }
  std::swap(once, config_);
  state.time = time;
  return settled;
}

}  // namespace pneuma::flesh
