#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/integrator_common.h"
#include "core/sparse_lu.h"
#include "pneuma/core/error.h"

namespace pneuma::internal {
namespace {

/// Solves y = x + h f(t + h, y) by Newton. The matrix I - h df/dx is factored anew only when the
/// last correction shrank too little, so a smooth stretch costs one factorisation per step.
class ImplicitEuler final : public Integrator {
 public:
  explicit ImplicitEuler(const IntegratorConfig& config) : config_(config) {
    if (config.newtonIterations < 1 || !(config.newtonTolerance > 0))
      throw InputError("implicit Euler needs newtonIterations >= 1 and newtonTolerance > 0");
  }

  StepReport step(OdeSystem& system, double t, double h, VecX& x) override {
    StepReport report{.substeps = 1};
    y_ = x;
    f_.resize(x.size());
    update_.resize(x.size());
    double previous = std::numeric_limits<double>::infinity();
    bool factored = false;
    for (int i = 0; i < config_.newtonIterations; ++i) {
      system.derivative(t + h, y_, f_);
      ++report.evaluations;
      ++report.newtonIterations;
      update_.noalias() = x + h * f_ - y_;
      if (!update_.allFinite()) return failed(report, kNonFiniteDerivative);
      if (!factored && !factor(system, t + h, h, report))
        return failed(report, "the Newton matrix is singular");
      factored = true;
      if (!solve()) return failed(report, "the Newton matrix is singular");
      if (!update_.allFinite()) return failed(report, "the Newton update is not finite");
      y_ += update_;
      const double size = scaledUpdate();
      if (size <= config_.newtonTolerance) {
        x.swap(y_);
        return report;
      }
      if (size > kGoodContraction * previous) factored = false;
      previous = size;
    }
    return failed(report, "Newton did not converge");
  }

  IntegratorKind kind() const override { return IntegratorKind::ImplicitEuler; }
  int order() const override { return 1; }

 private:
  static constexpr double kGoodContraction = 0.1;

  static StepReport failed(StepReport report, std::string_view problem) {
    report.ok = false;
    report.problem = problem;
    return report;
  }

  double scaledUpdate() const {
    double worst = 0;
    for (Eigen::Index i = 0; i < y_.size(); ++i)
      worst = std::max(worst, std::abs(update_[i]) / (1 + std::abs(y_[i])));
    return worst;
  }

  bool factor(OdeSystem& system, double t, double h, StepReport& report) {
    sparse_ = system.jacobian(t, y_, jacobian_);
    if (sparse_) return sparseLu_.factor(jacobian_, h);
    differences(system, t, h, report);
    denseLu_.compute(dense_);
    return denseLu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0;
  }

  bool solve() {
    if (sparse_) return sparseLu_.solve(update_);
    probe_.noalias() = denseLu_.permutationP() * update_;
    denseLu_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(probe_);
    denseLu_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(probe_);
    update_.swap(probe_);
    return true;
  }

  /// dense_ = I - h df/dx column by column, forward differences around f_ = f(t, y_).
  void differences(OdeSystem& system, double t, double h, StepReport& report) {
    const Eigen::Index n = y_.size();
    dense_.resize(n, n);
    probe_.resize(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      const double original = y_[j];
      const double delta =
          std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(original));
      y_[j] = original + delta;
      system.derivative(t, y_, probe_);
      y_[j] = original;
      dense_.col(j).noalias() = (-h / delta) * (probe_ - f_);
      dense_(j, j) += 1;
    }
    report.evaluations += static_cast<int>(n);
  }

  IntegratorConfig config_;
  VecX y_, f_, update_, probe_;
  SparseMat jacobian_;
  MatX dense_;
  Eigen::PartialPivLU<MatX> denseLu_;
  ShiftedSparseLu sparseLu_;
  bool sparse_ = false;
};

}  // namespace

std::unique_ptr<Integrator> makeImplicitEuler(const IntegratorConfig& config) {
  return std::make_unique<ImplicitEuler>(config);
}

}  // namespace pneuma::internal
