#include "pneuma/stage/frame_track.h"

#include <gtest/gtest.h>

#include "pneuma/core/check.h"
#include "pneuma/stage/tables.h"

namespace pneuma::stage {
namespace {

body::FrameLayout layoutOf(std::size_t points) {
  body::FrameLayout layout;
  layout.addLink({.name = "link"});
  layout.addPointSet({.name = "set", .count = points});
  layout.addScalar({"forces", "biceps", "N", ""});
  return layout;
}

body::Frame frameAt(const body::FrameLayout& layout, double time) {
  body::Frame f = body::makeFrame(layout);
  f.time = time;
  f.X_WL[0].position.x() = time / 3;
  for (Vec3& p : f.points) p = Vec3(0.1, time, -1.7);
  f.scalars[0] = std::exp(time);
  return f;
}

TEST(FrameTrack, KeepsPosesAndScalarsExactlyAndPointsWithinAMicrometre) {
  FrameTrack track(layoutOf(2));
  const body::Frame f = frameAt(track.layout(), 0.7);
  track.add(f);
  const body::Frame g = track.at(0);
  EXPECT_EQ(g.X_WL[0].position, f.X_WL[0].position);
  EXPECT_EQ(g.scalars, f.scalars);
  EXPECT_LT((g.points[1] - f.points[1]).norm(), 1e-6);
}

TEST(FrameTrack, HoldsOnlyTheLastSeconds) {
  FrameTrack track(layoutOf(1), 2.0);
  for (int i = 0; i <= 100; ++i) track.add(frameAt(track.layout(), 0.25 * i));
  EXPECT_EQ(track.size(), 9u);
  EXPECT_EQ(track.time(0), 23);
  EXPECT_EQ(track.time(track.size() - 1), 25);
}

TEST(FrameTrack, ComesBackFromACheckpointBitForBit) {
  FrameTrack track(layoutOf(3));
  for (int i = 0; i < 4; ++i) track.add(frameAt(track.layout(), 0.1 * i));
  io::StateWriter out;
  track.save(out);
  FrameTrack other(layoutOf(3));
  io::StateReader in(out.bytes());
  other.load(in);
  EXPECT_TRUE(in.atEnd());
  io::StateWriter again;
  other.save(again);
  EXPECT_EQ(out.bytes(), again.bytes());
}

TEST(FrameTrack, RefusesFramesOfAnotherModel) {
  FrameTrack track(layoutOf(3)), other(layoutOf(4));
  track.add(frameAt(track.layout(), 0));
  io::StateWriter out;
  track.save(out);
  io::StateReader in(out.bytes());
  EXPECT_THROW(other.load(in), InputError);
  EXPECT_THROW(other.add(track.at(0)), InternalError);
}

TEST(FrameTrack, TimeDoesNotRunBackwards) {
  FrameTrack track(layoutOf(1));
  track.add(frameAt(track.layout(), 1));
  EXPECT_THROW(track.add(frameAt(track.layout(), 0.5)), InternalError);
}

TEST(Clip, TakesTheLastSecondsAndEverySecondFrame) {
  FrameTrack track(layoutOf(1));
  for (int i = 0; i <= 10; ++i) track.add(frameAt(track.layout(), 0.1 * i));
  const Clip last = Clip::last(track, 0.4);
  ASSERT_EQ(last.size(), 5u);
  EXPECT_NEAR(last.framesPerSecond(), 10, 1e-9);
  EXPECT_EQ(last.times().front(), 0);
  const Clip second = last.every(2, 1);
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(second.time(0), last.time(1));
}

TEST(Tables, AGroupBecomesColumnsWithUnits) {
  FrameTrack track(layoutOf(1));
  for (int i = 0; i < 3; ++i) track.add(frameAt(track.layout(), i));
  const io::Table table = groupTable(track, "forces");
  EXPECT_EQ(table.columns()[0].header(), "time [s]");
  EXPECT_EQ(table.columns()[1].header(), "biceps [N]");
  EXPECT_EQ(table.column("biceps").values[2], std::exp(2.0));
}

}  // namespace
}  // namespace pneuma::stage
