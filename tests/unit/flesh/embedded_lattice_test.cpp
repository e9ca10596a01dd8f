// The cut body-centred cubic lattice: shape, volume, copies, T-junctions, symmetry, cache.
#include "pneuma/flesh/embedded/lattice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pneuma/core/error.h"
#include "pneuma/core/parallel.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::flesh::embedded {
namespace {

TriangleMesh twoRods(double gap) {
  TriangleMesh mesh = makeBox({0.03, 0.2, 0.03}, {-0.5 * (0.03 + gap), 0, 0});
  append(mesh, makeBox({0.03, 0.2, 0.03}, {0.5 * (0.03 + gap), 0, 0}));
  return mesh;
}

std::vector<double> dihedrals(const Lattice& l, const Tet& t) {
  std::vector<double> angles;
  const auto at = [&](int k) {
    return l.nodes[static_cast<std::size_t>(t[static_cast<std::size_t>(k)])];
  };
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) {
      std::vector<int> rest;
      for (int k = 0; k < 4; ++k)
        if (k != a && k != b) rest.push_back(k);
      const Vec3 e = (at(b) - at(a)).normalized();
      const auto across = [&](int k) {
        const Vec3 d = at(k) - at(a);
        return Vec3((d - d.dot(e) * e).normalized());
      };
      angles.push_back(radiansToDegrees(std::acos(across(rest[0]).dot(across(rest[1])))));
    }
  return angles;
}

TEST(EmbeddedLattice, DihedralsAreSixtyAndNinetyDegreesAtEverySize) {
  const Lattice l = makeLattice(makeSphere(0.1, 4), {.spacing = 0.01});
  EXPECT_GT(l.size.size(), 1000u);
  EXPECT_EQ(*std::max_element(l.size.begin(), l.size.end()), 2);
  for (const Tet& t : l.tets) {
    std::vector<double> angles = dihedrals(l, t);
    std::sort(angles.begin(), angles.end());
    for (int k = 0; k < 4; ++k) ASSERT_NEAR(angles[static_cast<std::size_t>(k)], 60, 1e-6);
    for (int k = 4; k < 6; ++k) ASSERT_NEAR(angles[static_cast<std::size_t>(k)], 90, 1e-6);
  }
}

TEST(EmbeddedLattice, TetrahedraHaveTheVolumeOfTheirSizeAndFillTheSurface) {
  const TriangleMesh sphere = makeSphere(0.1, 4);
  const Lattice l = makeLattice(sphere, {.spacing = 0.01});
  for (std::size_t t = 0; t < l.tetCount(); ++t) {
    const auto p = [&](std::size_t k) { return l.nodes[static_cast<std::size_t>(l.tets[t][k])]; };
    const double v = (p(1) - p(0)).cross(p(2) - p(0)).dot(p(3) - p(0)) / 6;
    ASSERT_NEAR(v / l.volume(t), 1, 1e-9);
  }
  // Sampled by small tetrahedra of 1/768 of a cube: errors of single ones average out.
  EXPECT_NEAR(l.materialVolume() / enclosedVolume(sphere), 1, 2e-3);
}

TEST(EmbeddedLattice, TJunctionsLieInTheMiddleOfWhatTheyHangOn) {
  const Lattice l = makeLattice(makeSphere(0.1, 4), {.spacing = 0.01});
  ASSERT_EQ(l.bindings.rows(), l.nodeCount());
  EXPECT_GT(l.nodeCount(), static_cast<std::size_t>(l.freeCount) + 500);
  for (std::size_t n = 0; n < l.nodeCount(); ++n) {
    Vec3 at = Vec3::Zero();
    double sum = 0;
    for (auto k = static_cast<std::size_t>(l.bindings.start[n]);
         k < static_cast<std::size_t>(l.bindings.start[n + 1]); ++k) {
      ASSERT_LT(l.bindings.column[k], l.freeCount);
      at += static_cast<double>(l.bindings.weight[k]) *
            l.nodes[static_cast<std::size_t>(l.bindings.column[k])];
      sum += static_cast<double>(l.bindings.weight[k]);
    }
    ASSERT_EQ(sum, 1);
    ASSERT_LT((at - l.nodes[n]).norm(), 1e-12);
    if (n < static_cast<std::size_t>(l.freeCount)) {
      ASSERT_EQ(l.bindings.start[n + 1] - l.bindings.start[n], 1);
    }
  }
}

/// A node at a quarter of an edge would belong to a neighbour of a quarter of the size.
TEST(EmbeddedLattice, NeighboursDifferByOneSizeAtMost) {
  const Lattice l = makeLattice(makeSphere(0.1, 4), {.spacing = 0.01});
  const auto key = [&](const Vec3& p) {
    const Vec3 units = (p - l.origin) / (l.config.spacing / 16);
    return std::array{std::lround(units.x()), std::lround(units.y()), std::lround(units.z())};
  };
  std::set<std::array<long, 3>> nodes;
  for (const Vec3& p : l.nodes) nodes.insert(key(p));
  std::size_t halves = 0;
  for (const Tet& t : l.tets)
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b) {
        if (a == b) continue;
        const Vec3 &p = l.nodes[static_cast<std::size_t>(t[a])],
                   &q = l.nodes[static_cast<std::size_t>(t[b])];
        halves += nodes.contains(key(0.5 * (p + q)));
        ASSERT_FALSE(nodes.contains(key(0.75 * p + 0.25 * q)));
      }
  EXPECT_GT(halves, 500u);  // or there was nothing to see
}

/// Coarse unknowns that coincide with finer ones have known places; a finer unknown between such
/// must lie where its weights say.
TEST(EmbeddedLattice, ProlongationsReproduceLinearFields) {
  const Lattice l = makeLattice(makeSphere(0.1, 4), {.spacing = 0.008, .coarsestNodes = 60});
  ASSERT_GE(l.prolongations.size(), 2u);
  const Vec3 unknown = Vec3::Constant(1e9);
  std::vector<Vec3> places(l.nodes.begin(), l.nodes.begin() + l.freeCount);
  for (const SparseRows& p : l.prolongations) {
    ASSERT_EQ(p.rows(), places.size());
    const auto count =
        static_cast<std::size_t>(*std::max_element(p.column.begin(), p.column.end())) + 1;
    EXPECT_LT(count, places.size());
    EXPECT_EQ(std::set<std::int32_t>(p.column.begin(), p.column.end()).size(), count)
        << "a coarse unknown without effect";
    std::vector<Vec3> coarse(count, unknown);
    for (std::size_t r = 0; r < p.rows(); ++r)
      if (p.start[r + 1] - p.start[r] == 1)
        coarse[static_cast<std::size_t>(p.column[static_cast<std::size_t>(p.start[r])])] =
            places[r];
    std::size_t checked = 0;
    for (std::size_t r = 0; r < p.rows(); ++r) {
      Vec3 at = Vec3::Zero();
      float sum = 0;
      bool known = places[r] != unknown;
      for (auto k = static_cast<std::size_t>(p.start[r]);
           k < static_cast<std::size_t>(p.start[r + 1]); ++k) {
        const Vec3& c = coarse[static_cast<std::size_t>(p.column[k])];
        known = known && c != unknown;
        at += static_cast<double>(p.weight[k]) * c;
        sum += p.weight[k];
      }
      ASSERT_EQ(sum, 1);
      if (!known) continue;
      ++checked;
      ASSERT_LT((at - places[r]).norm(), 1e-12);
    }
    EXPECT_GT(checked, 0u);
    places = coarse;
  }
}

std::size_t components(const Lattice& l) {
  std::vector<std::int32_t> parent(l.nodeCount());
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = static_cast<std::int32_t>(i);
  const auto find = [&](std::int32_t i) {
    while (parent[static_cast<std::size_t>(i)] != i) i = parent[static_cast<std::size_t>(i)];
    return i;
  };
  for (const Tet& t : l.tets)
    for (int k = 1; k < 4; ++k)
      parent[static_cast<std::size_t>(find(t[static_cast<std::size_t>(k)]))] = find(t[0]);
  std::set<std::int32_t> roots;
  for (const Tet& t : l.tets) roots.insert(find(t[0]));
  return roots.size();
}

TEST(EmbeddedLattice, RodsThatRunThroughOneCellStayApart) {
  for (const double gap : {0.012, 0.006, 0.0035}) {
    const Lattice l = makeLattice(twoRods(gap), {.spacing = 0.01});
    EXPECT_EQ(components(l), 2u) << "gap of " << gap << " m";
  }
  // Where they run into one another they are one body.
  EXPECT_EQ(components(makeLattice(twoRods(-0.006), {.spacing = 0.01})), 1u);
}

TEST(EmbeddedLattice, SurfacePointsLieInTheCopyOfTheirOwnPiece) {
  const TriangleMesh mesh = twoRods(0.004);
  const Lattice l = makeLattice(mesh, {.spacing = 0.01});
  // Nodes of the left rod: those its middle hangs together with.
  const auto rodOf = [&](std::int32_t tet) {
    std::set<std::int32_t> nodes(l.tets[static_cast<std::size_t>(tet)].begin(),
                                 l.tets[static_cast<std::size_t>(tet)].end());
    for (std::size_t before = 0; before != nodes.size();) {
      before = nodes.size();
      for (const Tet& t : l.tets)
        if (std::any_of(t.begin(), t.end(), [&](std::int32_t n) { return nodes.contains(n); }))
          nodes.insert(t.begin(), t.end());
    }
    return nodes;
  };
  const auto left = rodOf(l.locate({-0.017, 0, 0}).tet);
  for (const double y : {-0.08, -0.03, 0.0, 0.05, 0.09})
    for (const double side : {-1.0, 1.0}) {
      const LatticePlace place = l.locate({side * 0.002, y, 0.004}, {side, 0, 0});
      EXPECT_EQ(left.contains(l.tets[static_cast<std::size_t>(place.tet)][0]), side < 0);
      Vec3 at = Vec3::Zero();
      for (int k = 0; k < 4; ++k)
        at += place.weights[k] *
              l.nodes[static_cast<std::size_t>(
                  l.tets[static_cast<std::size_t>(place.tet)][static_cast<std::size_t>(k)])];
      EXPECT_LT((at - Vec3(side * 0.002, y, 0.004)).norm(), 1e-12);
    }
}

TEST(EmbeddedLattice, MirroredAndShiftedSurfacesGiveTheLatticeSoMoved) {
  TriangleMesh egg = makeSphere(0.05, 3);
  for (Vec3& p : egg.positions) p = Vec3(p.x() * (1 + 3 * p.y()), 1.5 * p.y(), p.z() + 0.2 * p.x());
  const LatticeConfig config{.spacing = 0.008};
  const Lattice l = makeLattice(egg, config);
  TriangleMesh shifted = egg, mirrored = egg;
  for (Vec3& p : shifted.positions) p += Vec3(0.25, 0.5, -0.125);
  for (Vec3& p : mirrored.positions) p.x() = -p.x();
  flipOrientation(mirrored);
  const Lattice s = makeLattice(shifted, config), m = makeLattice(mirrored, config);
  EXPECT_EQ(s.tetCount(), l.tetCount());
  EXPECT_EQ(s.freeCount, l.freeCount);
  EXPECT_EQ(m.tetCount(), l.tetCount());
  EXPECT_EQ(m.freeCount, l.freeCount);
  EXPECT_NEAR(m.materialVolume(), l.materialVolume(), 1e-12);
}

TEST(EmbeddedLattice, ThreadsDoNotMatterAndTheCacheGivesTheSameLattice) {
  const TriangleMesh sphere = makeSphere(0.1, 3);
  const LatticeConfig config{.spacing = 0.012};
  setThreadCount(1);
  const Lattice one = makeLattice(sphere, config);
  setThreadCount(4);
  const Lattice four = makeLattice(sphere, config);
  setThreadCount(0);
  EXPECT_EQ(one.tets, four.tets);
  EXPECT_EQ(one.nodes, four.nodes);
  const test::ScratchFolder folder;
  for (int pass = 0; pass < 2; ++pass) {
    const Lattice stored = cachedLattice(sphere, config, folder.path());
    EXPECT_EQ(stored.tets, one.tets);
    EXPECT_EQ(stored.nodes, one.nodes);
    EXPECT_EQ(stored.piece, one.piece);
    EXPECT_EQ(stored.bindings.column, one.bindings.column);
    EXPECT_EQ(stored.prolongations.size(), one.prolongations.size());
    EXPECT_EQ(stored.locate({0.01, 0.02, 0.03}).tet, one.locate({0.01, 0.02, 0.03}).tet);
  }
}

TEST(EmbeddedLattice, OpenSurfacesAndWrongSpacingsAreRefused) {
  TriangleMesh open = makeBox({1, 1, 1});
  open.triangles.pop_back();
  EXPECT_THROW(makeLattice(open, {.spacing = 0.1}), InputError);
  EXPECT_THROW(makeLattice(makeBox({1, 1, 1}), {.spacing = 0}), InputError);
  EXPECT_THROW(makeLattice(makeBox({1, 1, 1}), {.spacing = 1e-5}), InputError);
}

}  // namespace
}  // namespace pneuma::flesh::embedded
