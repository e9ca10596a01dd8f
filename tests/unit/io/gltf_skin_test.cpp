#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <numeric>

#include "io/gltf_document.h"
#include "pneuma/core/error.h"
#include "pneuma/io/gltf_writer.h"
#include "pneuma/io/mesh_file.h"

/// Skins, layers, levels of detail and small numbers in a GLB.
namespace pneuma::io {
namespace {

using internal::GltfDocument;
using ::testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A ball on two joints with UVs, two targets, a coarser level and the layers motion and breath.
GltfScene carriedBall() {
  const TriangleMesh ball = makeSphere(0.3, 2, Vec3(0, 1, 0));
  GltfScene scene{.copyright = "someone"};
  const int root = scene.addNode({.name = "body"});
  const Pose hip{.position = Vec3(0, 0.8, 0)}, chest{.position = Vec3(0, 0.3, 0)};
  const int a = scene.addNode({.name = "hip", .pose = hip, .parent = root});
  const int b = scene.addNode({.name = "chest", .pose = chest, .parent = a});
  scene.skins.push_back(
      {.name = "armature", .root = root, .joints = {a, b}, .X_WJ = {hip, hip * chest}});
  GltfMesh mesh{.name = "skin", .positions = ball.positions, .triangles = ball.triangles};
  MorphTarget wide{.name = "breath_chest"}, high{.name = "breath_belly"};
  for (const Vec3& p : ball.positions) {
    mesh.uvs.emplace_back(0.5 + p.x(), p.y() - 0.5);
    mesh.tangents.emplace_back(1, 0, 0, -1);
    mesh.jointWeights.push_back({.joints = {0, 1, 0, 0}, .weights = {1.3 - p.y(), p.y(), 0, 0}});
    wide.offsets.emplace_back(0.02 * p.x(), 0, 0);
    high.offsets.emplace_back(0, p.y() > 1.2 ? 0.01 : 0, 0);
  }
  mesh.targets = {wide, high};
  mesh.levels = {makeSphere(1, 1).triangles};  // the first vertices of a finer ball are a coarser's
  scene.addNode({.name = "skin", .mesh = scene.addMesh(std::move(mesh)), .skin = 0});
  scene.animations = {
      {"motion", {{b, {.times = {0, 1}, .rotations = {Quat::Identity(), Quat(0, 1, 0, 0)}}}}},
      {"breath", {{3, {.times = {0, 1, 2}, .weights = {0, 0, 1, 0.5, 0, 0}}}}}};
  return scene;
}

GltfDocument documentOf(const std::string& glb) {
  return {glb, "a.glb"};
}

TEST(GltfSkin, CarriesJointsInverseBindsAndWeightsOfSumOne) {
  for (const bool quantised : {false, true}) {
    GltfScene scene = carriedBall();
    scene.quantised = quantised;
    const std::string glb = toGlb(scene);
    const GltfDocument d = documentOf(glb);
    EXPECT_EQ(d.at("skins", 0)["joints"], nlohmann::json({1, 2}));
    EXPECT_EQ(d.at("skins", 0)["skeleton"], 0);
    EXPECT_EQ(d.at("nodes", 3)["skin"], 0);
    const auto attributes = d.at("meshes", 0)["primitives"][0]["attributes"];
    const auto joints = d.numbers(attributes["JOINTS_0"].get<std::size_t>(), 4);
    const auto weights = d.numbers(attributes["WEIGHTS_0"].get<std::size_t>(), 4);
    for (std::size_t v = 0; v < scene.meshes[0].positions.size(); ++v) {
      const double y = scene.meshes[0].positions[v].y();
      double sum = 0, upper = 0;
      for (std::size_t k = 4 * v; k < 4 * v + 4; ++k) {
        sum += weights[k];
        if (joints[k] == 1) upper += weights[k];
        EXPECT_TRUE(weights[k] > 0 || joints[k] == 0);  // places not used name joint 0
      }
      EXPECT_NEAR(sum, 1, quantised ? 1e-12 : 1e-7);
      EXPECT_NEAR(upper, y / 1.3, 2e-5);  // a step and a half of 1/65535
    }
  }
}

TEST(GltfSkin, SmallNumbersStayWithinTheirStep) {
  GltfScene scene = carriedBall();
  scene.quantised = true;
  const std::string glb = toGlb(scene);
  const GltfDocument d = documentOf(glb);
  EXPECT_EQ(d.json()["extensionsRequired"], nlohmann::json({"KHR_mesh_quantization"}));
  const auto primitive = d.at("meshes", 0)["primitives"][0];
  const auto offsets = d.numbers(primitive["targets"][0]["POSITION"].get<std::size_t>(), 3);
  const auto uvs = d.numbers(primitive["attributes"]["TEXCOORD_0"].get<std::size_t>(), 2);
  const auto tangents = d.numbers(primitive["attributes"]["TANGENT"].get<std::size_t>(), 4);
  const GltfMesh& mesh = scene.meshes[0];
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    EXPECT_NEAR(offsets[3 * v], mesh.targets[0].offsets[v].x(), 0.5 / 32767 + 1e-12);
    EXPECT_NEAR(uvs[2 * v + 1], mesh.uvs[v].y(), 0.5 / 65535 + 1e-12);
    EXPECT_EQ(tangents[4 * v], 1);
    EXPECT_EQ(tangents[4 * v + 3], -1);
  }
  // Floats where whole numbers would not reach.
  scene.meshes[0].uvs[0].x() = 1.5;
  scene.meshes[0].targets[0].offsets[0].x() = 2;
  const std::string far = toGlb(scene);
  const GltfDocument f = documentOf(far);
  const auto wide = f.at("meshes", 0)["primitives"][0];
  EXPECT_EQ(f.numbers(wide["attributes"]["TEXCOORD_0"].get<std::size_t>(), 2)[0], 1.5);
  EXPECT_EQ(f.numbers(wide["targets"][0]["POSITION"].get<std::size_t>(), 3)[0], 2);
}

TEST(GltfSkin, AnimationsAreSeparateAndKeepTheirNames) {
  const std::string glb = toGlb(carriedBall());
  const GltfDocument d = documentOf(glb);
  ASSERT_EQ(d.count("animations"), 2u);
  EXPECT_EQ(d.at("animations", 0)["name"], "motion");
  EXPECT_EQ(d.at("animations", 1)["name"], "breath");
  ASSERT_EQ(d.at("animations", 0)["channels"].size(), 1u);
  EXPECT_EQ(d.at("animations", 0)["channels"][0]["target"]["path"], "rotation");
  ASSERT_EQ(d.at("animations", 1)["channels"].size(), 1u);
  EXPECT_EQ(d.at("animations", 1)["channels"][0]["target"]["path"], "weights");
  EXPECT_EQ(d.at("meshes", 0)["extras"]["targetNames"],
            nlohmann::json({"breath_chest", "breath_belly"}));
  EXPECT_EQ(d.at("meshes", 0)["weights"], nlohmann::json({0.0, 0.0}));  // rest: no breath
  EXPECT_EQ(d.json()["asset"]["copyright"], "someone");
}

TEST(GltfSkin, LevelsShareVerticesAndStayOutsideTheScene) {
  const std::string glb = toGlb(carriedBall());
  const GltfDocument d = documentOf(glb);
  ASSERT_EQ(d.count("nodes"), 5u);
  EXPECT_EQ(d.at("nodes", 4)["name"], "skin_LOD1");
  EXPECT_EQ(d.at("nodes", 3)["extensions"]["MSFT_lod"]["ids"], nlohmann::json({4}));
  EXPECT_EQ(d.at("scenes", 0)["nodes"], nlohmann::json({0, 3}));
  const auto fine = d.at("meshes", 0)["primitives"][0];
  const auto coarse = d.at("meshes", d.at("nodes", 4)["mesh"].get<std::size_t>())["primitives"][0];
  EXPECT_EQ(fine["attributes"], coarse["attributes"]);
  EXPECT_EQ(fine["targets"], coarse["targets"]);
  EXPECT_EQ(d.accessorCount(coarse["indices"].get<std::size_t>()), 3u * 80);
  EXPECT_EQ(d.accessorCount(fine["indices"].get<std::size_t>()), 3u * 320);
  // A reader of surfaces sees the finest alone.
  const auto meshes = parseMeshes(glb, "a.glb", ".glb").valueOrThrow();
  ASSERT_EQ(meshes.size(), 1u);
  EXPECT_EQ(meshes[0].mesh.triangleCount(), 320u);
}

TEST(GltfSkin, PartsAddUpToTheFile) {
  std::vector<GlbPart> parts;
  const std::string glb = toGlb(carriedBall(), &parts);
  std::size_t sum = 0;
  std::vector<std::string> names;
  for (const GlbPart& p : parts) {
    sum += p.bytes;
    names.push_back(p.name);
  }
  EXPECT_EQ(sum, glb.size());
  EXPECT_THAT(names, ::testing::ElementsAre("skin: triangles", "skin: vertices", "skin: targets",
                                            "skin: levels of detail", "armature",
                                            "animation motion", "animation breath", "description"));
}

TEST(GltfSkin, BrokenScenesSayWhatIsWrong) {
  struct Case {
    std::function<void(GltfScene&)> breakIt;
    std::string message;
  };
  const std::vector<Case> cases = {
      {[](GltfScene& s) { s.meshes[0].uvs.pop_back(); }, "field 'uvs': has 161 entries"},
      {[](GltfScene& s) { s.meshes[0].uvs.clear(); }, "stand without uvs"},
      {[](GltfScene& s) { s.meshes[0].uvs[3].x() = kNaN; }, "entry 3 is not finite"},
      {[](GltfScene& s) { s.meshes[0].targets[1].offsets[7].y() = kNaN; },
       "target 'breath_belly': field 'offsets': entry 7 is not finite"},
      {[](GltfScene& s) { s.meshes[0].targets[1].normalOffsets.resize(162, Vec3::Zero()); },
       "for all or none"},
      {[](GltfScene& s) {
         s.meshes[0].jointWeights[5].weights = {0, 0, 0, 0};
       },
       "those of vertex 5 cannot be used"},
      {[](GltfScene& s) { s.meshes[0].jointWeights[5].weights[0] = -1; },
       "those of vertex 5 cannot be used"},
      {[](GltfScene& s) { s.meshes[0].jointWeights[6].joints[1] = 2; }, "vertex 6 names joint 2"},
      {[](GltfScene& s) { s.meshes[0].jointWeights.clear(); }, "its mesh has no jointWeights"},
      {[](GltfScene& s) {
         s.meshes[0].levels[0][0] = {0, 1, 999};
       },
       "names vertex 999"},
      {[](GltfScene& s) { s.nodes[3].parent = 0; }, "a node at the top without a pose"},
      {[](GltfScene& s) { s.nodes[1].parent = 2; }, "a node before it"},
      {[](GltfScene& s) { s.skins[0].X_WJ.pop_back(); }, "2 joints with 1 poses"},
      {[](GltfScene& s) {
         s.skins[0].joints = {1, 1};
       },
       "names node 1 twice"},
      {[](GltfScene& s) { s.animations[1].name = "motion"; }, "is used twice"},
      {[](GltfScene& s) { s.animations[0].tracks.push_back(s.animations[0].tracks[0]); },
       "of node 'chest' has keys twice"},
      {[](GltfScene& s) { s.animations[1].tracks[0].keys.weights.pop_back(); },
       "5 values for 3 keys"},
      {[](GltfScene& s) {
         s.animations[1].tracks[0].keys.times = {0, 2, 1};
       },
       "key 2 is at 1 s"},
      {[](GltfScene& s) { s.animations[0].tracks[0].keys.rotations[0].coeffs().setZero(); },
       "a quaternion has no length"},
      {[](GltfScene& s) { s.animations[0].tracks[0].node = 77; }, "is 77"},
  };
  for (const Case& c : cases) {
    GltfScene scene = carriedBall();
    c.breakIt(scene);
    try {
      toGlb(scene);
      ADD_FAILURE() << "accepted, but should say: " << c.message;
    } catch (const InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr(c.message));
    }
  }
  EXPECT_NO_THROW(toGlb(carriedBall()));
}

}  // namespace
}  // namespace pneuma::io
