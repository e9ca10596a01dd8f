// The synthetic upper body, 147 degrees of freedom and 814 muscles, at the paper's 7 ms.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "pneuma/core/hash.h"
#include "pneuma/core/parallel.h"
#include "pneuma/muscle/muscle_source.h"
#include "scenes/muscle_upper_body.h"
#include "tests/support/count_allocations.h"

namespace pneuma {
namespace {

constexpr double kStep = 0.007;  // [Lee09, Sec. 3.2]

struct WholeBody {
  WholeBody()
      : model(scenes::makeUpperBody({.resistance = true})),
        muscles(muscle::compileMuscles(model, scenes::upperBodyMuscles(model))),
        muscleState(muscle::makeState(muscles)),
        source(model, muscles, muscleState, kStep),
        elements(scenes::makeUpperBodyElements(model)),
        workspace(model, {&resistance, &elements, &source}),
        state(skeleton::makeState(model)) {}

  /// Smooth activations in [0, strength], different for every muscle.
  void activate(double strength) {
    for (int m = 0; m < muscles.count(); ++m) {
      const double phase = 0.7 * m + state.time * (1 + 0.5 * std::sin(3.0 * m));
      muscleState.activation[m] = 0.5 * strength * (1 + std::sin(phase));
    }
  }

  void step(double strength) {
    activate(strength);
    skeleton::stepImplicitEuler(model, state, workspace, kStep);
    muscle::advance(muscles, source.workspace(), muscleState);
  }

  std::uint64_t hash() const {
    return Hash64()
        .values({state.q.data(), std::size_t(state.q.size())})
        .values({state.v.data(), std::size_t(state.v.size())})
        .digest();
  }

  skeleton::Model model;
  muscle::MuscleModel muscles;
  muscle::MuscleState muscleState;
  muscle::MuscleSource source;
  skeleton::JointResistanceSource resistance;
  skeleton::LinkElementSource elements;
  skeleton::StepWorkspace workspace;
  skeleton::State state;
};

struct WholeExtremes {
  double energyGain = 0;  // above the start [J]
  double kinetic = 0;     // [J]
};

/// The largest in 60 s; a non-finite state throws.
WholeExtremes liveAMinuteWhole(double strength) {
  WholeBody body;
  const double start = skeleton::computeEnergy(body.model, body.state, body.workspace).total();
  WholeExtremes extremes;
  for (int i = 0; i < 8572; ++i) {
    body.step(strength);
    if (i % 20 != 0) continue;
    const auto book = skeleton::computeEnergy(body.model, body.state, body.workspace);
    extremes.energyGain = std::max(extremes.energyGain, book.total() - start);
    extremes.kinetic = std::max(extremes.kinetic, book.kinetic);
  }
  std::printf("activation up to %.1f: energy at most %.3g J above the start, kinetic %.3g J\n",
              strength, extremes.energyGain, extremes.kinetic);
  return extremes;
}

// Without activation the body only sags: gravity is the only source, so energy cannot grow.
TEST(WholeBody, RestsForAMinuteWithoutActivation) {
  const WholeExtremes extremes = liveAMinuteWhole(0);
  EXPECT_LT(extremes.energyGain, 1e-6);
  EXPECT_LT(extremes.kinetic, 50);  // 23.4 as it sags
}

// Muscles do work, but resistance takes it away again.
TEST(WholeBody, MovesForAMinuteUnderSmoothActivations) {
  const WholeExtremes extremes = liveAMinuteWhole(0.3);
  EXPECT_GT(extremes.energyGain, 0.01);
  EXPECT_LT(extremes.energyGain, 30);  // 14.7
  EXPECT_LT(extremes.kinetic, 40);     // 18.8
}

TEST(WholeBody, GivesTheSameBitsForAnyThreadCount) {
  std::uint64_t hashes[2];
  for (int threads : {1, 2}) {
    setThreadCount(threads);
    WholeBody body;
    for (int i = 0; i < 50; ++i) body.step(0.3);
    hashes[threads - 1] = body.hash();
  }
  setThreadCount(0);
  EXPECT_EQ(hashes[0], hashes[1]);
}

TEST(WholeBody, ContinuesFromASavedStateWithTheSameBits) {
  WholeBody whole, resumed;
  for (int i = 0; i < 30; ++i) whole.step(0.3);
  const skeleton::State saved = whole.state;
  const muscle::MuscleState savedMuscles = whole.muscleState;
  for (int i = 0; i < 30; ++i) whole.step(0.3);
  resumed.state = saved;
  resumed.muscleState = savedMuscles;
  for (int i = 0; i < 30; ++i) resumed.step(0.3);
  EXPECT_EQ(whole.hash(), resumed.hash());
}

TEST(WholeBody, StepsWithoutAllocating) {
  WholeBody body;
  body.step(0.3);
  const test::AllocationCount count;
  for (int i = 0; i < 5; ++i) body.step(0.3);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

}  // namespace
}  // namespace pneuma
