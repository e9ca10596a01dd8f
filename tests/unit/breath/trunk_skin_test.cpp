#include "pneuma/breath/trunk_skin.h"

#include <gtest/gtest.h>

#include "tests/support/human_breath.h"

namespace pneuma::breath {
namespace {

/// The surface of the lungs stands in for a skin that lies on the cage.
struct Dressed {
  Dressed() : run(settings()), surface(lungSurface(run.model(), run.model().rest)) {}
  static BreathSettings settings() {
    BreathSettings s = test::humanBreath("deep");
    s.arms = true;
    return s;
  }
  std::vector<Vec3> deform(const TrunkSkin& skin) {
    updatePoints(run.model(), run.state(), run.workspace());
    return skin.deform(run.workspace().points(), run.layer()->points());
  }
  BreathSimulation run;
  TriangleMesh surface;
};

TEST(TrunkSkin, IsItsRestShapeAtRest) {
  Dressed d;
  const TrunkSkin skin(d.run.model(), *d.run.layer(), d.surface,
                       std::vector<double>(d.surface.vertexCount(), 1.0));
  const std::vector<Vec3> now = d.deform(skin);
  for (std::size_t i = 0; i < now.size(); ++i)
    EXPECT_LT((now[i] - d.surface.positions[i]).norm(), 1e-12);
}

TEST(TrunkSkin, GrowsWithTheChestWithoutTearing) {
  Dressed d;
  const TrunkSkin skin(d.run.model(), *d.run.layer(), d.surface,
                       std::vector<double>(d.surface.vertexCount(), 1.0));
  d.run.run(2.2);
  const std::vector<Vec3> now = d.deform(skin);
  EXPECT_GT(enclosedVolume(now, d.surface.triangles), 1.05 * enclosedVolume(d.surface));
  for (const Triangle& t : d.surface.triangles)  // neighbours stay neighbours
    for (std::size_t k = 0; k < 3; ++k) {
      const auto a = static_cast<std::size_t>(t[k]), b = static_cast<std::size_t>(t[(k + 1) % 3]);
      const double before = (d.surface.positions[a] - d.surface.positions[b]).norm();
      EXPECT_LT(std::abs((now[a] - now[b]).norm() - before), 0.25 * before + 0.006);
    }
}

TEST(TrunkSkin, StandsStillWithoutMobility) {
  Dressed d;
  const TrunkSkin skin(d.run.model(), *d.run.layer(), d.surface,
                       std::vector<double>(d.surface.vertexCount(), 0.0));
  d.run.run(1);
  EXPECT_EQ(d.deform(skin), d.surface.positions);
}

}  // namespace
}  // namespace pneuma::breath
