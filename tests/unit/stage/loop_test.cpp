#include "pneuma/stage/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"

namespace pneuma::stage {
namespace {

/// Breaths of given depth [m^3] and 4 s, sampled at 25 per second, with a pause of 1 s after each.
struct Volumes {
  std::vector<double> times, values;
  explicit Volumes(const std::vector<double>& depths, double begin = 0, double drift = 0) {
    for (double t = begin; t < 4 * static_cast<double>(depths.size()) - 1e-9; t += 0.04) {
      const auto breath = static_cast<std::size_t>(t / 4 + 1e-9);
      const double phase = std::min((t - 4 * static_cast<double>(breath)) / 3, 1.0);
      times.push_back(t - begin);
      values.push_back(depths[breath] * 0.5 * (1 - std::cos(2 * kPi * phase)) + drift * t);
    }
  }
};

TEST(Loop, CutsAtTheBeginningOfBreathsAndKeepsThePauseAtTheirEnd) {
  const Volumes v({5e-4, 5e-4, 5e-4, 5e-4}, 1.5);  // begins within a breath
  const LoopCut cut = cutWholeBreaths(v.times, v.values);
  EXPECT_EQ(cut.cycles, 3);              // the first is not whole
  EXPECT_NEAR(cut.begin + 1.5, 4, 0.2);  // a little late: 2 % of the swing above the pause
  const LoopCut two = cutWholeBreaths(v.times, v.values, 2);
  EXPECT_NEAR(two.end - two.begin, 8, 1e-9);
}

TEST(Loop, CountsAnUnevenBreathOnceAndIgnoresNoise) {
  Volumes v({5e-4, 2e-4, 9e-4, 3e-4, 5e-4, 5e-4});
  for (std::size_t i = 0; i < v.values.size(); ++i) v.values[i] += (i % 3 == 0 ? 1 : -1) * 1.5e-5;
  EXPECT_EQ(cutWholeBreaths(v.times, v.values).cycles, 6);
}

TEST(Loop, ChoosesThePlaceWithTheLeastDifference) {
  Volumes v({5e-4, 5e-4, 5e-4, 5e-4, 5e-4});
  for (std::size_t i = 0; i < v.times.size(); ++i)
    if (v.times[i] < 9) v.values[i] -= 2e-5 * (9 - v.times[i]);  // settles
  const LoopCut cut = cutWholeBreaths(v.times, v.values, 1);
  EXPECT_EQ(cut.cycles, 1);
  EXPECT_GT(cut.begin, 9);
}

TEST(Loop, SaysWhyThereIsNoLoop) {
  const Volumes one({5e-4});
  try {
    cutWholeBreaths(one.times, one.values, 2);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("hold 1 whole breaths"));
    EXPECT_THAT(e.what(), ::testing::HasSubstr("2 or more; record longer"));
  }
  const std::vector<double> times = {0, 1, 2, 3}, flat(4, 1.0), back = {0, 1, 1, 2};
  EXPECT_THROW(cutWholeBreaths(times, flat), InputError);
  EXPECT_THROW(cutWholeBreaths(back, flat), InputError);
  EXPECT_THROW(cutWholeBreaths(times, std::vector<double>(3, 1.0)), InputError);
  EXPECT_THROW(cutWholeBreaths(times, std::vector<double>{0, 1, std::nan(""), 0}), InputError);
  EXPECT_THROW(Loop(times, {0, 2}, 0), InputError);
  EXPECT_THROW(Loop(times, {0, 9}, 25), InputError);
}

TEST(Loop, EndsOnAWholeFrameWithTheFirstKeyAgain) {
  const Volumes v({5e-4, 6e-4, 4e-4, 5e-4, 5e-4}, 0, 1e-5);
  const Loop loop(v.times, cutWholeBreaths(v.times, v.values), 24);
  const double frames = loop.period() * 24;
  EXPECT_NEAR(frames, std::round(frames), 1e-9);
  EXPECT_NEAR(loop.stretch(), 1, 0.5 / frames + 1e-9);
  const std::vector<double> keys = loop.closed(v.values, 1);
  EXPECT_EQ(keys.front(), keys.back());
  // And it goes on at the speed at which it began, where the recording jumps.
  const double arrives = keys[keys.size() - 1] - keys[keys.size() - 2], leaves = keys[1] - keys[0];
  EXPECT_NEAR(arrives, leaves, 2e-3 * 5e-4);
  // The correction is no larger than what it corrects.
  const double gap = std::abs(1e-5 * (loop.cut().end - loop.cut().begin));
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const Loop::Place& p = loop.place(k);
    const double was = (1 - p.share) * v.values[p.first] + p.share * v.values[p.first + 1];
    EXPECT_LE(std::abs(keys[k] - was), 1.3 * gap);
  }
}

/// A walk: two joints swing with a cycle, the root travels forward, rises and sinks, and drifts.
struct Walk {
  std::vector<double> times;
  std::vector<std::vector<Pose>> poses;
  Walk(double cycle, double seconds, double drift) {
    for (double t = 0; t < seconds; t += 1.0 / 60) {
      const double phase = 2 * kPi * t / cycle;
      const auto turn = [](double a, const Vec3& axis) { return Mat3(Eigen::AngleAxisd(a, axis)); };
      times.push_back(t);
      poses.push_back(
          {{turn(drift * t, Vec3::UnitY()), Vec3(0, 0.9 + 0.02 * std::cos(2 * phase), 1.2 * t)},
           {turn(0.5 * std::sin(phase) + 0.1 * drift * t, Vec3::UnitX()), Vec3(0, -0.1, 0)},
           {turn(0.4 * std::cos(phase), Vec3::UnitX()), Vec3(0, -0.5, 0)}});
    }
  }
  std::vector<Pose> joint(std::size_t j) const {
    std::vector<Pose> list;
    for (const auto& row : poses) list.push_back(row[j]);
    return list;
  }
};

TEST(Loop, ClosesAGaitAndKeepsItsTravel) {
  const Walk walk(1.1, 2.6, 0.05);
  const Loop loop(walk.times, {0.21, 0.21 + 2 * 1.1}, 30);
  const std::vector<Pose> root = loop.closed(walk.joint(0), true), leg = loop.closed(walk.joint(1));
  EXPECT_NEAR(root.back().position.z() - root.front().position.z(),
              1.2 * (loop.cut().end - loop.cut().begin), 1e-6);
  EXPECT_EQ(root.back().position.y(), root.front().position.y());
  EXPECT_EQ(root.back().rotation, root.front().rotation);
  EXPECT_EQ(leg.back().rotation, leg.front().rotation);
  EXPECT_EQ(leg.back().position, leg.front().position);
  const std::size_t n = leg.size() - 1;
  const Mat3 arrives = leg[n - 1].rotation.transpose() * leg[n].rotation;
  const Mat3 leaves = leg[0].rotation.transpose() * leg[1].rotation;
  EXPECT_NEAR(Eigen::AngleAxisd(arrives.transpose() * leaves).angle(), 0, 3e-3);
  for (const Pose& X : leg)
    EXPECT_NEAR((X.rotation.transpose() * X.rotation - Mat3::Identity()).norm(), 0, 1e-12);
  // Without travel the root comes back to where it was.
  EXPECT_EQ(loop.closed(walk.joint(0)).back().position, root.front().position);
}

TEST(Loop, ARecordingWithoutAWholeBreathIsShownAsItIs) {
  std::vector<double> times, volumes;
  for (int i = 0; i <= 50; ++i) {
    times.push_back(0.04 * i);
    volumes.push_back(2.5e-3 + 1e-4 * i);  // one breath in, no end
  }
  const LoopCut cut = cutBreathsOrAll(times, volumes);
  EXPECT_EQ(cut.cycles, 0);
  const Loop loop(times, cut, 25);
  EXPECT_FALSE(loop.closes());
  const std::vector<double> keys = loop.closed(volumes, 1);
  ASSERT_EQ(keys.size(), volumes.size());
  for (std::size_t k = 0; k < keys.size(); ++k) EXPECT_NEAR(keys[k], volumes[k], 1e-12);
  std::vector<Pose> poses(times.size());
  poses.back().position.x() = 1;
  EXPECT_EQ(loop.closed(poses).back().position.x(), 1);
}

}  // namespace
}  // namespace pneuma::stage
