#include <algorithm>
#include <cmath>

#include "flesh/grid/grid_terms.h"
#include "pneuma/core/cpu_time.h"
#include "pneuma/core/error.h"
#include "pneuma/flesh/grid_experiments.h"

namespace pneuma::flesh {
namespace {

struct Attempt {
  bool stable = false;
  double cpu = 0;
  double evaluations = 0;
  double error = 0;
};

double largestDistance(const VecX& q, const VecX& from) {
  double worst = 0;
  for (int i = 0; i < q.size() / 3; ++i)
    worst = std::max(worst, (node(q, i) - node(from, i)).norm());
  return worst;
}

/// Runs one integrator over the window with equal steps.
class Runner {
 public:
  Runner(const GridModel& model, const std::string& name, const GridState& reference,
         const StudyConfig& config)
      : model_(model),
        name_(name),
        reference_(reference),
        config_(config),
        rest_(makeRestState(model)) {
    motion_ = largestDistance(reference.q, rest_.q);
  }

  Attempt run(double wanted) const {
    const auto steps = static_cast<long>(std::ceil(config_.window / wanted));
    const double h = config_.window / static_cast<double>(steps);
    return name_ == "grid-implicit" ? runOwn(h, steps) : runCore(h, steps);
  }

 private:
  Attempt finish(const VecX& q, double cpu, double evaluations) const {
    Attempt a;
    a.stable = q.allFinite() && largestDistance(q, reference_.q) < 0.25 * motion_;
    a.cpu = cpu / config_.window;
    a.evaluations = evaluations / config_.window;
    const auto nodes = static_cast<double>(q.size()) / 3;
    a.error = (q - reference_.q).norm() / std::sqrt(nodes);
    return a;
  }

  bool outside(const VecX& q) const {
    return !q.allFinite() || largestDistance(q, rest_.q) >= 3 * motion_ + 1e-4;
  }

  Attempt runCore(double h, long steps) const {
    GridSystem system(model_);
    const auto integrator = makeIntegrator(parseIntegrator(name_));
    VecX x = system.pack(rest_);
    double evaluations = 0;
    const double start = threadCpuSeconds();
    for (long i = 0; i < steps; ++i) {
      const StepReport report = integrator->step(system, static_cast<double>(i) * h, h, x);
      evaluations += report.evaluations;
      if (!report.ok || (i % 64 == 0 && outside(x.head(rest_.q.size())))) return {};
    }
    return finish(x.head(rest_.q.size()), threadCpuSeconds() - start, evaluations);
  }

  Attempt runOwn(double h, long steps) const {
    GridStepper stepper(model_, preciseStepper());
    GridState state = rest_;
    double evaluations = 0;
    const double start = threadCpuSeconds();
    for (long i = 0; i < steps; ++i) {
      GridStepReport report;
      try {
        report = stepper.step(state, h);
      } catch (const SimulationError&) {
        return {};
      }
      // A step that had to be divided is not a step of this size.
      if (report.divisions > 0 || outside(state.q)) return {};
      evaluations += report.newtonIterations + report.halvings + 1;
    }
    return finish(state.q, threadCpuSeconds() - start, evaluations);
  }

  const GridModel& model_;
  std::string name_;
  const GridState& reference_;
  StudyConfig config_;
  GridState rest_;
  double motion_;  ///< largest distance from rest in the reference
};

}  // namespace

GridState studyReference(const GridModel& model, const StudyConfig& config) {
  GridSystem system(model);
  IntegratorConfig tight;
  tight.absoluteTolerance = 1e-9;
  tight.relativeTolerance = 1e-7;
  const auto integrator = makeIntegrator(IntegratorKind::CashKarp54, tight);
  GridState state = makeRestState(model);
  VecX x = system.pack(state);
  const StepReport report = integrator->step(system, 0, config.window, x);
  if (!report.ok) throw SimulationError(0, "reference solution", std::string(report.problem));
  system.unpack(x, config.window, state);
  return state;
}

IntegratorResult studyIntegrator(const GridModel& model, const std::string& name,
                                 const GridState& reference, const StudyConfig& config) {
  const Runner runner(model, name, reference, config);
  IntegratorResult result;
  result.integrator = name;
  result.grid = model.solid.size;
  // The adaptive method chooses its own steps: one run over the whole window.
  if (name == "cash-karp") {
    const Attempt a = runner.run(config.window);
    if (!a.stable) return result;
    result.largestStep = config.window;
    result.costPerSecond = a.cpu, result.evaluations = a.evaluations;
    result.error = result.errorHalf = a.error;
    return result;
  }
  // Down by factors of two to a stable step, then between the last two by bisection.
  double stable = std::min(config.largest, config.window / 8), unstable = 0;
  Attempt best;
  while (stable >= config.smallest && !(best = runner.run(stable)).stable) {
    unstable = stable;
    stable /= 2;
  }
  if (!best.stable) return result;
  while (unstable > 1.1 * stable) {
    const double middle = std::sqrt(stable * unstable);
    const Attempt a = runner.run(middle);
    if (a.stable)
      stable = middle, best = a;
    else
      unstable = middle;
  }
  result.largestStep = stable;
  result.costPerSecond = best.cpu;
  result.evaluations = best.evaluations;
  result.error = best.error;
  result.errorHalf = runner.run(stable / 2).error;
  return result;
}

}  // namespace pneuma::flesh
