#include "pneuma/skin/skin_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "pneuma/skin/skin_checks.h"
#include "pneuma/skin/weights_driver.h"
#include "tests/unit/skin/two_bones.h"

namespace pneuma::skin {
namespace {

using test::TwoBones;

TEST(SkinWeights, SumToOneAndPassFromBoneToBone) {
  const TwoBones arm(0.02);
  for (std::size_t v = 0; v < arm.mesh.vertexCount(); ++v) {
    const SkinWeights::Vertex& w = arm.weights.vertices[v];
    double sum = 0;
    for (std::size_t k = 0; k < SkinWeights::kMost; ++k) {
      EXPECT_GE(w.weight[k], 0);
      sum += w.weight[k];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  // Along an endless tube the heat falls off as exp(-y / l) / 2 with l = (d + d0) / sqrt(c).
  const WeightConfig config;
  const double length = (0.03 + config.softness) / std::sqrt(config.conductance);
  for (int k = 0; k <= 5; ++k) {
    const double y = 0.02 * k, expected = 0.5 * std::exp(-y / length);
    EXPECT_NEAR(arm.lower(-y), expected, 0.02) << y;
    EXPECT_NEAR(arm.lower(y), 1 - expected, 0.02) << y;
  }
}

TEST(SkinWeights, DoNotDependOnTheResolution) {
  const TwoBones coarse(0.02), fine(0.01);
  for (int k = -4; k <= 4; ++k)
    EXPECT_NEAR(coarse.lower(0.02 * k), fine.lower(0.02 * k), 0.01) << k;
}

TEST(SkinWeights, PassesOverWidelyEvenWhereTheBoneIsNear) {
  // Skin 3 mm above the bone: without d0 the passage would be 3 mm wide and fold.
  const TwoBones thin(0.02, 0.003);
  EXPECT_GT(thin.lower(0.02), 0.6);
  EXPECT_LT(thin.lower(0.02), 0.9);
}

TEST(SkinWeights, AreMirroredOnAMirroredBody) {
  const TwoBones arm(0.02);
  const std::vector<std::int32_t> mirror = mirrorVertices(arm.mesh.positions);
  for (std::size_t v = 0; v < mirror.size(); ++v) {
    ASSERT_GE(mirror[v], 0);
    const auto& a = arm.weights.vertices[v];
    const auto& b = arm.weights.vertices[static_cast<std::size_t>(mirror[v])];
    EXPECT_EQ(a.weight, b.weight);
  }
}

/// A trunk of bones of 40 mm each along a tube and an arm above: beside the trunk's own the arm is
/// not among the four that an armature keeps until, all at once, it is.
TEST(SkinWeights, OutsideTheTrunkGoOnWhereTheFourKeptTakeAStep) {
  const TwoBones tube(0.01);
  JointGroups groups;
  for (const char* name : {"t1", "t2", "t3", "t4", "t5", "arm"}) {
    groups.names.emplace_back(name);
    groups.trunk.push_back(groups.names.back() != "arm");
  }
  WeightSources sources;
  for (const Vec3& p : tube.mesh.positions) {
    const double band = std::clamp((p.y() + 0.2 + 1e-9) / 0.04, 0.0, 5.0);
    sources.group.push_back(static_cast<std::int32_t>(band));
    sources.distance.push_back(0.03);
  }
  const SkinWeights found = diffuseWeights(tube.mesh, sources, groups);
  // The arm's weight along one line up the tube, in steps of 10 mm, by both lists.
  std::map<double, std::pair<double, double>> line;
  for (std::size_t v = 0; v < tube.mesh.vertexCount(); ++v) {
    const SkinWeights::Vertex &four = found.vertices[v], &limbs = found.limbs[v];
    double kept = 0, all = 0;
    for (std::size_t k = 0; k < SkinWeights::kMost; ++k) {
      if (four.group[k] == 5) kept += four.weight[k];
      if (limbs.weight[k] > 0) {
        EXPECT_EQ(limbs.group[k], 5);
      }
      all += limbs.weight[k];
    }
    line[tube.mesh.positions[v].y()] = {kept, all};
  }
  // Up to the arm's heat it grows by exp(10 mm / 50 mm) = 1.22 a step: nothing is left out.
  double step = 0;
  for (auto now = std::next(line.begin()); now != line.end() && now->first < -0.015; ++now) {
    const auto& [kept, all] = now->second;
    const auto& [keptBefore, allBefore] = std::prev(now)->second;
    if (keptBefore == 0) step = std::max(step, kept);
    EXPECT_LT(all, 1.3 * allBefore + 1e-3) << now->first;
    EXPECT_NEAR(all, 0.5 * std::exp(now->first / 0.05), 0.04) << now->first;
  }
  EXPECT_GT(step, 0.1);
}

TEST(SkinWeights, RefuseSettingsWithoutMeaning) {
  const TwoBones arm(0.02);
  WeightSources sources{std::vector<std::int32_t>(arm.mesh.vertexCount(), 0),
                        std::vector<double>(arm.mesh.vertexCount(), 0.01)};
  EXPECT_THROW(diffuseWeights(arm.mesh, sources, arm.groups, {.conductance = 0}), InputError);
}

TEST(WeightsDriver, ReproducesRestAndRigidMotion) {
  const TwoBones arm(0.02);
  WeightsDriver driver(arm.groups, arm.weights);
  std::vector<Pose> motions(arm.mesh.vertexCount());
  const Pose moved{Eigen::AngleAxisd(2.1, Vec3(1, 2, -1).normalized()).toRotationMatrix(),
                   Vec3(0.4, -3, 1)};
  for (const Pose& X : {Pose{}, moved}) {
    const std::vector<Pose> bones(2, X);
    driver.carry(bones, motions);
    for (std::size_t v = 0; v < motions.size(); ++v) {
      const Vec3& p = arm.mesh.positions[v];
      EXPECT_LT((motions[v] * p - X * p).norm(), 1e-12);
    }
  }
}

TEST(WeightsDriver, ABentTubeKeepsItsSectionAndDoesNotFold) {
  const TwoBones arm(0.02);
  WeightsDriver driver(arm.groups, arm.weights);
  const double before = enclosedVolume(arm.mesh);
  for (const double degrees : {30.0, 60.0, 90.0}) {
    std::vector<Pose> bones(2), motions(arm.mesh.vertexCount());
    bones[1].rotation =
        Eigen::AngleAxisd(degreesToRadians(degrees), Vec3::UnitX()).toRotationMatrix();
    driver.carry(bones, motions);
    std::vector<Vec3> x;
    for (std::size_t v = 0; v < motions.size(); ++v)
      x.push_back(motions[v] * arm.mesh.positions[v]);
    EXPECT_EQ(countFoldedTriangles(arm.mesh.positions, motions, x, arm.mesh.triangles), 0u);
    EXPECT_NEAR(enclosedVolume(x, arm.mesh.triangles), before, 0.06 * before) << degrees;
  }
}

TEST(WeightsDriver, BlendsAcrossHalfATurnOnTheShortSide) {
  // The same motion as two quaternions of opposite sign must not cancel.
  const TwoBones arm(0.02);
  WeightsDriver driver(arm.groups, arm.weights);
  std::vector<Pose> bones(2), motions(arm.mesh.vertexCount());
  bones[0].rotation = Eigen::AngleAxisd(degreesToRadians(175), Vec3::UnitZ()).toRotationMatrix();
  bones[1].rotation = Eigen::AngleAxisd(degreesToRadians(185), Vec3::UnitZ()).toRotationMatrix();
  driver.carry(bones, motions);
  for (const Pose& X : motions) {
    const double angle = Eigen::AngleAxisd(X.rotation).angle();
    EXPECT_GT(angle, degreesToRadians(174.9));
  }
}

TEST(WeightsDriver, SaysWhichInputIsWrong) {
  const TwoBones arm(0.02);
  WeightsDriver driver(arm.groups, arm.weights);
  std::vector<Pose> motions(arm.mesh.vertexCount());
  const std::vector<Pose> one(1);
  EXPECT_THROW(driver.carry(one, motions), InputError);
  SkinWeights wrong = arm.weights;
  wrong.vertices[0].group[0] = 7;
  EXPECT_THROW(WeightsDriver(arm.groups, wrong), InputError);
}

TEST(SkinChecks, FindATriangleThatTurnsOverAndABoneThatComesOut) {
  TriangleMesh box = makeBox(Vec3(1, 1, 1));
  std::vector<Vec3> after = box.positions;
  EXPECT_EQ(countTurnedTriangles(box.positions, after, box.triangles), 0u);
  for (Vec3& p : after) p.x() = -p.x();  // inside out
  EXPECT_GT(countTurnedTriangles(box.positions, after, box.triangles), 0u);
  std::vector<BoneSample> samples{{0, Vec3(0, 0, 0.45)}};
  std::vector<Pose> bones(1);
  EXPECT_NEAR(leastBoneDepth(box.positions, box.triangles, samples, bones).least, 0.05, 1e-9);
  bones[0].position = Vec3(0, 0, 0.1);
  EXPECT_NEAR(leastBoneDepth(box.positions, box.triangles, samples, bones).least, -0.05, 1e-9);
}

}  // namespace
}  // namespace pneuma::skin
