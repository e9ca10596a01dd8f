#include "core/integrator_common.h"
#include "pneuma/core/error.h"

namespace pneuma::internal {
namespace {

/// x += h f(t, x).
class ForwardEuler final : public Integrator {
 public:
  StepReport step(OdeSystem& system, double t, double h, VecX& x) override {
    dxdt_.resize(x.size());
    system.derivative(t, x, dxdt_);
    if (!dxdt_.allFinite()) return {.ok = false, .problem = kNonFiniteDerivative, .evaluations = 1};
    x.noalias() += h * dxdt_;
    return {.evaluations = 1, .substeps = 1};
  }
  IntegratorKind kind() const override { return IntegratorKind::ForwardEuler; }
  int order() const override { return 1; }

 private:
  VecX dxdt_;
};

/// v += h a(q, v), then q += h v with the new v. Needs a second-order system.
class SymplecticEuler final : public Integrator {
 public:
  StepReport step(OdeSystem& system, double t, double h, VecX& x) override {
    const Eigen::Index n = system.positionCount();
    if (n <= 0 || 2 * n > x.size())
      throw InputError("symplectic Euler needs a second-order system (positions, then velocities)");
    dxdt_.resize(x.size());
    system.derivative(t, x, dxdt_);
    if (!dxdt_.allFinite()) return {.ok = false, .problem = kNonFiniteDerivative, .evaluations = 1};
    // Entries after the velocities (activations and the like) take a forward step.
    x.tail(x.size() - n).noalias() += h * dxdt_.tail(x.size() - n);
    x.head(n).noalias() += h * x.segment(n, n);
    return {.evaluations = 1, .substeps = 1};
  }
  IntegratorKind kind() const override { return IntegratorKind::SymplecticEuler; }
  int order() const override { return 1; }

 private:
  VecX dxdt_;
};

class Midpoint final : public Integrator {
 public:
  StepReport step(OdeSystem& system, double t, double h, VecX& x) override {
    k_.resize(x.size());
    middle_.resize(x.size());
    system.derivative(t, x, k_);
    middle_.noalias() = x + 0.5 * h * k_;
    system.derivative(t + 0.5 * h, middle_, k_);
    if (!k_.allFinite()) return {.ok = false, .problem = kNonFiniteDerivative, .evaluations = 2};
    x.noalias() += h * k_;
    return {.evaluations = 2, .substeps = 1};
  }
  IntegratorKind kind() const override { return IntegratorKind::Midpoint; }
  int order() const override { return 2; }

 private:
  VecX k_, middle_;
};

class RungeKutta4 final : public Integrator {
 public:
  StepReport step(OdeSystem& system, double t, double h, VecX& x) override {
    k_.resize(x.size());
    sum_.resize(x.size());
    stage_.resize(x.size());
    system.derivative(t, x, k_);
    sum_ = k_;
    stage_.noalias() = x + 0.5 * h * k_;
    system.derivative(t + 0.5 * h, stage_, k_);
    sum_.noalias() += 2 * k_;
    stage_.noalias() = x + 0.5 * h * k_;
    system.derivative(t + 0.5 * h, stage_, k_);
    sum_.noalias() += 2 * k_;
    stage_.noalias() = x + h * k_;
    system.derivative(t + h, stage_, k_);
    sum_.noalias() += k_;
    if (!sum_.allFinite()) return {.ok = false, .problem = kNonFiniteDerivative, .evaluations = 4};
    x.noalias() += (h / 6) * sum_;
    return {.evaluations = 4, .substeps = 1};
  }
  IntegratorKind kind() const override { return IntegratorKind::RungeKutta4; }
  int order() const override { return 4; }

 private:
  VecX k_, sum_, stage_;
};

}  // namespace

std::unique_ptr<Integrator> makeExplicitOneStep(IntegratorKind kind) {
  switch (kind) {
    case IntegratorKind::SymplecticEuler:
      return std::make_unique<SymplecticEuler>();
    case IntegratorKind::Midpoint:
      return std::make_unique<Midpoint>();
    case IntegratorKind::RungeKutta4:
      return std::make_unique<RungeKutta4>();
    default:
      return std::make_unique<ForwardEuler>();
  }
}

}  // namespace pneuma::internal
