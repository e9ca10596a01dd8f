#include "pneuma/stage/body_pack.h"

#include <gtest/gtest.h>

#include "pneuma/core/triangle_mesh.h"

namespace pneuma::stage {
namespace {

/// A pack of two small surfaces: whether they are a body does not matter to its bytes.
BodyPack smallPack() {
  BodyPack pack{.person = {.sex = "female", .height = 1.62, .mass = 58, .age = 41},
                .body = "text of a body",
                .styles = "text of styles"};
  const TriangleMesh mesh = makeSphere(0.1, 1);
  pack.bones["sacrum"] = mesh;
  SkinForms& skin = pack.skin;
  skin.triangles = mesh.triangles;
  skin.parts.assign(mesh.vertexCount(), anatomy::SkinPart::Abdomen);
  skin.armShare.assign(mesh.vertexCount(), 0);
  skin.bySex[1] = {mesh.positions, makeSphere(0.12, 1).positions};
  skin::SkinBinding& binding = skin.binding;
  binding.weights.vertices.assign(mesh.vertexCount(), {{3, 1, 0, 0}, {0.7, 0.3, 0, 0}});
  binding.weights.limbs.assign(mesh.vertexCount(), {{1, 4, 0, 0}, {0.2, 0.1, 0, 0}});
  binding.slide.assign(mesh.vertexCount(), 0.02);
  binding.trunk = {{4, Vec3(0, 1, 0)}, {5, Vec3(0, 1.1, 0.1)}};
  binding.cage = {{2, Vec3(0.1, 1, 0)}};
  MuscleShape& m = pack.muscles.emplace_back();
  m.name = "rectus_abdominis_l";
  m.mesh = mesh;
  m.links.assign(mesh.vertexCount(), {0, 2, 0, 0});
  m.weights.assign(mesh.vertexCount(), {0.25, 0.75, 0, 0});
  return pack;
}

TEST(BodyPack, ComesBackFromItsBytes) {
  const BodyPack pack = smallPack(), back = decodePack(encodePack(pack));
  EXPECT_EQ(back.person.sex, "female");
  EXPECT_EQ(back.person.mass, 58);
  EXPECT_EQ(back.body, pack.body);
  EXPECT_EQ(back.styles, pack.styles);
  EXPECT_EQ(back.bones.at("sacrum").triangles, pack.bones.at("sacrum").triangles);
  const skin::SkinBinding &was = pack.skin.binding, &is = back.skin.binding;
  EXPECT_EQ(is.weights.vertices[7].group, was.weights.vertices[7].group);
  EXPECT_NEAR(is.weights.vertices[7].weight[1], 0.3, 1e-5);
  EXPECT_EQ(is.weights.limbs[7].group, was.weights.limbs[7].group);
  EXPECT_NEAR(is.weights.limbs[7].weight[0], 0.2, 1e-5);
  EXPECT_NEAR(is.weights.limbs[7].weight[1], 0.1, 1e-5);
  EXPECT_EQ(is.trunk[1].bone, 5);
  EXPECT_NEAR(is.slide.back(), 0.02, 1e-9);
  EXPECT_EQ(back.muscles[0].links, pack.muscles[0].links);
}

TEST(BodyPack, RoundsOnce) {
  const std::string bytes = encodePack(smallPack());
  EXPECT_EQ(encodePack(decodePack(bytes)), bytes);
}

TEST(BodyPack, WeightsSumToOneAfterRounding) {
  const BodyPack back = decodePack(encodePack(smallPack()));
  for (const skin::SkinWeights::Vertex& v : back.skin.binding.weights.vertices)
    EXPECT_DOUBLE_EQ(v.weight[0] + v.weight[1] + v.weight[2] + v.weight[3], 1);
}

TEST(BodyPack, OneFlippedBitIsRefused) {
  const std::string bytes = encodePack(smallPack());
  for (std::size_t i = 0; i < bytes.size(); i += 37) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    EXPECT_THROW(decodePack(damaged), InputError) << i;
  }
}

TEST(BodyPack, OtherFilesAreRefusedByName) {
  try {
    decodePack("time,volume\n0,1\n");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("no packed body"), std::string::npos) << e.what();
  }
}

TEST(BodyPack, AnotherVersionIsRefusedWithBothNumbers) {
  std::string bytes = encodePack(smallPack());
  bytes[8] = 99;
  try {
    decodePack(bytes);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("version 99"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("packs it anew"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace pneuma::stage
