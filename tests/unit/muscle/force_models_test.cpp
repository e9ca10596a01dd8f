// Checks shared by all force models: derivatives, sign, and what each paper states.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "pneuma/muscle/linear_hill.h"
#include "pneuma/muscle/musculotendon.h"
#include "pneuma/muscle/spring_element.h"

namespace pneuma::muscle {
namespace {

const ZajacCurves kCurves;

/// A model under test: parameters drawn at random, evaluated through the common interface.
template <class P>
struct Case;

template <>
struct Case<SpringElement> {
  static SpringElement draw(Random& r) {
    return {r.uniform(10, 500), r.uniform(10, 500), r.uniform(0, 20), 0.1, r.uniform(0.6, 1)};
  }
  static ForceSample evaluate(const SpringElement& p, double l, double v, double a) {
    return evaluateForce(p, l, v, a);
  }
};

template <>
struct Case<LinearHill> {
  static LinearHill draw(Random& r) { return makeLinearHill(0.1, r.uniform(1e-5, 1e-3)); }
  static ForceSample evaluate(const LinearHill& p, double l, double v, double a) {
    return evaluateForce(p, l, v, a);
  }
};

template <>
struct Case<Musculotendon> {
  static Musculotendon draw(Random& r) {
    return {r.uniform(50, 1500), 0.06, r.uniform(0.02, 0.05), r.uniform(0, 0.6), 10, 0.02};
  }
  static ForceSample evaluate(const Musculotendon& p, double l, double v, double a) {
    return evaluateForce(kCurves, p, l, v, a);
  }
};

template <class P>
class ForceModel : public testing::Test {};
using Models = testing::Types<SpringElement, LinearHill, Musculotendon>;
TYPED_TEST_SUITE(ForceModel, Models);

TYPED_TEST(ForceModel, DerivativesAgreeWithCentralDifferences) {
  using C = Case<TypeParam>;
  Random random(7);
  int compared = 0;
  for (int i = 0; i < 2000; ++i) {
    const TypeParam p = C::draw(random);
    const double l = random.uniform(0.05, 0.16), v = random.uniform(-0.6, 0.6);
    const double a = random.uniform(0.01, 1), h = 1e-7;
    const ForceSample s = C::evaluate(p, l, v, a);
    const auto f = [&](double dl, double dv, double da) {
      return C::evaluate(p, l + dl, v + dv, a + da);
    };
    // Skip the corners of the models: the slopes on both sides must agree.
    const auto corner = [&](double dl, double dv) {
      const ForceSample x = f(dl, dv, 0), y = f(-dl, -dv, 0);
      return std::abs(x.dLength - y.dLength) > 0.01 * (1 + std::abs(s.dLength)) ||
             std::abs(x.dVelocity - y.dVelocity) > 0.01 * (1 + std::abs(s.dVelocity));
    };
    if (corner(2 * h, 0) || corner(0, 2 * h)) continue;
    ++compared;
    const double scale = 1 + std::abs(s.force);
    EXPECT_NEAR((f(h, 0, 0).force - f(-h, 0, 0).force) / (2 * h), s.dLength,
                1e-6 * (scale + std::abs(s.dLength)));
    EXPECT_NEAR((f(0, h, 0).force - f(0, -h, 0).force) / (2 * h), s.dVelocity,
                1e-6 * (scale + std::abs(s.dVelocity)));
    EXPECT_NEAR((f(0, 0, h).force - f(0, 0, -h).force) / (2 * h), s.dActivation, 1e-6 * scale);
  }
  EXPECT_GT(compared, 1900);
}

TYPED_TEST(ForceModel, NeverPushes) {
  using C = Case<TypeParam>;
  Random random(8);
  for (int i = 0; i < 5000; ++i) {
    const TypeParam p = C::draw(random);
    const ForceSample s =
        C::evaluate(p, random.uniform(0, 0.3), random.uniform(-5, 5), random.uniform(0, 1));
    EXPECT_GE(s.force, 0);
    EXPECT_GE(s.dVelocity, 0);
    EXPECT_TRUE(std::isfinite(s.dLength + s.dActivation));
  }
}

TEST(SpringElement, FollowsEquationsOneAndTwo) {
  const SpringElement e{.activeStiffness = 50,
                        .passiveStiffness = 20,
                        .damping = 3,
                        .restLength = 0.1,
                        .contraction = 0.8};
  // Eq. 1: alpha = 0.
  EXPECT_NEAR(evaluateForce(e, 0.13, 0.1, 0).force, 20 * 0.03 + 3 * 0.1, 1e-15);
  // Eq. 2.
  EXPECT_NEAR(evaluateForce(e, 0.09, -0.01, 0.6).force,
              0.6 * 50 * (0.09 - 0.08) + 20 * (0.09 - 0.1) - 0.03, 1e-15);
  // Compression and fast shortening give nothing.
  EXPECT_EQ(evaluateForce(e, 0.07, 0, 1).force, 0);
  EXPECT_EQ(evaluateForce(e, 0.1, -10, 1).force, 0);
}

TEST(LinearHill, HasThePapersConstants) {
  const double area = 2e-4, length = 0.12;
  const LinearHill m = makeLinearHill(length, area);
  const double strength = 3e5 * area;
  EXPECT_NEAR(m.passiveForce, 0.8 * strength, 1e-12);
  EXPECT_NEAR(m.passiveDamping, 0.08 * strength, 1e-12);
  EXPECT_NEAR(m.minimumLength, 0.3 * length, 1e-15);
  EXPECT_NEAR(m.maximumVelocity, 8 * length, 1e-15);
  EXPECT_EQ(m.passiveExponent, 6);
  // Full activation at slack length gives the strength of the cross section.
  EXPECT_NEAR(evaluateForce(m, length, 0, 1).force, strength, 1e-11);
  // Eq. 1 at 10 % strain, Eq. 2 at half the maximum velocity.
  EXPECT_NEAR(evaluateForce(m, 1.1 * length, 0, 0).force, 0.8 * strength * std::expm1(0.6), 1e-10);
  const ForceSample half = evaluateForce(m, 0.9 * length, -4 * length, 1);
  EXPECT_NEAR(half.force, strength * (0.6 / 0.7) * 0.5, 1e-10);
  EXPECT_EQ(evaluateForce(m, 0.29 * length, 0, 1).force, 0);
}

TEST(Exponential, IsAccurateToTheLastBits) {
  for (double x = -30; x < 30; x += 0.0137)
    EXPECT_NEAR(internal::exponential(x) / std::exp(x), 1, 5e-16) << x;
}

TEST(ForceModels, RefuseParametersOutOfRange) {
  EXPECT_THROW(validate(SpringElement{.restLength = 0}), InputError);
  EXPECT_THROW(validate(SpringElement{.contraction = 1.2}), InputError);
  EXPECT_THROW(makeLinearHill(-1, 1e-4), InputError);
  EXPECT_THROW(makeLinearHill(0.1, 0), InputError);
  EXPECT_THROW(validate(Musculotendon{.maxForce = -3}, false), InputError);
  EXPECT_THROW(validate(Musculotendon{.slackLength = 0}, true), InputError);
}

}  // namespace
}  // namespace pneuma::muscle
