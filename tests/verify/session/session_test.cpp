#include "pneuma/stage/session.h"

#include <gtest/gtest.h>

#include <cstdio>

#include <cmath>
#include <filesystem>

#include "pneuma/anatomy/person.h"
#include "pneuma/body/frame_bytes.h"
#include "pneuma/body/living_simulation.h"
#include "pneuma/core/parallel.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/skeleton/key_poses.h"
#include "pneuma/skeleton/posture.h"
#include "pneuma/stage/breath_request.h"
#include "tests/support/human.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::stage {
namespace {

/// Sessions without a skin and without a record, unless a test asks for them.
Session makeSession(const SessionBreath& breath = {}, SessionSettings settings = {}) {
  if (settings.recordSeconds == SessionSettings{}.recordSeconds) settings.recordSeconds = 0;
  return Session(*test::humanBody(), {}, settings, breath);
}

double scalar(const Session& s, const char* group, const char* name) {
  return s.frame().scalars[static_cast<std::size_t>(s.layout().scalarIndex(group, name))];
}
double volume(const Session& s) {
  return scalar(s, "breath", "lung_volume");
}

TEST(Session, LivesAsARunOfTheSamePersonDoes) {
  Session session = makeSession({.style = "deep"});
  session.advance(1.6);
  const anatomy::Body& measured = *test::humanBody();
  const body::LivingModel model = body::makeLivingModel(
      std::make_shared<anatomy::Body>(anatomy::fitToPerson(measured, measured.person)));
  body::LivingSettings settings;
  settings.motion = skeleton::makePoseTrack(
      model.tree, skeleton::makePosture(*model.body, model.compiled, model.tree, "standing"));
  settings.style = dataStyle("deep");
  body::LivingSimulation run(model, settings);
  run.run(1.6);
  EXPECT_EQ(session.stateHash(), run.state().hash());
}

TEST(Session, PortionsOfTimeAndLooksAtFramesDoNotChangeTheBits) {
  Session whole = makeSession(), parts = makeSession();
  whole.advance(1.2);
  for (int i = 0; i < 120; ++i) {  // 10 ms: two steps and a half
    parts.advance(0.01);
    if (i % 7 == 0) parts.frame();
  }
  EXPECT_EQ(whole.time(), parts.time());
  EXPECT_EQ(whole.stateHash(), parts.stateHash());
  EXPECT_EQ(whole.frameBytes(), parts.frameBytes());
}

TEST(Session, BitsDoNotDependOnThreads) {
  const auto hash = [](int threads) {
    const int before = threadCount();
    setThreadCount(threads);
    Session s = makeSession({.style = "panting"});
    s.advance(0.6);
    setThreadCount(before);
    return s.stateHash();
  };
  EXPECT_EQ(hash(1), hash(3));
}

TEST(Session, NeverRunsAheadOfWhatWasAskedFor) {
  Session s = makeSession();
  s.advance(0.0039);
  EXPECT_EQ(s.time(), 0);
  s.advance(0.0001);
  EXPECT_NEAR(s.time(), 0.004, 1e-12);
}

TEST(Session, AChangeOfStyleTakesEffectAndMovesNothingAtOnce) {
  Session s = makeSession({.style = "casual"});
  s.advance(1.2);
  const double before = volume(s);
  const double drive = scalar(s, "drive", "diaphragm");
  s.set({.style = "deep"});
  EXPECT_EQ(volume(s), before);
  s.advance(0.004);
  // The first of 62 steps of a fade: far less than the whole way to the new contraction.
  EXPECT_NEAR(scalar(s, "drive", "diaphragm"), drive, 0.02 * std::max(drive, 0.01));
  double deepest = 0;
  for (int i = 0; i < 60; ++i) {
    s.advance(0.1);
    deepest = std::max(deepest, volume(s));
  }
  EXPECT_GT(deepest, 1000);  // casual is 500 mL
}

TEST(Session, ADraggedSliderDoesNotRestartTheBreath) {
  Session steady = makeSession({.rate = 15}), dragged = makeSession({.rate = 15});
  double largest = 0;
  for (int i = 0; i < 40; ++i) {
    steady.advance(0.1);
    dragged.set({.rate = 15});
    dragged.advance(0.1);
    largest = std::max(largest, std::abs(volume(steady) - volume(dragged)));
  }
  EXPECT_LT(largest, 15);  // of 500 mL: a change that changes nothing costs some steps of 4 ms
}

TEST(Session, WithoutSomeOfItsMusclesABodyBreathesLess) {
  const auto deepest = [](const SessionBreath& breath) {
    Session s = makeSession(breath);
    double most = 0;
    for (int i = 0; i < 60; ++i) {
      s.advance(0.1);
      most = std::max(most, volume(s));
    }
    return most;
  };
  const double whole = deepest({}), ribs = deepest({.diaphragm = 0}),
               dome = deepest({.intercostals = 0, .scalenes = 0});
  std::printf("  whole %.0f, without diaphragm %.0f, without rib muscles %.0f mL\n", whole, ribs,
              dome);
  for (const double part : {ribs, dome}) {
    EXPECT_LT(part, 0.8 * whole);
    EXPECT_GT(part, 0.1 * whole);
  }
}

TEST(Session, NoBreathAndBackAgain) {
  Session s = makeSession({.style = "none"});
  s.advance(2);
  EXPECT_NEAR(volume(s), 0, 1);
  s.set({});
  double most = 0;
  for (int i = 0; i < 40; ++i) {
    s.advance(0.1);
    most = std::max(most, volume(s));
  }
  EXPECT_GT(most, 350);
}

TEST(Session, FollowsAVolumeThatIsToldAsItHappens) {
  Session s = makeSession();
  const auto wanted = [](double t) { return 0.3e-3 * (1 - std::cos(2 * kPi * t / 4)); };  // [m^3]
  double squares = 0;
  int count = 0;
  for (int i = 0; i < 40 * 8; ++i) {
    s.target(wanted(s.time()));
    s.advance(0.025);
    if (s.time() < 4) continue;
    const double error = 1e-6 * volume(s) - wanted(s.time());
    squares += error * error;
    ++count;
  }
  EXPECT_LT(std::sqrt(squares / count), 0.05 * 0.6e-3);
  RecordProperty("rms_ml", std::to_string(1e6 * std::sqrt(squares / count)));
}

TEST(Session, WhatIsToldLaterChangesNothingBefore) {
  Session a = makeSession(), b = makeSession();
  for (Session* s : {&a, &b}) {
    s->target(0.2e-3);
    s->advance(0.5);
  }
  EXPECT_EQ(a.stateHash(), b.stateHash());
  a.target(0.8e-3);
  EXPECT_EQ(a.stateHash(), b.stateHash());
  a.advance(0.2);
  b.advance(0.2);
  EXPECT_NE(a.stateHash(), b.stateHash());
}

TEST(Session, LeavesATargetWithoutAJump) {
  Session s = makeSession();
  s.target(0.8e-3);
  s.advance(2);
  EXPECT_NEAR(volume(s), 800, 80);
  EXPECT_DOUBLE_EQ(scalar(s, "breath", "target"), 800);
  const double before = volume(s);
  s.release();
  EXPECT_FALSE(s.target());
  s.advance(0.02);
  EXPECT_NEAR(volume(s), before, 15);
}

TEST(Session, GoesOnFromAFileWithTheSameBits) {
  const test::ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "state.bin";
  SessionSettings settings;
  settings.recordSeconds = 1;
  settings.posture = "supine";
  Session s(*test::humanBody(), {.sex = "female", .height = 1.65}, settings,
            {.style = "casual", .variability = 0.2});
  s.advance(0.8);
  s.target(0.3e-3);
  s.advance(0.31);
  s.save(file);
  s.target(0.1e-3);
  s.advance(0.4);
  Session other = Session::open(file, *test::humanBody());
  EXPECT_EQ(other.person().sex, "female");
  EXPECT_EQ(other.settings().posture, "supine");
  other.target(0.1e-3);
  other.advance(0.4);
  EXPECT_EQ(other.stateHash(), s.stateHash());
  EXPECT_EQ(other.saveBytes(), s.saveBytes());
}

TEST(Session, RefusesStatesThatAreNotItsOwnAndGoesOnAsItWas) {
  Session s = makeSession();
  s.advance(0.1);
  const std::string hash = s.stateHash(), bytes = s.saveBytes();
  SessionSettings lying;
  lying.posture = "supine";
  EXPECT_THROW(s.loadBytes(makeSession({}, lying).saveBytes()), InputError);
  EXPECT_THROW(s.loadBytes(bytes.substr(0, bytes.size() / 2)), InputError);
  EXPECT_THROW(s.loadBytes(bytes + "x"), InputError);
  EXPECT_THROW(s.loadBytes(""), InputError);
  EXPECT_EQ(s.stateHash(), hash);
  s.advance(0.1);
  s.loadBytes(bytes);
  EXPECT_EQ(s.stateHash(), hash);
}

TEST(Session, RefusesWhatCannotBe) {
  Session s = makeSession();
  EXPECT_THROW(s.advance(-1), InputError);
  EXPECT_THROW(s.advance(std::nan("")), InputError);
  EXPECT_THROW(s.target(1), InputError);
  EXPECT_THROW(s.set({.style = "casuall"}), InputError);
  EXPECT_THROW(s.set({.effort = -1}), InputError);
  EXPECT_THROW(s.exportGlb("nowhere.glb"), InputError);  // nothing is recorded
  SessionSettings settings;
  settings.posture = "standin";
  EXPECT_THROW(makeSession({}, settings), InputError);
  s.advance(0.1);
  EXPECT_NEAR(s.time(), 0.1, 1e-12);
}

TEST(Session, AnInterruptedAdvanceStaysWhereItWas) {
  Session s = makeSession();
  struct Stop {};
  EXPECT_THROW(s.advance(5,
                         [](double t) {
                           if (t > 0.3) throw Stop{};
                         }),
               Stop);
  const double stopped = s.time();
  EXPECT_LT(stopped, 0.4);
  s.advance(0.1);
  EXPECT_NEAR(s.time(), stopped + 0.1, 1e-9);
}

TEST(Session, KeepsTheLastSecondsAndNoMore) {
  SessionSettings settings;
  settings.recordSeconds = 0.5;
  Session s = makeSession({}, settings);
  s.advance(0.6);
  const std::size_t rows = s.history().rowCount(), bytes = s.saveBytes().size();
  s.advance(1.6);
  EXPECT_EQ(s.history().rowCount(), rows);
  EXPECT_EQ(s.saveBytes().size(), bytes);
  EXPECT_NEAR(s.history().column("time").values.back(), 2.2, 0.041);
  EXPECT_NEAR(s.history().column("lung_volume").values.back(), volume(s), 30);
}

TEST(Session, FrameBytesAreTheFrame) {
  Session s = makeSession();
  s.advance(0.4);
  const body::Frame frame = s.frame(), back = body::decodeFrame(s.layout(), s.frameBytes());
  EXPECT_EQ(back.scalars, frame.scalars);
  ASSERT_EQ(back.points.size(), frame.points.size());
  double largest = 0;
  for (std::size_t i = 0; i < frame.points.size(); ++i)
    largest = std::max(largest, (frame.points[i] - back.points[i]).norm());
  EXPECT_LT(largest, 2e-7);
}

TEST(Session, ExportsWhatItRecorded) {
  const test::ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "breath.glb";
  SessionSettings settings;
  settings.recordSeconds = 5;
  settings.framesPerSecond = 10;
  Session s = makeSession({.rate = 30}, settings);
  s.advance(4.5);
  s.exportGlb(file);
  EXPECT_TRUE(io::readMeshes(file).ok());
}

}  // namespace
}  // namespace pneuma::stage
