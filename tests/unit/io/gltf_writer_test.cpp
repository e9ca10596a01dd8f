#include "pneuma/io/gltf_writer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "pneuma/core/error.h"
#include "pneuma/io/mesh_file.h"

namespace pneuma::io {
namespace {

nlohmann::json jsonOf(const std::string& glb) {
  std::uint32_t size = 0;
  std::memcpy(&size, glb.data() + 12, 4);
  return nlohmann::json::parse(glb.substr(20, size));
}

GltfMesh meshOf(const std::string& name, const TriangleMesh& surface) {
  return {.name = name, .positions = surface.positions, .triangles = surface.triangles};
}

TEST(GltfWriter, MeshesReadBackWithNamesAndPlaces) {
  GltfScene scene;
  const TriangleMesh sphere = makeSphere(0.5, 2), box = makeBox(Vec3(1, 2, 3));
  const int root = scene.addNode({.name = "body"});
  const int bone = scene.addMesh(meshOf("bone", box));
  scene.addNode(
      {.name = "sternum", .pose = {.position = Vec3(0, 2, 0)}, .mesh = bone, .parent = root});
  scene.addNodeFor(scene.addMesh(meshOf("skin", sphere)), root);
  const auto meshes = parseMeshes(toGlb(scene), "a.glb", ".glb").valueOrThrow();
  ASSERT_EQ(meshes.size(), 2u);
  EXPECT_EQ(meshes[0].name, "sternum");
  EXPECT_EQ(meshes[1].name, "skin");
  EXPECT_EQ(meshes[0].mesh.triangles, box.triangles);
  EXPECT_EQ(meshes[0].mesh.positions[0], box.positions[0] + Vec3(0, 2, 0));
  EXPECT_EQ(meshes[1].mesh.vertexCount(), sphere.vertexCount());
  for (std::size_t i = 0; i < sphere.vertexCount(); ++i)
    EXPECT_NEAR((meshes[1].mesh.positions[i] - sphere.positions[i]).norm(), 0, 1e-7);  // 32 bits
}

TEST(GltfWriter, MaterialsCarryColourOpacityAndSides) {
  GltfScene scene;
  const int glass = scene.addMaterial(
      {.name = "glass", .color = Vec3(1, 0.5, 0), .opacity = 0.25, .doubleSided = true});
  GltfMesh mesh = meshOf("a", makeBox(Vec3::Ones()));
  mesh.material = glass;
  scene.addNodeFor(scene.addMesh(mesh));
  const auto json = jsonOf(toGlb(scene));
  const auto& m = json["materials"][0];
  EXPECT_EQ(m["pbrMetallicRoughness"]["baseColorFactor"], nlohmann::json({1.0, 0.5, 0.0, 0.25}));
  EXPECT_EQ(m["alphaMode"], "BLEND");
  EXPECT_EQ(m["doubleSided"], true);
  EXPECT_EQ(json["meshes"][0]["primitives"][0]["material"], 0);
}

TEST(GltfWriter, PicturesLieInTheFileAndMaterialsShowThem) {
  GltfScene scene;
  const int color = scene.addImage({"skin", "image/png", "first picture"});
  const int normal = scene.addImage({"relief", "image/jpeg", "second"});
  GltfMesh mesh = meshOf("a", makeBox(Vec3::Ones()));
  mesh.material =
      scene.addMaterial({.name = "painted", .colorImage = color, .normalImage = normal});
  scene.addNodeFor(scene.addMesh(mesh));
  const std::string glb = toGlb(scene);
  const auto json = jsonOf(glb);
  const auto bytesOf = [&](const nlohmann::json& texture) {
    const auto& image =
        json["images"][json["textures"][texture["index"].get<int>()]["source"].get<std::size_t>()];
    const auto& view = json["bufferViews"][image["bufferView"].get<std::size_t>()];
    std::uint32_t jsonSize = 0;
    std::memcpy(&jsonSize, glb.data() + 12, 4);
    return glb.substr(20 + jsonSize + 8 + view["byteOffset"].get<std::size_t>(),
                      view["byteLength"].get<std::size_t>());
  };
  const auto& m = json["materials"][0];
  EXPECT_EQ(bytesOf(m["pbrMetallicRoughness"]["baseColorTexture"]), "first picture");
  EXPECT_EQ(bytesOf(m["normalTexture"]), "second");
  EXPECT_EQ(json["images"][1]["mimeType"], "image/jpeg");
  // Blank or unknown pictures, and ones that are not there, are refused.
  scene.images[0].bytes.clear();
  EXPECT_THROW(toGlb(scene), InputError);
  scene.images.clear();
  EXPECT_THROW(toGlb(scene), InputError);
}

TEST(GltfWriter, LinesCarryVertexColours) {
  GltfScene scene;
  GltfMesh muscles{.name = "muscles",
                   .positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}},
                   .segments = {{0, 1}, {1, 2}}};
  muscles.colors = {Vec4(1, 0, 0, 1), Vec4(0, 1, 0, 1), Vec4(0, 0, 1, 1)};
  scene.addNodeFor(scene.addMesh(muscles));
  const auto primitive = jsonOf(toGlb(scene))["meshes"][0]["primitives"][0];
  EXPECT_EQ(primitive["mode"], 1);
  EXPECT_TRUE(primitive["attributes"].contains("COLOR_0"));
  EXPECT_FALSE(primitive["attributes"].contains("NORMAL"));
}

TEST(GltfWriter, MostlyZeroMorphTargetsAreStoredSparsely) {
  GltfScene scene;
  const TriangleMesh sphere = makeSphere(1, 4);
  GltfMesh mesh = meshOf("a", sphere);
  MorphTarget local{.name = "local"}, global{.name = "global"};
  local.offsets.assign(sphere.vertexCount(), Vec3::Zero());
  local.offsets[5] = Vec3(0, 1, 0);
  global.offsets = sphere.positions;
  mesh.targets = {local, global};
  scene.addNodeFor(scene.addMesh(mesh));
  const auto json = jsonOf(toGlb(scene));
  const auto& targets = json["meshes"][0]["primitives"][0]["targets"];
  const auto& sparse = json["accessors"][targets[0]["POSITION"].get<std::size_t>()];
  EXPECT_EQ(sparse["sparse"]["count"], 1);
  EXPECT_EQ(sparse["max"], nlohmann::json({0.0, 1.0, 0.0}));
  EXPECT_FALSE(json["accessors"][targets[1]["POSITION"].get<std::size_t>()].contains("sparse"));
  EXPECT_EQ(json["meshes"][0]["extras"]["targetNames"], nlohmann::json({"local", "global"}));
}

TEST(GltfWriter, RigidAnimationTurnsTheShortWay) {
  std::vector<Pose> poses(3);
  // The second quaternion comes with the opposite sign of the first.
  NodeAnimation a = rigidAnimation({0, 1, 2}, poses);
  a.rotations[0] = Quat(Eigen::AngleAxisd(0.1, Vec3::UnitX()));
  a.rotations[1].coeffs() = -Quat(Eigen::AngleAxisd(0.2, Vec3::UnitX())).coeffs();
  a.rotations[2] = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitX()));
  GltfScene scene;
  scene.addNode(
      {.name = "bone", .mesh = scene.addMesh(meshOf("b", makeBox(Vec3::Ones()))), .animation = a});
  const std::string glb = toGlb(scene);
  const auto json = jsonOf(glb);
  const auto& animation = json["animations"][0];
  ASSERT_EQ(animation["channels"].size(), 2u);
  EXPECT_EQ(animation["channels"][1]["target"]["path"], "rotation");
  EXPECT_EQ(animation["samplers"][0]["input"], animation["samplers"][1]["input"]);  // shared times
  const auto& view =
      json["bufferViews"]
          [json["accessors"][animation["samplers"][1]["output"].get<std::size_t>()]["bufferView"]
               .get<std::size_t>()];
  std::uint32_t jsonSize = 0;
  std::memcpy(&jsonSize, glb.data() + 12, 4);
  std::array<float, 12> keys;
  std::memcpy(keys.data(), glb.data() + 28 + jsonSize + view["byteOffset"].get<std::size_t>(),
              sizeof keys);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(keys[4 * i], std::sin(0.05 * static_cast<double>(i + 1)), 1e-6);
}

TEST(GltfWriter, RefusesWhatNoViewerCouldShow) {
  GltfScene scene;
  GltfMesh mesh = meshOf("a", makeBox(Vec3::Ones()));
  mesh.positions[3].x() = std::nan("");
  scene.addNodeFor(scene.addMesh(mesh));
  EXPECT_THROW(toGlb(scene), InputError);
  scene.meshes[0] = meshOf("a", makeBox(Vec3::Ones()));
  scene.meshes[0].triangles[0] = {0, 1, 99};
  EXPECT_THROW(toGlb(scene), InputError);
}

TEST(GltfWriter, LinearColourFollowsTheSrgbCurve) {
  EXPECT_NEAR((linearColor(0xffffff) - Vec3::Ones()).norm(), 0, 1e-12);
  EXPECT_NEAR(linearColor(0x808080).x(), 0.21586, 1e-5);  // published value of mid grey
  EXPECT_EQ(linearColor(0xff0000), Vec3(1, 0, 0));
}

}  // namespace
}  // namespace pneuma::io
