#include "pneuma/stage/asset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "io/gltf_document.h"
#include "pneuma/core/error.h"
#include "pneuma/core/mesh_simplify.h"
#include "pneuma/io/file.h"
#include "stage/asset_skin.h"
#include "tests/support/capsule_person.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::stage {
namespace {

using ::testing::HasSubstr;

AssetInput capsule(int levels) {
  const test::CapsulePerson person(levels);
  const test::CapsuleBreath breath(person, 0.3, {1, 0.9, 1.1});
  return test::capsuleAsset(person, makeBreathLoop(breath.recording(person)));
}

TEST(Asset, HasOneArmatureFewMeshesAndTwoAnimationsThatNeverMeet) {
  const io::GltfScene scene = assetScene(capsule(3));
  ASSERT_EQ(scene.meshes.size(), 3u);
  EXPECT_EQ(scene.meshes[0].name, "skin");
  EXPECT_EQ(scene.meshes[1].name, "bones");
  EXPECT_EQ(scene.meshes[2].name, "cartilage");
  for (const io::GltfMaterial& m : scene.materials) EXPECT_EQ(m.opacity, 1);
  for (const io::GltfNode& node : scene.nodes)
    EXPECT_TRUE(node.parent >= 0 || node.name == "body" || node.skin == 0) << node.name;
  ASSERT_EQ(scene.animations.size(), 2u);
  EXPECT_EQ(scene.animations[0].name, "motion");
  EXPECT_EQ(scene.animations[1].name, "breath");
  std::set<int> moved;
  for (const io::GltfAnimation& a : scene.animations)
    for (const io::GltfTrack& t : a.tracks)
      EXPECT_TRUE(moved.insert(t.node).second)
          << scene.nodes[static_cast<std::size_t>(t.node)].name;
}

TEST(Asset, PivotsAreAtTheJoints) {
  const AssetInput in = capsule(3);
  const io::GltfScene scene = assetScene(in);
  for (std::size_t j = 0; j < in.joints.size(); ++j) {
    Pose X;
    for (int node = scene.skins[0].joints[j]; node >= 0;
         node = scene.nodes[static_cast<std::size_t>(node)].parent)
      X = scene.nodes[static_cast<std::size_t>(node)].pose * X;
    EXPECT_NEAR((X.position - in.joints[j].X_WJ.position).norm(), 0, 1e-12) << in.joints[j].name;
    EXPECT_NEAR((X.rotation - in.joints[j].X_WJ.rotation).norm(), 0, 1e-12) << in.joints[j].name;
  }
}

TEST(Asset, KeysOnlyWhatMoves) {
  const io::GltfScene scene = assetScene(capsule(3));
  for (const io::GltfTrack& t : scene.animations[0].tracks) {
    const std::string& name = scene.nodes[static_cast<std::size_t>(t.node)].name;
    EXPECT_EQ(t.keys.translations.empty(), name != "pelvis") << name;
    EXPECT_EQ(t.keys.rotations.empty(), name == "pelvis") << name;
  }
}

TEST(Asset, TwentyThousandTrianglesWalkAndBreatheBelowThreeMegabytes) {
  AssetInput in = capsule(5);  // 20,480 triangles
  // Bones of the order of a whole skeleton: 200 with 250 triangles each.
  std::vector<AssetBone> skeleton;
  for (int i = 0; i < 200; ++i) {
    AssetBone bone{"bone_" + std::to_string(i), makeSphere(0.02, 2, Vec3(0.1, 0.008 * i, 0)),
                   i % 8};
    skeleton.push_back(std::move(bone));
  }
  in.bones = skeleton;
  const test::ScratchFolder folder;
  const AssetReport report = writeAsset(folder.path() / "body.glb", in, {.boneTolerance = 0});
  EXPECT_EQ(report.skinTriangles[0], 20480u);
  EXPECT_LT(report.bytes, 3'000'000u);
  EXPECT_EQ(report.drawCalls, 2u);
  EXPECT_EQ(report.bytes, std::filesystem::file_size(folder.path() / "body.glb"));
  std::size_t sum = 0;
  for (const io::GlbPart& p : report.parts) sum += p.bytes;
  EXPECT_EQ(sum, report.bytes);
  // Small numbers are what makes it so.
  EXPECT_GT(
      writeAsset(folder.path() / "plain.glb", in, {.boneTolerance = 0, .quantised = false}).bytes,
      1.4 * static_cast<double>(report.bytes));
}

TEST(Asset, LevelsOfDetailAreCoarserClosedAndNearTheSkin) {
  const AssetInput in = capsule(5);
  const io::GltfMesh mesh = internal::skinMesh(in, {});
  ASSERT_EQ(mesh.levels.size(), 2u);
  EXPECT_NEAR(static_cast<double>(mesh.levels[0].size()), 0.4 * 20480, 50);
  EXPECT_NEAR(static_cast<double>(mesh.levels[1].size()), 0.12 * 20480, 50);
  const double whole = enclosedVolume(in.breath->base, in.skin.mesh.triangles);
  for (const auto& level : mesh.levels) {
    // Render vertices back to vertices: the seam of the texture must not open.
    TriangleMesh coarse{in.breath->base, level};
    for (Triangle& t : coarse.triangles)
      for (std::int32_t& v : t) v = in.skin.atlas.vertexOf[static_cast<std::size_t>(v)];
    EXPECT_TRUE(analyzeTopology(coarse).watertight());
    EXPECT_NEAR(enclosedVolume(coarse) / whole, 1, 0.01);
  }
}

TEST(Asset, TextureRunsDownwardsInTheFile) {
  const AssetInput in = capsule(3);
  const io::GltfMesh mesh = internal::skinMesh(in, {});
  for (std::size_t i = 0; i < mesh.uvs.size(); ++i) {
    EXPECT_EQ(mesh.uvs[i].x(), in.skin.atlas.uv[i].x());
    EXPECT_EQ(mesh.uvs[i].y(), 1 - in.skin.atlas.uv[i].y());
    EXPECT_NEAR(mesh.tangents[i].head<3>().dot(mesh.normals[i]), 0, 1e-9);
  }
  AssetInput bare = in;
  bare.skin.atlas = {};
  const io::GltfMesh plain = internal::skinMesh(bare, {});
  EXPECT_TRUE(plain.uvs.empty() && plain.tangents.empty());
  EXPECT_EQ(plain.positions.size(), in.skin.mesh.vertexCount());
}

/// A box that swells on the sternum.
AssetShape swellingBox() {
  AssetShape shape{.name = "organ", .joint = 7};
  const TriangleMesh box = makeBox(Vec3(0.02, 0.02, 0.02));
  shape.triangles = box.triangles;
  shape.times = {0, 1, 2};
  std::vector<std::vector<Vec3>> frames;
  for (const double size : {1.0, 1.5, 1.0}) {
    frames.push_back(box.positions);
    for (Vec3& p : frames.back()) p *= size;
  }
  shape.keys = io::compressFrames(frames, shape.triangles);
  return shape;
}

TEST(Asset, OpenShowsEveryBoneAndOrganBelowItsJoint) {
  AssetInput in = capsule(3);
  in.shapes.push_back(swellingBox());
  const io::GltfScene scene = assetScene(in, openAsset());
  const auto parentOf = [&](const std::string& name) {
    for (const io::GltfNode& n : scene.nodes)
      if (n.name == name) return scene.nodes[static_cast<std::size_t>(n.parent)].name;
    return std::string("none");
  };
  EXPECT_EQ(parentOf("rib_05_l_mesh"), "rib_05_l");
  EXPECT_EQ(parentOf("organ"), "sternum");
  bool plays = false;
  for (const io::GltfTrack& t : scene.animations[1].tracks)
    plays = plays || scene.nodes[static_cast<std::size_t>(t.node)].name == "organ";
  EXPECT_TRUE(plays);
  EXPECT_TRUE(scene.meshes[0].levels.empty());
  EXPECT_NO_THROW(io::toGlb(scene));
  in.shapes[0].joint = 99;
  EXPECT_THROW(assetScene(in, openAsset()), InputError);
}

TEST(Asset, ASkinIsNotNeeded) {
  AssetInput in = capsule(2);
  in.skin = {};
  in.breath.reset();
  const io::GltfScene scene = assetScene(in, openAsset());
  for (const io::GltfMesh& m : scene.meshes) EXPECT_NE(m.name, "skin");
  EXPECT_NO_THROW(io::toGlb(scene));
}

TEST(Asset, BrokenInputsSayWhatIsWrong) {
  const AssetInput good = capsule(2);
  struct Case {
    std::function<void(AssetInput&)> breakIt;
    std::string message;
  };
  const std::vector<Case> cases = {
      {[](AssetInput& a) { a.joints.clear(); }, "field 'joints': has none"},
      {[](AssetInput& a) { a.joints[2].name = "pelvis"; }, "is used twice"},
      {[](AssetInput& a) { a.joints[3].parent = -1; }, "joint 'leg_l': field 'parent': is -1"},
      {[](AssetInput& a) { a.joints[1].parent = 4; }, "joint 'spine': field 'parent': is 4"},
      {[](AssetInput& a) { a.skin.weights.pop_back(); }, "one for each of the 162 vertices"},
      {[](AssetInput& a) { a.skin.weights[9].joints[1] = 8; }, "vertex 9 names joint 8"},
      {[](AssetInput& a) { a.skin.atlas.uv.pop_back(); }, "field 'atlas'"},
      {[](AssetInput& a) { a.skin.atlas.vertexOf[4] = 162; }, "entry 4 is 162"},
      {[](AssetInput& a) { a.skin.atlas.triangles[0][2] = -3; }, "names vertex -3"},
      {[](AssetInput& a) {
         a.skin.mesh.positions[0].x() = std::nan("");
         a.breath.reset();
       },
       "not finite"},
      {[](AssetInput& a) { a.bones[1].joint = 12; }, "bone 'rib_05_r': field 'joint': is 12"},
      {[](AssetInput& a) { a.breath->base.pop_back(); }, "has 161 vertices"},
      {[](AssetInput& a) { a.breath->targets[1].offsets.clear(); }, "field 'breath_belly'"},
      {[](AssetInput& a) { a.breath->weights[3] = std::nan(""); }, "not finite"},
      {[](AssetInput& a) { a.motion.poses[2].pop_back(); }, "has 36 for 37 times"},
      {[](AssetInput& a) { a.motion.joints[2] = 1; }, "a joint of the asset, once"},
      {[](AssetInput& a) { a.motion.times[4] = a.motion.times[3]; }, "times >= 0 that rise"},
      {[](AssetInput& a) { a.motion.poses[1][3].position.y() = std::nan(""); }, "not finite"},
      {[](AssetInput& a) { a.motion.joints[2] = 5; },
       "joint 'rib_05_l': moves in 'motion' and in 'breath'"},
  };
  for (const Case& c : cases) {
    AssetInput in = good;
    c.breakIt(in);
    try {
      io::toGlb(assetScene(in));
      ADD_FAILURE() << "accepted, but should say: " << c.message;
    } catch (const InputError& e) {
      EXPECT_THAT(e.what(), HasSubstr(c.message));
    }
  }
  EXPECT_THROW(assetScene(good, {.levels = {0.4, 0.5}}), InputError);
  EXPECT_NO_THROW(io::toGlb(assetScene(good)));
}

}  // namespace
}  // namespace pneuma::stage
