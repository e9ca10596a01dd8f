#include "stage/organ_parts.h"

#include <gtest/gtest.h>

#include "pneuma/stage/breath_request.h"
#include "tests/support/human.h"

namespace pneuma::stage {
namespace {

TEST(OrganParts, LungsAndGutAreClosedSmoothAndInsideTheCage) {
  const breath::TorsoModel model =
      trunkOf(resolve({}, test::humanBody(), test::humanBody()->person));
  const std::vector<SoftPart> parts =
      internal::organParts(model, [&](const body::Frame&, std::int32_t p) {
        return Vec3(model.rest[static_cast<std::size_t>(p)]);
      });
  double lungs = 0;
  for (const SoftPart& part : parts) {
    const TriangleMesh coarse{part.positions({}), part.triangles},
        fine{drawnPositions(part, {}), drawnTriangles(part)};
    EXPECT_GT(fine.triangleCount(), 10 * coarse.triangleCount()) << part.name;
    if (part.name == "diaphragm") continue;  // a sheet
    EXPECT_TRUE(analyzeTopology(fine).watertight()) << part.name;
    EXPECT_GT(enclosedVolume(fine), 0) << part.name << " is inside out";
    if (!part.name.starts_with("lung")) continue;
    lungs += enclosedVolume(fine);
    ASSERT_EQ(part.colors.size(), fine.vertexCount());
    for (const Vec3& p : fine.positions)
      EXPECT_GT((part.name == "lung_l" ? 1 : -1) * p.x(), 0.01);  // clear of the mediastinum
  }
  // Lungs fill most of the cavity; heart and great vessels have the rest.
  EXPECT_GT(lungs, 0.55 * model.restLung);
  EXPECT_LT(lungs, 0.95 * model.restLung);
}

}  // namespace
}  // namespace pneuma::stage
