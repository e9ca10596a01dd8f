#include "pneuma/stage/act_session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "pneuma/body/frame_bytes.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "pneuma/io/mesh_file.h"
#include "tests/support/human.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::stage {
namespace {

/// Without a skin and without a record, unless a test asks for them.
ActSession makeAct(const ActTask& task = {}, ActSettings settings = {.recordSeconds = 0}) {
  return ActSession(*test::humanBody(), {}, settings, task);
}

double scalar(const ActSession& s, const char* group, const std::string& name) {
  return s.frame().scalars[static_cast<std::size_t>(s.layout().scalarIndex(group, name))];
}

const Vec3 kPalm(0, -0.08, 0);  // of a hand's frame [m]

Vec3 placeOf(const ActSession& s, const char* link, const Vec3& local) {
  const body::Frame frame = s.frame();
  return frame.X_WL[static_cast<std::size_t>(s.layout().linkIndex(link))] * local;
}

/// Mean activation of the lines of a muscle on one side.
double meanActivation(const ActSession& s, const std::string& muscle, const std::string& side) {
  double sum = 0;
  int count = 0;
  for (const anatomy::CompiledMuscle& m : s.compiled().muscles)
    if (m.muscle == muscle && m.name.ends_with(side)) {
      sum += scalar(s, "activations", m.name);
      ++count;
    }
  return sum / count;
}

TEST(ActSession, ADraggedHandArrivesByItsMuscles) {
  ActSession s = makeAct();
  const double flexors = meanActivation(s, "biceps_brachii", "_r");
  const Vec3 place = placeOf(s, "hand_r", kPalm) + Vec3(0.05, 0.35, 0.25);
  s.drag("hand_r", kPalm, place);
  EXPECT_EQ(s.time(), 0);  // asked for, not moved
  s.advance(0.1);
  EXPECT_GT(scalar(s, "act", "away"), 300);
  s.advance(2.4);
  EXPECT_LT((placeOf(s, "hand_r", kPalm) - place).norm(), 0.005);
  EXPECT_LT(scalar(s, "act", "away"), 5);
  EXPECT_LT(scalar(s, "act", "error"), 10);
  EXPECT_GT(meanActivation(s, "biceps_brachii", "_r"), flexors + 0.02);
  // The other hand and the head stay.
  EXPECT_LT((placeOf(s, "skull", Vec3::Zero()) - placeOf(makeAct(), "skull", Vec3::Zero())).norm(),
            0.03);
}

TEST(ActSession, LetGoTheBodyGoesBackToRest) {
  ActSession s = makeAct();
  const Vec3 rest = placeOf(s, "hand_l", kPalm);
  s.drag("hand_l", kPalm, rest + Vec3(0.1, 0.3, 0.2));
  s.advance(1.5);
  EXPECT_GT((placeOf(s, "hand_l", kPalm) - rest).norm(), 0.3);
  s.releaseAll();
  EXPECT_TRUE(s.grasps().empty());
  s.advance(2.5);
  EXPECT_LT((placeOf(s, "hand_l", kPalm) - rest).norm(), 0.005);
}

TEST(ActSession, HeadAndHandsAreHeldAtOnceAndLetGoOneByOne) {
  ActSession s = makeAct();
  const Vec3 nose(0, 0.05, 0.12);
  const Vec3 ahead = placeOf(s, "skull", nose), right = placeOf(s, "hand_r", kPalm);
  s.drag("skull", nose, ahead + Vec3(0.03, -0.01, 0));
  s.drag("hand_r", kPalm, right + Vec3(0, 0.2, 0.2));
  EXPECT_EQ(s.grasps().size(), 2u);
  s.advance(2.5);
  EXPECT_LT((placeOf(s, "skull", nose) - ahead - Vec3(0.03, -0.01, 0)).norm(), 0.01);
  EXPECT_LT((placeOf(s, "hand_r", kPalm) - right - Vec3(0, 0.2, 0.2)).norm(), 0.01);
  s.release("hand_r");
  ASSERT_EQ(s.grasps().size(), 1u);
  EXPECT_EQ(s.layout().links[static_cast<std::size_t>(s.grasps()[0].link)].name, "skull");
}

TEST(ActSession, APlaceOutOfReachIsApproachedAsFarAsTheArmGoes) {
  ActSession s = makeAct();
  const Vec3 chest = placeOf(s, "t04", Vec3::Zero()),
             shoulder = placeOf(s, "humerus_r", Vec3::Zero());
  s.drag("hand_r", kPalm, shoulder + Vec3(0, -0.1, 1.5));
  s.advance(2);
  EXPECT_GT(placeOf(s, "hand_r", kPalm).z() - shoulder.z(), 0.5);
  EXPECT_LT((placeOf(s, "t04", Vec3::Zero()) - chest).norm(), 0.01);
  // mrad. Open: 20, where it was below 10 while the collar bone of a stretched arm stayed where it
  // was.
  EXPECT_LT(scalar(s, "act", "error"), 25);
}

TEST(ActSession, WhatNoMuscleHoldsIsSurvivedAndLeft) {
  ActSession s = makeAct();
  const Vec3 rest = placeOf(s, "hand_r", kPalm);
  s.drag("hand_r", kPalm, rest + Vec3(0, 1.6, 0.1));  // overhead: collar bones would have to rise
  s.advance(1.2);
  EXPECT_LT(scalar(s, "act", "given"), 0.9);
  EXPECT_TRUE(placeOf(s, "hand_r", kPalm).allFinite());
  s.releaseAll();
  s.advance(2.5);
  EXPECT_LT((placeOf(s, "hand_r", kPalm) - rest).norm(), 0.02);
}

TEST(ActSession, AWeightIsTakenByTheMusclesThatHoldIt) {
  ActSession s = makeAct({.exercise = "hold"});
  s.advance(3);
  const double light = meanActivation(s, "biceps_brachii", "_r");
  s.set({.exercise = "hold", .weightRight = 5});
  EXPECT_EQ(scalar(s, "loads", "hand_r"), 5);
  s.advance(2);
  EXPECT_GT(meanActivation(s, "biceps_brachii", "_r"), 1.5 * light);
  EXPECT_LT(scalar(s, "act", "error"), 10);
}

TEST(ActSession, TensedMusclesHoldTheSamePose) {
  ActSession s = makeAct({.exercise = "hold"});
  s.advance(3);
  const double slack = meanActivation(s, "triceps_brachii", "_r");
  const Vec3 hand = placeOf(s, "hand_r", kPalm);
  s.set({.exercise = "hold", .coactivation = "arms=0.5"});
  s.advance(1);
  EXPECT_GT(meanActivation(s, "triceps_brachii", "_r"), slack + 0.02);
  EXPECT_LT((placeOf(s, "hand_r", kPalm) - hand).norm(), 0.005);
}

TEST(ActSession, AnExerciseBeginsWhereItsFirstPoseIsAndGoesOnAndOn) {
  ActSession s = makeAct({.exercise = "curl"});
  EXPECT_EQ(scalar(s, "loads", "hand_l"), 5);  // the exercise's own
  const Vec3 rest = placeOf(s, "hand_r", kPalm);
  double highest = 0, latest = 0, error = 0;
  for (int i = 0; i < 90; ++i) {
    s.advance(0.1);
    const double height = placeOf(s, "hand_r", kPalm).y() - rest.y();
    highest = std::max(highest, height);
    if (s.time() > 7.5) latest = std::max(latest, height);
    error = std::max(error, scalar(s, "act", "error"));
  }
  EXPECT_GT(highest, 0.35);
  EXPECT_GT(latest, 0.35);  // the second round
  EXPECT_LT(error, 10);
  // A slider does not start it anew, and a drag ends it.
  const std::string before = s.stateHash();
  s.set({.exercise = "curl", .weightLeft = 5, .weightRight = 5});
  EXPECT_EQ(s.stateHash(), before);
  s.drag("hand_r", kPalm, placeOf(s, "hand_r", kPalm));
  EXPECT_EQ(s.task().exercise, "none");
  EXPECT_EQ(s.task().weightRight, 5);
}

TEST(ActSession, PortionsOfTimeLooksAndThreadsDoNotChangeTheBits) {
  const auto drag = [](ActSession& s) {
    s.drag("hand_r", kPalm, placeOf(s, "hand_r", kPalm) + Vec3(0, 0.3, 0.2));
  };
  ActSession whole = makeAct(), parts = makeAct();
  drag(whole);
  drag(parts);
  whole.advance(0.7);
  const int before = setThreadCount(1);
  for (int i = 0; i < 70; ++i) {
    parts.advance(0.01);  // a step and a half
    if (i % 7 == 0) parts.frame();
  }
  setThreadCount(before);
  EXPECT_EQ(whole.time(), parts.time());
  EXPECT_EQ(whole.stateHash(), parts.stateHash());
  EXPECT_EQ(whole.frameBytes(), parts.frameBytes());
}

TEST(ActSession, GoesOnFromAFileWithTheSameBits) {
  const test::ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "act.bin";
  ActSession s(*test::humanBody(), {.sex = "female", .height = 1.65}, {.recordSeconds = 0.5},
               {.exercise = "pectoral-dance", .weightLeft = 1});
  s.advance(0.3);
  s.drag("hand_l", kPalm, placeOf(s, "hand_l", kPalm) + Vec3(0, 0.2, 0.1));
  s.advance(0.21);
  s.save(file);
  const auto goOn = [](ActSession& x) {
    x.advance(0.1);
    x.set({.exercise = "shrug"});
    x.advance(0.1);
  };
  goOn(s);
  ActSession other = ActSession::open(file, *test::humanBody());
  EXPECT_EQ(other.person().sex, "female");
  ASSERT_EQ(other.grasps().size(), 1u);
  goOn(other);
  EXPECT_EQ(other.stateHash(), s.stateHash());
  EXPECT_EQ(other.saveBytes(), s.saveBytes());
}

TEST(ActSession, RefusesWhatCannotBeAndGoesOnAsItWas) {
  ActSession s = makeAct();
  s.advance(0.05);
  const std::string hash = s.stateHash(), bytes = s.saveBytes();
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(s.drag("hand_x", kPalm, Vec3::Zero()), InputError);
  EXPECT_THROW(s.drag("pelvis", Vec3::Zero(), Vec3::Zero()), InputError);
  EXPECT_THROW(s.drag("hand_r", kPalm, Vec3(0, none, 0)), InputError);
  EXPECT_THROW(s.drag("hand_r", kPalm, Vec3(0, 99, 0)), InputError);
  EXPECT_THROW(s.release("hand"), InputError);
  EXPECT_THROW(s.set({.exercise = "curls"}), InputError);
  EXPECT_THROW(s.set({.weightLeft = -1}), InputError);
  EXPECT_THROW(s.set({.coactivation = "arms"}), InputError);
  EXPECT_THROW(s.advance(-1), InputError);
  EXPECT_THROW(s.exportGlb("nowhere.glb"), InputError);
  EXPECT_THROW(s.loadBytes(bytes.substr(0, bytes.size() / 2)), InputError);
  EXPECT_THROW(s.loadBytes(bytes + "x"), InputError);
  EXPECT_THROW(s.loadBytes(""), InputError);
  EXPECT_THROW(makeAct({.exercise = "fly"}), InputError);
  EXPECT_EQ(s.stateHash(), hash);
  EXPECT_EQ(s.task().exercise, "none");
  s.advance(0.05);
  s.loadBytes(bytes);
  EXPECT_EQ(s.stateHash(), hash);
}

TEST(ActSession, KeepsTheLastSecondsAndNoMore) {
  ActSession s = makeAct({}, {.recordSeconds = 0.5});
  s.advance(0.7);
  const std::size_t rows = s.history().rowCount(), bytes = s.saveBytes().size();
  s.advance(0.9);
  EXPECT_EQ(s.history().rowCount(), rows);
  EXPECT_EQ(s.saveBytes().size(), bytes);
  EXPECT_NEAR(s.history().column("time").values.back(), 1.6, 0.05);
  EXPECT_EQ(s.history().column("activations_brachialis_r").values.size(), rows);
}

TEST(ActSession, ExportsWhatItRecorded) {
  const test::ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "act.glb";
  ActSession s = makeAct({.exercise = "head-turn"}, {.framesPerSecond = 10, .recordSeconds = 1});
  s.advance(1);
  s.exportGlb(file);
  EXPECT_TRUE(io::readMeshes(file).ok());
}

TEST(ActSession, FrameBytesAreTheFrame) {
  ActSession s = makeAct();
  s.advance(0.1);
  const body::Frame frame = s.frame(), back = body::decodeFrame(s.layout(), s.frameBytes());
  EXPECT_EQ(back.scalars, frame.scalars);
  EXPECT_EQ(back.points.size(), frame.points.size());
}

}  // namespace
}  // namespace pneuma::stage
