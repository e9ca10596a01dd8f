#include <array>

#include "core/integrator_common.h"

namespace pneuma::internal {
namespace {

constexpr int kDepth = 4;

// Weights of f_n, f_{n-1}, ... in the explicit formulas of order 2, 3 and 4.
constexpr double kBashforth[3][kDepth] = {{3.0 / 2, -1.0 / 2, 0, 0},
                                          {23.0 / 12, -16.0 / 12, 5.0 / 12, 0},
                                          {55.0 / 24, -59.0 / 24, 37.0 / 24, -9.0 / 24}};
// Weights of f_{n+1}, f_n, f_{n-1}, f_{n-2} in the implicit formula of order 4.
constexpr double kMoulton[kDepth] = {9.0 / 24, 19.0 / 24, -5.0 / 24, 1.0 / 24};

/// Adams-Bashforth of order 2-4, and Adams-Moulton of order 4 as predict-evaluate-correct-evaluate.
/// The first steps, and the first after a change of step size, are Runge-Kutta 4.
class Adams final : public Integrator {
 public:
  explicit Adams(IntegratorKind kind)
      : kind_(kind), starter_(makeExplicitOneStep(IntegratorKind::RungeKutta4)) {}

  StepReport step(OdeSystem& system, double t, double h, VecX& x) override {
    for (VecX& f : history_) f.resize(x.size());
    predicted_.resize(x.size());
    correction_.resize(x.size());
    if (h != stepSize_) {
      count_ = 0;
      stepSize_ = h;
    }
    StepReport report{.evaluations = 1, .substeps = 1};
    // f_n: the corrector has evaluated it already at the end of the last step, unless we just
    // started.
    if (!(kind_ == IntegratorKind::AdamsMoulton4 && evaluated_ && count_ > 0)) {
      push();
      system.derivative(t, x, history_[newest_]);
      if (!history_[newest_].allFinite()) {
        pop();
        return {.ok = false, .problem = kNonFiniteDerivative, .evaluations = 1};
      }
    }
    if (count_ < depth()) {
      const StepReport start = starter_->step(system, t, h, x);
      report.evaluations += start.evaluations;
      report.ok = start.ok;
      report.problem = start.problem;
      if (!start.ok) count_ = 0;
      evaluated_ = false;
      return report;
    }
    predict(h, x);
    if (kind_ != IntegratorKind::AdamsMoulton4) {
      if (!predicted_.allFinite()) {
        pop();
        return {.ok = false, .problem = kNonFiniteState, .evaluations = 1};
      }
      x.swap(predicted_);
      return report;
    }
    return correct(system, t, h, x, report);
  }

  void reset() override {
    count_ = 0;
    evaluated_ = false;
  }
  IntegratorKind kind() const override { return kind_; }
  int order() const override { return depth(); }

  std::vector<double> saveHistory() const override {
    std::vector<double> h{static_cast<double>(count_), stepSize_, evaluated_ ? 1.0 : 0.0};
    for (int i = 0; i < count_; ++i) {
      const VecX& f = past(i);
      h.insert(h.end(), f.begin(), f.end());
    }
    return h;
  }
  void restoreHistory(const std::vector<double>& h) override {
    reset();
    if (h.size() < 3) return;
    count_ = static_cast<int>(h[0]);
    stepSize_ = h[1];
    evaluated_ = h[2] != 0;
    if (count_ <= 0) return;
    const auto n = static_cast<Eigen::Index>((h.size() - 3) / static_cast<std::size_t>(count_));
    newest_ = count_ - 1;
    for (int i = 0; i < count_; ++i) history_[newest_ - i] = VecX::Map(h.data() + 3 + i * n, n);
  }

 private:
  int depth() const {
    switch (kind_) {
      case IntegratorKind::AdamsBashforth2:
        return 2;
      case IntegratorKind::AdamsBashforth3:
        return 3;
      default:
        return 4;
    }
  }
  const VecX& past(int i) const { return history_[(newest_ - i + kDepth) % kDepth]; }
  void push() {
    newest_ = (newest_ + 1) % kDepth;
    if (count_ < kDepth) ++count_;
  }
  void pop() {
    newest_ = (newest_ + kDepth - 1) % kDepth;
    --count_;
  }

  void predict(double h, const VecX& x) {
    const double* w = kBashforth[depth() - 2];
    predicted_ = x;
    for (int i = 0; i < depth(); ++i) predicted_.noalias() += h * w[i] * past(i);
  }

  StepReport correct(OdeSystem& system, double t, double h, VecX& x, StepReport report) {
    system.derivative(t + h, predicted_, correction_);
    predicted_ = x;
    predicted_.noalias() += h * kMoulton[0] * correction_;
    for (int i = 0; i < 3; ++i) predicted_.noalias() += h * kMoulton[i + 1] * past(i);
    system.derivative(t + h, predicted_, correction_);
    report.evaluations = 2;
    if (!correction_.allFinite()) {
      report.ok = false;
      report.problem = kNonFiniteDerivative;
      return report;
    }
    x.swap(predicted_);
    push();
    history_[newest_].swap(correction_);
    evaluated_ = true;
    return report;
  }

  IntegratorKind kind_;
  std::unique_ptr<Integrator> starter_;
  std::array<VecX, kDepth> history_;
  VecX predicted_, correction_;
  int newest_ = kDepth - 1;
  int count_ = 0;
  double stepSize_ = 0;
  bool evaluated_ = false;
};

}  // namespace

std::unique_ptr<Integrator> makeAdams(IntegratorKind kind) {
  return std::make_unique<Adams>(kind);
}

}  // namespace pneuma::internal
