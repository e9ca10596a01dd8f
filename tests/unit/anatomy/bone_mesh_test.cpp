#include <gtest/gtest.h>

#include "anatomy/shape/shape_field.h"
#include "pneuma/anatomy/bone_surface.h"
#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"

namespace pneuma::anatomy {
namespace {

ShapePart ellipsoid(const Vec3& center, const Vec3& radii) {
  ShapePart p;
  p.kind = ShapeKind::Ellipsoid;
  p.center = center;
  p.radii = radii;
  return p;
}

ShapePart straightSweep(double length, double a, double b) {
  ShapePart p;
  for (int i = 0; i < 4; ++i)
    p.sections.push_back({Vec3(0, length * i / 3.0, 0), a, b, Vec3::UnitX()});
  return p;
}

TEST(BoneMesh, EllipsoidHasItsVolumeAndIsWatertight) {
  const BoneShape shape{false, {ellipsoid({0.1, 0.2, 0.3}, {0.02, 0.015, 0.01})}};
  const TriangleMesh mesh = makeBoneMesh(shape, 0.001);
  EXPECT_TRUE(analyzeTopology(mesh).watertight());
  const double exact = 4.0 / 3 * kPi * 0.02 * 0.015 * 0.01;
  EXPECT_NEAR(enclosedVolume(mesh), exact, 0.005 * exact);  // chords of 1 mm triangles
}

TEST(BoneMesh, VerticesLieOnTheSurface) {
  const BoneShape shape{false, {ellipsoid({0, 0, 0}, {0.02, 0.015, 0.01})}};
  for (const Vec3& p : makeBoneMesh(shape, 0.001).positions)
    EXPECT_NEAR(p.cwiseQuotient(Vec3(0.02, 0.015, 0.01)).norm(), 1, 1e-3);
}

TEST(BoneMesh, PlacesNearABoneAreDrawnOntoIt) {
  const Vec3 radii(0.02, 0.015, 0.01);
  const BoneShape shape{false, {ellipsoid({0, 0, 0}, radii)}};
  std::vector<Vec3> places;
  for (const Vec3& p : makeBoneMesh(shape, 0.002).positions)
    places.push_back(p + 0.002 * std::sin(1e3 * p.x()) * p.normalized());  // up to 2 mm off
  places.emplace_back(1, 0, 0);                                            // out of reach: stays
  const std::vector<Vec3> drawn = drawnOntoBone(shape, places);
  for (std::size_t i = 0; i + 1 < drawn.size(); ++i)
    EXPECT_NEAR(drawn[i].cwiseQuotient(radii).norm(), 1, 2e-3);
  EXPECT_EQ(drawn.back(), places.back());
}

TEST(BoneMesh, SweepIsAnEllipticCylinder) {
  const BoneShape shape{false, {straightSweep(0.09, 0.012, 0.006)}};
  const TriangleMesh mesh = makeBoneMesh(shape, 0.001);
  EXPECT_TRUE(analyzeTopology(mesh).watertight());
  // The tube plus two half ellipsoids of axial radius 3 mm.
  const double exact = kPi * 0.012 * 0.006 * (0.09 + 4.0 / 3 * 0.003);
  EXPECT_NEAR(enclosedVolume(mesh), exact, 0.02 * exact);
}

TEST(BoneMesh, BendCurvesAPlate) {
  ShapePart plate = ellipsoid({0, 0, 0}, {0.03, 0.02, 0.003});
  plate.bend = Vec3(20, 0, 0);  // rises by 9 mm at its tips
  const Box box = boundingBox(makeBoneMesh({false, {plate}}, 0.001).positions);
  EXPECT_NEAR(box.max.z(), 0.5 * 20 * 0.03 * 0.03, 0.0015);
  EXPECT_NEAR(box.min.z(), -0.003, 0.0005);
}

TEST(BoneMesh, CutMakesAHoleThrough) {
  ShapePart hole = straightSweep(0.04, 0.004, 0.004);
  for (SweepSection& s : hole.sections) s.center.y() -= 0.02;
  hole.operation = ShapeOperation::Subtract;
  const BoneShape shape{false, {ellipsoid({0, 0, 0}, {0.02, 0.008, 0.02}), hole}};
  const MeshTopology topology = analyzeTopology(makeBoneMesh(shape, 0.001));
  EXPECT_TRUE(topology.watertight());
  EXPECT_EQ(topology.eulerNumber, 0);  // a torus
}

TEST(BoneMesh, PlateFollowsItsGrid) {
  ShapePart plate;
  plate.kind = ShapeKind::Plate;
  plate.rows = plate.columns = 3;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      plate.grid.emplace_back(0.02 * i, 0.02 * j, 0);
      plate.thickness.push_back(0.004);
    }
  const TriangleMesh mesh = makeBoneMesh({false, {plate}}, 0.001);
  EXPECT_TRUE(analyzeTopology(mesh).watertight());
  // A slab with a rounded rim: area t + perimeter (pi/2)(t/2)^2, corners aside.
  const double exact = 0.04 * 0.04 * 0.004 + 0.16 * kPi / 2 * 0.002 * 0.002;
  EXPECT_NEAR(enclosedVolume(mesh), exact, 0.03 * exact);
}

TEST(BoneMesh, ProfileStackIsItsCylinder) {
  ShapePart stack;
  stack.kind = ShapeKind::Profile;
  stack.rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;  // column 2 is +y
  for (int i = 0; i < 5; ++i)
    stack.contours.push_back({Vec3(0, 0.02 * i, 0), 0.02, {0, 0.002}, {0, 0}});
  const TriangleMesh mesh = makeBoneMesh({false, {stack}}, 0.0015);
  EXPECT_TRUE(analyzeTopology(mesh).watertight());
  // Area of r0 + c cos 2 phi is pi (r0^2 + c^2 / 2); rounded ends take a little away.
  const double exact = kPi * (0.02 * 0.02 + 0.5 * 0.002 * 0.002) * 0.08;
  EXPECT_NEAR(enclosedVolume(mesh), exact, 0.05 * exact);
}

TEST(BoneMesh, SymmetricShapeIsItsOwnMirrorImage) {
  const BoneShape shape{true,
                        {ellipsoid({0.01, 0, 0}, {0.012, 0.01, 0.01}),
                         ellipsoid({0.02, 0.01, 0.004}, {0.006, 0.005, 0.008})}};
  const TriangleMesh mesh = makeBoneMesh(shape, 0.001);
  const SolidProperties solid = solidProperties(mesh);
  EXPECT_NEAR(solid.centroid.x(), 0, 1e-6);
  const Box box = boundingBox(mesh.positions);
  EXPECT_NEAR(box.min.x(), -box.max.x(), 1e-6);
}

TEST(BoneMesh, MirroredShapeGivesTheMirroredBody) {
  ShapePart part = ellipsoid({0.05, 0.02, 0.01}, {0.02, 0.012, 0.004});
  part.rotation = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  part.bend = Vec3(12, -9, 15);
  const BoneShape shape{false, {part}};
  const internal::ShapeField left(shape), right(mirrored(shape));
  for (const Vec3& p : {Vec3(0.05, 0.02, 0.01), Vec3(0.06, 0.03, 0.0), Vec3(0.03, 0.01, 0.02)})
    EXPECT_NEAR(left.distance(p), right.distance(Vec3(-p.x(), p.y(), p.z())), 1e-12);
  EXPECT_EQ(contentHash(mirrored(mirrored(shape))), contentHash(shape));
}

TEST(BoneMesh, SameBitsForAnyThreadCount) {
  const BoneShape shape{
      false, {straightSweep(0.06, 0.01, 0.006), ellipsoid({0, 0.07, 0}, {0.014, 0.01, 0.01})}};
  const int before = threadCount();
  setThreadCount(1);
  const TriangleMesh one = makeBoneMesh(shape, 0.0015);
  setThreadCount(2);
  const TriangleMesh two = makeBoneMesh(shape, 0.0015);
  setThreadCount(before);
  EXPECT_EQ(one.triangles, two.triangles);
  EXPECT_EQ(one.positions, two.positions);
}

TEST(BoneMesh, BadPartsAreRefused) {
  EXPECT_THROW(makeBoneMesh({false, {ShapePart{}}}, 0.001), InputError);
  EXPECT_THROW(makeBoneMesh({false, {ellipsoid({0, 0, 0}, {0.01, 0, 0.01})}}, 0.001), InputError);
  EXPECT_THROW(makeBoneMesh({false, {ellipsoid({0, 0, 0}, {0.01, 0.01, 0.01})}}, 0), InputError);
}

TEST(SmoothMinimum, WeightsAreItsDerivatives) {
  for (double b : {-0.002, 0.0, 0.0007, 0.003}) {
    const double a = 0.0004, k = 0.002, e = 1e-7;
    const internal::Blended m = internal::smoothMinimum(a, b, k);
    EXPECT_LE(m.value, std::min(a, b));
    EXPECT_NEAR(m.weightA, (internal::smoothMinimum(a + e, b, k).value - m.value) / e, 1e-3);
    EXPECT_NEAR(m.weightB, (internal::smoothMinimum(a, b + e, k).value - m.value) / e, 1e-3);
  }
}

}  // namespace
}  // namespace pneuma::anatomy
