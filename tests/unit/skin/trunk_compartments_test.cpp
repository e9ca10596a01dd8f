#include "pneuma/skin/trunk_compartments.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/human.h"

namespace pneuma::skin {
namespace {

/// A tube with the outline of the trunk, longer than it on both sides.
TriangleMesh trunkTube(const anatomy::TrunkAnatomy& trunk) {
  constexpr int kRows = 60, kColumns = 72;
  TriangleMesh mesh;
  const double low = trunk.iliacSpine.y() - 0.1, high = trunk.jugularNotch.y() + 0.05;
  for (int r = 0; r <= kRows; ++r)
    for (int c = 0; c < kColumns; ++c) {
      const double y = low + (high - low) * r / kRows, a = 2 * kPi * c / kColumns;
      const double radius = trunk.trunk.radius(y, a <= kPi ? a : 2 * kPi - a);
      mesh.positions.push_back(trunk.trunk.center +
                               Vec3(radius * std::sin(a), 0, radius * std::cos(a)));
      mesh.positions.back().y() = y;
    }
  const auto at = [](int r, int c) { return r * kColumns + c % kColumns; };
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kColumns; ++c) {
      mesh.triangles.push_back({at(r, c), at(r, c + 1), at(r + 1, c)});
      mesh.triangles.push_back({at(r, c + 1), at(r + 1, c + 1), at(r + 1, c)});
    }
  return mesh;
}

class Compartments : public testing::Test {
 protected:
  const anatomy::TrunkAnatomy trunk_ = anatomy::trunkAnatomy(pneuma::test::humanAsBuilt());
  const TriangleMesh tube_ = trunkTube(trunk_);
  const TrunkCompartments compartments_{tube_, trunk_};
};

TEST_F(Compartments, AreClosed) {
  const auto rest = compartments_.volumes(tube_.positions);
  std::vector<Vec3> moved = tube_.positions;
  for (Vec3& p : moved) p = 1.01 * p + Vec3(0.3, -1, 2);
  const auto now = compartments_.volumes(moved);
  for (std::size_t k = 0; k < rest.size(); ++k) {
    EXPECT_GT(rest[k], 1e-3) << TrunkCompartments::kNames[k];
    EXPECT_NEAR(now[k] / rest[k], std::pow(1.01, 3), 1e-9) << TrunkCompartments::kNames[k];
  }
}

/// A belly that swells in front, below the ribs, is the abdomen's alone.
TEST_F(Compartments, ABellyThatSwellsIsTheAbdomens) {
  const auto rest = compartments_.volumes(tube_.positions);
  std::vector<Vec3> moved = tube_.positions;
  const double middle = 0.5 * (trunk_.iliacSpine.y() + trunk_.xiphisternal.y()) - 0.03;
  for (Vec3& p : moved)
    if (p.z() > trunk_.trunk.center.z() && std::abs(p.y() - middle) < 0.04 &&
        std::abs(p.x()) < 0.05)
      p.z() += 0.01;
  const auto now = compartments_.volumes(moved);
  EXPECT_GT(now[2] - rest[2], 3e-5);
  EXPECT_NEAR(now[0], rest[0], 1e-12);
  EXPECT_NEAR(now[1], rest[1], 1e-12);
}

}  // namespace
}  // namespace pneuma::skin
