#include "stage/gait_share.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pneuma::stage::internal {
namespace {

constexpr double kCycle = 1.1, kBreath = 4, kRate = 25;

/// A point that breathes by 10 mm along z and sways by 4 mm along y, twice in a cycle.
struct Walker {
  std::vector<double> times;
  std::vector<std::vector<Vec3>> frames, breath;
  explicit Walker(double seconds, double sway = 0.004) {
    for (int i = 0; i / kRate <= seconds; ++i) {
      const double t = i / kRate;
      times.push_back(t);
      breath.push_back({Vec3(0, 0, 0.005 * (1 - std::cos(2 * kPi * t / kBreath)))});
      const double phase = 2 * kPi * t / kCycle;
      frames.push_back(
          {breath.back()[0] + Vec3(0, sway * (std::sin(2 * phase) + 0.3 * std::cos(phase)), 0)});
    }
  }
  double furthest() const {
    double most = 0;
    for (std::size_t k = 0; k < frames.size(); ++k)
      most = std::max(most, (frames[k][0] - breath[k][0]).norm());
    return most;
  }
};

TEST(RemoveGait, LeavesTheBreathAndTakesTheSway) {
  Walker w(20);
  EXPECT_GT(w.furthest(), 4e-3);
  removeGait(w.times, kCycle, w.frames);
  EXPECT_LT(w.furthest(), 0.35e-3);  // 20 s hold 18 cycles: what is left of the breath's own part
}

TEST(RemoveGait, ABreathWithoutSwayStaysAsItIs) {
  Walker w(20, 0);
  removeGait(w.times, kCycle, w.frames);
  EXPECT_LT(w.furthest(), 0.25e-3);
}

TEST(RemoveGait, TooShortARecordingIsLeftAlone) {
  Walker w(3);
  const auto before = w.frames;
  removeGait(w.times, kCycle, w.frames);
  EXPECT_EQ(w.frames, before);
}

TEST(RemoveGait, WholeCyclesAreLocked) {
  EXPECT_TRUE(isLocked(4.4, kCycle));
  EXPECT_TRUE(isLocked(4.43, kCycle));
  EXPECT_FALSE(isLocked(4.9, kCycle));
}

}  // namespace
}  // namespace pneuma::stage::internal
