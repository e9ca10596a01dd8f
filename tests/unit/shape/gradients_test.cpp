#include "pneuma/shape/gradients.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/shape/rotations.h"
#include "small_body.h"

namespace pneuma::shape {
namespace {

std::vector<Vec3> bent(const ShapeTemplate& shape) {
  std::vector<Vec3> x = shape.mesh.positions;
  const std::vector<Vec3> u = test::swelling(shape, 1.2, 0.03);
  for (std::size_t v = 0; v < x.size(); ++v) x[v] += u[v];
  return x;
}

double largestGap(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, (a[v] - b[v]).norm());
  return most;
}

TEST(GradientMap, VerticesComeBackFromTheirGradients) {
  const ShapeTemplate shape = test::smallBody();
  const GradientMap map(shape);
  const std::vector<Vec3> x = bent(shape);
  EXPECT_LT(largestGap(map.vertices(map.gradients(x), x), x), 1e-9);
}

TEST(GradientMap, FixedVerticesStayWhateverIsAsked) {
  const ShapeTemplate shape = test::smallBody();
  const GradientMap map(shape);
  PlaneGradients g = map.gradients(shape.mesh.positions);
  for (PlaneGradient& t : g) t *= 1.3;
  const std::vector<Vec3> y = map.vertices(g, shape.mesh.positions);
  for (std::size_t v = 0; v < y.size(); ++v)
    if (shape.fixedVertex[v]) {
      EXPECT_EQ(y[v], shape.mesh.positions[v]);
    }
}

TEST(GradientMap, RefusesOtherTopologiesAndFlatTriangles) {
  const ShapeTemplate shape = test::smallBody();
  const GradientMap map(shape);
  EXPECT_THROW(map.gradients(std::vector<Vec3>(3)), InputError);
  ShapeTemplate flat = shape;
  flat.mesh.positions[at(flat.mesh.triangles[5][0])] =
      flat.mesh.positions[at(flat.mesh.triangles[5][1])];
  EXPECT_THROW(GradientMap{flat}, InputError);
}

TEST(SmoothGradients, ReproduceEdgesTheBetterTheLessTheySmooth) {
  const ShapeTemplate shape = test::smallBody();
  const GradientMap map(shape);
  const std::vector<Vec3> x = bent(shape);
  const std::vector<Mat3> R = partRotations(shape, x);
  const auto gap = [&](double beta) {
    const std::vector<Mat3> S = SmoothGradients(shape, beta).solve(x, R);
    double worst = 0;
    for (std::size_t t = 0; t < S.size(); ++t) {
      const Triangle& c = shape.mesh.triangles[t];
      const Vec3 from = shape.mesh.positions[at(c[1])] - shape.mesh.positions[at(c[0])];
      const Vec3 wanted = x[at(c[1])] - x[at(c[0])];
      worst = std::max(worst, (R[at(shape.partOfTriangle[t])] * S[t] * from - wanted).norm());
    }
    return worst;
  };
  const double strong = gap(1e-1), weak = gap(1e-3), least = gap(1e-8);
  EXPECT_LT(least, 1e-6);
  EXPECT_LT(weak, 0.2 * strong);
  EXPECT_THROW(SmoothGradients(shape, 0), InputError);
}

TEST(ShapeTemplate, HalvesHaveEqualVolumeAndGainWhatTheSkinGains) {
  const ShapeTemplate shape = test::smallBody();
  EXPECT_GT(shape.cutHeight, 1.0);
  EXPECT_LT(shape.cutHeight, 1.3);
  const std::vector<Vec3> x = bent(shape);
  const double exact = enclosedVolume(x, shape.mesh.triangles) - enclosedVolume(shape.mesh);
  EXPECT_NEAR(gainedVolumes(shape, shape.mesh.positions, x).all(), exact, 0.01 * exact);
  for (const double height : {1.0, 1.4}) {
    std::vector<Vec3> swollen = shape.mesh.positions;
    const std::vector<Vec3> u = test::swelling(shape, height, 0.02);
    for (std::size_t v = 0; v < u.size(); ++v) swollen[v] += u[v];
    const HalfVolumes gained = gainedVolumes(shape, shape.mesh.positions, swollen);
    EXPECT_EQ(gained.chest > gained.belly, height > shape.cutHeight) << height;
  }
}

TEST(ShapeTemplate, UnknownPartsAndMissingLegsAreRefused) {
  const ShapeTemplate shape = test::smallBody();
  std::vector<std::string> parts(shape.vertexCount(), "chest");
  EXPECT_THROW(makeShapeTemplate(shape.mesh, parts, shape.mirror), InputError);
  parts[0] = "tail";
  EXPECT_THROW(makeShapeTemplate(shape.mesh, parts, shape.mirror), InputError);
  EXPECT_THROW(makeShapeTemplate(shape.mesh, {"chest"}, shape.mirror), InputError);
}

}  // namespace
}  // namespace pneuma::shape
