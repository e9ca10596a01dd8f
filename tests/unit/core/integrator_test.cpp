#include "pneuma/core/integrator.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "tests/support/count_allocations.h"

namespace pneuma {
namespace {

/// x'' = -x with a slow forcing, x(0) = 1: smooth, with a closed form, second order.
class Oscillator final : public OdeSystem {
 public:
  explicit Oscillator(bool withJacobian) : withJacobian_(withJacobian) {}
  Eigen::Index size() const override { return 2; }
  Eigen::Index positionCount() const override { return 1; }
  void derivative(double, const VecX& x, VecX& dxdt) override {
    dxdt[0] = x[1];
    dxdt[1] = -x[0];
  }
  bool jacobian(double, const VecX&, SparseMat& J) override {
    if (!withJacobian_) return false;
    if (J.nonZeros() == 0) {
      J.resize(2, 2);
      J.insert(0, 1) = 1;
      J.insert(1, 0) = -1;
      J.makeCompressed();
    }
    return true;
  }

 private:
  bool withJacobian_;
};

/// x' = -x^2 + sin t, nonlinear and explicit in time (reference by a fine run).
class Nonlinear final : public OdeSystem {
 public:
  Eigen::Index size() const override { return 1; }
  void derivative(double t, const VecX& x, VecX& dxdt) override {
    dxdt[0] = -x[0] * x[0] + std::sin(t);
  }
};

double integrate(IntegratorKind kind, OdeSystem& system, const VecX& start, double end, int steps) {
  const auto integrator = makeIntegrator(kind);
  VecX x = start;
  const double h = end / steps;
  for (int i = 0; i < steps; ++i) EXPECT_TRUE(integrator->step(system, i * h, h, x).ok);
  return x[0];
}

struct OrderCase {
  IntegratorKind kind;
  int steps;
};

class IntegratorOrder : public ::testing::TestWithParam<OrderCase> {};
class FirstOrderEquation : public ::testing::TestWithParam<OrderCase> {};

TEST_P(IntegratorOrder, OscillatorErrorFallsWithTheTheoreticalOrder) {
  const auto [kind, steps] = GetParam();
  Oscillator system(kind == IntegratorKind::ImplicitEuler);
  const VecX start = Vec2(1, 0);
  const double end = 2.0, exact = std::cos(end);
  const double coarse = std::abs(integrate(kind, system, start, end, steps) - exact);
  const double fine = std::abs(integrate(kind, system, start, end, 2 * steps) - exact);
  EXPECT_NEAR(std::log2(coarse / fine), makeIntegrator(kind)->order(), 0.15);
}

TEST_P(FirstOrderEquation, NonlinearErrorFallsWithTheTheoreticalOrder) {
  const auto [kind, steps] = GetParam();
  Nonlinear system;
  const VecX start = VecX::Constant(1, 0.7);
  const double end = 3.0;
  const double exact = integrate(IntegratorKind::RungeKutta4, system, start, end, 20000);
  const double coarse = std::abs(integrate(kind, system, start, end, 2 * steps) - exact);
  const double fine = std::abs(integrate(kind, system, start, end, 4 * steps) - exact);
  EXPECT_NEAR(std::log2(coarse / fine), makeIntegrator(kind)->order(), 0.15);
}

// Steps so fine that the leading error term rules, and so coarse that rounding does not.
const std::vector<OrderCase> kAnySystem{
    {IntegratorKind::ForwardEuler, 400},    {IntegratorKind::Midpoint, 100},
    {IntegratorKind::RungeKutta4, 40},      {IntegratorKind::AdamsBashforth2, 200},
    {IntegratorKind::AdamsBashforth3, 200}, {IntegratorKind::AdamsBashforth4, 160},
    {IntegratorKind::AdamsMoulton4, 100},   {IntegratorKind::ImplicitEuler, 800}};

std::string caseName(const ::testing::TestParamInfo<OrderCase>& test) {
  std::string name(toString(test.param.kind));
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(FixedStep, IntegratorOrder, ::testing::ValuesIn(kAnySystem), caseName);
INSTANTIATE_TEST_SUITE_P(FixedStep, FirstOrderEquation, ::testing::ValuesIn(kAnySystem), caseName);
INSTANTIATE_TEST_SUITE_P(SecondOrderOnly, IntegratorOrder,
                         ::testing::Values(OrderCase{IntegratorKind::SymplecticEuler, 400}),
                         caseName);

TEST(CashKarp, FifthOrderWhenStepsAreForced) {
  // Tolerances so loose that every outer step is one inner step: the order of the formula itself.
  const auto run = [](int steps) {
    Oscillator system(false);
    const auto ck = makeIntegrator(IntegratorKind::CashKarp54, {.absoluteTolerance = 1e9});
    VecX x = Vec2(1, 0);
    for (int i = 0; i < steps; ++i) {
      const StepReport r = ck->step(system, 0, 2.0 / steps, x);
      EXPECT_EQ(r.substeps, 1);
    }
    return std::abs(x[0] - std::cos(2.0));
  };
  EXPECT_NEAR(std::log2(run(10) / run(20)), 5, 0.15);
}

TEST(CashKarp, ErrorFollowsTheToleranceAndStepsAdapt) {
  double lastError = 1;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    Oscillator system(false);
    const auto ck = makeIntegrator(IntegratorKind::CashKarp54,
                                   {.absoluteTolerance = tolerance, .relativeTolerance = 0});
    VecX x = Vec2(1, 0);
    int substeps = 0;
    for (int i = 0; i < 10; ++i) substeps += ck->step(system, i, 1.0, x).substeps;
    const double error = std::abs(x[0] - std::cos(10.0));
    EXPECT_LT(error, 100 * tolerance);
    EXPECT_LT(error, lastError);
    EXPECT_GE(substeps, 10);
    lastError = error;
  }
}

/// A stiff line: x' = -1e6 (x - cos t) - sin t, exact solution cos t.
class Stiff final : public OdeSystem {
 public:
  Eigen::Index size() const override { return 1; }
  void derivative(double t, const VecX& x, VecX& dxdt) override {
    dxdt[0] = -1e6 * (x[0] - std::cos(t)) - std::sin(t);
  }
};

TEST(ImplicitEuler, StaysOnAStiffSolutionWhereExplicitStepsExplode) {
  Stiff system;
  const auto implicit = makeIntegrator(IntegratorKind::ImplicitEuler);
  const auto explicitEuler = makeIntegrator(IntegratorKind::ForwardEuler);
  VecX x = VecX::Ones(1), y = VecX::Ones(1);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(implicit->step(system, 0.01 * i, 0.01, x).ok);
    explicitEuler->step(system, 0.01 * i, 0.01, y);
  }
  EXPECT_NEAR(x[0], std::cos(1.0), 1e-6);
  EXPECT_FALSE(std::abs(y[0]) < 1e10);
}

TEST(SymplecticEuler, EnergyStaysBoundedForAHundredThousandSteps) {
  Oscillator system(false);
  const auto integrator = makeIntegrator(IntegratorKind::SymplecticEuler);
  VecX x = Vec2(1, 0);
  double lowest = 1, highest = 0;
  for (int i = 0; i < 100000; ++i) {
    integrator->step(system, 0, 0.05, x);
    const double energy = 0.5 * x.squaredNorm();
    lowest = std::min(lowest, energy);
    highest = std::max(highest, energy);
  }
  // The method conserves a modified energy that differs from this one by O(h) = 2.5 %.
  EXPECT_GT(lowest, 0.5 * 0.97);
  EXPECT_LT(highest, 0.5 * 1.03);
}

class EveryIntegrator : public ::testing::TestWithParam<std::string> {};

std::size_t allocationsAfterTheFirstSteps(const std::string& name, Oscillator system) {
  const auto integrator = makeIntegrator(parseIntegrator(name));
  VecX x = Vec2(1, 0);
  for (int i = 0; i < 6; ++i) integrator->step(system, 0.01 * i, 0.01, x);
  const test::AllocationCount count;
  for (int i = 6; i < 100; ++i) integrator->step(system, 0.01 * i, 0.01, x);
  return count.sinceConstruction();
}

TEST_P(EveryIntegrator, AllocatesNothingAfterTheFirstSteps) {
  EXPECT_EQ(allocationsAfterTheFirstSteps(GetParam(), Oscillator(true)), 0u);
}

TEST_P(EveryIntegrator, AllocatesNothingWithDifferencesForTheJacobian) {
  EXPECT_EQ(allocationsAfterTheFirstSteps(GetParam(), Oscillator(false)), 0u);
}

TEST_P(EveryIntegrator, ContinuesWithTheSameBitsFromItsSavedHistory) {
  Oscillator system(true);
  const auto whole = makeIntegrator(parseIntegrator(GetParam()));
  const auto first = makeIntegrator(parseIntegrator(GetParam()));
  const auto second = makeIntegrator(parseIntegrator(GetParam()));
  VecX a = Vec2(1, 0), b = a;
  for (int i = 0; i < 20; ++i) whole->step(system, 0.01 * i, 0.01, a);
  for (int i = 0; i < 9; ++i) first->step(system, 0.01 * i, 0.01, b);
  second->restoreHistory(first->saveHistory());
  for (int i = 9; i < 20; ++i) second->step(system, 0.01 * i, 0.01, b);
  EXPECT_EQ(a[0], b[0]);
  EXPECT_EQ(a[1], b[1]);
}

/// Fails from t = 0.05 on.
class Breaking final : public OdeSystem {
 public:
  Eigen::Index size() const override { return 2; }
  Eigen::Index positionCount() const override { return 1; }
  void derivative(double t, const VecX& x, VecX& dxdt) override {
    dxdt[0] = x[1];
    dxdt[1] = t > 0.05 ? std::nan("") : -x[0];
  }
};

TEST_P(EveryIntegrator, LeavesTheStateAloneWhenTheDerivativeIsNotFinite) {
  Breaking system;
  const auto integrator = makeIntegrator(parseIntegrator(GetParam()));
  VecX x = Vec2(1, 0);
  bool failed = false;
  for (int i = 0; i < 20 && !failed; ++i) {
    const VecX before = x;
    const StepReport report = integrator->step(system, 0.01 * i, 0.01, x);
    if (!report.ok) {
      failed = true;
      EXPECT_EQ(x, before);
      EXPECT_FALSE(report.problem.empty());
    }
    ASSERT_TRUE(x.allFinite());
  }
  EXPECT_TRUE(failed);
}

INSTANTIATE_TEST_SUITE_P(All, EveryIntegrator, ::testing::ValuesIn(integratorNames()),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(ParseIntegrator, UnknownNameGivesTheNearestOne) {
  try {
    parseIntegrator("implict-euler");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean 'implicit-euler'?"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace pneuma
