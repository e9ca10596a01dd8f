#include "pneuma/muscle/musculotendon.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/random.h"

namespace pneuma::muscle {
namespace {

const ZajacCurves kFibreCurves;

Musculotendon drawUnit(Random& r) {
  return {r.uniform(50, 3000), r.uniform(0.02, 0.2), r.uniform(0.01, 0.4),
          r.uniform(0, 0.6),   r.uniform(5, 12),     r.uniform() < 0.3 ? 0.0 : 0.02};
}

/// Force of the fibre along the tendon, computed apart from the solver.
double fibreForce(const Musculotendon& u, double l, double rate, double a) {
  const double n = l / u.optimalLength, v = rate / (u.maxVelocity * u.optimalLength);
  const double sine = std::min(u.optimalLength * std::sin(u.pennation) / l, 1.0);
  const double along =
      a * kFibreCurves.activeForceLength(n).value * kFibreCurves.forceVelocity(v).value +
      kFibreCurves.passiveForceLength(n).value + u.fibreDamping * v;
  return u.maxForce * std::max(along, 0.0) * std::sqrt(1 - sine * sine);
}

TEST(ElasticTendon, BalancesForAnyLengthAndActivation) {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    const Musculotendon u = drawUnit(random);
    const double rest = u.slackLength + u.optimalLength * std::cos(u.pennation);
    const double length = rest * random.uniform(0, 1.6);
    const double a = i % 5 == 0 ? 0 : random.uniform();
    const TendonEquilibrium e = solveIsometric(kFibreCurves, u, length, a);
    EXPECT_NEAR(e.sample.force, fibreForce(u, e.fibreLength, 0, a), 1e-9 * (1 + e.sample.force))
        << "length " << length << " activation " << a;
    EXPECT_LT(e.iterations, 60);
  }
}

TEST(ElasticTendon, ImplicitStepBalancesWithTheFibreVelocity) {
  Random random(4);
  double iterations = 0;
  for (int i = 0; i < 3000; ++i) {
    const Musculotendon u = drawUnit(random);
    const double rest = u.slackLength + u.optimalLength * std::cos(u.pennation);
    const double before = u.optimalLength * random.uniform(0.6, 1.4), dt = 0.007;
    const double a = i % 5 == 0 ? 0 : random.uniform();
    const TendonEquilibrium e =
        stepElastic(kFibreCurves, u, rest * random.uniform(0.7, 1.3), a, before, dt);
    const double force = fibreForce(u, e.fibreLength, (e.fibreLength - before) / dt, a);
    EXPECT_NEAR(e.sample.force, force, 1e-8 * (u.maxForce + force));
    iterations += e.iterations;
  }
  EXPECT_LT(iterations / 3000, 12);
}

TEST(ElasticTendon, DerivativesAgreeWithCentralDifferences) {
  Random random(5);
  int compared = 0;
  for (int i = 0; i < 1000; ++i) {
    const Musculotendon u = drawUnit(random);
    const double rest = u.slackLength + u.optimalLength * std::cos(u.pennation);
    const double length = rest * random.uniform(1, 1.1), a = random.uniform(0.05, 0.9);
    const double before = u.optimalLength * random.uniform(0.8, 1.2), h = 1e-6 * rest;
    const auto at = [&](double dl, double da) {
      return stepElastic(kFibreCurves, u, length + dl, a + da, before, 0.007).sample;
    };
    const ForceSample s = at(0, 0);
    if (std::abs(at(h, 0).dLength - at(-h, 0).dLength) > 2e-3 * std::abs(s.dLength)) continue;
    ++compared;
    EXPECT_NEAR((at(h, 0).force - at(-h, 0).force) / (2 * h), s.dLength,
                1e-5 * (u.maxForce / rest + std::abs(s.dLength)));
    EXPECT_NEAR((at(0, 1e-6).force - at(0, -1e-6).force) / 2e-6, s.dActivation, 1e-5 * u.maxForce);
  }
  EXPECT_GT(compared, 900);
}

TEST(ElasticTendon, StiffTendonGivesTheRigidForce) {
  const ZajacCurves stiff({.tendonStrain = 1e-6, .tendonStiffness = 1.2375e6});
  const Musculotendon u{
      .maxForce = 800, .optimalLength = 0.08, .slackLength = 0.1, .pennation = 0.3};
  for (double length = 0.14; length < 0.22; length += 0.004)
    EXPECT_NEAR(solveIsometric(stiff, u, length, 0.7).sample.force,
                evaluateForce(stiff, u, length, 0, 0.7).force, 0.05);
}

TEST(ElasticTendon, StepsSettleToTheIsometricForce) {
  const Musculotendon u{.maxForce = 600, .optimalLength = 0.1, .slackLength = 0.2};
  double fibre = 0.1;
  TendonEquilibrium e;
  for (int i = 0; i < 400; ++i) {
    e = stepElastic(kFibreCurves, u, 0.3, 0.6, fibre, 0.007);
    fibre = e.fibreLength;
  }
  EXPECT_NEAR(e.sample.force, solveIsometric(kFibreCurves, u, 0.3, 0.6).sample.force, 1e-6);
}

TEST(ElasticTendon, ExplicitVelocityIsTheLimitOfTheImplicitStep) {
  const Musculotendon u{
      .maxForce = 600, .optimalLength = 0.1, .slackLength = 0.2, .pennation = 0.2};
  const double fibre = 0.098, dt = 1e-8;
  const double rate = fibreVelocity(kFibreCurves, u, 0.302, 0.5, fibre);
  const TendonEquilibrium e = stepElastic(kFibreCurves, u, 0.302, 0.5, fibre, dt);
  EXPECT_NEAR((e.fibreLength - fibre) / dt, rate, 1e-3 * std::abs(rate) + 1e-5);
}

TEST(ElasticTendon, IsSlackWithoutFailingWhenTheUnitIsTooShort) {
  const Musculotendon u{.slackLength = 0.2};
  for (double length : {0.0, 0.1, 0.2}) {
    EXPECT_EQ(solveIsometric(kFibreCurves, u, length, 1).sample.force, 0);
    EXPECT_EQ(stepElastic(kFibreCurves, u, length, 1, 0.1, 0.007).sample.force, 0);
  }
}

TEST(Pennation, ReducesTheForceByTheCosine) {
  Musculotendon u{.maxForce = 1000, .optimalLength = 0.1, .slackLength = 0.05, .pennation = 0.5};
  const double length = 0.05 + 0.1 * std::cos(0.5);
  EXPECT_NEAR(evaluateForce(kFibreCurves, u, length, 0, 1).force, 1000 * std::cos(0.5), 1e-9);
}

}  // namespace
}  // namespace pneuma::muscle
