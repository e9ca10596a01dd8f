#include "pneuma/io/mesh_file.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/support/bytes.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace pneuma::io {
namespace {

using test::ScratchFolder;
using test::sharedData;

using ::testing::HasSubstr;

template <class T>
std::string reversed(T value) {
  std::string bytes = test::bytesOf(value);
  return {bytes.rbegin(), bytes.rend()};
}

std::string meshError(const std::string& content, const std::string& ending) {
  const auto result = parseMeshes(content, "m" + ending, ending);
  return result ? "" : toString(result.diagnostics());
}

void expectSameMesh(const TriangleMesh& a, const TriangleMesh& b) {
  EXPECT_EQ(a.positions, b.positions);
  EXPECT_EQ(a.triangles, b.triangles);
}

TEST(MeshFile, ObjAndPlyReadBackWithTheSameBits) {
  const ScratchFolder folder;
  const TriangleMesh sphere = makeSphere(0.1, 2, Vec3(1.0 / 3, 2, 3));
  for (const char* name : {"a.obj", "a.ply", "A.PLY"}) {
    writeMesh(folder / name, sphere);
    expectSameMesh(readMesh(folder / name), sphere);
  }
}

TEST(MeshFile, ObjKeepsNamesOfSeveralObjects) {
  const ScratchFolder folder;
  const NamedMeshes meshes{{"rib_01_l", makeBox(Vec3::Ones())}, {"rib 02", makeSphere(1, 1)}};
  writeMeshes(folder / "ribs.obj", meshes);
  const NamedMeshes back = readMeshes(folder / "ribs.obj").valueOrThrow();
  ASSERT_EQ(back.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back[i].name, meshes[i].name);
    expectSameMesh(back[i].mesh, meshes[i].mesh);
  }
}

TEST(MeshFile, ObjUnderstandsSlashesNegativeIndicesQuadsAndWindowsLines) {
  const std::string text =
      "# comment\r\nv 0 0 0\r\nv 1 0 0 1.0\r\nv 1 1 0\r\nv 0 1 .5\r\nvt 0 0\r\nvn 0 0 1\r\n"
      "f 1/1/1 2//1 3/1 4 # quad\r\nf -4 -3 -2\r\n";
  const auto meshes = parseMeshes(text, "dir/quad.obj", ".obj").valueOrThrow();
  ASSERT_EQ(meshes.size(), 1u);
  EXPECT_EQ(meshes[0].name, "quad");
  const std::vector<Triangle> expected{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}};
  EXPECT_EQ(meshes[0].mesh.triangles, expected);
  EXPECT_EQ(meshes[0].mesh.positions[3], Vec3(0, 1, 0.5));
}

TEST(MeshFile, AnObjWithOneSurfaceKeepsUnusedVertices) {
  const auto meshes =
      parseMeshes("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 2 3 4\n", "a.obj", ".obj").valueOrThrow();
  EXPECT_EQ(meshes[0].mesh.vertexCount(), 4u);
}

TEST(MeshFile, ObjSplitsByGroupWhenThereIsOnlyOneObject) {
  const auto meshes = parseMeshes(
                          "o body\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                          "g arm\nf 1 2 3\ng leg\nf 1 2 4\ng arm\nf 2 3 4\n",
                          "a.obj", ".obj")
                          .valueOrThrow();
  ASSERT_EQ(meshes.size(), 2u);
  EXPECT_EQ(meshes[0].name, "arm");
  EXPECT_EQ(meshes[0].mesh.triangleCount(), 2u);
  EXPECT_EQ(meshes[1].mesh.vertexCount(), 3u);
}

TEST(MeshFile, ObjReportsSeveralErrorsWithTheirLines) {
  EXPECT_EQ(meshError("v 0 0 zero\nv 1 nan 0\nv 0 1 0\nf 1 2 9\nf 1 x 3\nf 1 1\n", ".obj"),
            "m.obj:1: vertex coordinate 'zero'; expected three finite numbers\n"
            "m.obj:2: vertex coordinate 'nan'; expected three finite numbers\n"
            "m.obj:5: face corner 'x'; expected the number of a vertex, counted from 1\n"
            "m.obj:6: face with 2 corners; expected at least 3");
  EXPECT_EQ(meshError("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\nf 1 -7 2\n", ".obj"),
            "m.obj:4: face uses vertex 9; expected 1 to 3 (the file has 3 vertices)\n"
            "m.obj:5: face uses vertex -3; expected 1 to 3 (the file has 3 vertices)");
}

std::string plyHeader(const std::string& format, int vertices, int faces) {
  return fmt::format(
      "ply\nformat {} 1.0\ncomment made by hand\nelement vertex {}\nproperty float x\nproperty "
      "float y\nproperty float z\nproperty uchar red\nelement face {}\nproperty list uchar int "
      "vertex_indices\nend_header\n",
      format, vertices, faces);
}

TEST(MeshFile, PlyReadsTextLittleAndBigEndianAlike) {
  std::string little = plyHeader("binary_little_endian", 4, 1);
  std::string big = plyHeader("binary_big_endian", 4, 1);
  const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.5}};
  for (const auto& c : corners) {
    for (const float v : c) {
      little += test::bytesOf(v);
      big += reversed(v);
    }
    little += '\x7f';
    big += '\x7f';
  }
  little += '\4';
  big += '\4';
  for (const std::int32_t i : {0, 1, 2, 3}) {
    little += test::bytesOf(i);
    big += reversed(i);
  }
  const std::string text =
      plyHeader("ascii", 4, 1) + "0 0 0 127\n1 0 0 127\n1 1 0 127\n0 1 .5 127\n4 0 1 2 3\n";
  const TriangleMesh expected{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.5}},
                              {{0, 1, 2}, {0, 2, 3}}};
  for (const std::string& content : {little, big, text})
    expectSameMesh(parseMeshes(content, "a.ply", ".ply").valueOrThrow()[0].mesh, expected);
}

TEST(MeshFile, PlyNeverBelievesACountThatTheFileCannotHold) {
  EXPECT_EQ(meshError("ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\n"
                      "property float y\nproperty float z\nend_header\n0 0 0\n",
                      ".ply"),
            "m.ply: says 4000000000 'vertex' records, but is too short for more than 1");
}

TEST(MeshFile, StlTextAndBinaryGiveOneClosedSurface) {
  const TriangleMesh box = makeBox(Vec3(1, 2, 3));
  std::string text = "solid crate\n", binary(80, ' ');
  binary += test::bytesOf(static_cast<std::uint32_t>(box.triangleCount()));
  for (const Triangle& t : box.triangles) {
    text += "facet normal 0 0 0\nouter loop\n";
    binary += std::string(12, '\0');
    for (const auto i : t) {
      const Vec3& p = box.positions[static_cast<std::size_t>(i)];
      text += fmt::format("vertex {} {} {}\n", p.x(), p.y(), p.z());
      for (int k = 0; k < 3; ++k) binary += test::bytesOf(static_cast<float>(p[k]));
    }
    text += "endloop\nendfacet\n";
    binary += std::string(2, '\0');
  }
  text += "endsolid crate\n";
  for (const std::string& content : {text, binary}) {
    const auto meshes = parseMeshes(content, "a.stl", ".stl").valueOrThrow();
    EXPECT_EQ(meshes[0].mesh.vertexCount(), 8u);
    EXPECT_TRUE(analyzeTopology(meshes[0].mesh).watertight());
    EXPECT_NEAR(enclosedVolume(meshes[0].mesh), 6, 1e-6);
  }
  EXPECT_EQ(parseMeshes(text, "a.stl", ".stl").valueOrThrow()[0].name, "crate");
}

TEST(MeshFile, GltfPlacesMeshesByTheirNodesAndTurnsMirroredOnesOutside) {
  // One triangle, shown by a node that is moved and by one that is mirrored.
  const std::string json =
      R"({"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
      "nodes":[{"translation":[0,0,5],"children":[1,2]},{"name":"moved","mesh":0},
               {"name":"mirrored","mesh":0,"scale":[-1,1,1]}],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],
      "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],
      "bufferViews":[{"buffer":0,"byteLength":36}],
      "buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,)"
      "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"
      R"("}]})";
  const auto meshes = parseMeshes(json, "a.gltf", ".gltf").valueOrThrow();
  ASSERT_EQ(meshes.size(), 2u);
  EXPECT_EQ(meshes[0].name, "moved");
  EXPECT_EQ(meshes[0].mesh.positions[1], Vec3(1, 0, 5));
  EXPECT_EQ(meshes[1].mesh.positions[1], Vec3(-1, 0, 5));
  EXPECT_EQ(triangleNormals(meshes[0].mesh)[0], Vec3(0, 0, 1));
  EXPECT_EQ(triangleNormals(meshes[1].mesh)[0], Vec3(0, 0, 1));
}

TEST(MeshFile, NamesTheNearestFormatForAnUnknownEnding) {
  EXPECT_EQ(toString(readMeshes("body.plz").diagnostics()),
            "body.plz: unknown mesh format '.plz'; expected .obj .ply .stl .gltf .glb "
            "(did you mean '.ply'?)");
  EXPECT_THROW(writeMesh("body.stl", makeBox(Vec3::Ones())), InputError);
}

TEST(MeshFile, ReadsTheCharacterBodiesWithEqualTopology) {
  const auto characters = sharedData("characters");
  if (characters.empty()) GTEST_SKIP() << "no character bodies at hand";
  const TriangleMesh base = readMesh(characters / "base.obj");
  const TriangleMesh heavy = readMesh(characters / "male_heavy.obj");
  EXPECT_EQ(base.vertexCount(), 13380u);
  EXPECT_EQ(base.triangleCount(), 2 * 13378u);
  EXPECT_EQ(base.triangles, heavy.triangles);
  EXPECT_TRUE(analyzeTopology(base).watertight());
  EXPECT_NEAR(enclosedVolume(base) * 1e3, 54.9, 0.05);  // litres, stated with the data
  EXPECT_NEAR(enclosedVolume(heavy) * 1e3, 91.2, 0.05);
}

TEST(MeshFile, ReadsEveryFileOfTheAnatomyPack) {
  const auto anatomy = sharedData("anatomy");
  if (anatomy.empty()) GTEST_SKIP() << "no anatomy pack at hand";
  std::size_t count = 0, triangles = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(anatomy)) {
    if (entry.path().extension() != ".ply") continue;
    const auto meshes = readMeshes(entry.path());
    ASSERT_TRUE(meshes.ok()) << toString(meshes.diagnostics());
    triangles += meshes->front().mesh.triangleCount();
    ++count;
  }
  EXPECT_GT(count, 800u);
  EXPECT_GT(triangles, 100'000u);
  RecordProperty("triangles", static_cast<int>(triangles));
}

}  // namespace
}  // namespace pneuma::io
