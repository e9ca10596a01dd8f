#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "pneuma/core/check.h"
#include "pneuma/core/error.h"
#include "pneuma/core/hash.h"
#include "pneuma/core/log.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/random.h"
#include "pneuma/core/spatial.h"
#include "tests/support/count_allocations.h"

namespace pneuma {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(AllocationCount, SeesNewAndEigen) {
  const test::AllocationCount count;
  const auto number = std::make_unique<int>(3);
  EXPECT_EQ(count.sinceConstruction(), 1u);
  const VecX v = VecX::Constant(100, *number);
  EXPECT_EQ(count.sinceConstruction(), 2u);
  EXPECT_EQ(v[0], 3);
}
#endif

TEST(Diagnostic, NamesFileLineFieldValueExpectationAndNearestName) {
  const Diagnostic d{.where = {"torso.toml", 214, 12},
                     .subject = "muscle 'scalene_ant_l'",
                     .field = "origin",
                     .message = "unknown bone 'rib_o1_l'",
                     .expected = "the name of a bone",
                     .nearest = "rib_01_l"};
  EXPECT_EQ(d.toString(),
            "torso.toml:214:12: muscle 'scalene_ant_l': field 'origin': unknown bone 'rib_o1_l'; "
            "expected the name of a bone (did you mean 'rib_01_l'?)");
}

TEST(NearestName, FindsTypingMistakesButDoesNotGuess) {
  const std::vector<std::string> names{"breathe", "body", "move", "muscle", "render", "reproduce"};
  EXPECT_EQ(nearestName("braethe", names), "breathe");
  EXPECT_EQ(nearestName("Bodi", names), "body");
  EXPECT_EQ(nearestName("repro", names), "reproduce");
  EXPECT_EQ(nearestName("zzzzz", names), "");
  EXPECT_EQ(nearestName("", names), "");
}

TEST(Result, ThrowsAllItsDiagnosticsWhenThereIsNoValue) {
  const Result<int> good(3);
  EXPECT_TRUE(good.ok());
  Result<int> bad(std::vector<Diagnostic>{{.message = "first"}, {.message = "second"}});
  EXPECT_FALSE(bad.ok());
  try {
    bad.valueOrThrow();
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "first\nsecond");
    EXPECT_EQ(e.diagnostics().size(), 2u);
  }
}

TEST(Check, SaysConditionAndValues) {
  try {
    const int i = 3;
    PNEUMA_CHECK(i < 2, "i = {}", i);
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("i < 2 does not hold: i = 3"), std::string::npos)
        << e.what();
  }
}

/// A sum whose rounding depends on the order of its terms.
std::uint64_t hashOfParallelWork(int threads) {
  setThreadCount(threads);
  std::vector<double> values(100003);
  parallelFor(values.size(), 1000, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      values[i] = 1.0 / (1.0 + static_cast<double>(i * 7919 % 1000));
  });
  const double sum =
      parallelReduce(values.size(), 1000, 0.0, [&](std::size_t begin, std::size_t end) {
        double s = 0;
        for (std::size_t i = begin; i < end; ++i) s += values[i];
        return s;
      });
  setThreadCount(0);
  return Hash64().values(values).value(sum).digest();
}

TEST(Parallel, SameBitsForOneTwoAndFourThreads) {
  const std::uint64_t one = hashOfParallelWork(1);
  EXPECT_EQ(one, hashOfParallelWork(2));
  EXPECT_EQ(one, hashOfParallelWork(4));
}

TEST(Parallel, CoversEveryItemOnce) {
  for (const std::size_t count : {0u, 1u, 9u, 10u, 11u, 1000u}) {
    std::vector<int> touched(count, 0);
    parallelFor(count, 10, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) ++touched[i];
    });
    for (const int t : touched) EXPECT_EQ(t, 1);
  }
}

TEST(Hash64, MatchesThePublishedFnvVectors) {
  EXPECT_EQ(Hash64().hex(), "cbf29ce484222325");
  EXPECT_EQ(Hash64().bytes("a", 1).hex(), "af63dc4c8601ec8c");
  EXPECT_EQ(Hash64().bytes("foobar", 6).hex(), "85944171f73967e8");
}

TEST(Random, HasTheMomentsOfItsDistributions) {
  Random random(42);
  const int n = 200000;
  double sum = 0, squares = 0, uniform = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    uniform += random.uniform(2, 4);
  }
  // Three standard errors of the mean, of the variance and of the uniform mean.
  EXPECT_NEAR(sum / n, 0, 3.0 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 3 * std::sqrt(2.0 / n));
  EXPECT_NEAR(uniform / n, 3, 3 * std::sqrt(4.0 / 12 / n));
}

TEST(Log, ReachesTheSinkAndNowhereElse) {
  std::string seen;
  const LogSink old = setLogSink([&](LogLevel, std::string_view m) { seen += m; });
  logWarning("dome inverted");
  setLogSink(old);
  EXPECT_EQ(seen, "dome inverted");
}

Pose randomPose(Random& random) {
  const Quat q(random.normal(), random.normal(), random.normal(), random.normal());
  return {q.normalized().toRotationMatrix(),
          Vec3(random.normal(), random.normal(), random.normal())};
}

TEST(Spatial, PowerDoesNotDependOnTheFrame) {
  Random random(1);
  for (int i = 0; i < 20; ++i) {
    const Pose X = randomPose(random);
    Vec6 m, f;
    for (int k = 0; k < 6; ++k) {
      m[k] = random.normal();
      f[k] = random.normal();
    }
    EXPECT_NEAR(transformMotion(X, m).dot(transformForce(X, f)), m.dot(f), 1e-12);
    // The force cross product is minus the transpose of the motion cross product.
    EXPECT_NEAR(crossMotion(m, m).norm(), 0, 1e-14);
    EXPECT_NEAR(crossForce(m, f).dot(m), 0, 1e-12);
  }
}

TEST(Spatial, InertiaTransformsAndAddsLikeTheMatrices) {
  Random random(2);
  const RigidInertia a{2.0, Vec3(0.1, -0.2, 0.3), Vec3(0.3, 0.4, 0.5).asDiagonal()};
  const RigidInertia b{0.7, Vec3(-1, 0.5, 0.2), Vec3(0.1, 0.15, 0.2).asDiagonal()};
  EXPECT_NEAR(((a + b).matrix() - a.matrix() - b.matrix()).norm(), 0, 1e-13);
  const Pose X = randomPose(random);
  Vec6 m;
  for (int k = 0; k < 6; ++k) m[k] = random.normal();
  const Vec6 moved = transformMotion(X, m);
  const double energyHere = 0.5 * m.dot(a.matrix() * m);
  const double energyThere = 0.5 * moved.dot(a.transformed(X).matrix() * moved);
  EXPECT_NEAR(energyHere, energyThere, 1e-12);
}

}  // namespace
}  // namespace pneuma
