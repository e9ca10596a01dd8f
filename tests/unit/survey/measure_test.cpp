#include "pneuma/survey/measure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "anatomy/shape/spline.h"
#include "anatomy/skin/mesh_collapse.h"
#include "pneuma/anatomy/geometry_cache.h"
#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/survey/import.h"
#include "survey/centreline.h"
#include "survey/measure_points.h"
#include "survey/shape_fit.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::survey {
namespace {

using namespace anatomy;

std::vector<Vec3> arc(double radius, int points) {
  std::vector<Vec3> line;
  for (int i = 0; i < points; ++i) {
    const double a = 2.0 * i / (points - 1);
    line.emplace_back(radius * std::cos(a), 0.3, radius * std::sin(a));
  }
  return line;
}

TEST(Centreline, FollowsABentTube) {
  const std::vector<Vec3> line = arc(0.08, 60);
  const std::vector<double> radii(line.size(), 0.008);
  const TriangleMesh tube = makeTube(line, radii, 24);
  const auto order = [](const Vec3& p) { return p.z(); };
  const std::vector<Vec3> found = measureCentreline(tube, 20, order, 0.001);
  // A path of voxels: within a fifth of the radius on average, less sure at the flat ends.
  double sum = 0;
  for (const Vec3& p : found) sum += anatomy::internal::distanceToPolyline(p, line) / 20;
  EXPECT_LT(sum, 0.0016);
  EXPECT_NEAR(anatomy::internal::polylineLength(found), 0.16, 0.012);  // ends stop a little short
}

TEST(SectionMoments, FindTheEllipse) {
  ShapePart part;
  part.kind = ShapeKind::Ellipsoid;
  part.radii = Vec3(0.012, 0.05, 0.006);
  const std::vector<TriangleMesh> mesh{makeBoneMesh({false, {part}}, 0.001)};
  const auto volume = anatomy::internal::makeDistanceVolume(mesh, 0.0006, 0.003);
  const auto m = internal::sectionMoments(volume, Vec3::Zero(), Vec3::UnitY(), 0.03);
  EXPECT_NEAR(m.radiusMajor, 0.012, 0.0003);
  EXPECT_NEAR(m.radiusMinor, 0.006, 0.0003);
  EXPECT_NEAR(std::abs(m.major.x()), 1, 0.01);
}

TEST(SphereFit, FindsCentreAndRadiusOfACap) {
  Random random(7);
  std::vector<Vec3> points;
  const Vec3 center(0.1, 0.9, -0.02);
  for (int i = 0; i < 400; ++i) {
    const Vec3 d(random.normal(), std::abs(random.normal()), random.normal());
    points.push_back(center + 0.023 * d.normalized());
  }
  const internal::Sphere exact = internal::fitSphere(points);
  EXPECT_NEAR((exact.center - center).norm(), 0, 1e-9);
  EXPECT_NEAR(exact.radius, 0.023, 1e-9);
  // A neck of points off the sphere is trimmed away.
  for (int i = 0; i < 60; ++i) points.push_back(center + Vec3(0, -0.02 - 0.0002 * i, 0.004));
  EXPECT_NEAR((internal::fitSphereTrimmed(points, 0.001).center - center).norm(), 0, 5e-4);
}

TEST(ShapeFit, RecoversABlendedPair) {
  ShapePart a, b;
  a.kind = b.kind = ShapeKind::Ellipsoid;
  a.center = Vec3(0, 0, 0), a.radii = Vec3(0.02, 0.012, 0.01);
  b.center = Vec3(0.022, 0.006, 0), b.radii = Vec3(0.012, 0.01, 0.014);
  const std::vector<TriangleMesh> mesh{makeBoneMesh({false, {a, b}}, 0.001)};
  const auto volume = anatomy::internal::makeDistanceVolume(mesh, 0.001, 0.01);
  internal::ShapeFitReport report;
  const BoneShape fitted = internal::fitShape(
      volume, {}, {.ellipsoids = 3, .cuts = 0, .spacing = 0.002, .band = 0.004, .blend = 0.002},
      &report);
  EXPECT_LT(report.rmsError, 0.0003);
  const double exact = enclosedVolume(mesh[0]);
  EXPECT_NEAR(enclosedVolume(makeBoneMesh(fitted, 0.001)), exact, 0.02 * exact);
}

TEST(MeshCollapse, KeepsASphereClosedAndEven) {
  const TriangleMesh fine = makeSphere(0.1, 5);
  const anatomy::internal::CollapseRules rules{
      2000, [](const Vec3&) { return 1.0; },
      [](const Vec3& p) { return Vec3(0.1 * p.normalized()); }};
  const TriangleMesh coarse = anatomy::internal::collapsed(fine, rules);
  EXPECT_TRUE(analyzeTopology(coarse).watertight());
  EXPECT_LE(coarse.triangleCount(), 2000u);
  EXPECT_GT(coarse.triangleCount(), 1990u);
  for (const Vec3& p : coarse.positions) EXPECT_NEAR(p.norm(), 0.1, 1e-9);
}

class PackFolder : public testing::Test {
 protected:
  void manifest(const std::string& text) { io::writeFile(folder_ / "manifest.json", text); }
  const test::ScratchFolder folder_;
};

TEST_F(PackFolder, MeshesComeOutInTheBodyFrame) {
  io::writeMesh(folder_ / "patella.ply", makeBox({10, 20, 30}, {80, -50, 400}));
  manifest(R"({"units": "mm", "axes": {"midsagittal_plane_x_mm": -1}, "parts": [
    {"key": "patella_l", "file": "patella.ply", "side": "left", "class": "bone",
     "bbox_min": [75, -60, -10]}]})");
  const AnatomyPack pack(folder_.path());
  const Box box = boundingBox(pack.mesh("patella_l").positions);
  EXPECT_NEAR(box.center().x(), 0.081, 1e-6);
  EXPECT_NEAR(box.center().y(), 0.410, 1e-6);
  EXPECT_NEAR(box.center().z(), 0.050, 1e-6);
  EXPECT_GT(enclosedVolume(pack.mesh("patella_l")), 0);
}

TEST_F(PackFolder, NamesFollowTheUsersTable) {
  io::writeMesh(folder_ / "a.ply", makeBox({10, 10, 10}));
  io::writeFile(folder_ / "names.toml", "[names]\n\"Kniescheibe links\" = \"patella_l\"\n");
  manifest(R"({"parts": [{"key": "Kniescheibe links", "file": "a.ply"}]})");
  EXPECT_TRUE(AnatomyPack(folder_.path()).has("patella_l"));
}

TEST_F(PackFolder, MistakesAreNamed) {
  EXPECT_THROW(AnatomyPack(folder_ / "nowhere"), InputError);
  manifest("{ not json");
  EXPECT_THROW(AnatomyPack{folder_.path()}, InputError);
  manifest(R"({"parts": [{"key": "femur_l"}]})");
  EXPECT_THROW(AnatomyPack{folder_.path()}, InputError);
  manifest(R"({"parts": [{"key": "femur_l", "file": "f.ply"}]})");
  try {
    AnatomyPack(folder_.path()).mesh("femr_l");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("femur_l"), std::string::npos);
  }
}

TEST(CleanMesh, DropsCrumbsAndTurnsInvertedSurfaces) {
  TriangleMesh mesh = makeSphere(0.05, 3);
  append(mesh, makeSphere(0.002, 1, {0.2, 0, 0}));
  flipOrientation(mesh);
  EXPECT_TRUE(cleanMesh(mesh));
  EXPECT_EQ(analyzeTopology(mesh).components, 1u);
  EXPECT_GT(enclosedVolume(mesh), 0);
  EXPECT_FALSE(cleanMesh(mesh));
}

TEST(MeasureText, NamesGroupsOnce) {
  EXPECT_EQ(measureGroupOf("rib_05_l"), "ribs");
  EXPECT_EQ(measureGroupOf("no_such_bone"), "");
  Measurement m;
  m.name = "rib_05_l";
  m.mirror = true;
  m.points["head"] = Vec3(0.01, 1.3, 0.05);
  EXPECT_NE(landmarksText({m}, "x").find("head = [10, 1300, 50]"), std::string::npos);
}

}  // namespace
}  // namespace pneuma::survey
