#include "pneuma/flesh/belly.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "tests/support/count_allocations.h"

namespace pneuma::flesh {
namespace {

/// A muscle like the brachialis: 20 cm line, 18 cm belly, 50 mass points (6 slices of 8, two
/// extremities).
struct Fixture {
  ActionLine line{{Vec3(0, 0, 0), Vec3(0, -0.2, 0)}, 0.01, 0.01};
  BellyGrid grid = makeFusiform(line, 0.022, 0.7, 6, 8);

  Belly make(const BellyConfig& config) const {
    return Belly(std::make_shared<BellyModel>(grid, config), grid, line, Vec3::UnitX());
  }
};

void disturb(Belly& belly, double size, std::uint64_t seed) {
  Random random(seed);
  BellyState state = belly.state();
  for (double& value : state.x) value += size * random.normal();
  belly.restore(state);
}

/// Shortens the line by a fraction in 1 s and lets the belly settle for 4 s.
void compress(Belly& belly, double fraction) {
  for (int i = 1; i <= 100; ++i) {
    const double t = std::min(1.0, i / 20.0);
    const std::vector<Vec3> points{Vec3(0, 0, 0), Vec3(0, -0.2 * (1 - fraction * t), 0)};
    belly.moveLine(points, Vec3::UnitX());
    belly.advance(0.05);
  }
}

struct NamedConfig {
  const char* name;
  BellyConfig config;
};

void PrintTo(const NamedConfig& c, std::ostream* out) {
  *out << c.name;
}

class EverySpring : public ::testing::TestWithParam<NamedConfig> {};

TEST_P(EverySpring, ForceIsMinusTheGradientOfEnergy) {
  const Fixture fixture;
  Belly belly = fixture.make(GetParam().config);
  belly.goals() = {
      {.particles = {5, 0, 0}, .target = Vec3(0.03, -0.05, 0)},
      {.particles = {9, 10, 18}, .weights = {0.2, 0.5, 0.3}, .target = Vec3(-0.02, -0.06, 0.01)}};
  disturb(belly, 0.003, 7);
  VecX forces;
  belly.elasticForces(forces);
  const BellyState start = belly.state();
  const double h = 1e-6;
  double worst = 0;
  for (Eigen::Index i = 0; i < forces.size(); ++i) {
    BellyState moved = start;
    moved.x[i] = start.x[i] + h;
    belly.restore(moved);
    const double up = belly.elasticEnergy();
    moved.x[i] = start.x[i] - h;
    belly.restore(moved);
    worst = std::max(worst, std::abs(forces[i] + (up - belly.elasticEnergy()) / (2 * h)));
  }
  EXPECT_LT(worst, 1e-6 * std::max(1e-3, forces.cwiseAbs().maxCoeff()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, EverySpring,
                         ::testing::Values(NamedConfig{"horizontal", {5, 0, 0, 0, 0, 0, 0}},
                                           NamedConfig{"vertical", {0, 5, 0, 0, 0, 0, 0}},
                                           NamedConfig{"angularHorizontal", {0, 0, 5, 0, 0, 0, 0}},
                                           NamedConfig{"angularVertical", {0, 0, 0, 5, 0, 0, 0}},
                                           NamedConfig{"goals", {0, 0, 0, 0, 0, 0, 30}},
                                           NamedConfig{"shape", {0, 0, 0, 0, 0, 0, 0, 10}},
                                           NamedConfig{"all", {.shapeStiffness = 6}}),
                         [](const auto& test) { return test.param.name; });

TEST(Belly, RestShapeStaysAtRest) {
  const Fixture fixture;
  Belly belly = fixture.make({});
  VecX forces;
  belly.elasticForces(forces);
  EXPECT_LT(forces.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT(belly.elasticEnergy(), 1e-20);
}

TEST(Belly, MomentumIsConservedWithoutConstraints) {
  const Fixture fixture;
  Belly belly = fixture.make({.damping = 0, .freeEnds = true, .sleepSpeed = 0});
  disturb(belly, 0.002, 11);
  const auto momenta = [&] {
    const Eigen::Index n = belly.model().particleCount();
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    for (int i = 0; i < n; ++i) {
      const Vec3 v(belly.state().x[3 * n + i], belly.state().x[4 * n + i],
                   belly.state().x[5 * n + i]);
      linear += v;
      angular += belly.state().position(i).cross(v);
    }
    return std::pair(linear, angular);
  };
  // The springs exert no net force and no net torque: exact, up to rounding.
  VecX forces;
  belly.elasticForces(forces);
  const Eigen::Index n = belly.model().particleCount();
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  for (int i = 0; i < n; ++i) {
    const Vec3 f(forces[i], forces[n + i], forces[2 * n + i]);
    force += f;
    torque += belly.state().position(i).cross(f);
  }
  EXPECT_LT(force.norm(), 1e-14);
  EXPECT_LT(torque.norm(), 1e-14);
  // Over time, RK4 keeps the linear part to rounding and the angular part to its own order.
  const auto drift = [&](double h) {
    const BellyState start = belly.state();
    const auto [linear, angular] = momenta();
    for (int i = 0; i < static_cast<int>(0.5 / h); ++i) belly.advance(h);
    const auto [linearAfter, angularAfter] = momenta();
    belly.restore(start);
    EXPECT_LT((linearAfter - linear).norm(), 1e-12);
    return (angularAfter - angular).norm();
  };
  EXPECT_LT(drift(0.0005), drift(0.001) / 10);
}

TEST(Belly, RungeKuttaConvergesWithOrderFour) {
  const Fixture fixture;
  const auto run = [&](int steps) {
    Belly belly = fixture.make({.damping = 0.02, .sleepSpeed = 0});
    disturb(belly, 0.001, 5);
    EXPECT_LT(0.02 / steps, belly.model().stableStep());
    for (int i = 0; i < steps; ++i) belly.advance(0.02 / steps);
    return belly.state().x;
  };
  const VecX fine = run(640);
  const double coarse = (run(20) - fine).norm(), half = (run(40) - fine).norm();
  EXPECT_NEAR(std::log2(coarse / half), 4, 0.15);
}

TEST(Belly, FollowsARigidMotionExactly) {
  const Fixture fixture;
  Belly belly = fixture.make({});
  const Pose X{Eigen::AngleAxisd(2.1, Vec3(1, 2, 3).normalized()).toRotationMatrix(),
               Vec3(0.3, 1, -0.2)};
  const std::vector<Vec3> points{X * Vec3(0, 0, 0), X * Vec3(0, -0.2, 0)};
  belly.moveLine(points, X.rotation * Vec3::UnitX());
  for (int i = 0; i < belly.model().particleCount(); ++i)
    EXPECT_LT(
        (belly.state().position(i) - X * fixture.grid.points[static_cast<std::size_t>(i)]).norm(),
        1e-12);
  EXPECT_LT(belly.elasticEnergy(), 1e-20);
}

TEST(Belly, ThirtyPercentCompressionKeepsTheVolumeWithinTenPercent) {
  Fixture fixture;
  for (const double radius : {0.015, 0.022, 0.035}) {
    fixture.grid = makeFusiform(fixture.line, radius, 0.7, 6, 8);
    Belly belly = fixture.make({});
    disturb(belly, 1e-4, 3);
    compress(belly, 0.3);
    EXPECT_NEAR(belly.volume() / belly.model().restVolume(), 1, 0.1) << "radius " << radius;
  }
}

TEST(Belly, WithoutAngularSpringsItCollapses) {
  const Fixture fixture;
  Belly belly = fixture.make({.curvatureHorizontal = 0, .curvatureVertical = 0});
  disturb(belly, 1e-4, 3);  // a perfectly symmetric surface would not find its way to collapse
  compress(belly, 0.3);
  EXPECT_LT(belly.volume() / belly.model().restVolume(), 0.9);
}

TEST(Belly, ExactVolumeCorrectionHoldsTheVolume) {
  const Fixture fixture;
  Belly belly = fixture.make({.keepVolume = true});
  compress(belly, 0.3);
  EXPECT_NEAR(belly.volume() / belly.model().restVolume(), 1, 1e-6);
}

TEST(Belly, SleepsWhenStillAndWakesWithItsLine) {
  const Fixture fixture;
  Belly belly = fixture.make({});
  compress(belly, 0.1);
  for (int i = 0; i < 200 && !belly.state().asleep; ++i) belly.advance(0.05);
  EXPECT_TRUE(belly.state().asleep);
  belly.advance(0.05);
  EXPECT_EQ(belly.lastInnerSteps(), 0);
  const std::vector<Vec3> points{Vec3(0, 0, 0), Vec3(0, -0.17, 0)};
  belly.moveLine(points, Vec3::UnitX());
  EXPECT_FALSE(belly.state().asleep);
  belly.advance(0.05);
  EXPECT_GT(belly.lastInnerSteps(), 0);
}

TEST(Belly, WakesWhenAGoalMoves) {
  const Fixture fixture;
  Belly belly = fixture.make({});
  belly.goals() = {{.particles = {5, 0, 0}, .target = belly.state().position(5)}};
  for (int i = 0; i < 20 && !belly.state().asleep; ++i) belly.advance(0.05);
  ASSERT_TRUE(belly.state().asleep);
  const Vec3 before = belly.state().position(5);
  belly.moveGoal(0, before);
  EXPECT_TRUE(belly.state().asleep);
  belly.moveGoal(0, before + Vec3(0.01, 0, 0));
  EXPECT_FALSE(belly.state().asleep);
  for (int i = 0; i < 40; ++i) belly.advance(0.05);
  EXPECT_GT(belly.state().position(5).x(), before.x() + 0.002);
}

TEST(Belly, CarryingAlongAStraightLineKeepsTheVolume) {
  const Fixture fixture;
  for (const double stretch : {0.6, 0.8, 1.3}) {
    Belly belly = fixture.make({});
    const std::vector<Vec3> points{Vec3(0, 0, 0), Vec3(0, -0.02 - 0.18 * stretch, 0)};
    belly.moveLine(points, Vec3::UnitX());
    EXPECT_NEAR(belly.volume() / belly.model().restVolume(), 1, 1e-12) << stretch;
  }
}

TEST(Belly, TheGlobalConstraintHoldsItToABendOfItsLine) {
  const ActionLine straight({Vec3(0, 0, 0), Vec3(0, -0.15, 0), Vec3(0, -0.3, 0)}, 0.01, 0.01);
  const BellyGrid grid = makeFusiform(straight, 0.02, 0.7, 6, 8);
  const auto settled = [&](double stiffness) {
    const BellyConfig config{.shapeStiffness = stiffness};
    Belly belly(std::make_shared<BellyModel>(grid, config), grid, straight, Vec3::UnitX());
    for (int i = 1; i <= 80; ++i) {
      const double turn = 1.6 * std::min(1.0, i / 20.0);
      const Vec3 forearm(0.15 * std::sin(turn), -0.15 * std::cos(turn), 0);
      const std::vector<Vec3> points{Vec3(0, 0, 0), Vec3(0, -0.15, 0), Vec3(0, -0.15, 0) + forearm};
      belly.moveLine(points, Vec3::UnitX());
      belly.advance(0.05);
    }
    // Distance of the middle rings' centre from the path, and the volume.
    Vec3 middle = Vec3::Zero();
    for (int a = 0; a < 8; ++a)
      for (const int s : {2, 3}) middle += belly.state().position(grid.index(s, a)) / 16;
    const Vec3 path = belly.line().pathAt(0.5 * belly.line().length());
    return std::pair((middle - path).norm(), belly.volume() / belly.model().restVolume());
  };
  const auto [offFree, volumeFree] = settled(0);
  const auto [offHeld, volumeHeld] = settled(24);  // as on the figure
  EXPECT_LT(offHeld, 0.5 * offFree);
  EXPECT_GT(volumeHeld, 0.9);
  EXPECT_LT(std::abs(volumeHeld - 1), std::abs(volumeFree - 1));
}

TEST(Belly, EveryIntegratorKeepsItFiniteAndOutsideOut) {
  const Fixture fixture;
  for (const std::string& name : integratorNames()) {
    Belly belly = fixture.make({.integrator = parseIntegrator(name)});
    compress(belly, 0.3);
    EXPECT_GT(belly.volume(), 0.5 * belly.model().restVolume()) << name;
    EXPECT_TRUE(belly.state().x.allFinite()) << name;
  }
}

TEST(Belly, AdvancingAllocatesNothing) {
  const Fixture fixture;
  Belly belly = fixture.make({.sleepSpeed = 0});
  std::vector<Vec3> points{Vec3(0, 0, 0), Vec3(0, -0.19, 0)};
  for (int i = 0; i < 3; ++i) {
    belly.moveLine(points, Vec3::UnitX());
    belly.advance(0.05);
    points[1].y() += 0.001;
  }
  const test::AllocationCount count;
  for (int i = 0; i < 10; ++i) {
    belly.moveLine(points, Vec3::UnitX());
    belly.advance(0.05);
    points[1].y() += 0.001;
  }
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

TEST(Belly, BadSettingsAreNamed) {
  const Fixture fixture;
  try {
    fixture.make({.elasticityVertical = -1});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("elasticity_vertical"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace pneuma::flesh
