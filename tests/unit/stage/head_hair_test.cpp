#include "pneuma/stage/head_hair.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/core/surface_query.h"
#include "tests/support/human.h"

namespace pneuma::stage {
namespace {

constexpr int kHeadTriangles = 20000;
const render::Color kBrown = render::Color::hex(0x3a2a22);

struct HairyHead {
  anatomy::SkinSurface skin = anatomy::makeShownSkin(*test::humanBody(), test::humanBody()->subject,
                                                     kHeadTriangles, anatomy::GeometryCache());
  std::vector<render::Polyline> of(anatomy::Sex sex) const {
    return headHair(*skin.topology, skin.mesh.positions, sex, kBrown);
  }
};
const HairyHead& hairyHead() {
  static const HairyHead h;
  return h;
}

double hairLength(const render::Polyline& hair) {
  double sum = 0;
  for (std::size_t i = 1; i < hair.points.size(); ++i)
    sum += (hair.points[i] - hair.points[i - 1]).norm();
  return sum;
}

TEST(HeadHair, GrowsFromTheSkinOfTheHeadAndStaysOverIt) {
  const SurfaceQuery skin(hairyHead().skin.mesh);
  for (const anatomy::Sex sex : {anatomy::Sex::Male, anatomy::Sex::Female}) {
    const auto hairs = hairyHead().of(sex);
    EXPECT_GT(hairs.size(), 10000u);
    double farthest = 0;
    for (std::size_t k = 0; k < hairs.size(); k += 23) {
      const std::vector<Vec3>& p = hairs[k].points;
      ASSERT_EQ(p.size(), hairs[k].radii.size());
      EXPECT_LT(skin.closest(p.front()).distance, 1e-6);
      EXPECT_GT(p.front().y(), 1.47);  // of the subject, whose chin is at 1.43 m
      // Mouth, nose and eyes are free of roots.
      EXPECT_FALSE(p.front().z() > 0.14 && p.front().y() < 1.58);
      for (const Vec3& q : p) {
        ASSERT_TRUE(q.allFinite());
        const double over = skin.signedDistance(q);
        EXPECT_GT(over, -0.002);
        farthest = std::max(farthest, over);
      }
    }
    EXPECT_GT(farthest, 0.003);
    EXPECT_LT(farthest, 0.025);
  }
}

TEST(HeadHair, AWomansIsLongerAndTheSameSkinGivesTheSame) {
  const auto man = hairyHead().of(anatomy::Sex::Male), woman = hairyHead().of(anatomy::Sex::Female);
  const auto mean = [](const std::vector<render::Polyline>& hairs) {
    double sum = 0;
    for (const render::Polyline& hair : hairs) sum += hairLength(hair);
    return sum / static_cast<double>(hairs.size());
  };
  EXPECT_GT(mean(man), 0.004);
  EXPECT_GT(mean(woman), 2.5 * mean(man));
  const auto again = hairyHead().of(anatomy::Sex::Male);
  ASSERT_EQ(again.size(), man.size());
  for (std::size_t k = 0; k < man.size(); k += 97) EXPECT_EQ(again[k].points, man[k].points);
}

/// The head of a child or of a giant has hair of its own measure.
TEST(HeadHair, GoesWithTheSizeOfTheHead) {
  std::vector<Vec3> small = hairyHead().skin.mesh.positions;
  for (Vec3& p : small) p *= 0.5;
  const auto hairs = headHair(*hairyHead().skin.topology, small, anatomy::Sex::Male, kBrown);
  const auto whole = hairyHead().of(anatomy::Sex::Male);
  ASSERT_NEAR(static_cast<double>(hairs.size()), static_cast<double>(whole.size()),
              0.01 * static_cast<double>(whole.size()));
  EXPECT_NEAR(hairLength(hairs[1000]), 0.5 * hairLength(whole[1000]),
              0.05 * hairLength(whole[1000]));
}

}  // namespace
}  // namespace pneuma::stage
