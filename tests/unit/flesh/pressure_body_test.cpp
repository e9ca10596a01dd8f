#include "pneuma/flesh/pressure_body.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"

namespace pneuma::flesh {
namespace {

constexpr double kRadius = 0.05;

/// A ball of flesh held at its lower half.
struct Ball {
  explicit Ball(PressureBodyConfig config = {}) {
    const TriangleMesh mesh = makeSphere(kRadius, 2);
    std::vector<int> anchors;
    for (std::size_t i = 0; i < mesh.vertexCount(); ++i)
      if (mesh.positions[i].y() < -0.3 * kRadius) {
        anchors.push_back(static_cast<int>(i));
        targets.push_back(mesh.positions[i]);
      }
    body.emplace(mesh, config, anchors, std::vector<InnerSpring>{{0, 40}, {7, 90}});
  }
  std::optional<PressureBody> body;
  std::vector<Vec3> targets;
};

TEST(PressureBody, ForceIsMinusTheGradientOfTheEnergy) {
  Ball ball;
  Random random(5);
  std::vector<Vec3> points = ball.body->mesh().positions;
  for (Vec3& p : points) p += 0.004 * Vec3(random.normal(), random.normal(), random.normal());
  const std::vector<Vec3> still(points.size(), Vec3::Zero());
  ball.body->setState(points, still, ball.targets);
  const std::vector<Vec3> force = ball.body->computeForces(ball.targets);
  constexpr double kStep = 1e-6;  // central differences: errors of order 1e-12 / 1e-6
  for (const std::size_t i : {0u, 13u, 40u, 77u, 120u})
    for (int axis = 0; axis < 3; ++axis) {
      const auto energyAt = [&](double d) {
        std::vector<Vec3> moved = points;
        moved[i][axis] += d;
        ball.body->setState(moved, still, ball.targets);
        return ball.body->energy(ball.targets);
      };
      const double slope = (energyAt(kStep) - energyAt(-kStep)) / (2 * kStep);
      EXPECT_NEAR(force[i][axis], -slope, 1e-5 * (1 + std::abs(slope))) << i << ' ' << axis;
    }
}

TEST(PressureBody, KeepsItsVolumeWhileItsAnchorsMove) {
  Ball ball({.bulkModulus = 200e3});
  const std::vector<Vec3> home = ball.targets;
  double worst = 0, furthest = 0;
  for (int i = 0; i < 500; ++i) {
    const double t = 0.004 * i;
    for (std::size_t k = 0; k < home.size(); ++k)  // the base widens and shifts
      ball.targets[k] = home[k] + 0.01 * std::sin(4 * t) * Vec3(1, 0.5, 0) +
                        0.1 * std::sin(3 * t) * Vec3(home[k].x(), 0, 0);
    ball.body->step(ball.targets, 0.004);
    worst = std::max(worst, std::abs(ball.body->volumeError()));
    furthest = std::max(furthest, ball.body->mesh().positions.front().norm());
  }
  EXPECT_LT(worst, 0.01);
  EXPECT_GT(furthest, kRadius);  // it did move
}

TEST(PressureBody, StaysAtRestWhenNothingMoves) {
  Ball ball;
  const std::vector<Vec3> before = ball.body->mesh().positions;
  for (int i = 0; i < 100; ++i) ball.body->step(ball.targets, 0.01);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_LT((ball.body->mesh().positions[i] - before[i]).norm(), 1e-12);
}

TEST(PressureBody, IsStableAtLongSteps) {
  Ball ball;
  for (Vec3& t : ball.targets) t += Vec3(0.02, 0, 0);  // a jump
  for (int i = 0; i < 400; ++i) ball.body->step(ball.targets, 0.02);
  EXPECT_LT(std::abs(ball.body->volumeError()), 0.01);
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : ball.body->mesh().positions)
    mean += p / static_cast<double>(ball.body->mesh().vertexCount());
  EXPECT_NEAR(mean.x(), 0.02, 2e-3);  // it went along
}

TEST(PressureBody, RefusesAnOpenSurface) {
  TriangleMesh open = makeSphere(kRadius, 1);
  open.triangles.pop_back();
  EXPECT_THROW(PressureBody(open, {}, {}), InputError);
}

}  // namespace
}  // namespace pneuma::flesh
