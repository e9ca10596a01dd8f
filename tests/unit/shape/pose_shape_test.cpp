#include "pneuma/shape/pose_shape.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/shape/rotations.h"
#include "small_body.h"

namespace pneuma::shape {
namespace {

constexpr double kNeck = 1.45;  // where the head turns [m]

/// How much of the head's turn a height takes part in.
double nodShare(double y) {
  return std::clamp((y - kNeck + 0.05) / 0.1, 0.0, 1.0);
}

/// The head nods; the skin of the neck and head swells with the angle, carried along.
PosedSkin nodding(const ShapeTemplate& shape, double width, double angle) {
  PosedSkin s{.rest = test::widened(shape, width)};
  const Vec3 pivot(0, kNeck, 0);
  const Mat3 R = expRotation(Vec3(angle, 0, 0));
  for (const Vec3& p : s.rest) {
    const double share = nodShare(p.y()), d = (p.y() - 1.55) / 0.06;
    const Vec3 swollen = p + 0.05 * angle * std::exp(-d * d) * Vec3(p.x(), 0, p.z());
    const auto turned = [&](const Vec3& x) { return Vec3(R * (x - pivot) + pivot); };
    s.plain.push_back((1 - share) * p + share * turned(p));
    s.posed.push_back((1 - share) * p + share * turned(swollen));
  }
  return s;
}

double furthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
  return most;
}

PoseShape learned(const ShapeTemplate& shape, TurnOf turn) {
  std::vector<PosedSkin> skins;
  for (const double width : {0.95, 1.05})
    for (const double angle : {-0.6, -0.3, 0.2, 0.5, 0.8})
      skins.push_back(nodding(shape, width, angle));
  return PoseShape::fit(shape, skins, turn);
}

TEST(PoseShape, TheRestPoseIsThePersonToTheLastDigits) {
  const ShapeTemplate shape = test::smallBody();
  const PoseShape pose = learned(shape, TurnOf::Triangle);
  const std::vector<Vec3> rest = test::widened(shape, 1.1);
  EXPECT_LT(furthest(PoseSolver(shape, pose).pose(rest, rest, rest), rest), 1e-9);
}

TEST(PoseShape, SkinThatSwellsWithAJointIsFoundInAPoseAndAPersonNotLearned) {
  const ShapeTemplate shape = test::smallBody();
  const PosedSkin unseen = nodding(shape, 1.0, 0.65);
  for (const TurnOf turn : {TurnOf::Part, TurnOf::Triangle}) {
    const PoseShape pose = learned(shape, turn), none(turn, {});
    const double with = furthest(
        PoseSolver(shape, pose).pose(unseen.rest, unseen.plain, unseen.rest), unseen.posed);
    const double without = furthest(
        PoseSolver(shape, none).pose(unseen.rest, unseen.plain, unseen.rest), unseen.posed);
    EXPECT_LT(with, 0.4 * without) << static_cast<int>(turn);
  }
}

TEST(PoseShape, MorphsAreCarriedByThePose) {
  const ShapeTemplate shape = test::smallBody();
  const PoseShape pose = learned(shape, TurnOf::Triangle);
  const PoseSolver solver(shape, pose);
  const PosedSkin s = nodding(shape, 1.0, 0.5);
  std::vector<Vec3> morphed = s.rest;
  const std::vector<Vec3> u = test::swelling(shape, 1.0, 0.01);  // below the joint that turns
  for (std::size_t v = 0; v < u.size(); ++v) morphed[v] += u[v];
  const std::vector<Vec3> still = solver.pose(s.rest, s.plain, s.rest),
                          breathing = solver.pose(s.rest, s.plain, morphed);
  double most = 0;
  for (std::size_t v = 0; v < u.size(); ++v)
    most = std::max(most, (breathing[v] - still[v] - u[v]).norm());
  EXPECT_LT(most, 1e-4);  // of 10 mm
}

TEST(PoseShape, QLearnsNothingThatItsMirrorImageDoesNot) {
  const ShapeTemplate shape = test::smallBody();
  const PoseShape pose = learned(shape, TurnOf::Triangle), none;
  const PosedSkin s = nodding(shape, 1.0, 0.4);
  const auto asymmetry = [&](const PoseShape& q) {
    const std::vector<Vec3> x = PoseSolver(shape, q).pose(s.rest, s.plain, s.rest);
    double most = 0;
    for (std::size_t v = 0; v < x.size(); ++v) {
      const Vec3& other = x[static_cast<std::size_t>(shape.mirror[v])];
      most = std::max(most, (x[v] - Vec3(-other.x(), other.y(), other.z())).norm());
    }
    return most;
  };
  // The tube's triangles are not mirrored themselves: that much is there without Q.
  EXPECT_LT(asymmetry(pose), 2 * asymmetry(none));
}

TEST(PoseShape, OtherTopologiesAreRefused) {
  const ShapeTemplate shape = test::smallBody();
  const PoseShape pose = learned(shape, TurnOf::Triangle),
                  wrong(TurnOf::Triangle, FeatureRows::Zero(3, 36));
  EXPECT_THROW(PoseSolver(shape, wrong), InputError);
  EXPECT_THROW(PoseShape::fit(shape, {}, TurnOf::Part), InputError);
  const std::vector<Vec3> rest = shape.mesh.positions, few(4, Vec3(Vec3::Zero()));
  EXPECT_THROW(PoseSolver(shape, pose).pose(rest, few, rest), InputError);
}

}  // namespace
}  // namespace pneuma::shape
