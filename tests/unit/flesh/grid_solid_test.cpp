#include "pneuma/flesh/grid_solid.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/core/random.h"
#include "pneuma/flesh/grid_system.h"

namespace pneuma::flesh {
namespace {

GridMaterial anisotropic() {
  GridMaterial m;
  m.stiffness << 9e3, 2e3, 3e3, 2e3, 5e3, 1e3, 3e3, 1e3, 4e3;
  m.viscosity << 40, 10, 12, 10, 30, 9, 12, 9, 20;
  m.bulk = 8e4;
  return m;
}

VecX disturbed(const VecX& q, double amplitude, std::uint64_t seed) {
  Random random(seed);
  VecX result = q;
  for (double& x : result) x += amplitude * random.uniform(-1, 1);
  return result;
}

GridModel muscleModel() {
  GridModel model;
  model.solid = makeGridSolid(makeFusiformGrid({6, 3, 4}, 0.12, 0.02, 0.01), anisotropic());
  GridMuscleConfig config;
  config.pennation = 0.2;
  model.anchors = {fixedAnchor(), fixedAnchor()};
  addFibres(model, config);
  addTendonsToPlane(model, GridEnd::First, 0, config);
  addTendonsToPlane(model, GridEnd::Last, 1, config);
  model.activation = ActivationTrace({{0, 0.7}}, {}, 0.5);
  return model;
}

TEST(GridSolid, ForceIsMinusTheEnergyGradient) {
  for (const GridShape& shape :
       {makeFusiformGrid({5, 4, 3}, 0.1, 0.02, 0.01), makeGrid({5, 6, 1}, [](const Vec3& a) {
          return Vec3(0.1 * a.x(), 0.02 * a.x() * a.x(), 0.1 * a.y());
        })}) {
    GridMaterial material = anisotropic();
    material.bending = 1e-3;
    const GridSolid solid = makeGridSolid(shape, material);
    const VecX q = disturbed(toVector(solid.rest), 2e-3, 7), v = VecX::Zero(q.size());
    VecX f = VecX::Zero(q.size());
    addForces(solid, q, v, f);
    double worst = 0;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      // Fourth-order differences are exact for a solid (a quartic in each coordinate); bending is
      // no polynomial and wants a smaller step.
      const double h = solid.size.isSurface() ? 3e-6 : 2e-5;
      const auto at = [&](double s) {
        VecX x = q;
        x[i] += s * h;
        return computeEnergy(solid, x).total();
      };
      const double slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
      worst = std::max(worst, std::abs(slope + f[i]));
    }
    EXPECT_LT(worst / f.lpNorm<Eigen::Infinity>(), 1e-8);
    RecordProperty("gradient_error", fmt::format("{:.2e}", worst / f.lpNorm<Eigen::Infinity>()));
  }
}

TEST(GridSolid, DissipationTakesEnergyAway) {
  const GridSolid solid =
      makeGridSolid(makeFusiformGrid({5, 4, 3}, 0.1, 0.02, 0.01), anisotropic());
  const VecX q = disturbed(toVector(solid.rest), 2e-3, 3);
  const VecX v = disturbed(VecX::Zero(q.size()), 0.5, 4);
  VecX elastic = VecX::Zero(q.size()), both = elastic;
  addForces(solid, q, VecX::Zero(q.size()), elastic);
  addForces(solid, q, v, both);
  EXPECT_LT((both - elastic).dot(v), 0);
}

TEST(GridSolid, RigidMotionsGiveNoForce) {
  const GridSolid solid =
      makeGridSolid(makeFusiformGrid({6, 4, 4}, 0.1, 0.02, 0.01), anisotropic());
  const Mat3 R = (Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized())).toRotationMatrix();
  const Vec3 omega(3, -2, 5);
  std::vector<Vec3> x, rate;
  for (const Vec3& p : solid.rest) {
    x.push_back(R * p + Vec3(0.3, -1, 2));
    rate.push_back(omega.cross(x.back()) + Vec3(1, 2, 3));
  }
  VecX f = VecX::Zero(3 * solid.nodeCount());
  addForces(solid, toVector(x), toVector(rate), f);
  // Forces of a 1 % strain are of the order of 0.05 N; rounding acts on positions of 2 m.
  EXPECT_LT(f.lpNorm<Eigen::Infinity>(), 1e-10);
}

TEST(GridSolid, ForcesHaveNoResultantAndNoTorque) {
  const GridSolid solid =
      makeGridSolid(makeFusiformGrid({5, 4, 3}, 0.1, 0.02, 0.01), anisotropic());
  const VecX q = disturbed(toVector(solid.rest), 2e-3, 5);
  const VecX v = disturbed(VecX::Zero(q.size()), 0.5, 6);
  VecX f = VecX::Zero(q.size());
  addForces(solid, q, v, f);
  Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
  for (Eigen::Index i = 0; i < q.size(); i += 3) {
    sum += f.segment<3>(i);
    torque += Vec3(q.segment<3>(i)).cross(Vec3(f.segment<3>(i)));
  }
  EXPECT_LT(sum.norm(), 1e-12 * f.norm());
  EXPECT_LT(torque.norm(), 1e-13 * f.norm());
}

/// Largest distance of the Jacobian's columns from central differences, over the column's largest
/// entry, at a disturbed state.
double jacobianError(const GridModel& model, double time) {
  GridSystem system(model);
  GridState state = makeRestState(model);
  state.q = disturbed(state.q, 1e-3, 11);
  state.v = disturbed(state.v, 0.05, 12);
  const VecX x = system.pack(state);
  SparseMat J;
  EXPECT_TRUE(system.jacobian(time, x, J));
  const MatX dense = J;
  VecX plus(x.size()), minus(x.size());
  double worst = 0;
  for (Eigen::Index c = 0; c < x.size(); ++c) {
    const double h = 2 * c < x.size() ? 2e-8 : 1e-6;  // positions, then velocities
    VecX y = x;
    y[c] += h;
    system.derivative(time, y, plus);
    y[c] -= 2 * h;
    system.derivative(time, y, minus);
    const VecX column = (plus - minus) / (2 * h);
    worst = std::max(worst, (column - dense.col(c)).lpNorm<Eigen::Infinity>() /
                                std::max(1.0, dense.col(c).lpNorm<Eigen::Infinity>()));
  }
  testing::Test::RecordProperty("jacobian_error", fmt::format("{:.2e}", worst));
  return worst;
}

TEST(GridSolid, JacobianEqualsItsDifferences) {
  EXPECT_LT(jacobianError(muscleModel(), 0.01), 1e-6);
}

TEST(GridSolid, JacobianOfASurfaceEqualsItsDifferences) {
  GridModel model;
  GridMaterial material = anisotropic();
  material.bending = 1e-3;
  model.solid = makeGridSolid(
      makeGrid({5, 4, 1},
               [](const Vec3& a) { return Vec3(0.1 * a.x(), 0.03 * a.x() * a.x(), 0.1 * a.y()); }),
      material);
  EXPECT_LT(jacobianError(model, 0), 1e-6);
}

TEST(GridSolid, CellVolumesAddUpToTheVolumeInsideTheSurface) {
  const GridSolid solid = makeGridSolid(makeFusiformGrid({9, 5, 5}, 0.1, 0.02, 0.01), {});
  const VecX q = disturbed(toVector(solid.rest), 5e-4, 9);
  // The closed surface cuts each bilinear face into two triangles; both ways average to the face.
  TriangleMesh mesh{toPoints(q), gridSurface(solid.size)};
  EXPECT_TRUE(analyzeTopology(mesh).watertight());
  EXPECT_NEAR(enclosedVolume(mesh) / totalVolume(solid, q), 1, 5e-3);
  const VecX rest = toVector(solid.rest);
  mesh.positions = solid.rest;
  EXPECT_NEAR(enclosedVolume(mesh) / totalVolume(solid, rest), 1, 2e-3);
}

TEST(GridSolid, MassIsDensityTimesVolume) {
  const GridSolid solid = makeGridSolid(makeBrickGrid({4, 3, 5}, {0.1, 0.2, 0.3}), {});
  EXPECT_NEAR(solid.totalMass(), 1060 * 0.1 * 0.2 * 0.3, 1e-12);
}

TEST(GridSolid, RefusesBadMaterialsAndShapes) {
  const GridShape brick = makeBrickGrid({3, 3, 3}, {0.1, 0.1, 0.1});
  GridMaterial m;
  m.density = -1;
  EXPECT_THROW(makeGridSolid(brick, m), InputError);
  m = {};
  m.stiffness(0, 0) = -5;
  EXPECT_THROW(makeGridSolid(brick, m), InputError);
  m = {};
  m.bulk = std::nan("");
  EXPECT_THROW(makeGridSolid(brick, m), InputError);
  EXPECT_THROW(parseGridSize("0x5x5"), InputError);
  EXPECT_THROW(parseGridSize("21x5x1"), InputError);
  EXPECT_THROW(parseGridSize("21x5y5"), InputError);
  EXPECT_EQ(parseGridSize("21x5x5"), (GridSize{21, 5, 5}));
  EXPECT_TRUE(parseGridSize("21x5").isSurface());
  EXPECT_THROW(
      makeGridSolid(makeGrid({3, 3, 3}, [](const Vec3& a) { return Vec3(-a.x(), a.y(), a.z()); }),
                    {}),
      InputError);
}

}  // namespace
}  // namespace pneuma::flesh
