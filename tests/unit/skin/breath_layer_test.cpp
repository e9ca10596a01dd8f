#include "pneuma/skin/breath_layer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "pneuma/skin/layered_driver.h"
#include "skin/rotation_fit.h"
#include "tests/support/count_allocations.h"

namespace pneuma::skin {
namespace {

/// A chest like a ball of radius 15 cm on a spine (bone 0), with a rib (bone 1) of samples 12 mm
/// under the front of the skin and a wall trace below.
struct Ball {
  TriangleMesh mesh = makeSphere(0.15, 4);
  JointGroups groups;
  SkinWeights weights;
  std::vector<BoneSample> samples;
  std::vector<Vec3> wall;
  std::vector<Pose> bones = std::vector<Pose>(2);
  std::vector<Vec3> wallNow;

  Ball() {
    groups.names = {"spine"};
    groups.parent = {-1};
    groups.carrier = {0};
    groups.center = {Vec3::Zero()};
    groups.trunk = {true};
    groups.ofBone = {0, 0};
    weights.vertices.resize(mesh.vertexCount());
    for (SkinWeights::Vertex& v : weights.vertices) v.weight[0] = 1;
    for (const Vec3& p : makeSphere(0.138, 3).positions) {
      if (p.y() < 0) {
        if (p.z() > 0) wall.push_back(p);
      } else {
        samples.push_back({p.z() > 0 ? 1 : 0, p});
      }
    }
    wallNow = wall;
  }
  PointTrace trace() const { return {"wall", wall, wallNow}; }
  std::unique_ptr<LayeredDriver> driver() const {
    const PointTrace t = trace();
    auto breath = std::make_unique<BreathLayer>(mesh, weights, groups, std::vector{false, true},
                                                samples, std::span(&t, 1));
    return std::make_unique<LayeredDriver>(
        mesh, std::make_unique<WeightsDriver>(groups, weights), std::move(breath),
        std::make_unique<BoneFloor>(mesh, std::vector<bool>(mesh.vertexCount(), true), samples,
                                    0.002));
  }
  std::vector<Vec3> pose(LayeredDriver& driver, double gas) const {
    const PointTrace t = trace();
    std::vector<Vec3> x(mesh.vertexCount());
    driver.pose({.bones = bones, .posture = {}, .traces = std::span(&t, 1), .gas = gas}, x);
    return x;
  }
};

TEST(RotationFit, FindsAKnownRotationAndIsExactForSymmetricMatrices) {
  const Mat3 S = Vec3(3, 1, 0.4).asDiagonal();
  EXPECT_EQ(internal::nearestRotation(S, Mat3::Identity()), Mat3::Identity());
  for (const double angle : {0.01, 0.4, 1.2}) {
    const Mat3 R = Eigen::AngleAxisd(angle, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
    EXPECT_LT((internal::nearestRotation(R * S, Mat3::Identity()) - R).norm(), 1e-9) << angle;
  }
}

TEST(BreathLayer, IsNothingAtRestAndInAnyRigidPose) {
  Ball b;
  const auto driver = b.driver();
  std::vector<Vec3> x = b.pose(*driver, 0);
  for (std::size_t v = 0; v < x.size(); ++v) EXPECT_LT((x[v] - b.mesh.positions[v]).norm(), 1e-12);
  const Pose X{Eigen::AngleAxisd(1.1, Vec3(2, 1, -1).normalized()).toRotationMatrix(),
               Vec3(3, 1, -2)};
  for (Pose& bone : b.bones) bone = X;
  for (std::size_t i = 0; i < b.wall.size(); ++i) b.wallNow[i] = X * b.wall[i];
  x = b.pose(*driver, 0);
  for (std::size_t v = 0; v < x.size(); ++v)
    EXPECT_LT((x[v] - X * b.mesh.positions[v]).norm(), 1e-12);
}

TEST(BreathLayer, FollowsARigidTurnOfAllItsPointsExactly) {
  // A mean of translations would shrink the skin above by 1 - cos and leave fat behind.
  Ball b;
  const PointTrace t = b.trace();
  BreathLayer layer(b.mesh, b.weights, b.groups, {true, true}, b.samples, std::span(&t, 1));
  const Pose turn{Eigen::AngleAxisd(0.3, Vec3::UnitX()).toRotationMatrix(), Vec3(0, 0.01, 0)};
  std::vector<Vec3> d(b.mesh.vertexCount());
  // The group's carrier stands still, everything else turns: only the rib and the wall count.
  b.groups.carrier = {0};
  b.bones[1] = turn;
  for (std::size_t i = 0; i < b.wall.size(); ++i) b.wallNow[i] = turn * b.wall[i];
  const PointTrace moved = b.trace();
  layer.displace({.bones = b.bones, .posture = {}, .traces = std::span(&moved, 1)}, d);
  for (std::size_t v = 0; v < d.size(); ++v) {
    const Vec3& p = b.mesh.positions[v];
    if (p.z() < 0.12) continue;  // in the middle of the front nothing else is near
    EXPECT_LT((p + d[v] - turn * p).norm(), 0.0004);
  }
}

TEST(BreathLayer, TellsChestFromBelly) {
  const Ball b;
  const auto driver = b.driver();
  for (std::size_t v = 0; v < b.mesh.vertexCount(); ++v) {
    const Vec3& p = b.mesh.positions[v];
    if (p.z() < 0.08) continue;
    if (p.y() > 0.07) {
      EXPECT_GT(driver->breath()->chestShare()[v], 0.9);
    }
    if (p.y() < -0.07) {
      EXPECT_LT(driver->breath()->chestShare()[v], 0.1);
    }
  }
}

TEST(VolumeLaw, GivesTheWantedVolumeWithTheLeastSmoothCorrection) {
  TriangleMesh ball = makeSphere(0.15, 4);
  std::vector<double> compliance;
  for (const Vec3& p : ball.positions) compliance.push_back(std::clamp(p.z() / 0.15, 0.0, 1.0));
  VolumeLaw law(ball.triangles, compliance);
  const double before = law.volume(ball.positions);
  EXPECT_NEAR(before, enclosedVolume(ball), 1e-15);
  std::vector<Vec3> x = ball.positions;
  const double wanted = before + 0.0005;
  const double lambda = law.apply(wanted, x);
  EXPECT_NEAR(law.volume(x), wanted, 1e-6 * 0.0005);
  // Area times cosine over half a ball is the disc: first order of lambda.
  EXPECT_NEAR(lambda, 0.0005 / (kPi * 0.15 * 0.15), 0.06 * lambda);
  for (std::size_t v = 0; v < x.size(); ++v) {
    const double s = (x[v] - ball.positions[v]).norm();
    if (compliance[v] == 0) {
      EXPECT_EQ(s, 0);
    } else {
      EXPECT_NEAR(s, compliance[v] * lambda, 0.01 * lambda);  // in proportion to the compliance
    }
  }
  EXPECT_THROW(VolumeLaw(ball.triangles, std::vector<double>(ball.vertexCount(), 0)), InputError);
}

TEST(LayeredDriver, SwingsAsTheGasDoesWhateverTheTracesSay) {
  Ball b;
  const auto driver = b.driver();
  const double rest = enclosedVolume(b.mesh);
  for (const double gas : {-0.0012, -0.0003, 0.0005, 0.002}) {
    // The rib moves as far as the gas needs, a half more or the other way.
    for (const double part : {1.0, 1.5, -0.5}) {
      b.bones[1].position = Vec3(0, 0, part * gas / 0.06);
      const std::vector<Vec3> x = b.pose(*driver, gas);
      EXPECT_NEAR(enclosedVolume(x, b.mesh.triangles) - rest, gas, 1e-4 * std::abs(gas));
    }
  }
}

TEST(LayeredDriver, NeverPushesTheSkinIntoARib) {
  Ball b;
  const auto driver = b.driver();
  // Out by 10 mm while the lungs lose gas: the law pulls skin in, the floor holds it above the rib.
  b.bones[1].position = Vec3(0, 0, 0.01);
  const std::vector<Vec3> x = b.pose(*driver, -0.0001);
  EXPECT_NEAR(driver->report().volume - driver->report().posedVolume, -0.0001, 1e-7);
  const Vec3 front = b.bones[1] * Vec3(0, 0, 0.138);
  double nearest = 1;
  for (const Vec3& p : x)
    if (p.head<2>().norm() < 0.02 && p.z() > 0) nearest = std::min(nearest, p.z() - front.z());
  EXPECT_GT(nearest, 0.0015);
}

TEST(LayeredDriver, AllocatesNothingAfterTheFirstPose) {
  setThreadCount(1);
  Ball b;
  const auto driver = b.driver();
  std::vector<Vec3> x(b.mesh.vertexCount());
  b.bones[1].position = Vec3(0, 0, 0.01);
  const PointTrace t = b.trace();
  driver->pose({.bones = b.bones, .posture = {}, .traces = std::span(&t, 1), .gas = 0.0004}, x);
  b.bones[1].position = Vec3(0, 0, 0.02);
  const test::AllocationCount count;
  driver->pose({.bones = b.bones, .posture = {}, .traces = std::span(&t, 1), .gas = 0.0006}, x);
  EXPECT_EQ(count.sinceConstruction(), 0u);
  setThreadCount(0);
}

TEST(LayeredDriver, GivesTheSameBitsForAnyNumberOfThreads) {
  Ball b;
  const auto driver = b.driver();
  b.bones[1].position = Vec3(0.002, 0.004, 0.01);
  std::vector<std::vector<Vec3>> results;
  for (const int threads : {1, 2, 4}) {
    setThreadCount(threads);
    results.push_back(b.pose(*driver, 0.0005));
  }
  setThreadCount(0);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(LayeredDriver, SaysWhichTraceIsMissing) {
  Ball b;
  const auto driver = b.driver();
  std::vector<Vec3> x(b.mesh.vertexCount());
  try {
    driver->pose({.bones = b.bones, .posture = {}, .traces = {}}, x);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'wall'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace pneuma::skin
