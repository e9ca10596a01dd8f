#include "pneuma/fit/character.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/io/fbx.h"
#include "pneuma/io/mesh_file.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/shared_data.h"

namespace pneuma::fit {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// An egg of a person's size: closed, 1.8 m tall.
TriangleMesh egg(const Vec3& place = Vec3::Zero(), int levels = 3) {
  TriangleMesh mesh = makeSphere(1, levels);
  for (Vec3& p : mesh.positions) p = p.cwiseProduct(Vec3(0.3, 0.9, 0.2)) + place;
  return mesh;
}

/// A tube around the egg's middle, open at both ends.
TriangleMesh shirt() {
  TriangleMesh mesh;
  constexpr int kSides = 24;
  for (const double y : {-0.55, 0.0, 0.55})
    for (int i = 0; i < kSides; ++i) {
      const double angle = 2 * kPi * i / kSides;
      mesh.positions.emplace_back(0.32 * std::cos(angle), y, 0.22 * std::sin(angle));
    }
  for (int row = 0; row < 2; ++row)
    for (int i = 0; i < kSides; ++i) {
      const int a = row * kSides + i, b = row * kSides + (i + 1) % kSides;
      mesh.triangles.push_back({a, a + kSides, b});
      mesh.triangles.push_back({b, a + kSides, b + kSides});
    }
  return mesh;
}

class CharacterTest : public ::testing::Test {
 protected:
  Character read(const std::vector<io::NamedMesh>& meshes, const CharacterRequest& request = {}) {
    io::writeMeshes(folder / "hero.obj", meshes);
    return readCharacter(folder / "hero.obj", request);
  }
  std::string errorOf(const std::vector<io::NamedMesh>& meshes,
                      const CharacterRequest& request = {}) {
    try {
      read(meshes, request);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  }
  static std::string errorOf(const std::filesystem::path& path) {
    try {
      readCharacter(path);
    } catch (const InputError& e) {
      return e.what();
    }
    return "no error";
  }
  static PieceKind kindOf(const Character& c, const std::string& name) {
    for (const CharacterPiece& p : c.pieces)
      if (p.name == name) return p.kind;
    throw std::runtime_error("no piece " + name);
  }
  test::ScratchFolder folder;
};

TEST_F(CharacterTest, LargestClosedPieceIsTheBodyAndNamesSayWhatIsStill) {
  TriangleMesh cards;  // a head of hair: many small surfaces, one piece
  for (int i = 0; i < 50; ++i) append(cards, makeBox(Vec3(0.02, 0.1, 0.001), Vec3(0, 1, 0.01 * i)));
  const Character c = read({{"Shirt", shirt()},
                            {"Hero", egg()},
                            {"Hair_cards", cards},
                            {"EyeLeft", makeSphere(0.012, 2, Vec3(0.03, 0.7, 0.1))}});
  ASSERT_EQ(c.pieces.size(), 4u);
  EXPECT_EQ(c.pieces[c.bodyPiece].name, "Hero");
  EXPECT_EQ(kindOf(c, "Hero"), PieceKind::Body);
  EXPECT_EQ(kindOf(c, "Shirt"), PieceKind::Cloth);
  EXPECT_EQ(kindOf(c, "Hair_cards"), PieceKind::Still);
  EXPECT_EQ(kindOf(c, "EyeLeft"), PieceKind::Still);
  EXPECT_EQ(c.body.vertexCount(), egg().vertexCount());
  EXPECT_THAT(c.notes, Contains("stay still: Hair_cards, EyeLeft"));
  // Vertices keep the file's numbers: the body's come after the shirt's.
  EXPECT_EQ(c.bodyVertex[0], -1);
  EXPECT_GE(c.bodyVertex[shirt().vertexCount()], 0);
}

TEST_F(CharacterTest, PieceCanBeNamed) {
  const std::vector<io::NamedMesh> two{{"Adam", egg()}, {"Eve", egg(Vec3(1, 0, 0))}};
  EXPECT_THAT(errorOf(two), HasSubstr("holds more than one body: 'Adam' and 'Eve'"));
  const Character c = read(two, {.bodyPiece = "Eve"});
  EXPECT_EQ(c.pieces[c.bodyPiece].name, "Eve");
  EXPECT_GT(boundingBox(c.body.positions).min.x(), 0.5);
  EXPECT_THAT(errorOf(two, {.bodyPiece = "Evee"}), HasSubstr("did you mean 'Eve'?"));
}

TEST_F(CharacterTest, NamesThatOnlySoundLikeHairAreNone) {
  EXPECT_EQ(read({{"brown_chair", egg()}}).bodyPiece, 0u);
  EXPECT_THAT(errorOf({{"hairy", egg()}}), HasSubstr("by its name the largest piece 'hairy'"));
  EXPECT_EQ(read({{"hairy", egg()}}, {.bodyPiece = "hairy"}).bodyPiece, 0u);
}

TEST_F(CharacterTest, TwoBodiesInOneObjectAreFoundToo) {
  TriangleMesh both = egg();
  append(both, egg(Vec3(1.2, 0, 0)));
  EXPECT_THAT(errorOf({{"people", both}}),
              HasSubstr("more than one body: 'people' and 'people.2'"));
}

TEST_F(CharacterTest, QuadsAreKept) {
  // A box of 10 x 10 quads on each side.
  std::string text;
  std::map<std::array<int, 3>, int> numbers;
  std::string faces;
  const auto vertex = [&](std::array<int, 3> p) {
    const auto [it, fresh] = numbers.try_emplace(p, static_cast<int>(numbers.size()) + 1);
    if (fresh) text += fmt::format("v {} {} {}\n", 0.05 * p[0], 0.18 * p[1], 0.03 * p[2]);
    return it->second;
  };
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < 10; ++i)
        for (int j = 0; j < 10; ++j) {
          const auto corner = [&](int u, int v) {
            std::array<int, 3> p{};
            p[axis] = 10 * side;
            p[(axis + 1) % 3] = i + u;
            p[(axis + 2) % 3] = j + v;
            return vertex(p);
          };
          const int a = corner(0, 0), b = corner(1, 0), d = corner(1, 1), e = corner(0, 1);
          faces += side ? fmt::format("f {} {} {} {}\n", a, b, d, e)
                        : fmt::format("f {} {} {} {}\n", a, e, d, b);
        }
  const Character c = readCharacter(folder.put("box.obj", text + faces));
  EXPECT_EQ(c.fans, std::vector<std::int32_t>(600, 2));
  EXPECT_EQ(c.surface.triangleCount(), 1200u);
  EXPECT_TRUE(analyzeTopology(c.body).watertight());
}

TEST_F(CharacterTest, CornersThatTheFileSplitsAreJoined) {
  const TriangleMesh whole = egg();
  io::GltfMesh mesh{.name = "body"};  // every triangle with corners of its own
  for (const Triangle& t : whole.triangles) {
    const auto first = static_cast<std::int32_t>(mesh.positions.size());
    for (const std::int32_t v : t) mesh.positions.push_back(whole.positions[at(v)]);
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  io::GltfScene scene;
  scene.addNode({.name = "root", .pose = {.position = Vec3(0, 1, 0)}});
  scene.addNodeFor(scene.addMesh(mesh), 0);
  io::writeGlb(folder / "hero.glb", scene);
  const Character c = readCharacter(folder / "hero.glb");
  EXPECT_EQ(c.body.vertexCount(), whole.vertexCount());
  EXPECT_TRUE(analyzeTopology(c.body).watertight());
  EXPECT_NEAR(boundingBox(c.body.positions).center().y(), 1, 1e-6);
  for (std::size_t v = 0; v < c.surface.vertexCount(); ++v)
    EXPECT_LT((c.body.positions[at(c.bodyVertex[v])] - c.surface.positions[v]).norm(), 1e-6);
  EXPECT_TRUE(c.gltf);
}

TEST_F(CharacterTest, NodesThatMirrorShearOrScaleUnevenlyShowTheBodyAsItIsSeen) {
  const TriangleMesh whole = egg(Vec3::Zero(), 4);
  for (const Vec3& scale : {Vec3(-1, 1, 1), Vec3(-1, -1, -1), Vec3(1.1, 0.9, 1.05)}) {
    const Eigen::AngleAxisd turn(0.6, Vec3::UnitZ());  // under uneven scale: a shear
    io::GltfScene scene;
    scene.addNode({.name = "root", .scale = scale});
    scene.addNode(
        {.name = "body",
         .pose = {.rotation = turn.toRotationMatrix()},
         .mesh = scene.addMesh(
             {.name = "body", .positions = whole.positions, .triangles = whole.triangles}),
         .parent = 0});
    io::writeGlb(folder / "hero.glb", scene);
    const Character c = readCharacter(folder / "hero.glb");
    EXPECT_NEAR(enclosedVolume(c.body), std::abs(scale.prod()) * enclosedVolume(whole), 1e-6);
    EXPECT_THAT(c.notes, ::testing::IsEmpty());
    ASSERT_EQ(c.surface.vertexCount(), whole.vertexCount());
    for (std::size_t v = 0; v < whole.vertexCount(); ++v) {
      EXPECT_LT((c.surface.positions[v] - scale.cwiseProduct(turn * whole.positions[v])).norm(),
                1e-6);
    }
  }
}

TEST_F(CharacterTest, InsideOutIsTurnedAndSaid) {
  TriangleMesh mesh = egg();
  flipOrientation(mesh);
  const Character c = read({{"hero", mesh}});
  EXPECT_NEAR(enclosedVolume(c.body), enclosedVolume(egg()), 1e-12);
  EXPECT_EQ(c.surface.triangles, mesh.triangles);
  EXPECT_THAT(c.notes, Contains(HasSubstr("inside out")));
}

TEST_F(CharacterTest, TrianglesThatFaceInwardsAreTurned) {
  TriangleMesh mesh = egg();
  for (std::size_t t = 0; t < 40; ++t)
    std::swap(mesh.triangles[7 * t][0], mesh.triangles[7 * t][1]);
  const Character c = read({{"hero", mesh}});
  EXPECT_TRUE(analyzeTopology(c.body).watertight());
  EXPECT_NEAR(enclosedVolume(c.body), enclosedVolume(egg()), 1e-12);
  EXPECT_THAT(c.notes, Contains(HasSubstr("40 triangles face inwards")));
}

TEST_F(CharacterTest, SmallHolesAreClosedAndLargeOnesRefused) {
  const auto cutAbove = [](double y) {
    TriangleMesh mesh = egg();
    std::erase_if(mesh.triangles,
                  [&](const Triangle& t) { return mesh.positions[at(t[0])].y() > y; });
    return mesh;
  };
  const Character c = read({{"hero", cutAbove(0.85)}});
  EXPECT_TRUE(analyzeTopology(c.body).watertight());
  EXPECT_NEAR(enclosedVolume(c.body), enclosedVolume(egg()), 0.01 * enclosedVolume(egg()));
  EXPECT_THAT(c.notes, Contains("1 holes of the body are closed to be measured"));
  EXPECT_THAT(errorOf({{"hero", cutAbove(0)}}), HasSubstr("no closed surface"));
  EXPECT_THAT(errorOf({{"hero", cutAbove(0)}}, {.bodyPiece = "hero"}), HasSubstr("is open"));
}

TEST_F(CharacterTest, BranchingEdgesAreSaidAndTooManyRefused) {
  TriangleMesh mesh = egg();
  const auto fin = [&](std::size_t t) {  // a triangle that stands on an edge
    const Triangle on = mesh.triangles[t];
    mesh.positions.push_back(1.2 * mesh.positions[at(on[0])]);
    mesh.triangles.push_back({on[0], on[1], static_cast<std::int32_t>(mesh.vertexCount()) - 1});
  };
  fin(5);
  EXPECT_THAT(read({{"hero", mesh}}).notes, Contains(HasSubstr("1 edges have more than two")));
  for (std::size_t t = 10; t < 900; t += 2) fin(t);
  EXPECT_THAT(errorOf({{"hero", mesh}}), HasSubstr("have more than two triangles"));
}

TEST_F(CharacterTest, TrianglesThatLieThereTwiceCountOnce) {
  TriangleMesh mesh = egg();
  for (std::size_t t = 0; t < 30; ++t) {
    const Triangle f = mesh.triangles[t];
    mesh.triangles.push_back({f[0], f[2], f[1]});  // the inner side of a two-sided surface
  }
  const Character c = read({{"hero", mesh}});
  EXPECT_TRUE(analyzeTopology(c.body).watertight());
  EXPECT_THAT(c.notes, Contains("30 triangles lie there twice: counted once"));
}

TEST_F(CharacterTest, BadFilesGiveOneClearError) {
  EXPECT_THAT(errorOf({{"hero", makeSphere(1, 1)}}),
              HasSubstr("its body has 42 vertices; expected at least 100"));
  EXPECT_THAT(errorOf(folder.put("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n")),
              HasSubstr("nan.obj:2: vertex coordinate 'nan'"));
  EXPECT_THAT(errorOf(folder.put("empty.obj", "")), HasSubstr("is empty"));
  EXPECT_THAT(errorOf(folder.put("lines.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n")),
              HasSubstr("has no triangles"));
  EXPECT_THAT(errorOf(folder.put("hero.glp", "x")), HasSubstr("(did you mean '.glb'?)"));
  EXPECT_THAT(errorOf(folder / "nothing.glb"), HasSubstr("no such file"));
}

TEST_F(CharacterTest, TooManyTrianglesAreRefused) {
  TriangleMesh mesh = egg();
  const std::vector<Triangle> once = mesh.triangles;
  while (mesh.triangleCount() <= kMostTriangles)
    mesh.triangles.insert(mesh.triangles.end(), once.begin(), once.end());
  io::writeMesh(folder / "huge.ply", mesh);
  EXPECT_THAT(errorOf(folder / "huge.ply"),
              HasSubstr("triangles are too many; expected at most 4 million"));
}

TEST_F(CharacterTest, FbxKeepsPolygonsOrSaysWhyNot) {
  const std::string text = R"(; FBX 7.3.0 project file
FBXHeaderExtension:  {
  FBXHeaderVersion: 1003
  FBXVersion: 7300
}
Objects:  {
  Geometry: 100, "Geometry::box", "Mesh" {
    Vertices: *24 { a: 0,0,0,1,0,0,1,2,0,0,2,0,0,0,1,1,0,1,1,2,1,0,2,1 }
    PolygonVertexIndex: *24 { a: 3,2,1,-1,4,5,6,-8,0,1,5,-5,2,3,7,-7,1,2,6,-6,3,0,4,-8 }
    GeometryVersion: 124
  }
  Model: 200, "Model::box", "Mesh" {
    Version: 232
  }
}
Connections:  {
  C: "OO",200,0
  C: "OO",100,200
}
)";
  const std::filesystem::path file = folder.put("box.fbx", text);
  const auto meshes = io::readFbx(file);
  if (!io::readsFbx()) {
    EXPECT_THAT(errorOf(file), HasSubstr("this build was made without"));
    return;
  }
  ASSERT_TRUE(meshes) << toString(meshes.diagnostics());
  ASSERT_EQ(meshes->size(), 1u);
  EXPECT_EQ((*meshes)[0].mesh.vertexCount(), 8u);
  EXPECT_THAT((*meshes)[0].fans, ElementsAre(2, 2, 2, 2, 2, 2));
  EXPECT_NEAR(enclosedVolume((*meshes)[0].mesh), 2, 1e-6);
  EXPECT_THAT(errorOf(folder.put("bad.fbx", "rubbish")), HasSubstr("cannot be read as FBX"));
}

TEST_F(CharacterTest, RealBodiesAreReadWhole) {
  const std::filesystem::path data = test::sharedData("characters");
  if (data.empty()) GTEST_SKIP() << "no characters beside the repository";
  const Character c = readCharacter(data / "male_average.obj");
  EXPECT_EQ(c.pieces.size(), 1u);
  EXPECT_EQ(c.fans, std::vector<std::int32_t>(13378, 2));
  EXPECT_TRUE(analyzeTopology(c.body).watertight());
  EXPECT_NEAR(enclosedVolume(c.body), 0.0684, 1e-4);  // characters/README.md
  EXPECT_THAT(c.notes, ::testing::IsEmpty());
}

}  // namespace
}  // namespace pneuma::fit
