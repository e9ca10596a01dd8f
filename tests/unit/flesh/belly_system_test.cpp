#include "pneuma/flesh/belly_system.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include <cmath>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/random.h"
#include "pneuma/skeleton/configuration.h"
#include "pneuma/skeleton/from_body.h"
#include "pneuma/skeleton/step.h"
#include "tests/support/count_allocations.h"

namespace pneuma::flesh {
namespace {

constexpr double kTimeStep = 0.004;  // [s]

/// The measured man's figure with bellies that have mass.
struct BelliedFigure {
  skeleton::Model whole;  ///< links that have all the mass
  skeleton::Model tree;   ///< without that of the bellies
  BellyPlan plan;

  BelliedFigure() {
    auto body = std::make_shared<anatomy::Body>(
        anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow());
    const anatomy::CompiledBody compiled = anatomy::compileBody(*body, "figure").valueOrThrow();
    whole = tree = skeleton::modelFromBody(compiled, {.freeRoot = true});
    plan = planBellies(body, "figure", tree);
  }
};
const BelliedFigure& man() {
  static const BelliedFigure figure;
  return figure;
}

/// A figure with its bellies, stepped together.
struct Stepped {
  skeleton::Model tree;
  BellySystem bellies;
  skeleton::StepWorkspace workspace;
  skeleton::State links;
  BelliesState soft;
  std::vector<std::uint8_t> given;
  VecX target, effort;

  Stepped(const skeleton::Model& model, bool prescribed)
      : tree(model),
        bellies(man().plan, tree),
        workspace(tree, {}, {&bellies}),
        links(skeleton::makeState(tree)),
        given(static_cast<std::size_t>(tree.dofCount()), prescribed),
        target(VecX::Zero(tree.dofCount())),
        effort(target) {
    settleOnLines();
  }
  void settleOnLines() {
    skeleton::Kinematics k(tree);
    skeleton::computeKinematics(tree, links.q, links.v, k);
    soft = bellies.makeState(k);
  }
  void step(double h = kTimeStep) {
    bellies.bind(soft);
    skeleton::stepImplicitHybrid(tree, given, target, links, workspace, h, effort);
  }
  /// Linear, and angular about the world's origin.
  struct Momentum {
    Vec3 linear, angular;
  };
  Momentum momentum() {
    skeleton::Workspace dynamics(tree);
    skeleton::updateDynamics(tree, links, dynamics);
    Vec6 sum = Vec6::Zero();
    for (std::size_t l = 0; l < tree.links.size(); ++l)
      sum += dynamics.inertia[l] * dynamics.kinematics.velocity[l];
    const Vec3 p = sum.tail<3>(), o = dynamics.kinematics.origin;
    return {p + bellies.momentum(soft),
            sum.head<3>() + o.cross(p) + bellies.angularMomentum(soft, Vec3::Zero())};
  }
  /// How far the worst particle is off its line [m].
  double swing() {
    skeleton::Kinematics k(tree);
    skeleton::computeKinematics(tree, links.q, links.v, k);
    bellies.place(soft, k);
    return bellies.largestSwing();
  }
};

TEST(BellySystem, TheBodyWeighsWhatItDidAndEveryLinkStaysABody) {
  const BelliedFigure& f = man();
  BellySystem bellies(f.plan, f.tree);
  std::printf("  %.1f kg in bellies\n", bellies.mass());
  EXPECT_GT(bellies.mass(), 5);  // measured 7.4: thin links have no more to give
  EXPECT_NEAR(f.tree.totalMass() + bellies.mass(), f.whole.totalMass(), 1e-9);
  for (const skeleton::Link& link : f.tree.links) {
    const Eigen::Vector3d moments = link.inertia.inertia.eigenvalues().real();
    EXPECT_GT(moments.minCoeff(), 0) << link.name;
    EXPECT_GT(link.inertia.mass, 0) << link.name;
  }
}

TEST(BellySystem, AtRestNothingHangs) {
  Stepped s(man().tree, true);
  for (int i = 0; i < 50; ++i) s.step();
  EXPECT_LT(s.swing(), 1e-9);
}

/// What a body floating freely loses of its momentum over what bellies and links exchange, when its
/// bellies are let go away from their lines.
struct Lost {
  double linear = 0, angular = 0;
};
Lost lostMomentum(double size, double h) {
  skeleton::Model weightless = man().tree;
  weightless.gravity.setZero();
  Stepped s(weightless, false);
  Random random(5);
  for (Eigen::Index i = 0; i < s.soft.velocity.size(); ++i)
    s.soft.velocity[i] += size * random.normal();
  const Stepped::Momentum before = s.momentum();
  const Vec3 first = s.bellies.momentum(s.soft);
  Lost lost;
  double exchanged = 0;
  for (double t = 0; t < 0.1; t += h) {
    s.step(h);
    const Stepped::Momentum now = s.momentum();
    lost.linear = std::max(lost.linear, (now.linear - before.linear).norm());
    lost.angular = std::max(lost.angular, (now.angular - before.angular).norm());
    exchanged = std::max(exchanged, (s.bellies.momentum(s.soft) - first).norm());
  }
  return {lost.linear / exchanged, lost.angular / exchanged};
}

/// Reactions are equal and opposite within the step, to rounding. What is left is the links' own:
/// joints turn by h v along straight lines, so the loss falls with the motion. Moments are pairs at
/// the step's beginning; the particles then go on to its end, an error that falls with the step.
TEST(BellySystem, MomentumOfAFreelyFloatingBodyIsKept) {
  const Lost tiny = lostMomentum(1e-5, kTimeStep), small = lostMomentum(1e-2, kTimeStep);
  EXPECT_LT(tiny.linear, 1e-6);
  EXPECT_GT(small.linear, 10 * tiny.linear);
  EXPECT_LT(small.linear, 1e-2);
  EXPECT_LT(tiny.angular, 0.05);
  EXPECT_LT(lostMomentum(1e-5, 0.25 * kTimeStep).angular, 0.5 * tiny.angular);
}

/// The same law for joints that are told how to move: once the bellies have come to rest on a body
/// that is pushed steadily, the root's effort and the weight make up the change of momentum.
TEST(BellySystem, WhatTheRootBearsIsTheChangeOfMomentum) {
  Stepped s(man().tree, true);
  const double mass = man().whole.totalMass();
  s.target[1] = 6;  // upwards [m/s^2]
  s.target[2] = -3;
  for (int i = 0; i < 200; ++i) s.step();
  const Vec3 before = s.momentum().linear;
  s.step();
  const Vec3 push = s.effort.head<3>() + mass * s.tree.gravity;
  const Vec3 gained = s.momentum().linear - before;
  const double whole = kTimeStep * mass * std::hypot(6, 3);
  EXPECT_NEAR(gained.norm(), whole, 1e-3 * whole);
  EXPECT_LT((kTimeStep * push - gained).norm(), 1e-3 * whole);
}

TEST(BellySystem, ALandingThrowsThemAndTheyComeToRest) {
  Stepped s(man().tree, true);
  s.target[1] = 30;  // for 40 ms: 1.2 m/s
  for (int i = 0; i < 10; ++i) s.step();
  const double thrown = s.swing();
  EXPECT_GT(thrown, 2e-3);
  EXPECT_LT(thrown, 0.03);
  s.target[1] = -30;
  for (int i = 0; i < 10; ++i) s.step();
  s.target[1] = 0;
  for (int i = 0; i < 250; ++i) s.step();
  EXPECT_LT(s.swing(), 1e-4);
}

TEST(BellySystem, AShorterStepGivesTheSameSwing) {
  const auto thrown = [](double h) {
    Stepped s(man().tree, true);
    s.target[1] = 30;
    for (int i = 0; i < std::lround(0.04 / h); ++i) s.step(h);
    return s.swing();
  };
  const double coarse = thrown(0.002), fine = thrown(0.001);
  EXPECT_NEAR(coarse / fine, 1, 0.1);
  EXPECT_LT(std::abs(fine / thrown(0.0005) - 1), 0.7 * std::abs(coarse / fine - 1));
}

TEST(BellySystem, AStepAllocatesNothingAfterTheFirst) {
  Stepped s(man().tree, true);
  s.target[1] = 5;
  s.step();
  s.step();
  const test::AllocationCount count;
  s.step();
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

}  // namespace
}  // namespace pneuma::flesh
