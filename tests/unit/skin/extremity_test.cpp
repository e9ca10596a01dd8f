#include "skin/extremity.h"

#include <gtest/gtest.h>

namespace pneuma::skin::internal {
namespace {

TEST(Extremity, CuttingASphereLeavesACapWithOneRim) {
  const TriangleMesh sphere = makeSphere(0.1, 4);
  const CutPiece cap = cutBeyond(sphere, Vec3(0, 0.03, 0), Vec3::UnitY(), Vec3(0, 0.1, 0));
  for (const std::int32_t v : cap.rim)
    EXPECT_NEAR(cap.mesh.positions[static_cast<std::size_t>(v)].y(), 0.03, 1e-6);
  const MeshTopology topology = analyzeTopology(cap.mesh);
  EXPECT_EQ(topology.boundaryEdges, cap.rim.size());
  EXPECT_EQ(topology.components, 1u);
}

TEST(Extremity, APlaneThatMissesIsAnError) {
  EXPECT_THROW(cutBeyond(makeSphere(0.1, 2), Vec3(0, 1, 0), Vec3::UnitY(), Vec3(0, 1, 0)),
               InputError);
}

TEST(Extremity, StitchedHalvesAreClosedAgain) {
  // Both caps of a cut sphere, with different rims: the lower one comes from a coarser sphere.
  const CutPiece upper =
      cutBeyond(makeSphere(0.1, 4), Vec3(0, 0.004, 0), Vec3::UnitY(), Vec3(0, 0.1, 0));
  const CutPiece lower =
      cutBeyond(makeSphere(0.1, 3), Vec3(0, -0.004, 0), -Vec3::UnitY(), Vec3(0, -0.1, 0));
  TriangleMesh whole = upper.mesh;
  const std::int32_t offset = append(whole, lower.mesh);
  std::vector<std::int32_t> rim = lower.rim;
  for (std::int32_t& v : rim) v += offset;
  for (const Triangle& t : stitchRims(upper.rim, rim, whole.positions))
    whole.triangles.push_back(t);
  const MeshTopology topology = analyzeTopology(whole);
  EXPECT_TRUE(topology.watertight());
  EXPECT_EQ(topology.eulerNumber, 2);
  const double sphere = 4.0 / 3 * kPi * 1e-3;
  EXPECT_NEAR(enclosedVolume(whole), sphere, 0.02 * sphere);
}

}  // namespace
}  // namespace pneuma::skin::internal
