#include "pneuma/shape/rotations.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "small_body.h"

namespace pneuma::shape {
namespace {

TEST(Rotations, LogarithmInvertsTheExponentialUpToAHalfTurn) {
  Random random(3);
  for (const double angle :
       {0.0, 1e-12, 3e-8, 1e-7, 0.3, 2.0, 3.1, kPi - 1e-4, kPi - 1e-7, kPi - 1e-9}) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 axis = Vec3(random.normal(), random.normal(), random.normal()).normalized();
      const Mat3 R = expRotation(angle * axis);
      EXPECT_NEAR(R.determinant(), 1, 1e-12);
      EXPECT_LT((expRotation(logRotation(R)) - R).norm(), 1e-7) << angle;
      // Below 1e-6 from a half turn the sine is rounding noise, and only R itself comes back.
      if (angle < kPi - 1e-5) {
        EXPECT_LT((logRotation(R) - angle * axis).norm(), 1e-8 * angle + 1e-15) << angle;
      }
    }
  }
}

TEST(Rotations, ExactHalfTurnsHaveOneAnswerEach) {
  for (const Vec3& axis : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.6, 0.8, 0), Vec3(0, -0.6, 0.8)}) {
    const Mat3 R = 2 * axis * axis.transpose() - Mat3::Identity();
    const Vec3 w = logRotation(R);
    EXPECT_NEAR(w.norm(), kPi, 1e-9);
    Eigen::Index largest = 0;
    w.cwiseAbs().maxCoeff(&largest);
    EXPECT_GT(w[largest], 0);
    EXPECT_LT((expRotation(w) - R).norm(), 1e-9);
  }
}

TEST(Rotations, MirroredDataIsNeverAnsweredWithAReflection) {
  const ShapeTemplate shape = test::smallBody();
  std::vector<Vec3> mirrored = shape.mesh.positions;
  for (Vec3& p : mirrored) p.x() = -p.x();
  for (const Mat3& R : partRotations(shape, mirrored)) EXPECT_NEAR(R.determinant(), 1, 1e-12);
}

TEST(Rotations, PartsOfATurnedBodyTurnAsOne) {
  const ShapeTemplate shape = test::smallBody();
  for (const double angle : {0.2, kPi - 1e-3}) {
    const Mat3 turn = expRotation(angle * Vec3(0.2, 0.9, -0.3).normalized());
    std::vector<Vec3> x = shape.mesh.positions;
    for (Vec3& p : x) p = turn * p + Vec3(1, 2, 3);
    for (const Mat3& R : partRotations(shape, x)) EXPECT_LT((R - turn).norm(), 1e-10);
  }
}

TEST(Rotations, MeanIsWhereLogarithmsSumToZero) {
  const Mat3 centre = expRotation(Vec3(0.4, 2.5, 0.1));
  std::vector<Mat3> list;
  for (const double s : {-0.3, -0.1, 0.4}) list.push_back(centre * expRotation(s * Vec3(1, 2, 0)));
  EXPECT_LT((meanRotation(list) - centre).norm(), 1e-10);
  EXPECT_THROW(meanRotation({}), InputError);
}

TEST(Rotations, AnotherTopologyIsRefused) {
  const ShapeTemplate shape = test::smallBody();
  EXPECT_THROW(partRotations(shape, std::vector<Vec3>(7)), InputError);
}

}  // namespace
}  // namespace pneuma::shape
