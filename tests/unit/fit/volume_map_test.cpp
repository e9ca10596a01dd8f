#include "pneuma/fit/volume_map.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/triangle_mesh.h"

namespace pneuma::fit {
namespace {

TEST(VolumeMap, AffineMapsAreTakenExactlyInsideAndOut) {
  const std::vector<Vec3> from = makeSphere(1, 2).positions;
  AffineMap truth;
  truth.linear << 1.1, 0.1, 0, -0.05, 0.9, 0.2, 0, 0.1, 1.3;
  truth.offset = Vec3(0.1, -2, 0.3);
  std::vector<Vec3> to;
  for (const Vec3& p : from) to.push_back(truth(p));
  const VolumeMap map(from, to);
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(0.3, -0.2, 0.4), Vec3(2, 1, -3)}) {
    EXPECT_LT((map(p) - truth(p)).norm(), 1e-9);
    EXPECT_LT((map.jacobian(p) - truth.linear).norm(), 1e-8);
  }
  EXPECT_LT((bestAffine(from, to).linear - truth.linear).norm(), 1e-10);
}

TEST(VolumeMap, MeetsItsPointsAndItsDerivativeIsThatOfItsValues) {
  const std::vector<Vec3> from = makeSphere(1, 2).positions;
  std::vector<Vec3> to = from;
  for (Vec3& p : to) p += Vec3(0.1 * p.y() * p.y(), 0, 0.05 * p.x());
  const VolumeMap map(from, to, 1e-6);
  for (std::size_t i = 0; i < from.size(); ++i) EXPECT_LT((map(from[i]) - to[i]).norm(), 1e-4);
  const Vec3 p(0.2, 0.3, -0.1), h(1e-6, 0, 0);
  EXPECT_LT(((map(p + h) - map(p - h)) / 2e-6 - map.jacobian(p).col(0)).norm(), 1e-6);
  EXPECT_THROW(VolumeMap({Vec3::Zero()}, to), InputError);
}

TEST(VolumeMap, SimilaritiesKeepShapes) {
  const std::vector<Vec3> from = makeBox(Vec3(1, 2, 3)).positions;
  const Mat3 turn = Eigen::AngleAxisd(0.5, Vec3(1, 1, 0).normalized()).toRotationMatrix();
  std::vector<Vec3> to;
  for (const Vec3& p : from) to.push_back(1.2 * (turn * p) + Vec3(1, 2, 3));
  EXPECT_LT(rmsApart(bestSimilarity(from, to), from, to), 1e-12);
  const AffineMap ends = throughEnds(from[0], from[6], to[0], to[6]);
  EXPECT_LT((ends(from[0]) - to[0]).norm(), 1e-12);
  EXPECT_LT((ends(from[6]) - to[6]).norm(), 1e-12);
  EXPECT_NEAR(ends.linear.determinant(), 1.2 * 1.2 * 1.2, 1e-9);
}

TEST(VolumeMap, EvenPointsLieFarApart) {
  const std::vector<Vec3> points = makeSphere(1, 4).positions;
  std::vector<bool> upper;
  for (const Vec3& p : points) upper.push_back(p.y() > 0);
  const std::vector<std::int32_t> chosen = evenPoints(points, upper, 40);
  ASSERT_EQ(chosen.size(), 40u);
  for (const std::int32_t a : chosen) {
    EXPECT_GT(points[at(a)].y(), 0);
    for (const std::int32_t b : chosen)
      if (a != b) {
        EXPECT_GT((points[at(a)] - points[at(b)]).norm(), 0.2);
      }
  }
}

}  // namespace
}  // namespace pneuma::fit
