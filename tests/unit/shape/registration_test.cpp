#include "pneuma/shape/registration.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/parallel.h"
#include "pneuma/core/random.h"

namespace pneuma::shape {
namespace {

/// An egg of 1.4 m with a waist, not symmetric about any axis of rotation.
std::vector<Vec3> egg(const std::vector<Vec3>& sphere, double swell) {
  std::vector<Vec3> result;
  for (const Vec3& p : sphere) {
    const double y = p.y();
    const double waist =
        1 - 0.25 * std::exp(-30 * y * y) + swell * std::exp(-20 * (y - 0.3) * (y - 0.3));
    result.emplace_back(0.28 * waist * p.x(), 0.7 * y, 0.2 * waist * p.z() + 0.03 * y * y);
  }
  return result;
}

/// Two eggs of unlike swelling and unlike triangles.
struct EggCase {
  TriangleMesh shape = makeSphere(1, 4);
  TriangleMesh target = makeSphere(1, 5);
  std::vector<Vec3> truth;

  explicit EggCase(double swell = 0.15) {
    truth = egg(shape.positions, swell);
    const Mat3 turned = Eigen::AngleAxisd(0.7, Vec3(1, 0.4, 0.2).normalized()).toRotationMatrix();
    for (Vec3& p : target.positions) p = turned * p;
    target.positions = egg(target.positions, swell);
    shape.positions = egg(shape.positions, 0);
  }
};

constexpr double kSmooth = 0.015;  // [m]: eggs have no detail below

TEST(Registration, SkinLiesOnASurfaceOfOtherTriangles) {
  const EggCase c;
  const RegistrationTarget target(c.target);
  const Registered r =
      Registrar(c.shape).run(c.shape.positions, target, {}, {.lastLength = kSmooth});
  EXPECT_GT(measureDistances(c.shape.positions, target.surface()).max, 0.03);
  const SurfaceDistances d = measureDistances(r.positions, target.surface());
  EXPECT_LT(d.rms, 0.2e-3);
  EXPECT_LT(d.max, 2e-3);
  EXPECT_LT(r.rms, 0.2e-3);
}

TEST(Registration, NoiseIsAveragedNotFollowed) {
  EggCase c;
  const SurfaceQuery clean(c.target);
  const std::vector<Vec3> normals = vertexNormals(c.target);
  Random random(3);
  for (std::size_t v = 0; v < normals.size(); ++v)
    c.target.positions[v] += 0.5e-3 * random.normal() * normals[v];
  const Registered r = Registrar(c.shape).run(c.shape.positions, RegistrationTarget(c.target), {},
                                              {.lastLength = kSmooth});
  EXPECT_LT(measureDistances(r.positions, clean).rms, 0.35e-3);
}

TEST(Registration, RimsOfHolesAttractNothing) {
  EggCase c;
  const TriangleMesh whole = c.target;
  std::erase_if(c.target.triangles, [&](const Triangle& t) {
    return (c.target.positions[at(t[0])] - Vec3(0.28, 0.2, 0)).norm() < 0.12;
  });
  const Registered r = Registrar(c.shape).run(c.shape.positions, RegistrationTarget(c.target), {},
                                              {.lastLength = kSmooth});
  std::size_t open = 0;
  for (const bool m : r.matched) open += m ? 0 : 1;
  EXPECT_GT(open, 20u);
  EXPECT_LT(measureDistances(r.positions, SurfaceQuery(whole)).max, 0.012);
}

TEST(Registration, AnchorsTellWhatDistanceDoesNot) {
  const EggCase c;
  RegistrationGuide guide;
  for (std::int32_t v = 0; at(v) < c.truth.size(); v += 16)
    guide.anchors.push_back({v, c.truth[at(v)]});
  const auto apart = [&](const RegistrationGuide& g) {
    const Registered r = Registrar(c.shape).run(c.shape.positions, RegistrationTarget(c.target), g,
                                                {.lastLength = kSmooth});
    double sum = 0;
    for (std::size_t v = 0; v < c.truth.size(); ++v)
      sum += (r.positions[v] - c.truth[v]).squaredNorm();
    return std::sqrt(sum / static_cast<double>(c.truth.size()));
  };
  EXPECT_LT(apart(guide), 0.6 * apart({}));
}

TEST(Registration, VerticesKeepToTheirOwnLimb) {
  const EggCase c;
  RegistrationGuide guide;
  guide.labels.assign(c.shape.vertexCount(), 1);
  std::vector<int> above(c.target.vertexCount());
  for (std::size_t v = 0; v < above.size(); ++v) above[v] = c.target.positions[v].y() > 0 ? 1 : 2;
  const Registered r =
      Registrar(c.shape).run(c.shape.positions, RegistrationTarget(c.target, above), guide);
  for (std::size_t v = 0; v < r.matched.size(); ++v)
    if (r.positions[v].y() < -0.05) {
      EXPECT_FALSE(r.matched[v]) << v;
    }
}

TEST(Registration, ThreadsDoNotChangeABit) {
  const EggCase c;
  const RegistrationTarget target(c.target);
  const Registrar registrar(c.shape);
  const int before = threadCount();
  setThreadCount(1);
  const Registered one = registrar.run(c.shape.positions, target);
  setThreadCount(3);
  const Registered three = registrar.run(c.shape.positions, target);
  setThreadCount(before);
  EXPECT_EQ(one.positions, three.positions);
}

TEST(Registration, WhatLiesFarAwayOrInsideOutIsRefused) {
  EggCase c;
  const Registrar registrar(c.shape);
  EXPECT_THROW(registrar.run({}, RegistrationTarget(c.target)), InputError);
  RegistrationGuide wrong;
  wrong.anchors.push_back({-1, Vec3::Zero()});
  EXPECT_THROW(registrar.run(c.shape.positions, RegistrationTarget(c.target), wrong), InputError);
  EXPECT_THROW(RegistrationTarget(c.target, {1, 2}), InputError);
  TriangleMesh inside = c.target;
  flipOrientation(inside);
  EXPECT_THROW(registrar.run(c.shape.positions, RegistrationTarget(inside)), InputError);
  for (Vec3& p : c.target.positions) p.x() += 5;
  EXPECT_THROW(registrar.run(c.shape.positions, RegistrationTarget(c.target)), InputError);
}

}  // namespace
}  // namespace pneuma::shape
