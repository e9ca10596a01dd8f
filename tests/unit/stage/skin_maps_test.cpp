#include "pneuma/stage/skin_maps.h"

#include <gtest/gtest.h>

#include "pneuma/anatomy/relaxed_hands.h"
#include "pneuma/core/error.h"
#include "pneuma/io/file.h"
#include "pneuma/io/mesh_file.h"
#include "tests/support/human.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::stage {
namespace {

constexpr int kSize = 256;

const anatomy::SkinSurface& coarseSkin() {
  static const anatomy::SkinSurface skin = anatomy::makeShownSkin(
      *test::humanBody(), test::humanBody()->subject, 20000, anatomy::GeometryCache());
  return skin;
}

/// The texel of the vertex nearest to a place of the measured man.
std::pair<int, int> texelOf(const Vec3& place) {
  const anatomy::SkinTopology& t = *coarseSkin().topology;
  std::size_t best = 0;
  for (std::size_t v = 0; v < t.places.size(); ++v)
    if ((t.places[v] - place).norm() < (t.places[best] - place).norm()) best = v;
  const Vec2 uv = t.atlas.uv[best];
  return {static_cast<int>(uv.x() * kSize), static_cast<int>((1 - uv.y()) * kSize)};
}

Vec3 normalAt(const SkinMaps& maps, int x, int y) {
  const render::Color c = maps.normal.at(x, y);
  return Vec3(static_cast<double>(c.r), static_cast<double>(c.g), static_cast<double>(c.b)) * 2 -
         Vec3::Ones();
}

TEST(SkinMaps, PaintEveryPlaceInItsColour) {
  const SkinMaps maps = makeSkinMaps(*coarseSkin().topology, coarseSkin(), {}, {.size = kSize});
  const auto colorOf = [&](const Vec3& place) {
    const auto [x, y] = texelOf(place);
    return maps.color.at(x, y);
  };
  const render::Color scalp = colorOf({0, 1.64, 0.08}), belly = colorOf({0.05, 1.05, 0.2}),
                      areola = colorOf({0.11, 1.23, 0.19});
  EXPECT_LT(scalp.r + scalp.g, 0.75f * (belly.r + belly.g));
  EXPECT_LT(areola.g, belly.g - 0.1f);
  EXPECT_GT(belly.r, belly.b + 0.1f);
}

TEST(SkinMaps, NormalsOfTheMeshItselfStandUpright) {
  const SkinMaps maps = makeSkinMaps(*coarseSkin().topology, coarseSkin(), {}, {.size = kSize});
  double off = 0;
  for (int y = 0; y < kSize; ++y)
    for (int x = 0; x < kSize; ++x) {
      const Vec3 n = normalAt(maps, x, y);
      EXPECT_NEAR(n.norm(), 1, 0.06);
      off += (1 - n.z()) / (kSize * kSize);
    }
  EXPECT_LT(off, 0.02);  // pores alone
}

TEST(SkinMaps, AFinerSkinLeavesItsFormsInTheNormals) {
  const anatomy::SkinSurface fine = anatomy::makeShownSkin(
      *test::humanBody(), test::humanBody()->subject, 80000, anatomy::GeometryCache());
  const SkinMaps maps = makeSkinMaps(*coarseSkin().topology, fine, {}, {.size = kSize});
  const SkinMaps own = makeSkinMaps(*coarseSkin().topology, coarseSkin(), {}, {.size = kSize});
  const auto lean = [](const SkinMaps& m) {
    double sum = 0;
    for (int y = 0; y < kSize; ++y)
      for (int x = 0; x < kSize; ++x) sum += 1 - normalAt(m, x, y).z();
    return sum;
  };
  EXPECT_GT(lean(maps), 1.2 * lean(own));
  EXPECT_THROW(makeSkinMaps(*fine.topology, coarseSkin(), {}), InputError);  // the wrong way round
  EXPECT_THROW(makeSkinMaps(*fine.topology, fine, {}, {.size = 4}), InputError);
}

TEST(SkinMaps, AnObjComesWithItsMaterialAndPictures) {
  const test::ScratchFolder folder;
  const auto path = folder.path() / "someone.obj";
  const std::size_t triangles =
      writeSkinObj(path, *test::humanBody(), test::humanBody()->subject, {.size = 64});
  EXPECT_EQ(io::readMesh(path).triangleCount(), triangles);
  const std::string obj = io::readFile(path).valueOrThrow();
  EXPECT_NE(obj.find("mtllib someone.mtl"), std::string::npos);
  EXPECT_NE(obj.find("usemtl skin"), std::string::npos);
  EXPECT_NE(obj.find("\ns 1\n"), std::string::npos) << "shaded smoothly";
  const std::string mtl = io::readFile(folder.path() / "someone.mtl").valueOrThrow();
  for (const char* map : {"someone_color.png", "someone_normal.png"}) {
    EXPECT_NE(mtl.find(map), std::string::npos);
    EXPECT_EQ(render::readPng(folder.path() / map).width, 64);
  }
}

}  // namespace
}  // namespace pneuma::stage
