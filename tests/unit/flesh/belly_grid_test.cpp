#include "pneuma/flesh/belly_grid.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/io/mesh_file.h"
#include "tests/support/shared_data.h"

namespace pneuma::flesh {
namespace {

TriangleMesh makeEllipsoid(double a, double b, double c) {
  TriangleMesh mesh = makeSphere(1, 5);
  for (Vec3& p : mesh.positions) p = p.cwiseProduct(Vec3(a, b, c));
  return mesh;
}

TEST(BellyGrid, TriangulationIsClosedAndOutward) {
  const ActionLine line({Vec3(0, 0, 0), Vec3(0, 0, 1)}, 0.1, 0.1);
  const BellyGrid grid = makeFusiform(line, 0.1, 1, 5, 6);
  EXPECT_EQ(grid.points.size(), 32u);
  const TriangleMesh mesh = bellyMesh(grid);
  EXPECT_TRUE(analyzeTopology(mesh).watertight());
  EXPECT_EQ(analyzeTopology(mesh).eulerNumber, 2);
  EXPECT_GT(enclosedVolume(mesh), 0);
}

TEST(BellyGrid, ResamplingLosesLessWithMorePoints) {
  const TriangleMesh muscle = makeEllipsoid(0.02, 0.1, 0.03);
  const ActionLine line({Vec3(0, -0.12, 0), Vec3(0, 0.12, 0)}, 0.02, 0.02);
  double lastHausdorff = 1, lastVolumeLoss = 1;
  for (const auto& [slices, around] :
       {std::pair{5, 6}, std::pair{8, 10}, std::pair{15, 20}, std::pair{40, 40}}) {
    const ResampledBelly resampled = resampleBelly(muscle, line, slices, around);
    EXPECT_EQ(resampled.loss.misses, 0);
    EXPECT_TRUE(analyzeTopology(bellyMesh(resampled.grid)).watertight());
    EXPECT_LT(resampled.loss.hausdorff, lastHausdorff);
    EXPECT_LT(1 - resampled.loss.volumeRatio, lastVolumeLoss);
    lastHausdorff = resampled.loss.hausdorff;
    lastVolumeLoss = 1 - resampled.loss.volumeRatio;
  }
  EXPECT_LT(lastVolumeLoss, 0.01);
  EXPECT_LT(lastHausdorff,
            0.002);  // what the chord from the last ring to the blunt extremity cuts off
}

TEST(BellyGrid, AnActionLineOutsideTheMuscleStillSamplesIt) {
  const TriangleMesh muscle = makeEllipsoid(0.02, 0.1, 0.03);
  const ActionLine beside({Vec3(0.03, -0.12, 0), Vec3(0.03, 0.12, 0)}, 0, 0);
  const ResampledBelly resampled = resampleBelly(muscle, beside, 15, 20);
  EXPECT_NEAR(resampled.loss.volumeRatio, 1, 0.05);
}

TEST(BellyGrid, RefusesAnOpenMeshAndTooFewPoints) {
  TriangleMesh open = makeSphere(0.1, 2);
  open.triangles.pop_back();
  const ActionLine line({Vec3(0, -0.12, 0), Vec3(0, 0.12, 0)}, 0, 0);
  EXPECT_THROW(resampleBelly(open, line, 5, 6), InputError);
  EXPECT_THROW(resampleBelly(makeSphere(0.1, 2), line, 0, 6), InputError);
  EXPECT_THROW(resampleBelly(makeSphere(0.1, 2), line, 5, 2), InputError);
}

TEST(BellyGrid, RealMusclesAreResampledWithALossThatFalls) {
  const std::filesystem::path folder = test::sharedData("anatomy");
  if (folder.empty()) GTEST_SKIP() << "no anatomy at hand";
  for (const char* name : {"long_head_of_biceps_brachii_l", "brachialis_l", "rectus_femoris_l",
                           "medial_head_of_gastrocnemius_l", "medial_head_of_triceps_brachii_l"}) {
    TriangleMesh muscle = io::readMesh(folder / "muscles" / (std::string(name) + ".ply"));
    for (Vec3& p : muscle.positions) p = 1e-3 * Vec3(p.x(), p.z(), -p.y());
    // Through the middles of ten layers from the upper to the lower end.
    const Box box = boundingBox(muscle.positions);
    std::vector<Vec3> points;
    for (int i = 0; i < 10; ++i) {
      Vec3 sum = Vec3::Zero();
      int count = 0;
      for (const Vec3& p : muscle.positions)
        if (std::abs(box.max.y() - (i + 0.5) / 10 * box.size().y() - p.y()) < 0.05 * box.size().y())
          sum += p, ++count;
      if (count > 0) points.push_back(sum / count);
    }
    const ActionLine line(points, 0, 0);
    const ResamplingLoss coarse = resampleBelly(muscle, line, 6, 5).loss,
                         fine = resampleBelly(muscle, line, 20, 16).loss,
                         finest = resampleBelly(muscle, line, 80, 64).loss;
    EXPECT_LT(fine.meanDistance, coarse.meanDistance) << name;
    EXPECT_LT(finest.meanDistance, fine.meanDistance) << name;
    EXPECT_LT(finest.meanDistance, 0.0007) << name;
    // The outermost hit fills hollows: the groove in which brachialis lies around the humerus is a
    // quarter of its volume, the others have none.
    const bool hollow = std::string(name) == "brachialis_l";
    EXPECT_NEAR(finest.volumeRatio, hollow ? 1.24 : 1.0, 0.02) << name;
    EXPECT_LT(fine.volumeRatio, finest.volumeRatio) << name;
    EXPECT_GT(fine.hausdorff, fine.meanDistance) << name;
  }
}

TEST(ActionLine, TendonsKeepTheirLengthAndTheBellyTakesTheRest) {
  ActionLine line({Vec3(0, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0.1, 0.2)}, 0.03, 0.05);
  EXPECT_NEAR(line.length(), 0.3, 1e-15);
  EXPECT_NEAR(line.bellyLength(), 0.22, 1e-15);
  const std::vector<Vec3> shorter{Vec3(0, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0.1, 0.1)};
  line.setPoints(shorter);
  EXPECT_NEAR(line.bellyStart(), 0.03, 1e-15);
  EXPECT_NEAR(line.length() - line.bellyEnd(), 0.05, 1e-15);
  EXPECT_NEAR((line.pointAt(0.15) - Vec3(0, 0.1, 0.05)).norm(), 0, 1e-15);
  const std::vector<Vec3> tooShort{Vec3(0, 0, 0), Vec3(0, 0.01, 0), Vec3(0, 0.01, 0.01)};
  line.setPoints(tooShort);
  EXPECT_TRUE(line.slack());
  EXPECT_GT(line.bellyLength(), 0);
}

TEST(ActionLine, NormalisedPointsFitAnyLimb) {
  const Pose limb{Eigen::AngleAxisd(0.4, Vec3::UnitX()).toRotationMatrix(), Vec3(0.1, 1.2, 0)};
  const Vec3 point(0.13, 1.0, 0.05);
  const NormalizedPoint normalized = normalize(0, point, limb, 0.27);
  EXPECT_NEAR((denormalize(normalized, limb, 0.27) - point).norm(), 0, 1e-15);
  const Vec3 onLonger = limb.inverse() * denormalize(normalized, limb, 0.54);
  EXPECT_NEAR((onLonger - 2 * (limb.inverse() * point)).norm(), 0, 1e-15);
}

}  // namespace
}  // namespace pneuma::flesh
