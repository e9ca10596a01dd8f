#include "pneuma/skeleton/pose_track.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/random.h"
#include "pneuma/skeleton/configuration.h"
#include "tests/support/count_allocations.h"
#include "tests/support/human_body.h"

namespace pneuma::skeleton {
namespace {

const Model& wholeBody() {
  return test::humanBody("whole").model;
}

struct Keys {
  std::vector<double> times;
  std::vector<VecX> q;
};

/// Smooth motion of every freedom, the root turning about itself all the while.
Keys waving(int count, double duration) {
  const Model& model = wholeBody();
  Random random(5);
  VecX amplitude(model.dofCount()), phase(model.dofCount());
  for (int j = 0; j < model.dofCount(); ++j)
    amplitude[j] = 0.3 * random.normal(), phase[j] = 6 * random.uniform();
  Keys keys;
  for (int i = 0; i < count; ++i) {
    const double t = duration * i / (count - 1);
    VecX step(model.dofCount()), q = model.neutral;
    for (int j = 0; j < step.size(); ++j) step[j] = amplitude[j] * std::sin(2 * t + phase[j]);
    step[4] = 5 * t;  // more than a whole turn
    integrateConfiguration(model, step, q);
    keys.times.push_back(3 + t);
    keys.q.push_back(q);
  }
  return keys;
}

struct Sample {
  VecX q, v, vDot;
  Sample(const PoseTrack& track, double t)
      : q(wholeBody().positionCount()), v(wholeBody().dofCount()), vDot(wholeBody().dofCount()) {
    track.sample(t, q, v, vDot);
  }
};

class Track : public testing::TestWithParam<TrackKind> {};

TEST_P(Track, PassesThroughItsKeysAndHoldsTheLast) {
  const Keys keys = waving(40, 2);
  const PoseTrack track(wholeBody(), keys.times, keys.q, {.kind = GetParam()});
  EXPECT_NEAR(track.duration(), 2, 1e-12);
  for (std::size_t i = 0; i < keys.q.size(); ++i) {
    const Sample s(track, keys.times[i] - keys.times[0]);
    EXPECT_LT(configurationDifference(wholeBody(), keys.q[i], s.q).norm(), 1e-9);
  }
  const Sample after(track, 5);
  EXPECT_LT(configurationDifference(wholeBody(), keys.q.back(), after.q).norm(), 1e-12);
  EXPECT_EQ(after.v.norm() + after.vDot.norm(), 0);
}

// Judged by central differences of fourth order, which are good to 1e-7 of the largest entry here.
TEST_P(Track, VelocityAndAccelerationAreTheDerivatives) {
  const Keys keys = waving(12, 2);
  const PoseTrack track(wholeBody(), keys.times, keys.q, {.kind = GetParam()});
  const double h = 1e-4;
  for (const double t : {0.31, 0.77, 1.43, 1.9}) {
    const Sample at(track, t), a(track, t - h), b(track, t + h), a2(track, t - 2 * h),
        b2(track, t + 2 * h);
    const VecX slope = (8 * (configurationDifference(wholeBody(), at.q, b.q) -
                             configurationDifference(wholeBody(), at.q, a.q)) -
                        (configurationDifference(wholeBody(), at.q, b2.q) -
                         configurationDifference(wholeBody(), at.q, a2.q))) /
                       (12 * h);
    EXPECT_LT((slope - at.v).norm(), 1e-6 * at.v.norm());
    const VecX push = (8 * (b.v - a.v) - (b2.v - a2.v)) / (12 * h);
    EXPECT_LT((push - at.vDot).norm(), 1e-6 * at.vDot.norm());
  }
}

TEST_P(Track, VelocityAndAccelerationAreContinuousAtEveryKey) {
  const Keys keys = waving(12, 2);
  const PoseTrack track(wholeBody(), keys.times, keys.q, {.kind = GetParam()});
  for (std::size_t i = 1; i + 1 < keys.times.size(); ++i) {
    const double t = keys.times[i] - keys.times[0], e = 1e-9;
    const Sample before(track, t - e), after(track, t + e);
    EXPECT_LT((before.v - after.v).norm(), 1e-6);
    // The jerk of an eased way is 60 |step| / h^3, some 1.5e4 here, over 2e-9 s.
    EXPECT_LT((before.vDot - after.vDot).norm(), 1e-4);
  }
}

TEST_P(Track, SamplesWithoutAllocating) {
  const Keys keys = waving(12, 2);
  const PoseTrack track(wholeBody(), keys.times, keys.q, {.kind = GetParam()});
  Sample s(track, 0);
  const test::AllocationCount count;
  for (int i = 0; i < 20; ++i) track.sample(0.1 * i, s.q, s.v, s.vDot);
  EXPECT_EQ(count.sinceConstruction(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Track, testing::Values(TrackKind::Spline, TrackKind::Ease),
                         [](const auto& test) {
                           return test.param == TrackKind::Spline ? "Spline" : "Ease";
                         });

TEST(Track, EaseIsStillAtEveryKeyAndNeverOvershoots) {
  Keys keys = waving(3, 2);
  const PoseTrack track(wholeBody(), keys.times, keys.q, {.kind = TrackKind::Ease});
  EXPECT_LT(Sample(track, 1).v.norm(), 1e-12);
  const int p =
      wholeBody().links[static_cast<std::size_t>(wholeBody().linkIndex("ulna_l"))].firstPosition;
  const double low = std::min(keys.q[0][p], keys.q[1][p]),
               high = std::max(keys.q[0][p], keys.q[1][p]);
  for (int i = 0; i <= 100; ++i) {
    const double value = Sample(track, 0.01 * i).q[p];
    EXPECT_GE(value, low - 1e-12);
    EXPECT_LE(value, high + 1e-12);
  }
}

TEST(Track, OneKeyIsAPoseThatIsHeld) {
  const std::vector<double> times{7};
  const std::vector<VecX> q{wholeBody().neutral};
  const PoseTrack track(wholeBody(), times, q);
  EXPECT_EQ(track.duration(), 0);
  for (const double t : {-1.0, 0.0, 2.0}) {
    EXPECT_EQ(Sample(track, t).q, wholeBody().neutral);
    EXPECT_EQ(Sample(track, t).v.norm(), 0);
  }
}

/// A gait of 0.9 s that goes ahead at 1.3 m/s along a slightly curved path, with a trend that keeps
/// it from repeating exactly.
Keys gait(double duration, double trend) {
  const Model& model = wholeBody();
  Keys keys;
  const int knee = model.links[static_cast<std::size_t>(model.linkIndex("tibia_l"))].firstDof;
  const int hip = model.links[static_cast<std::size_t>(model.linkIndex("femur_r"))].firstDof;
  const int arm = model.links[static_cast<std::size_t>(model.linkIndex("humerus_l"))].firstDof;
  for (int i = 0; i <= static_cast<int>(duration * 100); ++i) {
    const double t = 0.01 * i, phase = 2 * kPi * t / 0.9, heading = 0.05 * t;
    VecX step = VecX::Zero(model.dofCount()), q = model.neutral;
    step[0] = 1.3 * t * std::sin(heading), step[2] = 1.3 * t * std::cos(heading);
    step[1] = 0.02 * std::sin(2 * phase);
    step[4] = heading + 0.1 * std::sin(phase);
    step[knee] = 0.5 + 0.5 * std::sin(phase) + trend * t;
    step[hip] = 0.4 * std::cos(phase) - trend * t;
    step[arm] = 0.4 * std::cos(phase);
    integrateConfiguration(model, step, q);
    keys.times.push_back(t);
    keys.q.push_back(q);
  }
  return keys;
}

TEST(GaitLoop, FindsThePeriodOfAGait) {
  const Keys keys = gait(2.6, 0.02);
  const GaitCycle cycle = findCycle(wholeBody(), keys.times, keys.q);
  EXPECT_NEAR(keys.times[cycle.end] - keys.times[cycle.begin], 0.9, 0.011);
}

TEST(GaitLoop, ClosesSmoothlyAndKeepsItsTravelStraightAhead) {
  const Keys keys = gait(2.6, 0.02);
  const PoseTrack loop = makeLoop(wholeBody(), keys.times, keys.q);
  const double T = loop.duration();
  EXPECT_NEAR(loop.travel().norm() / T, 1.3, 0.03);
  EXPECT_EQ(loop.travel().y(), 0);
  const double e = 1e-9;
  const Sample before(loop, T - e), after(loop, T + e), start(loop, 0);
  EXPECT_LT(configurationDifference(wholeBody(), before.q, after.q).norm(), 1e-7);
  EXPECT_LT((before.v - after.v).norm(), 1e-5);
  EXPECT_LT((before.vDot - after.vDot).norm(), 1e-3);
  // The seam must not cost more acceleration than the gait itself has.
  double within = 0, seam = 0;
  for (int i = 0; i < 200; ++i) {
    const double t = T * i / 200, a = Sample(loop, t).vDot.norm();
    (t > 0.2 * T && t < 0.7 * T ? within : seam) =
        std::max(t > 0.2 * T && t < 0.7 * T ? within : seam, a);
  }
  EXPECT_LT(seam, 2 * within);
  for (const double t : {0.1, 0.6}) {
    const Sample a(loop, t), b(loop, t + 5 * T);
    EXPECT_LT((b.q.head<3>() - a.q.head<3>() - 5 * loop.travel()).norm(), 1e-9);
    EXPECT_LT((b.q.tail(b.q.size() - 3) - a.q.tail(a.q.size() - 3)).norm(), 1e-9);
    EXPECT_LT((b.v - a.v).norm(), 1e-8);
  }
}

TEST(GaitLoop, AMotionThatIsTooShortSaysSo) {
  const Keys keys = gait(0.4, 0);
  EXPECT_THROW(makeLoop(wholeBody(), keys.times, keys.q), InputError);
}

}  // namespace
}  // namespace pneuma::skeleton
