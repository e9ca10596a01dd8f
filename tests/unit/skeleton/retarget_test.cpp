#include "pneuma/skeleton/retarget.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/core/random.h"
#include "tests/support/example_clip.h"
#include "tests/support/shared_data.h"

namespace pneuma::skeleton {
namespace {

struct Figure {
  anatomy::CompiledBody body;
  Model model;
};

const Figure& figure() {
  static const Figure f = [] {
    const anatomy::Body loaded = anatomy::loadBody(anatomy::defaultBodyPath()).valueOrThrow();
    anatomy::CompiledBody body =
        anatomy::compileBody(anatomy::fitToPerson(loaded, loaded.person), "figure").valueOrThrow();
    Model model = modelFromBody(body, {.freeRoot = true});
    return Figure{std::move(body), std::move(model)};
  }();
  return f;
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
  Retargeter retargeter(figure().body, figure().model, clip);
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
  const Retargeter retargeter(figure().body, figure().model, clip);
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
    Retargeter retargeter(figure().body, figure().model, clip);
    FAIL() << "must throw";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no joint for 'knee_l'"), std::string::npos)
        << error.what();
  }
  ClipJointMap map;
  map.set("knee_l", "Shank_7");
  EXPECT_NO_THROW(Retargeter(figure().body, figure().model, clip, map));
}

/// Must be under 25 mm in the mean of all joints and frames.
class RecordedClip : public ::testing::TestWithParam<const char*> {};

TEST_P(RecordedClip, JointsAreWhereTheClipHasThem) {
  const std::filesystem::path folder = test::sharedData("motion");
  if (folder.empty()) GTEST_SKIP() << "no motion clips at hand";
  const io::Bvh clip = io::readBvh(folder / GetParam()).valueOrThrow();
  Retargeter retargeter(figure().body, figure().model, clip, {}, {.framesPerSecond = 6});
  const RetargetedMotion motion = retargeter.run();
  std::string residuals;
  for (const RoleResidual& r : motion.roles)
    residuals += r.role + " " + std::to_string(1000 * r.mean) + " / " +
                 std::to_string(1000 * r.largest) + " mm; ";
  EXPECT_LT(motion.meanResidual, 0.025) << residuals;
  for (const RoleResidual& r : motion.roles)
    if (r.role.starts_with("ankle") || r.role.starts_with("wrist") || r.role == "head") {
      EXPECT_LT(r.mean, 0.025) << r.role << ": " << residuals;
    }
}

INSTANTIATE_TEST_SUITE_P(Cmu, RecordedClip,
                         ::testing::Values("cmu_02_01_walk.bvh", "cmu_09_01_run.bvh",
                                           "cmu_13_01_sit_stand.bvh"));

}  // namespace
}  // namespace pneuma::skeleton
