#include "pneuma/shape/tracking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/shape/rotations.h"
#include "pneuma/shape/scan.h"

namespace pneuma::shape {
namespace {

/// A torso of 1.4 m, wider than deep, with a waist and a back that is not its front.
ShapeTemplate torso() {
  TriangleMesh mesh = makeSphere(1, 4);
  for (Vec3& p : mesh.positions) {
    const double y = p.y(), waist = 1 - 0.2 * std::exp(-30 * y * y);
    p = Vec3(0.2 * waist * p.x(), 0.7 + 0.7 * y,
             0.13 * waist * p.z() + 0.04 * std::sin(4 * y) + 0.02 * p.x() * p.x());
  }
  std::vector<std::string> parts;
  std::vector<std::int32_t> mirror;
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    parts.push_back(mesh.positions[v].y() < 0.3 ? "thigh" : "chest");
    mirror.push_back(static_cast<std::int32_t>(v));
  }
  return makeShapeTemplate(std::move(mesh), parts, std::move(mirror));
}

/// Skin around a height moves outwards and, as much, upwards: the half that distance cannot see.
std::vector<Vec3> lifting(const ShapeTemplate& shape, double height) {
  std::vector<Vec3> u;
  const std::vector<Vec3> normals = vertexNormals(shape.mesh);
  for (std::size_t v = 0; v < shape.vertexCount(); ++v) {
    const double d = (shape.mesh.positions[v].y() - height) / 0.2;
    const Vec3 way = normals[v] + Vec3(0, 1, 0);
    u.emplace_back(shape.fixedVertex[v] ? Vec3(Vec3::Zero()) : Vec3(std::exp(-d * d) * way));
  }
  return u;
}

BreathModel torsoModel(const ShapeTemplate& shape) {
  BreathModel m;
  m.mesh = shape.mesh;
  m.mirror = shape.mirror;
  for (std::size_t v = 0; v < shape.vertexCount(); ++v)
    m.vertexParts.emplace_back(shape.fixedVertex[v] ? "thigh" : "chest");
  m.modes = {lifting(shape, 1.1), lifting(shape, 0.7)};
  m.components = 2;
  MatX weights = MatX::Zero(5, 2);
  weights(0, 0) = weights(1, 1) = 0.01;
  m.function = {BreathInputs::KonnoMead, weights};
  m.featureMoments = MatX::Identity(5, 5);
  return m;
}

struct TrackingCase {
  ShapeTemplate shape = torso();
  BreathModel model = torsoModel(shape);
  PersonBreath person{model, shape.mesh.positions};
  VecX weights = VecX::Zero(2);
  std::vector<Vec3> truth = shape.mesh.positions;

  TrackingCase() {
    weights << 0.012, -0.006;
    person.apply(weights, truth);
  }
  /// Rms of the way from where each vertex of the trunk truly is [m].
  double apart(const std::vector<Vec3>& found, const Scan& scan) const {
    double sum = 0, count = 0;
    for (std::size_t v = 0; v < truth.size(); ++v)
      if (shape.trunkVertex[v]) sum += (found[v] - scan.X_SW * truth[v]).squaredNorm(), count += 1;
    return std::sqrt(sum / count);
  }
};

TEST(Scan, IsTheSameSurfaceByOtherTrianglesWithNoise) {
  const TrackingCase c;
  const Scan scan = simulateScan(c.shape, c.truth, {.noise = 0.5e-3, .holes = 0});
  std::vector<Vec3> back;
  for (const Vec3& p : scan.mesh.positions) back.push_back(scan.X_SW.inverse() * p);
  const SurfaceDistances d =
      measureDistances(back, SurfaceQuery({c.truth, c.shape.mesh.triangles}));
  EXPECT_NEAR(d.rms, 0.5e-3, 0.05e-3);
  EXPECT_GT(scan.mesh.vertexCount(), 2 * c.truth.size());
  EXPECT_GT((scan.X_SW.position + scan.X_SW.rotation * c.truth[0] - c.truth[0]).norm(), 1e-4);
  EXPECT_EQ(simulateScan(c.shape, c.truth, {.noise = 0.5e-3, .holes = 0}).mesh.positions,
            scan.mesh.positions);
}

TEST(Scan, WhatNoCameraSeesAndWhereItIsTornIsMissing) {
  const TrackingCase c;
  const auto area = [&](const ScanConfig& config) {
    return surfaceArea(simulateScan(c.shape, c.truth, config).mesh);
  };
  const double seen = area({.noise = 0, .holes = 0}), torn = area({.noise = 0, .holes = 12});
  EXPECT_GT(seen, 0.9 * surfaceArea({c.truth, c.shape.mesh.triangles}));
  EXPECT_LT(torn, seen - 5 * kPi * 0.015 * 0.015);
  // Below it faces the floor.
  const Scan scan = simulateScan(c.shape, c.truth, {.noise = 0, .holes = 0, .shift = 0, .turn = 0});
  EXPECT_GT(boundingBox(scan.mesh.positions).min.y(), boundingBox(c.truth).min.y() + 1e-4);
}

TEST(Scan, PaintIsSeenWhereItIs) {
  const TrackingCase c;
  const Scan scan = simulateScan(c.shape, c.truth, {.painted = 50, .paintNoise = 0.5e-3});
  ASSERT_EQ(scan.paint.size(), 50u);
  double sum = 0;
  for (const Anchor& a : scan.paint) {
    EXPECT_TRUE(c.shape.trunkVertex[at(a.vertex)]);
    sum += (a.place - scan.X_SW * c.truth[at(a.vertex)]).squaredNorm() / 50;
  }
  EXPECT_NEAR(std::sqrt(sum), std::sqrt(3.0) * 0.5e-3, 0.2e-3);
}

TEST(Tracker, FindsBreathAndPlaceOfAPerson) {
  const TrackingCase c;
  const Scan scan = simulateScan(c.shape, c.truth, {.noise = 0});
  const Tracked t = Tracker(c.person).track(RegistrationTarget(scan.mesh));
  EXPECT_LT((t.weights - c.weights).norm(), 0.05 * c.weights.norm());
  EXPECT_LT(logRotation(t.X_SP.rotation * scan.X_SW.rotation.transpose()).norm(), 2e-3);
  EXPECT_LT(c.apart(t.positions, scan), 0.4e-3);
}

TEST(Tracker, TheModelKeepsSkinFromSlidingInANoisyScan) {
  const TrackingCase c;
  const Scan scan = simulateScan(c.shape, c.truth, {.noise = 0.5e-3});
  const RegistrationTarget target(scan.mesh);
  const Tracked t = Tracker(c.person).track(target);
  const Registered alone = Registrar(c.shape.mesh).run(c.shape.mesh.positions, target);
  EXPECT_LT(c.apart(t.positions, scan), 1e-3);
  EXPECT_LT(c.apart(t.positions, scan), 0.4 * c.apart(alone.positions, scan));
  std::vector<Vec3> back;
  for (const Vec3& p : t.positions) back.push_back(scan.X_SW.inverse() * p);
  const SurfaceQuery clean({c.truth, c.shape.mesh.triangles});
  EXPECT_LT(measureDistances(back, clean, c.shape.trunkVertex).rms, 0.45e-3);
}

TEST(Tracker, PaintTellsWhatTheModelDoesNotKnow) {
  TrackingCase c;
  // Skin that slides sideways, of which no component knows.
  for (std::size_t v = 0; v < c.truth.size(); ++v)
    if (!c.shape.fixedVertex[v]) {
      const double d = (c.truth[v].y() - 0.9) / 0.2;
      const double turn = 0.02 * std::exp(-d * d);
      c.truth[v] = expRotation(Vec3(0, turn, 0)) * c.truth[v];
    }
  const auto apart = [&](int painted) {
    const Scan scan = simulateScan(c.shape, c.truth, {.noise = 0.5e-3, .painted = painted});
    const Tracked t =
        Tracker(c.person).track(RegistrationTarget(scan.mesh), {.anchors = scan.paint});
    return c.apart(t.positions, scan);
  };
  const double plain = apart(0), painted = apart(200);
  EXPECT_LT(painted, 0.7 * plain);
  EXPECT_LT(painted, 1.2e-3);
}

TEST(Tracker, WhatDoesNotFitIsRefused) {
  const TrackingCase c;
  const Tracker tracker(c.person);
  const RegistrationTarget target({c.truth, c.shape.mesh.triangles});
  RegistrationGuide wrong;
  wrong.anchors.push_back({-1, Vec3::Zero()});
  EXPECT_THROW(tracker.track(target, wrong), InputError);
  wrong = {};
  wrong.trust = {1, 2, 3};
  EXPECT_THROW(tracker.track(target, wrong), InputError);
  TriangleMesh far{c.truth, c.shape.mesh.triangles};
  for (Vec3& p : far.positions) p.x() += 3;
  EXPECT_THROW(tracker.track(RegistrationTarget(far)), InputError);
  TrackConfig none;
  none.modelRounds = 0;
  EXPECT_THROW(tracker.track(target, {}, none), InputError);
}

}  // namespace
}  // namespace pneuma::shape
