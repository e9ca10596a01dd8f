#include "pneuma/flesh/belly_zone.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/random.h"

namespace pneuma::flesh {
namespace {

/// Two spindles side by side, 20 cm long, touching half-way.
struct Pair {
  ActionLine lineA{{Vec3(0, 0, 0), Vec3(0, -0.2, 0)}, 0.01, 0.01};
  ActionLine lineB{{Vec3(0.042, 0, 0.003), Vec3(0.042, -0.2, 0.003)}, 0.01, 0.01};
  BellyGrid gridA = makeFusiform(lineA, 0.022, 0.7, 6, 8);
  BellyGrid gridB = makeFusiform(lineB, 0.019, 0.7, 6, 8);
  Belly a, b;

  explicit Pair(const BellyConfig& configA = {}, const BellyConfig& configB = {.goalStiffness = 12})
      : a(std::make_shared<BellyModel>(gridA, configA), gridA, lineA, Vec3::UnitX()),
        b(std::make_shared<BellyModel>(gridB, configB), gridB, lineB, Vec3::UnitX()) {}

  std::vector<int> zone() const {
    std::vector<Vec3> facing;
    b.state().positions(facing);
    anatomy::BellyZone described;
    described.from = 0.25, described.until = 0.75, described.width = 1.7;
    return zoneParticles(a, described, facing);
  }
};

std::vector<Vec3> movedBy(const Pose& X, const ActionLine& line) {
  std::vector<Vec3> points;
  for (const Vec3& p : line.points()) points.push_back(X * p);
  return points;
}

void disturbZone(Belly& belly, double size, std::uint64_t seed) {
  Random random(seed);
  BellyState state = belly.state();
  for (double& value : state.x) value += size * random.normal();
  belly.restore(state);
}

Vec3 sumOfGoalForces(const Belly& belly) {
  // With springs off, what acts on the particles comes from the goals.
  VecX f;
  belly.elasticForces(f);
  const Eigen::Index n = belly.model().particleCount();
  return {f.head(n).sum(), f.segment(n, n).sum(), f.tail(n).sum()};
}

TEST(BellyZone, TakesTheParticlesOfTheSideThatFacesTheOther) {
  const Pair pair;
  const std::vector<int> particles = pair.zone();
  ASSERT_FALSE(particles.empty());
  for (const int p : particles) {
    EXPECT_GT(pair.a.state().position(p).x(), 0) << p;  // the other one lies at positive x
    EXPECT_LT(pair.a.state().position(p).y(), -0.04) << p;
    EXPECT_GT(pair.a.state().position(p).y(), -0.16) << p;
  }
}

TEST(BellyZone, APlaceOnASurfaceTurnsAndMovesWithIt) {
  Pair pair;
  Random random(3);
  const Pose X{Eigen::AngleAxisd(1.2, Vec3(1, -2, 0.5).normalized()).toRotationMatrix(),
               Vec3(0.1, 0.4, -0.3)};
  std::vector<SurfacePlace> places;
  std::vector<Vec3> points;
  for (int i = 0; i < 30; ++i) {
    points.emplace_back(0.02 * random.normal(), -0.1 + 0.04 * random.normal(),
                        0.02 * random.normal());
    places.push_back(findPlace(pair.b, points.back()));
    EXPECT_LT((pointOf(places.back(), pair.b) - points.back()).norm(), 1e-14);
    for (const double w : places.back().weights) EXPECT_GE(w, 0);
  }
  pair.b.moveLine(movedBy(X, pair.lineB), X.rotation * Vec3::UnitX());
  for (std::size_t i = 0; i < places.size(); ++i)
    EXPECT_LT((pointOf(places[i], pair.b) - X * points[i]).norm(), 1e-12);
}

TEST(BellyZone, TheNearestPlaceIsNearerThanEveryParticle) {
  const Pair pair;
  Random random(4);
  for (int i = 0; i < 50; ++i) {
    const Vec3 p(0.06 * random.normal(), -0.1 + 0.06 * random.normal(), 0.06 * random.normal());
    const double d = offsetOf(findPlace(pair.b, p), pair.b).norm();
    for (int k = 0; k < pair.b.model().particleCount(); ++k)
      EXPECT_LE(d, (pair.b.state().position(k) - p).norm() + 1e-12);
  }
}

TEST(BellyZone, TiedToABoneItFollowsItRigidly) {
  Pair pair;
  const std::vector<int> particles = pair.zone();
  for (const int p : particles)
    pair.a.goals().push_back({.particles = {p, 0, 0}, .target = pair.a.state().position(p)});
  const Pose X{Eigen::AngleAxisd(0.8, Vec3(0, 1, 1).normalized()).toRotationMatrix(),
               Vec3(0.3, -0.1, 0.2)};
  pair.a.moveLine(movedBy(X, pair.lineA), X.rotation * Vec3::UnitX());
  for (std::size_t i = 0; i < particles.size(); ++i)
    pair.a.moveGoal(i, X * pair.gridA.points[static_cast<std::size_t>(particles[i])]);
  EXPECT_LT(pair.a.elasticEnergy(), 1e-20);
  for (int i = 0; i < 10; ++i) pair.a.advance(0.05);
  for (const int p : particles)
    EXPECT_LT(
        (pair.a.state().position(p) - X * pair.gridA.points[static_cast<std::size_t>(p)]).norm(),
        1e-9);
}

TEST(BellyZone, HoldsItsParticlesWhereTheBoneIsWhenTheBellyShortens) {
  const auto slip = [](double stiffness) {
    Pair pair({.goalStiffness = stiffness});
    const std::vector<int> particles = pair.zone();
    for (const int p : particles)
      pair.a.goals().push_back({.particles = {p, 0, 0}, .target = pair.a.state().position(p)});
    for (int i = 1; i <= 60; ++i) {
      const std::vector<Vec3> points{Vec3(0, 0, 0),
                                     Vec3(0, -0.2 + 0.04 * std::min(1.0, i / 20.0), 0)};
      pair.a.moveLine(points, Vec3::UnitX());
      pair.a.advance(0.05);
    }
    double worst = 0;
    for (const int p : particles)
      worst = std::max(
          worst,
          (pair.a.state().position(p) - pair.gridA.points[static_cast<std::size_t>(p)]).norm());
    return worst;
  };
  EXPECT_GT(slip(0), 0.015);
  EXPECT_LT(slip(200), 0.4 * slip(0));
}

TEST(BellyZone, TiedToAnotherBellyItFollowsThatOnesSurface) {
  Pair pair;
  const std::vector<int> particles = pair.zone();
  const BellyTie tie(pair.a, pair.b, particles);
  EXPECT_LT(pair.a.elasticEnergy() + pair.b.elasticEnergy(), 1e-20);  // both at rest as tied
  std::vector<SurfacePlace> places;
  for (const int p : particles) places.push_back(findPlace(pair.b, pair.a.state().position(p)));
  // The other belly is pushed aside; the tied particles go along, the far side much less.
  const std::vector<Vec3> aside{Vec3(0.05, 0, 0.003), Vec3(0.05, -0.2, 0.003)};
  pair.b.moveLine(aside, Vec3::UnitX());
  for (int i = 0; i < 200; ++i) {
    tie.update(pair.a, pair.b);
    pair.a.advance(0.05);
    pair.b.advance(0.05);
  }
  double gap = 0, moved = 0;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3 now = pair.a.state().position(particles[i]);
    gap = std::max(gap, (pointOf(places[i], pair.b) - now).norm());
    moved =
        std::max(moved, (now - pair.gridA.points[static_cast<std::size_t>(particles[i])]).norm());
  }
  EXPECT_GT(moved, 0.002);
  EXPECT_LT(gap, 0.005);  // of 8 mm that an untied belly would stay behind
}

TEST(BellyZone, TiesPullBothBelliesEquallyAndOppositely) {
  const BellyConfig springless{0, 0, 0, 0, 0, 0, 20};
  const BellyConfig softer{0, 0, 0, 0, 0, 0, 7};
  Pair pair(springless, softer);
  const std::vector<int> particles = pair.zone();
  const BellyTie tie(pair.a, pair.b, particles);
  disturbZone(pair.a, 0.002, 8);
  disturbZone(pair.b, 0.002, 9);
  tie.update(pair.a, pair.b);
  const Vec3 onA = sumOfGoalForces(pair.a), onB = sumOfGoalForces(pair.b);
  EXPECT_GT(onA.norm(), 1e-4);
  EXPECT_LT((onA + onB).norm(), 1e-14);
}

TEST(BellyZone, NoParticleBearsMoreThanOneWholeGoal) {
  Pair pair;
  const BellyTie tie(pair.a, pair.b, pair.zone());
  std::vector<double> burden(static_cast<std::size_t>(pair.b.model().particleCount()), 0.0);
  for (const BellyGoal& g : pair.b.goals())
    for (std::size_t i = 0; i < 3; ++i)
      burden[static_cast<std::size_t>(g.particles[i])] += g.share * g.weights[i];
  for (const double b : burden) EXPECT_LE(b, 1 + 1e-12);
}

}  // namespace
}  // namespace pneuma::flesh
