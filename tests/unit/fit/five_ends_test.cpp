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
