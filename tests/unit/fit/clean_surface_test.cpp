#include "pneuma/fit/clean_surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/fit/surface_graph.h"

namespace pneuma::fit {
namespace {

TEST(CleanSurface, SeamsAreJoinedAndSmallPiecesLeftOut) {
  TriangleMesh soup;  // every triangle with corners of its own
  const TriangleMesh sphere = makeSphere(1, 3);
  for (const Triangle& t : sphere.triangles) {
    const auto n = static_cast<std::int32_t>(soup.vertexCount());
    for (const std::int32_t v : t) soup.positions.push_back(sphere.positions[at(v)]);
    soup.triangles.push_back({n, n + 1, n + 2});
  }
  append(soup, makeSphere(0.1, 2, Vec3(2, 0, 0)));
  const CleanSurface clean = cleanSurface(soup);
  EXPECT_EQ(clean.mesh.vertexCount(), sphere.vertexCount());
  EXPECT_TRUE(analyzeTopology(clean.mesh).watertight());
  ASSERT_EQ(clean.notes.size(), 1u);
}

TEST(CleanSurface, WhatIsInsideOutIsTurnedAndSaid) {
  TriangleMesh mesh = makeSphere(1, 3);
  flipOrientation(mesh);
  const CleanSurface clean = cleanSurface(mesh);
  EXPECT_GT(enclosedVolume(clean.mesh), 4);
  ASSERT_EQ(clean.notes.size(), 1u);
  EXPECT_NE(clean.notes[0].find("inside out"), std::string::npos);
}

TEST(CleanSurface, WhatIsNoBodyIsRefused) {
  EXPECT_THROW(cleanSurface({}), InputError);
  EXPECT_THROW(cleanSurface(makeSphere(1, 1)), InputError);
  TriangleMesh two = makeSphere(1, 3);
  append(two, makeSphere(0.9, 3, Vec3(3, 0, 0)));
  EXPECT_THROW(cleanSurface(two), InputError);
  TriangleMesh broken = makeSphere(1, 3);
  broken.positions[5].y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(cleanSurface(broken), InputError);
  TriangleMesh open = makeSphere(1, 4);
  for (std::size_t t = 0; t < open.triangleCount(); t += 8)
    open.triangles.erase(open.triangles.begin() + static_cast<std::ptrdiff_t>(t));
  EXPECT_THROW(cleanSurface(open), InputError);
  TriangleMesh mixed = makeSphere(1, 4);
  for (std::size_t t = 0; t < mixed.triangleCount(); t += 5)
    std::swap(mixed.triangles[t][0], mixed.triangles[t][1]);
  EXPECT_THROW(cleanSurface(mixed), InputError);
}

TEST(SplitLongEdges, NoLongEdgeIsLeftAndTheSurfaceStays) {
  const TriangleMesh coarse = makeBox(Vec3(1, 2, 0.5));
  const TriangleMesh fine = splitLongEdges(coarse, 0.1);
  EXPECT_TRUE(analyzeTopology(fine).watertight());
  EXPECT_NEAR(enclosedVolume(fine), 1.0, 1e-12);
  EXPECT_NEAR(surfaceArea(fine), surfaceArea(coarse), 1e-12);
  for (const Triangle& t : fine.triangles)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_LE((fine.positions[at(t[k])] - fine.positions[at(t[(k + 1) % 3])]).norm(), 0.1);
  for (std::size_t v = 0; v < coarse.vertexCount(); ++v)
    EXPECT_EQ(fine.positions[v], coarse.positions[v]);
}

TEST(SurfaceGraph, WaysAreNearlyAsShortAsTheyCanBe) {
  const TriangleMesh sphere = makeSphere(1, 5);
  const std::vector<double> d = SurfaceGraph(sphere).distances(0);
  for (std::size_t v = 0; v < d.size(); ++v) {
    const double truth =
        std::acos(std::clamp(sphere.positions[0].dot(sphere.positions[v]), -1.0, 1.0));
    EXPECT_GE(d[v], 0.995 * truth);
    EXPECT_LE(d[v], 1.08 * truth + 1e-6);
  }
}

}  // namespace
}  // namespace pneuma::fit
