#include "pneuma/flesh/grid_stepper.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "flesh/grid/grid_lattice.h"
#include "flesh/grid/grid_stencil.h"
#include "flesh/grid/grid_tangent.h"
#include "flesh/grid/grid_terms.h"
#include "pneuma/core/error.h"

namespace pneuma::flesh {

namespace {
/// Newton steps that shrink less than this ask for a new tangent.
constexpr double kContraction = 0.3;
constexpr int kMostHalvings = 12;
/// A residual that has grown to this multiple of the first one will not come back.
constexpr double kRunaway = 2;
/// An iteration that ends at its limit is good enough when the residual has shrunk to this part.
constexpr double kAcceptable = 0.05;
/// A failed step is divided into halves this many times.
constexpr int kMostDivisions = 6;
}  // namespace

struct GridStepper::Work {
  explicit Work(const GridModel& model)
      : forces(model),
        tangent(model, forces.lattice()),
        matrix(model.solid.size),
        solver(model.solid.size),
        held(model.solid.mass.size(), 0),
        b(model.solid.size, 3),
        dv(model.solid.size, 3) {
    const Eigen::Index nodes = model.solid.nodeCount();
    for (VecX* v : {&q, &v1, &f}) v->resize(3 * nodes);
    for (const GridFixedNode& fixed : model.fixed) held[static_cast<std::size_t>(fixed.node)] = 1;
  }

  /// First guess of the end of a step: go on as before; what is fixed to an anchor is known.
  void guess(const GridModel& model, const GridState& from, double h, double inertia) {
    v1 = inertia * from.v;
    for (const GridFixedNode& fixed : model.fixed) {
      const Vec3 target = model.anchors[static_cast<std::size_t>(fixed.anchor)](from.time + h) *
                          model.solid.rest[static_cast<std::size_t>(fixed.node)];
      node(v1, fixed.node) = (target - node(from.q, fixed.node)) / h;
    }
    q = from.q + h * v1;
  }

  /// Builds and factors the tangent at the present guess, unless one is at hand.
  void updateTangent(double time, double h, double inertia) {
    if (tangentStep != 0) return;
    tangent.assemble(time, q, v1, h, matrix);
    solver.factor(matrix);
    tangentStep = h, tangentInertia = inertia, tangentAge = 0;
  }

  GridForces forces;
  GridTangent tangent;
  GridStencil matrix;
  GridSolver solver;
  std::vector<char> held;
  VecX q, v1, f;           ///< positions, velocities and forces at the end of the step
  GridField<float> b, dv;  ///< residual and correction
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
  w.guess(model_, from, h, inertia);
  GridStepReport report;
  report.converged = false;
  if (h != w.tangentStep || inertia != w.tangentInertia || ++w.tangentAge > config_.tangentReuse)
    w.tangentStep = 0;
  float scale = 1;               // of the last correction
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
        applyCorrection(from, h, scale *= -0.5f);
        scale = -scale;
        ++report.halvings;
        continue;
      }
      if (!(residual < kRunaway * first)) break;
    }
    former = residual;
    w.updateTangent(from.time + h, h, inertia);
    const GridSolver::Outcome solved =
        w.solver.solve(w.matrix, w.b, w.dv, config_.solverTolerance,
                       0.5 * h * config_.forceTolerance, config_.solverIterations);
    report.solverIterations += solved.iterations;
    ++report.newtonIterations;
    report.ok = !solved.indefinite;
    if (!report.ok) return report;
    report.lastChange = h * applyCorrection(from, h, scale = 1);
    report.ok = std::isfinite(report.lastChange);
    if (!report.ok) return report;
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
  w.forces.compute(from.time + h, w.q, w.v1, w.f);
  const Components<float> b = w.b.vectors();
  double sum = 0;
  for (int i = 0; i < model_.solid.nodeCount(); ++i) {
    const auto s = static_cast<std::size_t>(i);
    Vec3 residual = Vec3::Zero();
    if (!w.held[s])
      residual =
          h * node(w.f, i) - inertia * model_.solid.mass[s] * (node(w.v1, i) - node(from.v, i));
    sum += residual.squaredNorm();
    b.x[i] = static_cast<float>(residual.x()), b.y[i] = static_cast<float>(residual.y());
    b.z[i] = static_cast<float>(residual.z());
  }
  return std::sqrt(sum);
}

double GridStepper::applyCorrection(const GridState& from, double h, float scale) {
  Work& w = *work_;
  const Components<float> dv = w.dv.vectors();
  float largest = 0;
  for (int i = 0; i < model_.solid.nodeCount(); ++i) {
    const float x = scale * dv.x[i], y = scale * dv.y[i], z = scale * dv.z[i];
    node(w.v1, i) += Vec3(x, y, z);
    largest = std::max(largest, std::abs(x) + std::abs(y) + std::abs(z));
  }
  w.q = from.q + h * w.v1;
  return w.v1.allFinite() ? static_cast<double>(largest) : std::nan("");
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
  const Components<float> b = w.b.vectors();
  int worst = 0;
  double largest = 0;
  for (int i = 0; i < model_.solid.nodeCount(); ++i) {
    const double force = Vec3(b.x[i], b.y[i], b.z[i]).norm() / h;
    if (force > largest) largest = force, worst = i;
  }
  throw SimulationError(state.time + h, nodeName(model_.solid.size, worst),
                        fmt::format("forces out of balance by {:.3g} N after {} iterations of a "
                                    "step of {:.3g} s: no equilibrium found",
                                    largest, config_.newtonIterations, h));
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
    w.forces.compute(time, state.q, state.v, w.f);
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
