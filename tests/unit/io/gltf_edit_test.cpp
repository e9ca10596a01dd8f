#include "pneuma/io/gltf_edit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "io/gltf_document.h"
#include "pneuma/core/base64.h"
#include "pneuma/io/atomic_file.h"
#include "pneuma/io/file.h"
#include "pneuma/io/glb_compression.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::io {
namespace {

using internal::GltfDocument;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using OrderedJson = nlohmann::ordered_json;

struct GlbHalves {
  OrderedJson json;
  std::string bin;
};

GlbHalves halvesOf(const std::string& glb) {
  std::uint32_t size = 0;
  std::memcpy(&size, glb.data() + 12, 4);
  return {OrderedJson::parse(glb.substr(20, size)), glb.substr(28 + size)};
}

std::string glbOf(const GlbHalves& halves) {
  std::string text = halves.json.dump(), glb = "glTF";
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const auto word = [&](std::size_t value) {
    const auto w = static_cast<std::uint32_t>(value);
    glb.append(reinterpret_cast<const char*>(&w), 4);
  };
  word(2);
  word(12 + 8 + text.size() + 8 + halves.bin.size());
  word(text.size());
  glb += "JSON" + text;
  word(halves.bin.size());
  return glb + std::string("BIN\0", 4) + halves.bin;
}

/// A body with a smile, a hat without targets, and a clip that moves both; unknown things on top.
std::string exampleCharacter(double clipSeconds = 4) {
  GltfScene scene{.animationName = "act"};
  const TriangleMesh ball = makeSphere(0.5, 2), box = makeBox(Vec3(0.2, 0.1, 0.2));
  GltfMesh body{.name = "body", .positions = ball.positions, .triangles = ball.triangles};
  body.targets.push_back({"smile", std::vector<Vec3>(ball.vertexCount(), Vec3(0, 0, 0.1)), {}});
  scene.addNodeFor(scene.addMesh(body));
  scene.nodes.back().animation = {.times = {0, clipSeconds / 2, clipSeconds}, .weights = {0, 1, 0}};
  const int hat =
      scene.addMesh({.name = "hat", .positions = box.positions, .triangles = box.triangles});
  const std::vector<Pose> poses(2);
  scene.addNode({.name = "hat", .mesh = hat, .animation = rigidAnimation({0, clipSeconds}, poses)});
  GlbHalves halves = halvesOf(toGlb(scene));
  halves.json["extensionsUsed"] = {"ACME_aura"};
  halves.json["extensions"]["ACME_aura"] = {{"zeal", 0.1}, {"alpha", {1, 2, 3}}};
  halves.json["meshes"][0]["extras"]["rig"] = "v7";
  return glbOf(halves);
}

GltfEdit editOf(std::string glb) {
  return GltfEdit::parse(std::move(glb), "hero.glb").valueOrThrow();
}

std::vector<MorphTarget> exampleTargets(const GltfObject& object) {
  std::vector<MorphTarget> targets{{.name = "breath_chest"}, {.name = "breath_belly"}};
  for (const Vec3& p : object.surface.positions) {
    targets[0].offsets.push_back(0.01 * p);
    targets[1].offsets.push_back(p.y() < 0 ? Vec3(0, 0, 0.02) : Vec3::Zero());
  }
  for (MorphTarget& t : targets) t.normalOffsets.assign(t.offsets.size(), Vec3(0, 0.5, 0));
  return targets;
}

const GltfLoop kLoop{.times = {0, 1, 3, 4}, .weights = {0, 0, 1, 0.5, 0.25, 1, 0, 0}};

std::string breathing(const std::string& glb, const GltfLoop& loop = kLoop) {
  GltfEdit edit = editOf(glb);
  edit.addTargets(0, exampleTargets(edit.objects()[0]));
  edit.addLoop(loop);
  return edit.toGlb();
}

TEST(GltfEdit, UneditedFileComesBackByteForByte) {
  const std::string glb = exampleCharacter();
  EXPECT_EQ(editOf(glb).toGlb(), glb);
}

TEST(GltfEdit, OldBytesAndOldWordsStay) {
  const std::string glb = exampleCharacter();
  const GlbHalves before = halvesOf(glb), after = halvesOf(breathing(glb));
  ASSERT_GT(after.bin.size(), before.bin.size());
  EXPECT_EQ(after.bin.substr(0, before.bin.size()), before.bin);
  for (const char* list : {"accessors", "bufferViews"})
    for (std::size_t i = 0; i < before.json[list].size(); ++i)
      EXPECT_EQ(after.json[list][i], before.json[list][i]) << list << i;
  for (const char* key : {"extensions", "extensionsUsed", "asset", "scenes", "scene"})
    EXPECT_EQ(after.json[key], before.json[key]) << key;
  EXPECT_EQ(after.json["meshes"][1], before.json["meshes"][1]);
  EXPECT_EQ(after.json["meshes"][0]["extras"]["rig"], "v7");
  EXPECT_EQ(after.json["meshes"][0]["primitives"][0]["attributes"],
            before.json["meshes"][0]["primitives"][0]["attributes"]);
  EXPECT_EQ(after.json["buffers"][0]["byteLength"], after.bin.size());
}

TEST(GltfEdit, TargetsArriveWithNamesOffsetsAndWeights) {
  GltfEdit edit = editOf(exampleCharacter());
  const std::vector<MorphTarget> targets = exampleTargets(edit.objects()[0]);
  edit.addTargets(0, targets);
  edit.addLoop(kLoop);
  const std::string glb = edit.toGlb();
  const GltfDocument d(glb, "hero.glb");
  const auto& mesh = d.at("meshes", 0);
  EXPECT_EQ(mesh["extras"]["targetNames"].dump(), R"(["smile","breath_chest","breath_belly"])");
  const auto& list = mesh["primitives"][0]["targets"];
  ASSERT_EQ(list.size(), 3u);
  for (std::size_t k = 0; k < 2; ++k) {
    const std::vector<double> offsets = d.numbers(list[k + 1]["POSITION"], 3);
    ASSERT_EQ(offsets.size(), 3 * targets[k].offsets.size());
    for (std::size_t i = 0; i < offsets.size(); ++i)
      EXPECT_EQ(offsets[i], static_cast<double>(static_cast<float>(
                                targets[k].offsets[i / 3][static_cast<Eigen::Index>(i % 3)])));
    EXPECT_EQ(d.numbers(list[k + 1]["NORMAL"], 3)[1], 0.5);
  }
}

/// Values of the weights channel of a node in the animation of that name.
std::vector<double> weightsOf(const GltfDocument& d, const std::string& name, std::size_t node,
                              std::vector<double>* times = nullptr) {
  for (const auto& animation : d.json()["animations"])
    if (animation["name"] == name)
      for (const auto& channel : animation["channels"])
        if (channel["target"]["path"] == "weights" && channel["target"]["node"] == node) {
          const auto& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
          if (times) *times = d.numbers(sampler["input"], 1);
          return d.numbers(sampler["output"], 1);
        }
  return {};
}

TEST(GltfEdit, ClipsKeepTheirWeightsAndTheLoopKeepsTheirRest) {
  const std::string glb = breathing(exampleCharacter());
  const GltfDocument d(glb, "hero.glb");
  EXPECT_THAT(weightsOf(d, "act", 0), ElementsAre(0, 0, 0, 1, 0, 0, 0, 0, 0));
  EXPECT_THAT(weightsOf(d, "breath", 0), ElementsAre(0, 0, 0, 0, 1, 0.5, 0, 0.25, 1, 0, 0, 0));
}

TEST(GltfEdit, MergedClipPlaysBothAtOnce) {
  const std::string glb = breathing(exampleCharacter(4));
  const GltfDocument d(glb, "hero.glb");
  std::vector<double> times;
  const std::vector<double> w = weightsOf(d, "act+breath", 0, &times);
  EXPECT_THAT(times, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(w, ElementsAre(0, 0, 0, 0.5, 1, 0.5, 1, 0.625, 0.75, 0.5, 0.25, 1, 0, 0, 0));
  // The hat's keys are shared with the clip, not copied.
  const auto& animations = d.json()["animations"];
  EXPECT_EQ(animations.size(), 3u);
  EXPECT_EQ(animations[2]["channels"].size(), animations[0]["channels"].size());
}

TEST(GltfEdit, ShortClipIsRepeatedUntilABreathFits) {
  const std::string glb = breathing(exampleCharacter(0.9));
  const GltfDocument d(glb, "hero.glb");
  std::vector<double> times;
  const std::vector<double> w = weightsOf(d, "act+breath", 0, &times);
  EXPECT_NEAR(times.back(), 3.6, 1e-5);  // four clips, one breath of 4 s at 3.6 s
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GT(times[i], times[i - 1]);
  for (std::size_t i = 0; i < times.size(); ++i) {
    // A triangle wave of period 0.9 s; the next wave begins one step of a float later.
    const double phase = std::fmod(times[i] / 0.9 + 1e-6, 1.0) - 1e-6;
    EXPECT_NEAR(w[3 * i], 1 - std::abs(1 - 2 * phase), 1e-4) << times[i];
  }
  EXPECT_NEAR(w[1], w[3 * (times.size() - 1) + 1], 1e-12);
}

TEST(GltfEdit, TargetsThatShapeTheRestCount) {
  GlbHalves halves = halvesOf(exampleCharacter());
  halves.json["meshes"][0]["weights"] = {0.5};  // of the smile, 0.1 m to the front
  const TriangleMesh shaped = editOf(glbOf(halves)).objects()[0].surface;
  halves.json["nodes"][0]["weights"] = {0.0};  // a node's own weights win
  const TriangleMesh plain = editOf(glbOf(halves)).objects()[0].surface;
  for (std::size_t v = 0; v < plain.vertexCount(); ++v)
    EXPECT_LT((shaped.positions[v] - plain.positions[v] - Vec3(0, 0, 0.05)).norm(), 1e-7);
  const std::string glb = breathing(glbOf(halves));
  const GltfDocument d(glb, "hero.glb");
  EXPECT_EQ(d.at("meshes", 0)["weights"].dump(), "[0.5,0,0]");
  EXPECT_EQ(d.at("nodes", 0)["weights"].dump(), "[0.0,0,0]");
}

TEST(GltfEdit, SecondBreathIsRefused) {
  GltfEdit edit = editOf(breathing(exampleCharacter()));
  try {
    edit.addTargets(0, exampleTargets(edit.objects()[0]));
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("hero.glb: meshes[0] has a target 'breath_chest' already"));
  }
}

TEST(GltfEdit, DracoIsRefusedByName) {
  GlbHalves halves = halvesOf(exampleCharacter());
  halves.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"] = {
      {"bufferView", 0}};
  const auto result = GltfEdit::parse(glbOf(halves), "hero.glb");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.diagnostics()[0].toString(),
              HasSubstr("meshes[0].primitives[0] is compressed by KHR_draco_mesh_compression"));
}

TEST(GltfEdit, MeshoptIsReadAndStaysCompressed) {
  const std::string plain = exampleCharacter();
  GlbHalves halves = halvesOf(plain);
  const std::string packed = compressedGlb(plain);
  GltfEdit edit = editOf(packed);
  const std::vector<GltfObject> expected = editOf(plain).objects();
  ASSERT_EQ(edit.objects().size(), expected.size());
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const auto& a = edit.objects()[o].surface;
    EXPECT_EQ(a.triangleCount(), expected[o].surface.triangleCount());
    for (std::size_t v = 0; v < a.vertexCount(); ++v)
      EXPECT_LT((a.positions[v] - expected[o].surface.positions[v]).norm(), 0x1p-15);
  }
  edit.addTargets(0, exampleTargets(edit.objects()[0]));
  edit.addLoop(kLoop);
  const std::string glb = edit.toGlb();
  const GlbHalves before = halvesOf(packed), after = halvesOf(glb);
  EXPECT_EQ(after.bin.substr(0, before.bin.size()), before.bin);
  EXPECT_THAT(weightsOf(GltfDocument(glb, ""), "act", 0), ElementsAre(0, 0, 0, 1, 0, 0, 0, 0, 0));
}

TEST(GltfEdit, DamagedCompressionIsNamed) {
  GlbHalves halves = halvesOf(compressedGlb(exampleCharacter()));
  halves.bin.assign(halves.bin.size(), '\x77');
  const auto result = GltfEdit::parse(glbOf(halves), "hero.glb");
  ASSERT_FALSE(result);
  EXPECT_THAT(result.diagnostics()[0].toString(), HasSubstr("bufferViews[0] holds damaged"));
}

class GltfEditFiles : public ::testing::Test {
 protected:
  /// The example as .gltf with its data where `uri` says.
  OrderedJson asGltf(const std::string& uri) {
    GlbHalves halves = halvesOf(exampleCharacter());
    halves.json["buffers"][0]["uri"] = uri;
    halves.json["images"] = {{{"uri", "skin%20tone.png"}}};
    bin_ = halves.bin;
    return halves.json;
  }
  void breathe(const std::filesystem::path& in, const std::filesystem::path& out) {
    GltfEdit edit = GltfEdit::read(in).valueOrThrow();
    edit.addTargets(0, exampleTargets(edit.objects()[0]));
    edit.addLoop(kLoop);
    edit.write(out);
  }
  static std::string textOf(const std::filesystem::path& path) {
    return readFile(path).valueOrThrow();
  }
  test::ScratchFolder folder;
  std::string bin_;
};

TEST_F(GltfEditFiles, ExternalDataAndPicturesGoAlong) {
  const OrderedJson json = asGltf("he%72o.bin");
  writeFile(folder / "in/hero.gltf", json.dump(1));
  writeFile(folder / "in/hero.bin", bin_);
  writeFile(folder / "in/skin tone.png", "picture");
  breathe(folder / "in/hero.gltf", folder / "out/hero.gltf");
  EXPECT_EQ(textOf(folder / "out/hero.bin"), bin_);
  EXPECT_EQ(textOf(folder / "out/skin tone.png"), "picture");
  const OrderedJson after = OrderedJson::parse(textOf(folder / "out/hero.gltf"));
  EXPECT_EQ(after["buffers"][0], json["buffers"][0]);
  EXPECT_EQ(after["buffers"][1]["uri"], "hero_breath.bin");
  const GltfEdit again = GltfEdit::read(folder / "out/hero.gltf").valueOrThrow();
  EXPECT_THAT(again.animations(), ElementsAre("act", "breath", "act+breath"));
}

TEST_F(GltfEditFiles, FileByItselfStaysByItself) {
  OrderedJson json = asGltf("");
  json.erase("images");
  json["buffers"][0]["uri"] = "data:application/octet-stream;base64," + encodeBase64(bin_);
  writeFile(folder / "hero.gltf", json.dump());
  breathe(folder / "hero.gltf", folder / "out/hero.gltf");
  EXPECT_FALSE(std::filesystem::exists(folder / "out/hero_breath.bin"));
  EXPECT_EQ(OrderedJson::parse(textOf(folder / "out/hero.gltf"))["buffers"][0], json["buffers"][0]);
  GltfEdit::read(folder / "out/hero.gltf").valueOrThrow();
}

TEST_F(GltfEditFiles, OtherEndingIsRefusedAndWritesNothing) {
  const GltfEdit edit = editOf(exampleCharacter());
  EXPECT_THROW(edit.write(folder / "hero.gltf"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "hero.gltf"));
}

/// Two joints one above the other carry a box; the file shows them posed.
GltfScene posedScene(double bend) {
  GltfScene scene;
  const TriangleMesh box = makeBox(Vec3(0.2, 2, 0.2), Vec3(0, 1, 0));
  const int root = scene.addNode({.name = "armature"});
  const Eigen::AngleAxisd turn(bend, Vec3::UnitX());
  const int hip = scene.addNode({.name = "hip", .parent = root});
  const int neck = scene.addNode(
      {.name = "neck", .pose = {turn.toRotationMatrix(), Vec3(0, 1.5, 0)}, .parent = hip});
  GltfMesh mesh{.name = "body", .positions = box.positions, .triangles = box.triangles};
  for (const Vec3& p : box.positions) {
    const double high = p.y() > 1 ? 1.0 : 0.0;
    mesh.jointWeights.push_back({.joints = {0, 1, 0, 0}, .weights = {1.2 - high, high, 0, 0}});
  }
  scene.skins.push_back({.name = "rig",
                         .root = root,
                         .joints = {hip, neck},
                         .X_WJ = {Pose{}, Pose{.position = Vec3(0, 1.5, 0)}}});
  scene.addNode({.name = "body", .mesh = scene.addMesh(mesh), .skin = 0});
  const TriangleMesh ball = makeSphere(0.1, 1, Vec3(0, 0.2, 0));
  const int eye =
      scene.addMesh({.name = "eye", .positions = ball.positions, .triangles = ball.triangles});
  scene.addNode({.name = "eye", .mesh = eye, .parent = neck});
  return scene;
}

TEST(GltfEdit, SkinnedMeshAndWhatItsJointsCarryAreShownAtRest) {
  for (const double bend : {0.0, 0.8}) {
    const GltfEdit edit = editOf(toGlb(posedScene(bend)));
    ASSERT_EQ(edit.objects().size(), 2u);
    const GltfObject& body = edit.objects()[0].skin >= 0 ? edit.objects()[0] : edit.objects()[1];
    const GltfObject& eye = edit.objects()[0].skin >= 0 ? edit.objects()[1] : edit.objects()[0];
    EXPECT_EQ(body.posed, bend > 0);
    EXPECT_TRUE(body.toWorld.isApprox(Eigen::Affine3d::Identity(), 1e-6));
    ASSERT_EQ(body.joints.size(), 2u);
    EXPECT_EQ(body.joints[1].name, "neck");
    EXPECT_EQ(body.joints[1].parent, 0);
    EXPECT_LT((body.joints[1].position - Vec3(0, 1.5, 0)).norm(), 1e-6);
    EXPECT_LT((eye.toWorld * Vec3(0, 0.2, 0) - Vec3(0, 1.7, 0)).norm(), 1e-6);
  }
}

}  // namespace
}  // namespace pneuma::io
