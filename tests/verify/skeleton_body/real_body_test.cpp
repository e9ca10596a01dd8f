// The body of the file, 147 degrees of freedom and 814 muscles, for a minute at the paper's 7 ms.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/muscle/driven_body.h"
#include "tests/support/count_allocations.h"

namespace pneuma {
namespace {

constexpr int kStepsPerMinute = 8572;

muscle::DrivenBody makeUpperBody() {
  const anatomy::Body body = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
  return muscle::DrivenBody(anatomy::compileBody(body, "upper-body").valueOrThrow());
}

/// Smooth excitations in [0, strength] with a rhythm of its own for every muscle.
void excite(double time, double strength, std::vector<double>& excitations) {
  for (std::size_t m = 0; m < excitations.size(); ++m) {
    const double rate = 0.2 + 0.6 * std::fmod(m * std::numbers::phi, 1.0);  // [1/s]
    excitations[m] = 0.5 * strength * (1 + std::sin(2 * std::numbers::pi * rate * time + 0.7 * m));
  }
}

struct Extremes {
  double energyGain = 0;  // above the start [J]
  double kinetic = 0;     // [J]
};

/// A non-finite state throws.
Extremes liveAMinute(double strength) {
  muscle::DrivenBody body = makeUpperBody();
  std::vector<double> excitations(static_cast<std::size_t>(body.muscles().count()), 0.0);
  EXPECT_EQ(body.muscles().count(), 814);
  EXPECT_EQ(body.model().dofCount(), 147);
  body.refresh();
  const double start = body.energy().total();
  Extremes extremes;
  for (int i = 0; i < kStepsPerMinute; ++i) {
    excite(body.state().skeleton.time, strength, excitations);
    body.step(excitations);
    if (i % 20 != 0) continue;
    const skeleton::EnergyBook book = body.energy();
    extremes.energyGain = std::max(extremes.energyGain, book.total() - start);
    extremes.kinetic = std::max(extremes.kinetic, book.kinetic);
  }
  std::printf("excitation up to %.1f: energy at most %.3g J above the start, kinetic %.3g J\n",
              strength, extremes.energyGain, extremes.kinetic);
  return extremes;
}

// Gravity and slack muscles only: the body sags into its limits and never gains energy.
TEST(RealBody, RestsForAMinuteWithoutExcitation) {
  EXPECT_LT(liveAMinute(0).energyGain, 1e-6);
}

TEST(RealBody, MovesForAMinuteUnderSmoothExcitations) {
  const Extremes extremes = liveAMinute(0.3);
  EXPECT_GT(extremes.kinetic, 1e-3);   // it does move
  EXPECT_LT(extremes.kinetic, 62);     // 31.1 with the strength of people
  EXPECT_LT(extremes.energyGain, 53);  // 26.4
}

TEST(RealBody, StepsWithoutAllocating) {
  muscle::DrivenBody body = makeUpperBody();
  const std::vector<double> excitations(static_cast<std::size_t>(body.muscles().count()), 0.2);
  body.step(excitations);
  const test::AllocationCount count;
  for (int i = 0; i < 5; ++i) body.step(excitations);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

}  // namespace
}  // namespace pneuma
