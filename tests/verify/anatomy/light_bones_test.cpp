// Bones as films and files carry them.
#include <gtest/gtest.h>

#include "pneuma/anatomy/body_file.h"
#include "pneuma/anatomy/geometry_cache.h"

namespace pneuma::anatomy {
namespace {

TEST(LightBones, AreClosedAndOnAverageWithinTheToleranceOfTheFineOnes) {
  const Body body = loadBody(defaultBodyPath()).valueOrThrow();
  const GeometryCache cache;
  std::size_t fineTriangles = 0, lightTriangles = 0;
  for (const Shape& s : body.shapes) {
    if (s.bone.ends_with("_r")) continue;  // mirror images
    const TriangleMesh fine = cache.boneMesh(s.shape);
    const TriangleMesh light = cache.boneMesh(s.shape, kLightBone);
    EXPECT_TRUE(analyzeTopology(light).watertight()) << s.bone;
    // Facets lie inside of what they replace: the volume between both is area times departure.
    EXPECT_NEAR(enclosedVolume(light), enclosedVolume(fine), kLightBone * surfaceArea(fine))
        << s.bone;
    fineTriangles += fine.triangleCount();
    lightTriangles += light.triangleCount();
  }
  EXPECT_LT(5 * lightTriangles, fineTriangles);
  RecordProperty("fine_triangles", static_cast<int>(fineTriangles));
  RecordProperty("light_triangles", static_cast<int>(lightTriangles));
}

}  // namespace
}  // namespace pneuma::anatomy
