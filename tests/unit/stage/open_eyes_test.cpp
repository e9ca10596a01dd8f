#include "pneuma/stage/open_eyes.h"

#include <gtest/gtest.h>

#include <span>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/stage/posed_person.h"
#include "tests/support/human.h"

namespace pneuma::stage {
namespace {

constexpr int kEyeTriangles = 80000;

struct OpenFace {
  anatomy::SkinSurface skin;
  std::vector<Vec3> closed;
  std::array<Eyeball, 2> eyes;

  OpenFace() {
    skin = anatomy::makeShownSkin(*test::humanBody(), test::humanBody()->subject, kEyeTriangles,
                                  anatomy::GeometryCache());
    closed = skin.mesh.positions;
    eyes = openEyes(*skin.topology, skin.mesh.positions);
  }
};
const OpenFace& face() {
  static const OpenFace f;
  return f;
}

/// How far in front of an eyeball's middle a ray from before the face first meets a surface.
double firstSeen(const TriangleMesh& mesh, const Vec3& at) {
  const Vec3 from = at + Vec3(0, 0, 0.1);
  const auto hit = SurfaceQuery(mesh).firstHit(from, -Vec3::UnitZ(), 0.2);
  return hit ? 0.1 - hit->distance : -1;
}

TEST(OpenEyes, TheEyeballIsSeenBetweenTheLidsAndNotWhenTheyAreClosed) {
  const OpenFace& f = face();
  for (const Eyeball& eye : f.eyes) {
    const double ball = firstSeen(eye.mesh, eye.center);
    EXPECT_GT(ball, 0.011);
    EXPECT_GT(firstSeen({f.closed, f.skin.mesh.triangles}, eye.center), ball) << "closed";
    EXPECT_LT(firstSeen(f.skin.mesh, eye.center), ball) << "open";
    // Above and below the lids cover it.
    for (const double up : {0.0095, -0.0085}) {
      const Vec3 beside = eye.center + Vec3(0, up, 0);
      EXPECT_GT(firstSeen(f.skin.mesh, beside), firstSeen(eye.mesh, beside)) << up;
    }
  }
}

/// Hairs grow from the lids' edges, which part over the eyeball, and leave it forwards.
TEST(OpenEyes, LashesGrowFromTheEdgesOfBothLids) {
  const OpenFace& f = face();
  const SurfaceQuery skin(f.skin.mesh);
  for (const Eyeball& eye : f.eyes) {
    int upper = 0, lower = 0;
    for (const Lash& lash : eye.lashes) {
      ASSERT_EQ(lash.points.size(), lash.radii.size());
      EXPECT_LT(skin.closest(lash.points.front()).distance, 0.0025);
      EXPECT_GT(lash.points.back().z(), lash.points.front().z());
      for (const Vec3& p : lash.points) EXPECT_GT((p - eye.center).norm(), eye.radius);
      ++(lash.points.back().y() > lash.points.front().y() ? upper : lower);
    }
    EXPECT_GT(upper, lower);
    EXPECT_GT(lower, 20);
  }
}

TEST(OpenEyes, NothingMovesAwayFromTheEyesAndBothAreMirrored) {
  const OpenFace& f = face();
  for (std::size_t v = 0; v < f.closed.size(); ++v) {
    double near = 1;
    for (const Eyeball& eye : f.eyes) near = std::min(near, (f.closed[v] - eye.center).norm());
    if (near > 0.035) {
      EXPECT_EQ(f.closed[v], f.skin.mesh.positions[v]);
    }
  }
  EXPECT_LT((f.eyes[0].center - f.eyes[1].center.cwiseProduct(Vec3(-1, 1, 1))).norm(), 1e-9);
  EXPECT_TRUE(analyzeTopology(f.skin.mesh).watertight());
}

/// Closed lids meet in one fine line on the skin as it is drawn: nowhere hidden or off it, and
/// without a kink, where the paint that it replaced was torn.
TEST(OpenEyes, ClosedLashesAreASmoothLineOnTheSkin) {
  for (const auto sex : {anatomy::Sex::Male, anatomy::Sex::Female}) {
    anatomy::Person who = test::humanBody()->subject;
    who.sex = sex;
    const PosedPerson person(*test::humanBody(), who, {}, std::nullopt, kEyeTriangles);
    const SurfaceQuery surface(person.skin());
    const render::Scene scene = person.scene(Shading::Skin);
    ASSERT_GT(scene.lines.size(), 2u);  // hair follows
    for (const render::Polyline& line : std::span(scene.lines).first(2)) {
      ASSERT_EQ(line.points.size(), line.radii.size());
      EXPECT_NEAR((line.points.back() - line.points.front()).norm(), 0.029, 0.004);
      double sharpest = 1, deepest = 0, highest = 0;
      for (std::size_t i = 0; i < line.points.size(); ++i) {
        const Vec3 before = line.points[i] + Vec3(0, 0, 0.03);
        const auto hit = surface.firstHit(before, -Vec3::UnitZ(), 0.06);
        ASSERT_TRUE(hit);
        deepest = std::max(deepest, 0.03 - hit->distance);
        highest = std::max(highest, hit->distance - 0.03);
        if (i == 0 || i + 1 == line.points.size()) continue;
        sharpest = std::min(sharpest, (line.points[i] - line.points[i - 1])
                                          .normalized()
                                          .dot((line.points[i + 1] - line.points[i]).normalized()));
      }
      std::printf("  %.2f mm under, %.2f mm over the skin, %.3f rad at a point\n", 1e3 * deepest,
                  1e3 * highest, std::acos(std::min(1.0, sharpest)));
      // A thread half of whose thickness of 0.4 mm lies in the skin is seen.
      EXPECT_LT(deepest, 0.0002) << "hidden";
      EXPECT_LT(highest, 0.0007) << "off the skin";
      // Points lie 0.6 mm apart: 0.15 rad is a bend of 4 mm radius, as at the corners of an eye.
      EXPECT_GT(sharpest, std::cos(0.15)) << "a kink";
    }
  }
}

}  // namespace
}  // namespace pneuma::stage
