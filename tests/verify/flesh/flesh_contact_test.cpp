// Skins of embedded flesh that meet.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "pneuma/flesh/embedded/self_contact.h"
#include "tests/verify/flesh/fork_case.h"

namespace pneuma::flesh::embedded {
namespace {

/// Every triangle in four.
TriangleMesh divided(const TriangleMesh& mesh) {
  TriangleMesh fine;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
    const Vec3 ab = 0.5 * (a + b), bc = 0.5 * (b + c), ca = 0.5 * (c + a);
    for (const auto& [p, q, r] : {std::array{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}}) {
      const auto n = static_cast<std::int32_t>(fine.positions.size());
      fine.positions.insert(fine.positions.end(), {p, q, r});
      fine.triangles.push_back({n, n + 1, n + 2});
    }
  }
  return fine;
}

/// Prongs of the fork, 4 mm apart, drawn together by 6 mm each: without contact they overlap, with
/// it they meet, push each other equally, and stay mirror images.
TEST(FleshContactLaws, ProngsMeetAndDoNotPassThroughEachOther) {
  Case c;
  c.targets = anchorPoints();
  for (Vec3& t : c.targets)
    if (t.y() > 0.05) t.x() -= std::copysign(0.006, t.x());
  double deepest[2] = {};
  for (const bool touch : {false, true}) {
    auto model = std::make_shared<FleshModel>(c.model);
    FleshSolver solver(model, {.tolerance = 1e-5});
    SelfContact contact(*model, divided(divided(divided(fork()))));
    std::vector<Vec3> y = solver.rest();
    std::vector<ContactPlane> planes;
    EXPECT_EQ(contact.find(solver.nodes(y), planes).count, 0u);
    for (int round = 0; round < 3; ++round) {
      FleshInputs inputs = c.inputs();
      inputs.activations = {};
      if (touch) inputs.contacts = planes;
      ASSERT_TRUE(solver.solve(inputs, y).converged);
      deepest[touch] = contact.find(solver.nodes(y), planes).deepest;
    }
    Vec3 push = Vec3::Zero(), total = Vec3::Zero();
    const std::vector<Vec3> x = solver.nodes(y);
    for (const ContactPlane& p : planes) {
      double along = -p.offset;
      for (int k = 0; k < 4; ++k)
        along += p.place.weights[k] * p.normal.dot(x[model->lattice->tets[p.place.tet][k]]);
      const Vec3 force = -p.stiffness * std::min(0.0, along) * p.normal;
      total += force;
      if (force.x() > 0) push += force;
    }
    if (touch) {
      // Each side finds the other by its own vertices.
      EXPECT_LT(std::abs(total.x()), 0.1 * push.x());
    }
  }
  EXPECT_GT(deepest[0], 5e-3);
  EXPECT_LT(deepest[1], 0.25 * deepest[0]);
}

/// The force of a push goes on into the next round, which adds what is missing: planes as soft as
/// these end where skins are nearly apart.
TEST(FleshContactLaws, ForcesOfContactGrowUntilSkinsAreApart) {
  constexpr double kSoft = 0.03;
  Case c;
  c.targets = anchorPoints();
  for (Vec3& t : c.targets)
    if (t.y() > 0.05) t.x() -= std::copysign(0.006, t.x());
  double deepest[2] = {};
  for (const bool goesOn : {false, true}) {
    auto model = std::make_shared<FleshModel>(c.model);
    FleshSolver solver(model, {.tolerance = 1e-5});
    SelfContact contact(*model, divided(divided(divided(fork()))));
    std::vector<Vec3> y = solver.rest();
    std::vector<ContactPlane> planes;
    contact.find(solver.nodes(y), planes, {.firmness = kSoft});
    for (int round = 0; round < 8; ++round) {
      FleshInputs inputs = c.inputs();
      inputs.activations = {};
      inputs.contacts = planes;
      ASSERT_TRUE(solver.solve(inputs, y).converged);
      deepest[goesOn] =
          contact.find(solver.nodes(y), planes, {.firmness = kSoft, .settled = goesOn}).deepest;
    }
    EXPECT_EQ(std::ranges::max(contact.pushes()) > 0, goesOn);
  }
  EXPECT_GT(deepest[0], 2e-3);
  EXPECT_LT(deepest[1], 0.5 * deepest[0]);
}

/// Contact looks again only where flesh has moved, or near it: what it finds is what a fresh look
/// at all skin finds.
TEST(FleshContactLaws, ContactSoughtWhereFleshMovedIsThatSoughtEverywhere) {
  const FleshModel model = makeUniformFlesh(forkLattice(), {});
  const TriangleMesh skin = divided(divided(fork()));
  SelfContact along(model, skin);
  std::vector<Vec3> x = model.lattice->nodes;
  const auto draw = [&](double side, double from, double by) {
    for (std::size_t n = 0; n < x.size(); ++n)
      if (side * model.lattice->nodes[n].x() > 0 && model.lattice->nodes[n].y() > from)
        x[n].x() -= side * by;
  };
  std::size_t most = 0;
  for (int step = 0; step < 4; ++step) {
    if (step == 1) draw(1, 0.05, 0.006);
    if (step == 2) draw(-1, 0.1, 0.003);
    if (step == 3) draw(1, 0.05, -0.006);
    SelfContact fresh(model, skin);
    std::vector<ContactPlane> some, all;
    EXPECT_EQ(along.find(x, some).deepest, fresh.find(x, all).deepest) << step;
    ASSERT_EQ(some.size(), all.size()) << step;
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(some[i].place.tet, all[i].place.tet);
      EXPECT_EQ(some[i].normal, all[i].normal);
      EXPECT_EQ(some[i].offset, all[i].offset);
    }
    most = std::max(most, all.size());
  }
  EXPECT_GT(most, 10u);
}

}  // namespace
}  // namespace pneuma::flesh::embedded
