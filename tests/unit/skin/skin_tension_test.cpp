#include "pneuma/skin/skin_tension.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/skin/skin_checks.h"
#include "pneuma/skin/weights_driver.h"
#include "skin/untangle.h"
#include "tests/unit/skin/two_bones.h"

namespace pneuma::skin {
namespace {

using test::TwoBones;

/// A tube bent at its middle.
std::vector<Pose> bent(const TwoBones& arm, double degrees) {
  const Mat3 R = Eigen::AngleAxisd(degreesToRadians(degrees), Vec3::UnitX()).toRotationMatrix();
  std::vector<Pose> motions(arm.mesh.vertexCount());
  WeightsDriver(arm.groups, arm.weights)
      .carry(std::vector<Pose>{Pose{}, Pose{R, Vec3::Zero()}}, motions);
  return motions;
}

std::vector<Vec3> placed(const TwoBones& arm, const std::vector<Pose>& motions) {
  std::vector<Vec3> x;
  for (std::size_t v = 0; v < motions.size(); ++v) x.push_back(motions[v] * arm.mesh.positions[v]);
  return x;
}

/// Least area of a triangle over that at rest.
double smallest(const TwoBones& arm, const std::vector<Vec3>& x) {
  double least = 1e9;
  for (const Triangle& t : arm.mesh.triangles) {
    const auto area = [&](const std::vector<Vec3>& p) {
      return triangleArea(p[static_cast<std::size_t>(t[0])], p[static_cast<std::size_t>(t[1])],
                          p[static_cast<std::size_t>(t[2])]);
    };
    least = std::min(least, area(x) / area(arm.mesh.positions));
  }
  return least;
}

TEST(SkinTension, MovesNothingAtRestAndInARigidMotion) {
  const TwoBones arm(0.02);
  SkinTension sheet(arm.mesh, std::vector<double>(arm.mesh.vertexCount(), 0.05));
  const Pose X{Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized()).toRotationMatrix(), Vec3(1, 2, 3)};
  for (const Pose& motion : {Pose{}, X}) {
    std::vector<Vec3> shifts(arm.mesh.vertexCount(), Vec3::Ones());
    sheet.relax(std::vector<Pose>(shifts.size(), motion), shifts);
    for (const Vec3& u : shifts) EXPECT_EQ(u, Vec3::Zero());
  }
}

TEST(SkinTension, SpreadsWhatABendSqueezesTheFartherSkinSlides) {
  const TwoBones arm(0.01);
  const std::vector<Pose> motions = bent(arm, 100);
  double before = smallest(arm, placed(arm, motions));
  for (const double slide : {0.02, 0.05}) {
    SkinTension sheet(arm.mesh, std::vector<double>(arm.mesh.vertexCount(), slide));
    std::vector<Vec3> shifts(arm.mesh.vertexCount()), x = placed(arm, motions);
    sheet.relax(motions, shifts);
    for (std::size_t v = 0; v < x.size(); ++v) x[v] += shifts[v];
    EXPECT_GT(smallest(arm, x), before) << slide;
    before = smallest(arm, x);
  }
}

/// One half of a tube is drawn along it and the other is not, as ribs that pass the sternum: the
/// skin shears over as much as it slides, instead of over one row of triangles. It fails when skin
/// is carried by what lies under it alone, or when it leaves that.
TEST(SkinTension, ShearsOverAsMuchAsItSlidesAndStaysOnTheFlesh) {
  const TwoBones arm(0.01);
  const std::vector<Vec3>& p = arm.mesh.positions;
  const double drawn = 0.01, swollen = 0.002;
  std::vector<Vec3> d;
  for (const Vec3& q : p)
    d.push_back(Vec3(0, q.y() > 0 ? drawn : 0, 0) +
                swollen * (std::abs(q.y()) < 0.1 ? 1 : 0) * Vec3(q.x(), 0, q.z()).normalized());
  double before = drawn;  // largest step between rows
  for (const double slide : {0.02, 0.05}) {
    SkinTension sheet(arm.mesh, std::vector<double>(p.size(), slide));
    std::vector<Vec3> x = d;
    sheet.slide(x);
    double most = 0;
    for (const Triangle& t : arm.mesh.triangles)
      for (std::size_t k = 0; k < 3; ++k)
        most = std::max(most, std::abs(x[static_cast<std::size_t>(t[k])].y() -
                                       x[static_cast<std::size_t>(t[(k + 1) % 3])].y()));
    EXPECT_LT(most, 0.7 * before) << slide;
    before = most;
    for (std::size_t v = 0; v < p.size(); ++v) {
      if (std::abs(p[v].y()) > 0.15) continue;  // the ends are closed by flat caps
      const Vec3 out = Vec3(p[v].x(), 0, p[v].z()).normalized();
      EXPECT_NEAR(x[v].dot(out), d[v].dot(out), 1e-4) << v;
    }
  }
  // Where all moves alike nothing slides.
  SkinTension sheet(arm.mesh, std::vector<double>(p.size(), 0.05));
  std::vector<Vec3> alike(p.size(), Vec3(1, 2, 3));
  sheet.slide(alike);
  for (const Vec3& u : alike) EXPECT_LT((u - Vec3(1, 2, 3)).norm(), 1e-12);
}

TEST(SkinTension, RefusesSkinThatCannotSlide) {
  const TwoBones arm(0.02);
  EXPECT_THROW(SkinTension(arm.mesh, std::vector<double>(arm.mesh.vertexCount(), 0.0)), InputError);
}

TEST(Untangler, OpensATriangleThatWasTurnedOverAndLeavesTheRestAlone) {
  const TwoBones arm(0.01);
  internal::Untangler untangler(arm.mesh);
  const std::vector<Pose> still(arm.mesh.vertexCount());
  std::vector<Vec3> x = arm.mesh.positions;
  EXPECT_EQ(untangler.apply(still, x), 0u);
  EXPECT_EQ(x, arm.mesh.positions);
  // A vertex half-way up is pulled past its neighbours.
  std::size_t pulled = 0;
  for (std::size_t v = 0; v < x.size(); ++v)
    if ((x[v] - Vec3(0, 0, 0.04)).norm() < (x[pulled] - Vec3(0, 0, 0.04)).norm()) pulled = v;
  x[pulled].y() += 0.025;
  ASSERT_GT(countFoldedTriangles(arm.mesh.positions, still, x, arm.mesh.triangles, 90), 0u);
  EXPECT_EQ(untangler.apply(still, x), 0u);
  EXPECT_EQ(countFoldedTriangles(arm.mesh.positions, still, x, arm.mesh.triangles, 90), 0u);
  for (std::size_t v = 0; v < x.size(); ++v)
    if ((arm.mesh.positions[v] - arm.mesh.positions[pulled]).norm() > 0.15) {
      EXPECT_EQ(x[v], arm.mesh.positions[v]);
    }
}

}  // namespace
}  // namespace pneuma::skin
