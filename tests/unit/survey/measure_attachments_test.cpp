#include "pneuma/survey/measure_attachments.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"

namespace pneuma::survey {
namespace {

/// A slab of bone, its top at y = 0, and a muscle that stands on it from x = 10 to 50 mm.
TriangleMesh slab() {
  return makeBox({0.2, 0.02, 0.1}, {0, -0.01, 0});
}
TriangleMesh belly() {
  return makeBox({0.04, 0.1, 0.02}, {0.03, 0.051, 0.005});
}

TEST(MeasurePatch, FindsTheMiddleOfTheContact) {
  const SurfaceQuery bone(slab());
  const auto points = measurePatch(bone, belly(), {});
  ASSERT_EQ(points.size(), 1u);
  // The muscle's sides count within the reach, which does not move the middle; samples are 2 mm.
  EXPECT_LT((points[0].position - Vec3(0.03, 0, 0.005)).norm(), 0.0015);
  EXPECT_GT(points[0].normal.y(), 0.999);
}

TEST(MeasurePatch, SpreadsPointsOverEqualAreas) {
  const SurfaceQuery bone(slab());
  // A reach that sees the muscle's foot, 1 mm above the bone, and hardly its sides.
  const auto points =
      measurePatch(bone, belly(), {.count = 4, .along = Vec3::UnitX(), .reach = 0.0011});
  ASSERT_EQ(points.size(), 4u);
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(points[static_cast<std::size_t>(i)].position.x(), 0.015 + 0.01 * i, 0.0015);
}

TEST(MeasurePatch, UsesOnlyTheAskedStretchAndEdge) {
  const SurfaceQuery bone(slab());
  const auto upper =
      measurePatch(bone, belly(), {.along = Vec3::UnitX(), .from = 0.5, .to = 1, .reach = 0.0011});
  EXPECT_NEAR(upper[0].position.x(), 0.04, 0.0015);
  const auto edge = measurePatch(bone, belly(), {.edge = -Vec3::UnitX(), .reach = 0.0011});
  EXPECT_LT(edge[0].position.x(), 0.0145);
}

TEST(MeasurePatch, DoesNotDependOnTheTriangles) {
  // The same muscle with its triangles cut in four.
  TriangleMesh coarse = belly(), fine;
  for (const Triangle& t : coarse.triangles) {
    const Vec3 a = coarse.positions[static_cast<std::size_t>(t[0])],
               b = coarse.positions[static_cast<std::size_t>(t[1])],
               c = coarse.positions[static_cast<std::size_t>(t[2])];
    const Vec3 ab = 0.5 * (a + b), bc = 0.5 * (b + c), ca = 0.5 * (c + a);
    for (const auto& [p, q, r] : {std::tuple{a, ab, ca}, std::tuple{ab, b, bc},
                                  std::tuple{ca, bc, c}, std::tuple{ab, bc, ca}}) {
      const auto first = static_cast<std::int32_t>(fine.positions.size());
      fine.positions.insert(fine.positions.end(), {p, q, r});
      fine.triangles.push_back({first, first + 1, first + 2});
    }
  }
  const SurfaceQuery bone(slab());
  const PatchRule rule{.count = 3, .along = Vec3::UnitX(), .reach = 0.0011};
  const auto a = measurePatch(bone, coarse, rule), b = measurePatch(bone, fine, rule);
  // A middle is taken around the sample nearest to the mean, and samples lie up to 2.8 mm apart.
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT((a[i].position - b[i].position).norm(), 0.0028);
}

TEST(MeasurePatch, StretchesToAMuscleThatEndsShortOfItsBone) {
  TriangleMesh raised = belly();
  for (Vec3& p : raised.positions) p.y() += 0.02;
  const SurfaceQuery bone(slab());
  EXPECT_NEAR(measurePatch(bone, raised, {})[0].position.x(), 0.03, 0.003);
}

TEST(MeasurePatch, RefusesAMuscleFarAway) {
  TriangleMesh far = belly();
  for (Vec3& p : far.positions) p.y() += 0.5;
  const SurfaceQuery bone(slab());
  EXPECT_THROW(measurePatch(bone, far, {}), InputError);
}

TEST(MoveOnto, KeepsToItsSideOfAThinPlate) {
  // Measured on the back (-z) of a plate that is described 3 mm thick and 2 mm farther back: the
  // closest place would be its front.
  const SurfaceQuery plate(makeBox({0.1, 0.1, 0.003}, {0, 0, -0.0035}));
  const SurfacePoint measured{{0.01, 0.02, -0.0010}, -Vec3::UnitZ()};
  EXPECT_NEAR(moveOnto(plate, {measured.position, Vec3::Zero()}).position.z(), -0.002, 1e-9);
  const SurfacePoint moved = moveOnto(plate, {{0.01, 0.02, -0.0035}, -Vec3::UnitZ()});
  EXPECT_NEAR(moved.position.z(), -0.005, 1e-6);
  EXPECT_LT(moved.normal.z(), -0.999);
}

TEST(AttachmentsText, IsBodyTextInTenthsOfAMillimetre) {
  anatomy::Bone bone;
  bone.name = "rib_05_l";
  const AttachmentSurvey survey{{{"rib_05_l", "serratus_anterior", {0.12345, 1.2, -0.00001}, 0}},
                                {{"rib_05_l", "outer", {{0.1, 1.2, 0.3}, {0.2, 1.1, 0.3}}}}};
  const std::string text = attachmentsText(survey, {bone}, "credit");
  EXPECT_NE(text.find("serratus_anterior = [123.5, 1200, 0]"), std::string::npos) << text;
  EXPECT_NE(text.find("outer = [\n  [100, 1200, 300],\n  [200, 1100, 300],\n]"), std::string::npos);
  EXPECT_EQ(text.rfind("# credit\n", 0), 0u);
}

}  // namespace
}  // namespace pneuma::survey
