#include "pneuma/flesh/belly_shape.h"

#include <gtest/gtest.h>

#include <cmath>

namespace pneuma::flesh {
namespace {

const ActionLine kLine({Vec3(0, 0, 0), Vec3(0, -0.3, 0)}, 0.03, 0.07);

anatomy::BellySection section(const Vec3& center, const Vec3& wide, double thick) {
  anatomy::BellySection s;
  s.center = center, s.wide = wide, s.thick = thick;
  return s;
}

TEST(BellyShape, SectionsStandWhereTheyAreDescribed) {
  // Three sections, five slices: the third slice lies on the second section, in the middle.
  const std::vector<anatomy::BellySection> sections{
      section(Vec3(0.01, 0, 0), Vec3(0.02, 0, 0), 0.01),
      section(Vec3(0, 0, 0.02), Vec3(0, 0, 0.03), 0.012),
      section(Vec3(0, 0, 0), Vec3(0.02, 0, 0), 0.01)};
  const BellyGrid grid = makeSectioned(kLine, sections, 0, 0, 5, 8);
  Vec3 middle = Vec3::Zero();
  double wide = 0, thick = 0;
  for (int a = 0; a < 8; ++a) middle += grid.points[static_cast<std::size_t>(grid.index(2, a))] / 8;
  for (int a = 0; a < 8; ++a) {
    const Vec3 d = grid.points[static_cast<std::size_t>(grid.index(2, a))] - middle;
    wide = std::max(wide, std::abs(d.z()));
    thick = std::max(thick, std::abs(d.x()));
  }
  EXPECT_LT((middle - Vec3(0, -0.03 - 0.1, 0.02)).norm(), 1e-12);
  EXPECT_NEAR(wide, 0.03, 1e-12);
  EXPECT_NEAR(thick, 0.012, 1e-12);
  EXPECT_GT(enclosedVolume(bellyMesh(grid)), 0);
}

TEST(BellyShape, SectionsAreScaledToTheVolumeAsked) {
  const std::vector<anatomy::BellySection> sections(
      4, section(Vec3(0.004, 0, 0), Vec3(0.02, 0, 0.01), 0.008));
  const BellyGrid grid = makeSectioned(kLine, sections, 120e-6, 0, 6, 8);
  EXPECT_NEAR(enclosedVolume(bellyMesh(grid)), 120e-6, 1e-12);
}

TEST(BellyShape, RotationTurnsTheSectionsAboutTheLine) {
  const std::vector<anatomy::BellySection> sections(3,
                                                    section(Vec3::Zero(), Vec3(0.02, 0, 0), 0.01));
  const BellyGrid plain = makeSectioned(kLine, sections, 0, 0, 5, 8),
                  turned = makeSectioned(kLine, sections, 0, 0.5, 5, 8);
  const Mat3 turn = Eigen::AngleAxisd(0.5, -Vec3::UnitY()).toRotationMatrix();
  for (std::size_t i = 0; i < plain.points.size(); ++i)
    EXPECT_LT((turned.points[i] - turn * plain.points[i]).norm(), 1e-12) << i;
}

}  // namespace
}  // namespace pneuma::flesh
