#include "pneuma/fit/five_ends.h"

#include <gtest/gtest.h>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/fit/landmarks.h"
#include "stick_figures.h"

namespace pneuma::fit {
namespace {

/// Ends and frame of a surface that was turned.
struct Found {
  TriangleMesh mesh;
  SurfaceGraph graph;
  FiveEnds ends;
  BodyFrame frame;

  Found(TriangleMesh turned, const Mat3& R)
      : mesh([&] {
          for (Vec3& p : turned.positions) p = R * p;
          return std::move(turned);
        }()),
        graph(mesh),
        ends(pairEnds(findEnds(mesh, graph), graph)),
        frame(findFrame(mesh, graph, ends)) {}
};

/// From z up, facing -y, as some programs write files.
Mat3 zUp() {
  Mat3 R;
  R << 1, 0, 0, 0, 0, -1, 0, 1, 0;
  return R;
}

TEST(FiveEnds, StandingPeopleAreTurnedUprightFromAnyAxes) {
  for (const double angle : {0.35, 1.57})
    for (const Mat3& R : {Mat3(Mat3::Identity()), zUp(),
                          Mat3(Eigen::AngleAxisd(kPi, Vec3::UnitY()).toRotationMatrix())}) {
      const Found f(test::stickPerson(angle), R);
      EXPECT_LT((f.frame.rotation * R - Mat3::Identity()).norm(), 1e-9) << angle;
      EXPECT_LT(f.ends.asymmetry, 0.05);
      const auto place = [&](std::int32_t v) { return f.frame.toBody(f.mesh.positions[at(v)]); };
      EXPECT_GT(place(f.ends.head).y(), 1.6);
      EXPECT_GT(place(f.ends.hands[0]).x(), 0.2);
      EXPECT_LT(place(f.ends.hands[1]).x(), -0.2);
      EXPECT_GT(place(f.ends.feet[0]).x(), 0.1);
      EXPECT_LT(place(f.ends.feet[1]).y(), 0.1);
    }
}

TEST(FiveEnds, SphereHasNone) {
  const TriangleMesh mesh = makeSphere(0.9, 4);
  const SurfaceGraph graph(mesh);
  EXPECT_THROW(pairEnds(findEnds(mesh, graph), graph), InputError);
}

TEST(FiveEnds, WhatStandsOnFourLegsIsNoPerson) {
  for (const TriangleMesh& mesh : {test::dog(), test::chair()})
    EXPECT_THROW(Found(mesh, Mat3::Identity()), InputError);
}

TEST(FiveEnds, UnitsFollowFromTheHeight) {
  EXPECT_EQ(guessUnit(1.72).name, "m");
  EXPECT_EQ(guessUnit(172).name, "cm");
  EXPECT_EQ(guessUnit(1720).name, "mm");
  EXPECT_EQ(guessUnit(68).name, "in");
  EXPECT_EQ(guessUnit(5.7).name, "ft");
  EXPECT_THROW(guessUnit(0.1), InputError);
  EXPECT_THROW(guessUnit(30), InputError);
  EXPECT_THROW(guessUnit(17000), InputError);
}

TEST(Landmarks, OfAStickPersonAreWhereItWasBuilt) {
  const Found f(test::stickPerson(0.8), Mat3::Identity());
  const BodyMeasures m = measureBody(f.mesh, f.graph, f.ends);
  EXPECT_NEAR(m.height, 1.7, 0.03);
  EXPECT_NEAR(m.neck.y(), 1.5, 0.08);
  EXPECT_NEAR(m.crotch.y(), 0.75, 0.08);
  EXPECT_NEAR(m.width, 0.26, 0.03);
  EXPECT_NEAR(m.depth, 0.26, 0.03);
  const double middle = m.arms[0].tip + 0.5 * (m.arms[0].root - m.arms[0].tip);
  EXPECT_NEAR(m.arms[0].meanRadius(middle - 0.05, middle + 0.05), 0.042, 0.01);
  // Nothing of the trunk counts as arm.
  for (std::size_t v = 0; v < m.labels.size(); ++v)
    if (std::abs(f.mesh.positions[v].x()) < 0.05) {
      EXPECT_TRUE(m.labels[v] <= 0 || m.labels[v] > 2);
    }
}

/// Two prisms as legs up to a crotch at 0.8, whose rear goes forwards from calf to knee: the hollow
/// lies at `knee`, as deep as the calf stands out.
TriangleMesh legs(double knee, double calf) {
  constexpr int kRows = 161, kCorners = 4;
  TriangleMesh mesh;
  for (const double side : {0.1, -0.1}) {
    const auto first = static_cast<std::int32_t>(mesh.vertexCount());
    for (int r = 0; r < kRows; ++r) {
      const double y = 0.8 * r / (kRows - 1), back = -0.05 - calf * std::clamp(knee - y, 0.0, 0.2);
      for (const auto& [x, z] : {std::pair{0.05, back}, {0.05, 0.06}, {-0.05, 0.06}, {-0.05, back}})
        mesh.positions.emplace_back(side + x, y, z);
    }
    for (std::int32_t r = 0; r + 1 < kRows; ++r)
      for (std::int32_t c = 0; c < kCorners; ++c) {
        const std::int32_t a = first + kCorners * r + c;
        const std::int32_t b = first + kCorners * r + (c + 1) % kCorners;
        mesh.triangles.push_back({a, a + kCorners, b});
        mesh.triangles.push_back({b, a + kCorners, b + kCorners});
      }
  }
  return mesh;
}

TEST(Landmarks, HollowsBehindKneesAreFoundWhereverTheyLieAndOnlyWhereThereAreAny) {
  BodyMeasures m;
  m.height = 1.7, m.top = Vec3(0, 1.7, 0), m.crotch = Vec3(0, 0.8, 0);
  for (const double knee : {0.42, 0.5, 0.58}) {
    const TriangleMesh mesh = legs(knee, 0.3);
    for (const Vec3& p : mesh.positions) m.labels.push_back(p.x() > 0 ? 3 : 4);
    for (const std::optional<double>& hollow : kneeHollows(mesh, m)) {
      ASSERT_TRUE(hollow);
      EXPECT_NEAR(*hollow, knee, 0.004);  // a cut is 3 mm
    }
    m.labels.clear();
  }
  const TriangleMesh straight = legs(0.5, 0.05);
  m.labels.assign(straight.vertexCount(), 3);
  EXPECT_FALSE(kneeHollows(straight, m)[0]);
  EXPECT_FALSE(kneeHollows(straight, m)[1]);  // no such leg
}

TEST(AlignHeights, FindsHipsOfShorterLegs) {
  const Found f(test::stickPerson(0.8), Mat3::Identity());
  const BodyMeasures m = measureBody(f.mesh, f.graph, f.ends);
  EXPECT_NEAR(alignHeights(m, {0.45, 0.85}, m)[1], 0.85, 0.02);
  TriangleMesh shorter = f.mesh;
  for (Vec3& p : shorter.positions) p.y() = p.y() < 0.8 ? 0.75 * p.y() : p.y() - 0.2;
  const SurfaceGraph graph(shorter);
  const BodyMeasures there = measureBody(shorter, graph, f.ends);
  EXPECT_NEAR(alignHeights(m, {0.45, 0.85}, there)[1], 0.65, 0.04);
}

}  // namespace
}  // namespace pneuma::fit
