#include "pneuma/stage/recorder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pneuma/core/error.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::stage {
namespace {

constexpr double kCountStep = 0.01;  // [s]

/// A body whose one number depends on every step that it took.
class Counter final : public Performer {
 public:
  static body::FrameLayout layout() {
    body::FrameLayout layout;
    layout.addLink({.name = "link"});
    layout.addScalar({"counts", "value", "", ""});
    return layout;
  }
  explicit Counter(double failsAt = 1e9) : failsAt_(failsAt) {}

  void advance(double until) override {
    const auto last = static_cast<std::uint64_t>(std::llround(until / kCountStep));
    for (; steps_ < last; ++steps_) {
      if (time() >= failsAt_) throw SimulationError(time(), "counter", "it was stopped");
      value_ = std::sin(3 * value_) + 0.1 * time();
    }
  }
  double time() const override { return kCountStep * static_cast<double>(steps_); }
  std::uint64_t steps() const override { return steps_; }
  body::Frame capture() override {
    static const body::FrameLayout known = layout();
    body::Frame frame = body::makeFrame(known);
    frame.time = time();
    frame.scalars[0] = value_;
    return frame;
  }
  void save(io::StateWriter& out) const override {
    out.put(steps_);
    out.put(value_);
  }
  void load(io::StateReader& in) override {
    in.get(steps_);
    in.get(value_);
  }
  double value() const { return value_; }

 private:
  double failsAt_, value_ = 0.3;
  std::uint64_t steps_ = 0;
};

io::RunFolder openRun(const test::ScratchFolder& folder, bool resume) {
  return io::RunFolder::open(folder / "run", {.command = "test", .verb = "test"}, resume);
}

TEST(Recorder, FramesLieAtTheIntervalAndTheRunEndsAtItsEnd) {
  const test::ScratchFolder folder;
  io::RunFolder run = openRun(folder, false);
  SilentProgress silent;
  Counter counter;
  FrameTrack track(Counter::layout());
  record(counter, {.seconds = 1.03, .interval = 0.1}, track, run, silent);
  ASSERT_EQ(track.size(), 11u);
  for (std::size_t k = 0; k < track.size(); ++k)
    EXPECT_NEAR(track.time(k), 0.1 * static_cast<double>(k), 1e-12);
  EXPECT_NEAR(counter.time(), 1.03, 1e-12);
}

TEST(Recorder, AStoppedRunGoesOnToTheSameFramesAndState) {
  const test::ScratchFolder folder;
  SilentProgress silent;
  const RecordPlan plan{.seconds = 2, .interval = 0.05, .checkpointEvery = 0.3};
  Counter whole;
  FrameTrack all(Counter::layout());
  {
    io::RunFolder run = io::RunFolder::open(folder / "whole", {.verb = "test"}, false);
    record(whole, plan, all, run, silent);
  }
  {
    io::RunFolder run = openRun(folder, false);
    Counter stopped(1.2);
    FrameTrack some(Counter::layout());
    EXPECT_THROW(record(stopped, plan, some, run, silent), SimulationError);
  }
  io::RunFolder run = openRun(folder, true);
  ASSERT_TRUE(run.lastCheckpoint());
  Counter resumed;
  FrameTrack track(Counter::layout());
  record(resumed, plan, track, run, silent);
  ASSERT_EQ(track.size(), all.size());
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_EQ(track.scalar(k, 0), all.scalar(k, 0));
  EXPECT_EQ(resumed.value(), whole.value());
}

TEST(Recorder, AnErrorNamesTheFrameAndLeavesThoseBeforeIt) {
  const test::ScratchFolder folder;
  io::RunFolder run = openRun(folder, false);
  SilentProgress silent;
  Counter counter(0.35);
  FrameTrack track(Counter::layout());
  try {
    record(counter, {.seconds = 1, .interval = 0.1, .checkpointEvery = 0}, track, run, silent);
    FAIL() << "it did not stop";
  } catch (const SimulationError& e) {
    EXPECT_NE(e.cause().find("frame 4"), std::string::npos) << e.cause();
  }
  EXPECT_EQ(track.size(), 4u);
  EXPECT_TRUE(run.lastCheckpoint());
}

TEST(Recorder, WithoutCheckpointsNothingIsSaved) {
  const test::ScratchFolder folder;
  io::RunFolder run = openRun(folder, false);
  SilentProgress silent;
  Counter counter;
  FrameTrack track(Counter::layout());
  record(
      counter,
      {.seconds = 1, .interval = 0.1, .checkpointEvery = std::numeric_limits<double>::infinity()},
      track, run, silent);
  EXPECT_FALSE(run.lastCheckpoint());
}

}  // namespace
}  // namespace pneuma::stage
