#include <algorithm>
#include <array>
#include <cmath>

#include "core/integrator_common.h"
#include "pneuma/core/error.h"

namespace pneuma::internal {
namespace {

// Embedded Runge-Kutta of orders 5 and 4, six stages [CashKarp90].
constexpr int kStages = 6;
constexpr std::array<double, kStages> kTime{0, 1.0 / 5, 3.0 / 10, 3.0 / 5, 1, 7.0 / 8};
constexpr double kStage[kStages][kStages - 1] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {3.0 / 10, -9.0 / 10, 6.0 / 5},
    {-11.0 / 54, 5.0 / 2, -70.0 / 27, 35.0 / 27},
    {1631.0 / 55296, 175.0 / 512, 575.0 / 13824, 44275.0 / 110592, 253.0 / 4096}};
constexpr std::array<double, kStages> kFifth{37.0 / 378,  0, 250.0 / 621,
                                             125.0 / 594, 0, 512.0 / 1771};
constexpr std::array<double, kStages> kFourth{
    2825.0 / 27648, 0, 18575.0 / 48384, 13525.0 / 55296, 277.0 / 14336, 1.0 / 4};

/// Covers each outer step h with inner steps whose estimated error stays below the tolerance. The
/// size of the inner step is remembered from one outer step to the next.
class CashKarp final : public Integrator {
 public:
  explicit CashKarp(const IntegratorConfig& config) : config_(config) {
    if (!(config.absoluteTolerance > 0) || !(config.relativeTolerance >= 0) ||
        !(config.smallestStep > 0))
      throw InputError(
          "Cash-Karp needs absoluteTolerance > 0, relativeTolerance >= 0, smallestStep > 0");
  }

  StepReport step(OdeSystem& system, double t, double h, VecX& x) override {
    StepReport report;
    resize(x.size());
    start_ = x;
    double done = 0;
    double inner = inner_ > 0 ? std::min(inner_, h) : h;
    while (done < h) {
      // The last inner step ends exactly on the outer one; it must not set the size of those to
      // come.
      const bool last = done + inner >= h * (1 - 1e-12);
      const double size = last ? h - done : inner;
      const double error = tryStep(system, t + done, size, x, report);
      if (error <= 1) {
        x.swap(next_);
        done = last ? h : done + size;
        ++report.substeps;
        const double grow = error > 0 ? std::min(5.0, 0.9 * std::pow(error, -0.2)) : 5.0;
        if (!last || size >= inner) inner = size * std::max(1.0, grow);
      } else {
        ++report.rejected;
        // A non-finite trial (error is NaN or infinite) shrinks as fast as allowed.
        const double shrink =
            std::isfinite(error) ? std::max(0.1, 0.9 * std::pow(error, -0.25)) : 0.1;
        inner = size * shrink;
        if (inner < config_.smallestStep) {
          x = start_;
          report.ok = false;
          report.problem = "the error stays above the tolerance at the smallest step";
          return report;
        }
      }
    }
    inner_ = inner;
    return report;
  }

  void reset() override { inner_ = 0; }
  IntegratorKind kind() const override { return IntegratorKind::CashKarp54; }
  int order() const override { return 5; }
  std::vector<double> saveHistory() const override { return {inner_}; }
  void restoreHistory(const std::vector<double>& history) override {
    inner_ = history.empty() ? 0 : history.front();
  }

 private:
  void resize(Eigen::Index n) {
    for (VecX& k : k_) k.resize(n);
    stage_.resize(n);
    next_.resize(n);
    start_.resize(n);
  }

  /// One trial of size h into next_; returns the error over the tolerance (accept at <= 1).
  double tryStep(OdeSystem& system, double t, double h, const VecX& x, StepReport& report) {
    for (int i = 0; i < kStages; ++i) {
      stage_ = x;
      for (int j = 0; j < i; ++j) stage_.noalias() += h * kStage[i][j] * k_[j];
      system.derivative(t + kTime[i] * h, stage_, k_[i]);
      ++report.evaluations;
    }
    next_ = x;
    stage_.setZero();  // now the error estimate
    for (int i = 0; i < kStages; ++i) {
      next_.noalias() += h * kFifth[i] * k_[i];
      stage_.noalias() += h * (kFifth[i] - kFourth[i]) * k_[i];
    }
    if (!next_.allFinite() || !stage_.allFinite()) return std::numeric_limits<double>::infinity();
    double worst = 0;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const double scale = config_.absoluteTolerance +
                           config_.relativeTolerance * std::max(std::abs(x[i]), std::abs(next_[i]));
      worst = std::max(worst, std::abs(stage_[i]) / scale);
    }
    return worst;
  }

  IntegratorConfig config_;
  std::array<VecX, kStages> k_;
  VecX stage_, next_, start_;
  double inner_ = 0;
};

}  // namespace

std::unique_ptr<Integrator> makeCashKarp(const IntegratorConfig& config) {
  return std::make_unique<CashKarp>(config);
}

}  // namespace pneuma::internal
