#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <assimp/Importer.hpp>
#include <filesystem>

#include "pneuma/io/gltf_writer.h"
#include "pneuma/io/mesh_file.h"

/// An independent reader opens what we write.
namespace pneuma::io {
namespace {

class AssimpJudge : public ::testing::Test {
 protected:
  ~AssimpJudge() override { std::filesystem::remove(path_); }

  const aiScene* open(const std::string& ending, const auto& write) {
    path_ = std::filesystem::temp_directory_path() /
            ("pneuma_judge_" + std::to_string(::getpid()) + ending);
    write(path_);
    return importer_.ReadFile(path_.string(), aiProcess_ValidateDataStructure);
  }
  static double volumeOf(const aiMesh& mesh) {
    TriangleMesh copy;
    for (unsigned i = 0; i < mesh.mNumVertices; ++i)
      copy.positions.emplace_back(mesh.mVertices[i].x, mesh.mVertices[i].y, mesh.mVertices[i].z);
    for (unsigned f = 0; f < mesh.mNumFaces; ++f)
      copy.triangles.push_back({static_cast<int>(mesh.mFaces[f].mIndices[0]),
                                static_cast<int>(mesh.mFaces[f].mIndices[1]),
                                static_cast<int>(mesh.mFaces[f].mIndices[2])});
    return enclosedVolume(copy);
  }

  std::filesystem::path path_;
  Assimp::Importer importer_;
};

TEST_F(AssimpJudge, FindsTheSameSurfaceInObjAndPly) {
  const TriangleMesh sphere = makeSphere(0.3, 3, Vec3(1, 2, 3));
  for (const char* ending : {".obj", ".ply"}) {
    const aiScene* scene = open(ending, [&](const auto& path) { writeMesh(path, sphere); });
    ASSERT_TRUE(scene) << importer_.GetErrorString();
    ASSERT_EQ(scene->mNumMeshes, 1u);
    EXPECT_EQ(scene->mMeshes[0]->mNumFaces, sphere.triangleCount());
    EXPECT_NEAR(volumeOf(*scene->mMeshes[0]), enclosedVolume(sphere),
                1e-5);  // assimp holds 32 bits
  }
}

TEST_F(AssimpJudge, FindsMeshesMorphTargetsAndAnimationInAGlb) {
  const TriangleMesh sphere = makeSphere(0.3, 3);
  GltfScene scene;
  GltfMesh mesh{.name = "skin", .positions = sphere.positions, .triangles = sphere.triangles};
  mesh.material = scene.addMaterial({.name = "flesh", .color = Vec3(0.5, 0.25, 0.125)});
  mesh.targets = {{.name = "inhale", .offsets = sphere.positions},
                  {.name = "belly", .offsets = sphere.positions}};
  scene.addNodeFor(scene.addMesh(mesh));
  scene.nodes[0].animation = {.times = {0, 1, 2},
                              .translations = {Vec3::Zero(), Vec3::Ones(), Vec3::Zero()},
                              .weights = {0, 0, 1, 0.5, 0, 0}};
  const aiScene* found = open(".glb", [&](const auto& path) { writeGlb(path, scene); });
  ASSERT_TRUE(found) << importer_.GetErrorString();
  ASSERT_EQ(found->mNumMeshes, 1u);
  const aiMesh& m = *found->mMeshes[0];
  EXPECT_EQ(m.mNumVertices, sphere.vertexCount());
  EXPECT_NEAR(volumeOf(m), enclosedVolume(sphere), 1e-6);
  ASSERT_EQ(m.mNumAnimMeshes, 2u);
  EXPECT_STREQ(m.mAnimMeshes[0]->mName.C_Str(), "inhale");
  // The first target doubles every position.
  EXPECT_NEAR(m.mAnimMeshes[0]->mVertices[7].x, 2 * sphere.positions[7].x(), 1e-6);
  ASSERT_EQ(found->mNumAnimations, 1u);
  EXPECT_EQ(found->mAnimations[0]->mNumMorphMeshChannels, 1u);
  EXPECT_EQ(found->mAnimations[0]->mMorphMeshChannels[0]->mNumKeys, 3u);
  EXPECT_DOUBLE_EQ(found->mAnimations[0]->mMorphMeshChannels[0]->mKeys[1].mWeights[1], 0.5);
  aiColor4D color;
  found->mMaterials[m.mMaterialIndex]->Get(AI_MATKEY_BASE_COLOR, color);
  EXPECT_FLOAT_EQ(color.g, 0.25f);
}

}  // namespace
}  // namespace pneuma::io
