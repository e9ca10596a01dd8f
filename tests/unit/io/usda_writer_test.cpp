#include "pneuma/io/usda_writer.h"

#include <gtest/gtest.h>

#include "io/usda_keys.h"
#include "pneuma/core/error.h"

namespace pneuma::io {
namespace {

/// A mast that turns, a flag on it with one target, and a skin over both.
GltfScene flagScene() {
  GltfScene s;
  const int red = s.addMaterial({.name = "red cloth", .color = {1, 0, 0}});
  const int mast = s.addNode({.name = "mast 1", .pose = {.position = {0, 1, 0}}});
  GltfMesh flag{.name = "flag",
                .positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                .triangles = {{0, 1, 2}},
                .material = red};
  flag.targets.push_back({.name = "wave", .offsets = {{0, 0, 0}, {0, 0, 0.5}, {0, 0, 0}}});
  const int flagMesh = s.addMesh(flag);
  const int node = s.addNode({.name = "flag", .mesh = flagMesh, .parent = mast});
  s.skins.push_back(
      {.name = "cover", .root = mast, .joints = {mast}, .X_WJ = {{.position = {0, 1, 0}}}});
  GltfMesh cover{.name = "cover",
                 .positions = {{0, 1, 0}, {1, 1, 0}, {0, 2, 0}},
                 .triangles = {{0, 1, 2}},
                 .jointWeights = std::vector<JointWeights>(3)};
  const int coverMesh = s.addMesh(cover);
  s.addNode({.name = "cover", .mesh = coverMesh, .skin = 0});
  GltfAnimation turn{.name = "turn"}, wave{.name = "wave"};
  turn.tracks.push_back(
      {mast,
       {.times = {0, 2},
        .rotations = {Quat::Identity(), Quat(Eigen::AngleAxisd(1, Vec3::UnitY()))}}});
  wave.tracks.push_back({node, {.times = {0, 0.5, 1}, .weights = {0, 1, 0}}});
  s.animations = {turn, wave};
  return s;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Usda, HoldsSkeletonBlendShapesAndTimeSamples) {
  const std::string text = toUsda(flagScene(), {.framesPerSecond = 2});
  EXPECT_TRUE(text.starts_with("#usda 1.0\n"));
  EXPECT_TRUE(has(text, "endTimeCode = 4\n"));
  EXPECT_TRUE(has(text, R"(uniform token[] joints = ["mast_1", "mast_1/flag", "cover"])"));
  EXPECT_TRUE(has(text, R"(def BlendShape "flag_wave")"));
  EXPECT_TRUE(has(text, "uniform int[] pointIndices = [1]"));  // the others stay
  EXPECT_TRUE(has(text, "float[] blendShapeWeights.timeSamples"));
  EXPECT_TRUE(has(text, "rel material:binding = </body/materials/red_cloth>"));
  EXPECT_TRUE(has(text, "primvars:skel:jointIndices = [1] (\n            elementSize = 1"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '{'), std::count(text.begin(), text.end(), '}'));
}

TEST(Usda, WhatIsShorterThanTheLongestIsRepeated) {
  const internal::SampledScene s = internal::sampleScene(flagScene(), "", 2);
  ASSERT_EQ(s.frames, 5u);
  ASSERT_EQ(s.weights.size(), 1u);
  EXPECT_EQ(s.weights[0], (std::vector<double>{0, 1, 0, 1, 0}));
  ASSERT_EQ(s.nodes, std::vector<int>{0});
  EXPECT_NEAR(s.turns[0][2].angularDistance(Quat::Identity()), 0.5, 1e-12);
  EXPECT_EQ(s.places[0][4], Vec3(0, 1, 0));  // as the node stands
}

TEST(Usda, OneAnimationByName) {
  const internal::SampledScene s = internal::sampleScene(flagScene(), "wave", 2);
  EXPECT_EQ(s.frames, 3u);
  EXPECT_TRUE(s.nodes.empty());
  try {
    toUsda(flagScene(), {.animation = "wav"});
    FAIL() << "no error";
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics().front().nearest, "wave");
  }
}

TEST(Usda, BrokenScenesAreRefusedAsForGlb) {
  GltfScene s = flagScene();
  s.meshes[0].triangles[0][1] = 7;
  EXPECT_THROW(toUsda(s), InputError);
  EXPECT_THROW(toUsda(flagScene(), {.framesPerSecond = 0}), InputError);
}

}  // namespace
}  // namespace pneuma::io
