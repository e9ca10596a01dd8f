#include "pneuma/anatomy/trunk.h"

#include <gtest/gtest.h>

#include "tests/support/human.h"

namespace pneuma::anatomy {
namespace {

TEST(RadialTable, InterpolatesBothWaysAndHoldsItsBorders) {
  RadialTable t;
  t.heights = {1, 2};
  t.azimuths = {0, 1, 2};
  t.radii = {1, 2, 3, 3, 4, 5};
  EXPECT_EQ(t.radius(1, 0), 1);
  EXPECT_EQ(t.radius(1.5, 0.5), 2.5);
  EXPECT_EQ(t.radius(2, 2), 5);
  EXPECT_EQ(t.radius(-7, -7), 1);
  EXPECT_EQ(t.radius(9, 9), 5);
}

TEST(Trunk, MeasuredCavityIsThatOfTheSubject) {
  const TrunkAnatomy a = trunkAnatomy(*test::humanBody());
  // The pack's own cavity mesh, a construction good to a few millimetres, holds 4.9 l.
  EXPECT_NEAR(thoracicCavity(a), 4.9e-3, 0.06 * 4.9e-3);
  // What data/body/human.toml states as the subject's resting lung goes with this volume.
  const Person& subject = test::humanBody()->subject;
  EXPECT_NEAR(thoracicCavity(a), *subject.restingLung + predictThoracicTissue(subject), 1e-8);
}

TEST(Trunk, CavityScalesWithTheCube) {
  TrunkAnatomy a = trunkAnatomy(*test::humanBody());
  const double before = thoracicCavity(a);
  const double s = 1.2;
  for (RibAnatomy& r : a.ribs) {
    for (Vec3& p : r.centerline) p *= s;
    for (Vec3* p : {&r.head, &r.cartilageOnRib, &r.cartilageOnSternum}) *p *= s;
    r.radius *= s;
  }
  for (Vec3& p : a.vertebrae) p *= s;
  for (Vec3* p : {&a.xiphisternal, &a.marginJoin, &a.dome.center, &a.trunk.center}) *p *= s;
  for (double& r : a.dome.radii) r *= s;
  a.height *= s;
  // The depth of the sternum is a constant of 10 mm.
  EXPECT_NEAR(thoracicCavity(a) / before, s * s * s, 0.03);
}

TEST(Trunk, MarginRunsFromSternumToSpineWithWholeWeights) {
  const std::vector<MarginPoint> margin = costalMargin(trunkAnatomy(*test::humanBody()));
  ASSERT_EQ(margin.size(), kHalfColumns + 1u);
  EXPECT_EQ(margin.front().carriers.front().first, kMarginSternum);
  EXPECT_EQ(margin.back().carriers.front().first, kMarginSpine);
  for (const MarginPoint& p : margin) {
    double sum = 0;
    for (const auto& [part, weight] : p.carriers) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

TEST(Trunk, EveryMeridianOfTheDomeEndsAtItsTop) {
  const TrunkAnatomy a = trunkAnatomy(*test::humanBody());
  for (const MarginPoint& p : costalMargin(a)) {
    if (p.position.z() > a.dome.center.z()) {
      EXPECT_LT((domePoint(a, p.position, 0) - p.position).norm(), 1e-12);
    }
    EXPECT_LT((domePoint(a, p.position, 1) - domeTop(a)).norm(), 1e-9);
  }
}

TEST(Trunk, MissingTablesAndLandmarksAreNamed) {
  Body body = *test::humanBody();
  body.trunk.wall = RadialTable{};
  try {
    trunkAnatomy(body);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics()[0].field, "wall");
  }
  body = *test::humanBody();
  std::erase_if(body.landmarks, [](const Landmarks& l) { return l.bone == "rib_05_l"; });
  EXPECT_THROW(trunkAnatomy(body), InputError);
}

}  // namespace
}  // namespace pneuma::anatomy
