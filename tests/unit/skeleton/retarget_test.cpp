#include "pneuma/skeleton/retarget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>

#include "pneuma/core/random.h"
#include "pneuma/skeleton/pose_track.h"
#include "tests/support/example_clip.h"
#include "tests/support/human_body.h"
#include "tests/support/shared_data.h"

namespace pneuma::skeleton {
namespace {

const test::HumanBody& figure() {
  return test::humanBody("figure");
}

/// Bend of a limb: angle between its two segments, from joint centre to joint centre [deg].
double bend(const RetargetedMotion& motion, std::size_t frame, const char* a, const char* b,
            const char* c) {
  const Model& model = figure().model;
  Kinematics kinematics(model);
  computePoses(model, motion.q[frame], kinematics);
  const auto at = [&](const char* link) -> const Vec3& {
    return kinematics.X_WL[static_cast<std::size_t>(model.linkIndex(link))].position;
  };
  const Vec3 upper = (at(b) - at(a)).normalized(), lower = (at(c) - at(b)).normalized();
  return radiansToDegrees(std::acos(std::clamp(upper.dot(lower), -1.0, 1.0)));
}

/// A pose around the neutral one, off every limit by a twentieth of its range.
VecX poseNearNeutral(const Model& model, Random& random) {
  VecX q = model.neutral;
  for (const CompiledMotion& m : model.motions) {
    const DofResistance& r = model.dofResistance[static_cast<std::size_t>(m.dof)];
    if (m.code == MotionCode::Ball || !std::isfinite(r.lowerLimit)) continue;
    const double margin = 0.05 * (r.upperLimit - r.lowerLimit);
    q[m.position] =
        std::clamp(0.25 * random.normal(), r.lowerLimit + margin, r.upperLimit - margin);
  }
  return q;
}

/// Largest distance of a joint centre from where the pose has it, after a fit from neutral [m].
double errorOfFit(const Model& model, const VecX& pose) {
  Kinematics kinematics(model);
  computePoses(model, pose, kinematics);
  std::vector<PointTarget> targets;
  for (int l = 0; l < model.linkCount(); ++l)
    targets.push_back({l, Vec3::Zero(), kinematics.X_WL[static_cast<std::size_t>(l)].position});
  PoseFit fit(model, 1e-5);
  VecX found = model.neutral;
  fit.solve(targets, {}, found, 60);
  double worst = 0;
  for (const PointTarget& t : targets) {
    const Vec3& centre = fit.kinematics().X_WL[static_cast<std::size_t>(t.link)].position;
    worst = std::max(worst, (centre - t.position).norm());
  }
  return worst;
}

// The fit is local: from the neutral pose, where elbows and knees stand at their limits, some poses
// lie behind a fold of the limits, and the fit ends on them, millimetres away.
TEST(PoseFit, FindsThreePosesInFourAgainFromTheirJointCentresAndTheOthersNearly) {
  const Model& model = figure().model;
  Random random(3);
  int found = 0;
  for (int i = 0; i < 40; ++i) {
    const double error = errorOfFit(model, poseNearNeutral(model, random));
    found += error < 1e-4;
    EXPECT_LT(error, 0.01);
  }
  EXPECT_GE(found, 30);
}

TEST(PoseFit, NeverLeavesARange) {
  const Model& model = figure().model;
  PoseFit fit(model, 0.01);
  const int hand = model.linkIndex("hand_l");
  VecX q = model.neutral;
  // Far behind and above: the arm cannot get there.
  const std::vector<PointTarget> targets{
      {hand, Vec3::Zero(), Vec3(0, 3, -3)},
      {model.linkIndex("pelvis"), Vec3::Zero(), Vec3(0, 1, 0), 50}};
  fit.solve(targets, {}, q, 40);
  int held = 0;
  for (const CompiledMotion& m : model.motions) {
    if (m.code == MotionCode::Ball) continue;
    const DofResistance& r = model.dofResistance[static_cast<std::size_t>(m.dof)];
    EXPECT_GE(q[m.position], r.lowerLimit);
    EXPECT_LE(q[m.position], r.upperLimit);
    held += fit.atLimit(q, m.dof);
  }
  EXPECT_GT(held, 0);
}

TEST(Retarget, JointAnglesOfAGeneratedClipComeBack) {
  std::vector<std::array<double, 4>> angles;
  for (int i = 0; i <= 10; ++i) angles.push_back({6.0 * i, 4.0 * i, 8.0 * i, 60.0});
  const io::Bvh clip = io::parseBvh(test::clipText(angles), "t.bvh").valueOrThrow();
  Retargeter retargeter(figure().compiled, figure().model, clip);
  const RetargetedMotion motion = retargeter.run();
  ASSERT_EQ(motion.q.size(), 11u);
  // The figure's hinges are not those of the clip, and its ranges and trunk are its own, so the
  // limbs bend as the clip's do up to a few degrees.
  for (const std::size_t f : {4u, 7u, 10u}) {
    EXPECT_NEAR(bend(motion, f, "femur_l", "tibia_l", "talus_l"), 6.0 * f, 4) << f;
    EXPECT_NEAR(bend(motion, f, "humerus_l", "ulna_l", "hand_l"), 8.0 * f, 4) << f;
  }
  EXPECT_LT(motion.meanResidual, 0.025);
}

TEST(Retarget, ScaledClipHasTheFiguresLimbs) {
  const io::Bvh clip = io::parseBvh(test::clipText({{30, 20, 40, 10}}), "t.bvh").valueOrThrow();
  const Retargeter retargeter(figure().compiled, figure().model, clip);
  const auto poses = retargeter.scaledClip().poses(1);
  const auto distance = [&](const char* a, const char* b) {
    return (poses[static_cast<std::size_t>(clip.find(a))].position -
            poses[static_cast<std::size_t>(clip.find(b))].position)
        .norm();
  };
  const auto ours = [&](const char* a, const char* b) {
    const auto& links = figure().model.links;
    return (links[static_cast<std::size_t>(figure().model.linkIndex(a))].X_WL_rest.position -
            links[static_cast<std::size_t>(figure().model.linkIndex(b))].X_WL_rest.position)
        .norm();
  };
  EXPECT_NEAR(distance("LeftUpLeg", "LeftLeg"), ours("femur_l", "tibia_l"), 1e-9);
  EXPECT_NEAR(distance("RightArm", "RightForeArm"), ours("humerus_r", "ulna_r"), 1e-9);
  EXPECT_NEAR(distance("LeftForeArm", "LeftHand"), ours("ulna_l", "hand_l"), 1e-9);
}

TEST(Retarget, AClipWithOtherNamesNamesEveryMissingRole) {
  std::string text = test::clipText({{0, 0, 0, 0}});
  for (std::size_t at; (at = text.find("LeftLeg")) != std::string::npos;)
    text.replace(at, 7, "Shank_7");
  const io::Bvh clip = io::parseBvh(text, "t.bvh").valueOrThrow();
  try {
    Retargeter retargeter(figure().compiled, figure().model, clip);
    FAIL() << "must throw";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no joint for 'knee_l'"), std::string::npos)
        << error.what();
  }
  ClipJointMap map;
  map.set("knee_l", "Shank_7");
  EXPECT_NO_THROW(Retargeter(figure().compiled, figure().model, clip, map));
}

/// A clip of arms that are raised overhead and wave there: the left one, by its elbow.
io::Bvh wavingClip() {
  std::vector<std::array<double, 4>> angles;
  for (int i = 0; i <= 60; ++i) {
    const double t = i / 60.0;
    angles.push_back({0, 0, 30 + 30 * std::sin(12 * t), 60 - 140 * std::min(1.0, 2 * t)});
  }
  return io::parseBvh(test::clipText(angles), "t.bvh").valueOrThrow();
}

TEST(Retarget, ArmsRaisedOverheadAndWavingStayNearTheClip) {
  for (const char* name : {"figure", "whole"}) {
    const test::HumanBody& body = test::humanBody(name);
    const io::Bvh clip = wavingClip();
    const RetargetedMotion motion = Retargeter(body.compiled, body.model, clip).run();
    for (const RoleResidual& r : motion.roles)
      if (r.role == "shoulder_l" || r.role == "elbow_l") {
        EXPECT_LT(r.largest, 0.015) << name << " " << r.role;
      }
  }
}

// Vertebrae share a bend: neighbours of one region turn in the ratio of their parts.
TEST(Retarget, TheWholeBodysSpineBendsByItsRhythm) {
  const test::HumanBody& body = test::humanBody("whole");
  const io::Bvh clip = wavingClip();
  const RetargetedMotion motion = Retargeter(body.compiled, body.model, clip).run();
  const auto angle = [&](const char* link, int dof) {
    const Link& l = body.model.links[static_cast<std::size_t>(body.model.linkIndex(link))];
    return motion.q.back()[l.firstPosition + dof];
  };
  EXPECT_GT(std::abs(angle("l1", 1)), 5e-5);  // raising one arm bends the trunk a little
  for (int dof = 0; dof < 3; ++dof)
    EXPECT_NEAR(angle("t05", dof), angle("t04", dof), 1e-12);  // equal parts
  EXPECT_NEAR(angle("l2", 1) / angle("l4", 1), 0.112 / 0.081, 0.02);
}

TEST(Retarget, WhatAClipDoesNotMoveStaysAtRest) {
  const test::HumanBody& body = test::humanBody("whole");
  const io::Bvh clip = wavingClip();
  const RetargetedMotion motion = Retargeter(body.compiled, body.model, clip).run();
  for (const char* link : {"rib_05_l", "sternum", "cartilage_03_r", "hyoid"}) {
    const Link& l = body.model.links[static_cast<std::size_t>(body.model.linkIndex(link))];
    EXPECT_EQ(motion.q.back().segment(l.firstPosition, l.positionCount).norm(), 0) << link;
  }
}

/// A recorded clip on an articulation.
class RecordedClip : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = test::sharedData("motion");
    if (folder.empty()) GTEST_SKIP() << "no motion clips at hand";
    static std::map<std::string, RetargetedMotion> played;
    const std::string key = articulation() + clipName();
    if (!played.contains(key)) {
      const io::Bvh clip = io::readBvh(folder / clipName()).valueOrThrow();
      played[key] =
          Retargeter(body().compiled, body().model, clip, {}, {.framesPerSecond = 60}).run();
    }
    motion_ = &played[key];
  }
  std::string articulation() const { return std::get<0>(GetParam()); }
  std::string clipName() const { return std::get<1>(GetParam()); }
  bool sits() const { return clipName().find("sit") != std::string::npos; }
  const test::HumanBody& body() const { return test::humanBody(articulation()); }

  const RetargetedMotion* motion_ = nullptr;
};

// Feet that stand still are not where the clip has them, and that costs half of this. The sitter
// creeps with his feet and lifts his heels.
TEST_P(RecordedClip, JointsAreWhereTheClipHasThem) {
  std::string residuals;
  for (const RoleResidual& r : motion_->roles)
    residuals += r.role + " " + std::to_string(1000 * r.mean) + " / " +
                 std::to_string(1000 * r.largest) + " mm; ";
  std::printf("%s, %s: joint centres %.2f mm off in the mean\n", clipName().c_str(),
              articulation().c_str(), 1e3 * motion_->meanResidual);
  EXPECT_LT(motion_->meanResidual, 0.003) << residuals;
  for (const RoleResidual& r : motion_->roles)
    if (r.role.starts_with("shoulder") || r.role.starts_with("elbow") ||
        r.role.starts_with("wrist")) {
      EXPECT_LT(r.largest, 0.015) << r.role << ": " << residuals;
    }
}

TEST_P(RecordedClip, LooksAtTheHorizon) {
  if (sits()) return;  // he looks where he sits down
  Kinematics k(body().model);
  const auto skull = static_cast<std::size_t>(body().model.linkIndex("skull"));
  double mean = 0, most = 0;
  for (const VecX& q : motion_->q) {
    computePoses(body().model, q, k);
    const double pitch = radiansToDegrees(std::asin(k.X_WL[skull].rotation(1, 2)));
    mean += pitch / static_cast<double>(motion_->q.size());
    most = std::max(most, std::abs(pitch));
  }
  std::printf("%s, %s: gaze %.1f degrees up in the mean, at most %.1f off the horizon\n",
              clipName().c_str(), articulation().c_str(), mean, most);
  EXPECT_LT(std::abs(mean), 1);
  EXPECT_LT(most, 5);
  EXPECT_GT(radiansToDegrees(motion_->gazeTurn), 15);  // and this is what the clip says
}

TEST_P(RecordedClip, ForearmsStayOffTheirLimits) {
  for (const LimitUse& l : motion_->limits) {
    const auto named = [&](const char* part) { return l.dof.find(part) != std::string::npos; };
    if (named("elbow_twisting") || named("pronation")) {
      EXPECT_LT(l.part, 0.05) << l.dof;
    }
  }
  for (const char* radius : {"radius_l", "radius_r"}) {
    const Link& l = body().model.links[static_cast<std::size_t>(body().model.linkIndex(radius))];
    std::vector<double> turn;
    for (const VecX& q : motion_->q) turn.push_back(radiansToDegrees(q[l.firstPosition]));
    std::ranges::sort(turn);
    EXPECT_GT(turn[turn.size() / 2], 55) << radius;  // palms to the thighs
    EXPECT_LT(turn[turn.size() / 2], 105) << radius;
  }
}

TEST_P(RecordedClip, SolesThatStandStandStillOnTheFloor) {
  const Model& model = body().model;
  Kinematics k(model);
  ASSERT_GT(motion_->contacts.size(), 3u);
  double slid = 0, off = 0;
  for (const SoleContact& c : motion_->contacts) {
    const std::string side = c.foot == 0 ? "_l" : "_r";
    const auto link =
        static_cast<std::size_t>(model.linkIndex((c.heel ? "hindfoot" : "midfoot") + side));
    // The point that was set down, looked for in the first frame of the contact.
    std::optional<Vec3> local;
    Vec3 first;
    for (std::size_t i = 0; i < motion_->q.size(); ++i) {
      if (motion_->times[i] < c.begin - 1e-9 || motion_->times[i] > c.end + 1e-9) continue;
      computePoses(model, motion_->q[i], k);
      if (!local) local = k.X_WL[link].inverse() * c.place, first = c.place;
      const Vec3 now = k.X_WL[link] * *local;
      slid = std::max(slid, (now - first).cwiseProduct(Vec3(1, 0, 1)).norm());
      off = std::max(off, std::abs(now.y()));
    }
  }
  std::printf("%s, %s: soles slide by %.1f mm and are %.1f mm off the floor at most\n",
              clipName().c_str(), articulation().c_str(), 1e3 * slid, 1e3 * off);
  EXPECT_LT(slid, 0.005);
  EXPECT_LT(off, 0.003);
}

TEST_P(RecordedClip, AGaitBecomesALoopThatKeepsItsTravel) {
  if (sits()) return;
  GaitCycle cycle;
  const PoseTrack loop = makeLoop(body().model, motion_->times, motion_->q, {}, &cycle);
  const double speed = loop.travel().norm() / loop.duration();
  std::printf("%s: cycle of %.2f s, %.2f m/s, gap %.1f deg and %.0f deg/s\n", clipName().c_str(),
              loop.duration(), speed, radiansToDegrees(cycle.poseGap),
              radiansToDegrees(cycle.speedGap));
  const bool runs = clipName().find("run") != std::string::npos;
  EXPECT_GT(loop.duration(), runs ? 0.6 : 0.9);
  EXPECT_LT(loop.duration(), runs ? 0.85 : 1.3);
  EXPECT_GT(speed, runs ? 2.5 : 1.0);
  EXPECT_LT(radiansToDegrees(cycle.poseGap), 5);
}

INSTANTIATE_TEST_SUITE_P(Cmu, RecordedClip,
                         ::testing::Combine(::testing::Values("figure", "whole"),
                                            ::testing::Values("cmu_02_01_walk.bvh",
                                                              "cmu_09_01_run.bvh",
                                                              "cmu_13_01_sit_stand.bvh")));

}  // namespace
}  // namespace pneuma::skeleton
