// Motions with a known solution, and what must be conserved.
#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/skeleton/energy.h"
#include "pneuma/skeleton/model_builder.h"
#include "pneuma/skeleton/step.h"
#include "scenes/skeleton_trees.h"

namespace pneuma::skeleton {
namespace {

/// A rod hanging from a hinge: mass m, centre d below, inertia J about the centre.
Model pendulum(double m, double d, double J) {
  ModelBuilder builder;
  builder.add({.name = "rod",
               .joint = Joint::hinge(Vec3::UnitZ()),
               .inertia = {m, {0, -d, 0}, J * Mat3::Identity()}});
  return builder.build();
}

// T = 4 sqrt(I / (m g d)) K(sin(theta0 / 2)): exact for any amplitude.
TEST(Pendulum, SwingsWithThePeriodOfTheEllipticIntegral) {
  const double m = 1.3, d = 0.4, J = 0.02;
  const Model model = pendulum(m, d, J);
  StepWorkspace w(model);
  for (double amplitude : {0.01, 0.5, 1.5, 2.8}) {
    State state = makeState(model);
    state.q[0] = amplitude;
    const double h = 4e-4;
    // A quarter period ends where the angle crosses zero; the crossing by Newton's rule.
    while (state.q[0] > 0) stepRungeKutta4(model, state, w, h);
    const double crossing = state.time - state.q[0] / state.v[0];
    const double I = J + m * d * d;
    const double period =
        4 * std::sqrt(I / (m * kGravity * d)) * std::comp_ellint_1(std::sin(amplitude / 2));
    // The path has no curvature at the crossing, so Newton's rule errs by omega^2 h^3 / 6.
    EXPECT_NEAR(4 * crossing, period, 4e-9 * period) << amplitude;
  }
}

// Free symmetric top: in body axes the angular velocity circles the symmetry axis with
// (J3 - J1) / J1 * omega3.
TEST(SymmetricTop, PrecessesAtTheClosedFormRate) {
  const double J1 = 0.02, J3 = 0.03;
  ModelBuilder builder;
  builder.setGravity(Vec3::Zero());
  builder.add({.name = "top",
               .joint = Joint::free(),
               .inertia = {1, Vec3::Zero(), Vec3(J1, J1, J3).asDiagonal()}});
  const Model model = builder.build();
  StepWorkspace w(model);
  State state = makeState(model);
  const double across = 1.5, along = 8;
  state.v.tail<3>() = Vec3(across, 0, along);
  const Vec3 momentumStart(J1 * across, 0, J3 * along);
  const double h = 1e-3;
  for (int i = 0; i < 2000; ++i) stepRungeKutta4(model, state, w, h);
  const double angle = (J3 - J1) / J1 * along * state.time;
  const Vec3 expected(across * std::cos(angle), across * std::sin(angle), along);
  EXPECT_LT((state.v.tail<3>() - expected).norm(), 1e-8);
  // Angular momentum stays where it was in the world.
  updateDynamics(model, state, w.dynamics);
  EXPECT_LT((momentum(model, w.dynamics).head<3>() - momentumStart).norm(), 1e-10);
}

/// A floating tree of joints that have no singular position.
Model floatingTree() {
  ModelBuilder builder;
  builder.setGravity(Vec3::Zero());
  const Joint joints[] = {Joint::free(), Joint::ball(), Joint::hinge({1, 2, -1}),
                          Joint::universal(Vec3::UnitX(), Vec3::UnitZ()), Joint::ball()};
  const char* parents[] = {"", "0", "1", "0", "3"};
  for (int i = 0; i < 5; ++i) {
    const Vec3 at(0.1 * i, 0.2 * (i % 2), -0.05 * i);
    builder.add({.name = std::to_string(i),
                 .parent = parents[i],
                 .joint = joints[i],
                 .jointPose = {Mat3::Identity(), at},
                 .inertia = {1.0 + 0.3 * i, at + Vec3(0.05, -0.1, 0.02),
                             Vec3(0.02, 0.03, 0.015 + 0.002 * i).asDiagonal()}});
  }
  return builder.build();
}

// Afloat without gravity: energy and both momenta for 1e5 steps.
TEST(FloatingTree, KeepsEnergyAndMomentumForManySteps) {
  const Model model = floatingTree();
  StepWorkspace w(model);
  State state = scenes::randomState(model, 3, 0.4, 1.0);
  const double energy = computeEnergy(model, state, w).total();
  const Vec6 start = momentum(model, w.dynamics);
  for (int i = 0; i < 100000; ++i) stepRungeKutta4(model, state, w, 2e-4);
  EXPECT_NEAR(computeEnergy(model, state, w).total(), energy, 1e-9 * energy);
  EXPECT_LT((momentum(model, w.dynamics) - start).norm(), 1e-9 * start.norm());
}

// Symplectic Euler on a conservative tree: the energy error stays bounded and falls with h.
TEST(Pendulum, SymplecticEulerKeepsTheEnergyWithinABandThatShrinksWithTheStep) {
  const Model model = pendulum(1, 0.5, 0.02);
  const auto worst = [&](double h) {
    StepWorkspace w(model);
    State state = makeState(model);
    state.q[0] = 1.0;
    const double start = computeEnergy(model, state, w).total();
    double largest = 0;
    for (int i = 0; i < 100000; ++i) {
      stepSymplecticEuler(model, state, w, h);
      largest = std::max(largest, std::abs(computeEnergy(model, state, w).total() - start));
    }
    return largest;
  };
  const double coarse = worst(2e-3), fine = worst(1e-3);
  EXPECT_LT(coarse, 0.05);
  EXPECT_NEAR(coarse / fine, 2, 0.1);
}

/// Textbook equations of two point masses on massless rods, angles from the vertical.
struct DoublePendulum {
  double m1, m2, l1, l2;
  Eigen::Vector4d rate(const Eigen::Vector4d& x) const {
    const double a = x[0], b = x[1], p = x[2], q = x[3], d = a - b, g = kGravity;
    const double den = 2 * m1 + m2 - m2 * std::cos(2 * d);
    const double pDot = (-g * (2 * m1 + m2) * std::sin(a) - m2 * g * std::sin(a - 2 * b) -
                         2 * std::sin(d) * m2 * (q * q * l2 + p * p * l1 * std::cos(d))) /
                        (l1 * den);
    const double qDot =
        2 * std::sin(d) *
        (p * p * l1 * (m1 + m2) + g * (m1 + m2) * std::cos(a) + q * q * l2 * m2 * std::cos(d)) /
        (l2 * den);
    return {p, q, pDot, qDot};
  }
};

TEST(DoublePendulum, FollowsTheReferenceTrajectory) {
  const DoublePendulum reference{1.0, 0.7, 0.5, 0.4};
  ModelBuilder builder;
  const auto mass = [](double m, double y) { return RigidInertia{m, {0, y, 0}, Mat3::Zero()}; };
  builder.add({.name = "upper",
               .joint = Joint::hinge(Vec3::UnitZ()),
               .inertia = mass(reference.m1, -reference.l1)});
  builder.add({.name = "lower",
               .parent = "upper",
               .joint = Joint::hinge(Vec3::UnitZ()),
               .jointPose = {Mat3::Identity(), {0, -reference.l1, 0}},
               .inertia = mass(reference.m2, -reference.l1 - reference.l2)});
  const Model model = builder.build();
  StepWorkspace w(model);
  State state = makeState(model);
  state.q << 2.0, -0.5;
  Eigen::Vector4d x(2.0, 1.5, 0, 0);
  const double h = 2e-4;
  for (int i = 0; i < 10000; ++i) {
    stepRungeKutta4(model, state, w, h);
    const Eigen::Vector4d k1 = reference.rate(x), k2 = reference.rate(x + h / 2 * k1);
    const Eigen::Vector4d k3 = reference.rate(x + h / 2 * k2), k4 = reference.rate(x + h * k3);
    x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  // 2 s; two fourth-order runs in different coordinates of a mildly chaotic system.
  EXPECT_NEAR(state.q[0], x[0], 1e-8);
  EXPECT_NEAR(state.q[0] + state.q[1], x[1], 1e-8);
}

/// Error of the state at t = 0.4 s against a fine run, for two step sizes.
template <class Step>
double errorRatio(Step&& step, double h) {
  const Model model = scenes::makeRandomTree(5, 2);
  const auto run = [&](double size, auto&& stepper) {
    StepWorkspace w(model);
    State state = scenes::randomState(model, 1, 0.3, 0.5);
    const int count = int(std::lround(0.4 / size));
    for (int i = 0; i < count; ++i) stepper(model, state, w, size);
    return state.v;
  };
  const VecX exact = run(2e-4, stepRungeKutta4);
  return (run(h, step) - exact).norm() / (run(h / 2, step) - exact).norm();
}

TEST(Steps, HaveTheirOrderOfConvergence) {
  EXPECT_NEAR(errorRatio(stepExplicitEuler, 2e-3), 2, 0.15);
  EXPECT_NEAR(errorRatio(stepSymplecticEuler, 2e-3), 2, 0.15);
  EXPECT_NEAR(errorRatio(stepImplicitEuler, 2e-3), 2, 0.15);
  EXPECT_NEAR(errorRatio(stepRungeKutta4, 4e-2), 16, 3);
}

}  // namespace
}  // namespace pneuma::skeleton
