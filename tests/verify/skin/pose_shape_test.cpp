#include "pneuma/stage/pose_study.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pneuma/stage/posed_performance.h"
#include "tests/support/human.h"

namespace pneuma::stage {
namespace {

constexpr double kTenthMillimetre = 1e-4;  // [m]

shape::ShapeTemplate templateOf(const anatomy::SkinSurface& surface) {
  std::vector<std::string> parts;
  for (const anatomy::SkinPart p : surface.parts) parts.emplace_back(anatomy::name(p));
  return shape::makeShapeTemplate(surface.mesh, parts, surface.topology->mirror);
}

/// One rig serves all tests.
class Poses : public ::testing::Test {
 protected:
  static SkinRig& rig() {
    static SkinRig rig(*test::humanBody(), test::humanBody()->subject);
    return rig;
  }
};

TEST_F(Poses, AtRestBothWaysOfCarryingLeaveTheSkinInItsPlace) {
  const VecX q = rig().model().neutral;
  const std::vector<Vec3> plain = rig().plain(q, rig().rest()), posed = rig().posed(q);
  double most = 0;
  for (std::size_t v = 0; v < plain.size(); ++v)
    most =
        std::max({most, (plain[v] - rig().rest()[v]).norm(), (posed[v] - rig().rest()[v]).norm()});
  EXPECT_LT(most, kTenthMillimetre);
}

TEST_F(Poses, AreTheSameForTheSameSeedAndCoverTheirRanges) {
  const std::vector<VecX> a = samplePoses(rig(), 6, 3), b = samplePoses(rig(), 6, 3);
  ASSERT_EQ(a.size(), 6u);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i], b[i]);
  EXPECT_NE(a[0], samplePoses(rig(), 6, 4)[0]);
}

TEST_F(Poses, QBringsSkinNearerThanPlainSkinningInPosesNotLearned) {
  const shape::ShapeTemplate shape = templateOf(rig().surface());
  const auto skins = [&](int count, std::uint64_t seed) {
    std::vector<shape::PosedSkin> list;
    for (const VecX& q : samplePoses(rig(), count, seed))
      list.push_back({rig().rest(), rig().plain(q, rig().rest()), rig().posed(q)});
    return list;
  };
  const shape::PoseShape pose = shape::PoseShape::fit(shape, skins(16, 5), shape::TurnOf::Triangle);
  const shape::PoseShape none(shape::TurnOf::Triangle, {});
  const shape::PoseSolver with(shape, pose), without(shape, none);
  const std::vector<bool> all(shape.vertexCount(), true);
  shape::DistanceMeter model, turned, plain;
  for (const shape::PosedSkin& s : skins(4, 6)) {
    model.add(with.pose(s.rest, s.plain, s.rest), s.posed, all);
    turned.add(without.pose(s.rest, s.plain, s.rest), s.posed, all);
    plain.add(s.plain, s.posed, all);
  }
  EXPECT_LT(model.error().rms, 0.9 * plain.error().rms);
  EXPECT_LT(model.error().rms, 0.9 * turned.error().rms);
}

}  // namespace
}  // namespace pneuma::stage
