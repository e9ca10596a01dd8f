#include "pneuma/fit/breath_transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pneuma/core/error.h"
#include "pneuma/core/index.h"
#include "pneuma/core/surface_query.h"
#include "pneuma/fit/breathing_character.h"
#include "pneuma/io/mesh_file.h"
#include "pneuma/io/point_cache.h"
#include "tests/support/scratch_folder.h"

namespace pneuma::fit {
namespace {

using ::testing::HasSubstr;

/// A closed figure with two arms along x and 1.8 m of height: every direction from its middle meets
/// its surface once.
TriangleMesh starFigure(int levels, double scale = 1) {
  TriangleMesh mesh = makeSphere(1, levels);
  for (Vec3& p : mesh.positions) {
    const double sideways = std::abs(p.x());
    const double arm = 0.5 * std::exp(-(1 - sideways) / 0.05);
    p = scale * (Vec3(0.25 * p.x(), 0.9 * p.y(), 0.18 * p.z()) + Vec3(arm * p.x(), 0, 0)) +
        Vec3(0, 0.9, 0);
  }
  return mesh;
}

anatomy::SkinPart partAt(const Vec3& p) {
  using enum anatomy::SkinPart;
  const double x = std::abs(p.x());
  if (x > 0.6) return Hand;
  if (x > 0.45) return Forearm;
  if (x > 0.3) return UpperArm;
  return p.y() > 1.5   ? Head
         : p.y() > 1.4 ? Neck
         : p.y() > 1.1 ? Chest
         : p.y() > 0.7 ? Abdomen
                       : Thigh;
}

anatomy::SkinSurface starSkin(int levels = 5) {
  anatomy::SkinSurface skin{.mesh = starFigure(levels)};
  for (const Vec3& p : skin.mesh.positions) skin.parts.push_back(partAt(p));
  return skin;
}

std::vector<Vec3> field(const std::vector<Vec3>& points, const auto& u) {
  std::vector<Vec3> list;
  for (const Vec3& p : points) list.push_back(u(p));
  return list;
}

/// Rises in front of the chest, smooth, and lifts the arms a little.
Vec3 breathAt(const Vec3& p) {
  const double chest = std::exp(-std::pow((p.y() - 1.1) / 0.2, 2));
  return 0.012 * chest * Vec3(0.2 * p.x(), 0.4 * std::abs(p.x()), p.z() > 0 ? p.z() / 0.18 : 0);
}

class BreathTransferTest : public ::testing::Test {
 protected:
  Character read(const std::vector<io::NamedMesh>& meshes) {
    io::writeMeshes(folder / "hero.obj", meshes);
    return readCharacter(folder / "hero.obj");
  }
  test::ScratchFolder folder;
  const anatomy::SkinSurface skin = starSkin();
};

TEST_F(BreathTransferTest, VerticesMoveAsTheSkinUnderThem) {
  const Character c = read({{"hero", starFigure(4)}});
  const BreathTransfer transfer(c, {}, skin);
  const auto u = transfer.apply(field(skin.mesh.positions, breathAt));
  EXPECT_EQ(transfer.report().bound + transfer.report().filled + transfer.report().hands,
            c.body.vertexCount());
  EXPECT_GT(transfer.report().bound, 0.8 * static_cast<double>(c.body.vertexCount()));
  for (std::size_t v = 0; v < u.size(); ++v)
    if (std::abs(c.surface.positions[v].x()) < 0.4) {
      EXPECT_LT((u[v] - breathAt(c.surface.positions[v])).norm(), 2e-4);
    }
}

TEST_F(BreathTransferTest, RestIsTheFileBitForBit) {
  const Character c = read({{"hero", starFigure(4)}});
  const BreathTransfer transfer(c, {}, skin);
  for (const Vec3& u : transfer.apply(std::vector<Vec3>(skin.mesh.vertexCount(), Vec3::Zero())))
    EXPECT_EQ(u, Vec3::Zero());
}

TEST_F(BreathTransferTest, MirroredVerticesMoveMirrored) {
  const Character c = read({{"hero", starFigure(4)}});
  const BreathTransfer transfer(c, {}, skin);
  const auto u = transfer.apply(field(skin.mesh.positions, breathAt));
  for (std::size_t v = 0; v < u.size(); ++v)
    for (std::size_t w = 0; w < u.size(); ++w) {
      const Vec3 image = c.surface.positions[w].cwiseProduct(Vec3(-1, 1, 1));
      if ((image - c.surface.positions[v]).norm() < 1e-9) {
        EXPECT_LT((u[w].cwiseProduct(Vec3(-1, 1, 1)) - u[v]).norm(), 1e-6);
      }
    }
}

TEST_F(BreathTransferTest, HandsAreRigid) {
  const Character c = read({{"hero", starFigure(5)}});
  const BreathTransfer transfer(c, {}, skin);
  // Fingers of the skin would be torn apart; the hand follows the forearm alone.
  const auto u = transfer.apply(field(skin.mesh.positions, [](const Vec3& p) -> Vec3 {
    return std::abs(p.x()) > 0.62 ? Vec3(0.05 * std::sin(90 * p.y()), 0.03, 0) : Vec3(0, 0.002, 0);
  }));
  EXPECT_GT(transfer.report().hands, 4u);
  for (const Triangle& t : c.surface.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 a = c.surface.positions[at(t[k])], b = c.surface.positions[at(t[(k + 1) % 3])];
      if (std::abs(a.x()) < 0.67 || std::abs(b.x()) < 0.67) continue;
      EXPECT_NEAR((b - a).dot(u[at(t[(k + 1) % 3])] - u[at(t[k])]), 0, 1e-9);
      EXPECT_NEAR(u[at(t[k])].y(), 0.002, 1e-6);
    }
}

TEST_F(BreathTransferTest, OtherUnitsAndAxesGiveTheSameMotion) {
  const Character here = read({{"hero", starFigure(4)}});
  const auto expected = BreathTransfer(here, {}, skin).apply(field(skin.mesh.positions, breathAt));
  // Centimetres, Z up.
  const Mat3 turn = Eigen::AngleAxisd(-kPi / 2, Vec3::UnitX()).toRotationMatrix();
  const BodyFrame frame{.rotation = turn, .scale = 0.01, .offset = Vec3(0, 0.1, 0)};
  TriangleMesh there = starFigure(4);
  there.positions = frame.toFile(there.positions);
  const Character c = read({{"hero", there}});
  const auto u = BreathTransfer(c, frame, skin).apply(field(skin.mesh.positions, breathAt));
  for (std::size_t v = 0; v < u.size(); ++v)
    EXPECT_LT((frame.scale * (frame.rotation * u[v]) - expected[v]).norm(), 1e-7);
}

TEST_F(BreathTransferTest, WhatLiesBeyondReachIsFilledSmoothly) {
  TriangleMesh bag = starFigure(4);
  std::size_t far = 0;
  for (Vec3& p : bag.positions)  // a bag on the back, 20 cm deep
    if (p.z() < -0.14) {
      p.z() -= 0.2 * std::pow(1 - std::pow((p.z() + 0.18) / 0.04, 2), 2);
      ++far;
    }
  const Character c = read({{"hero", bag}});
  const BreathTransfer transfer(c, {}, skin);
  EXPECT_GT(transfer.report().filled, far / 4);
  // Where everything around moves alike, so does what is filled: a plate does not bend then.
  const auto u =
      transfer.apply(std::vector<Vec3>(skin.mesh.vertexCount(), Vec3(0.001, 0.002, 0.003)));
  for (const Vec3& offset : u) EXPECT_LT((offset - Vec3(0.001, 0.002, 0.003)).norm(), 1e-6);
}

TEST_F(BreathTransferTest, NoEdgeStretchesMuchMoreThanTheSkin) {
  const Character c = read({{"hero", starFigure(5)}});
  const auto u = BreathTransfer(c, {}, skin).apply(field(skin.mesh.positions, breathAt));
  double most = 0, skinMost = 0;
  const auto strain = [](const Vec3& a, const Vec3& b, const Vec3& ua, const Vec3& ub) {
    return std::abs((b + ub - a - ua).norm() / (b - a).norm() - 1);
  };
  for (const Triangle& t : c.surface.triangles)
    most = std::max(most, strain(c.surface.positions[at(t[0])], c.surface.positions[at(t[1])],
                                 u[at(t[0])], u[at(t[1])]));
  for (const Triangle& t : skin.mesh.triangles) {
    const Vec3 &a = skin.mesh.positions[at(t[0])], &b = skin.mesh.positions[at(t[1])];
    skinMost = std::max(skinMost, strain(a, b, breathAt(a), breathAt(b)));
  }
  EXPECT_GT(most, 0.01);
  EXPECT_LT(most, 1.3 * skinMost);
  const TriangleMesh moved{[&] {
                             std::vector<Vec3> p = c.surface.positions;
                             for (std::size_t v = 0; v < p.size(); ++v) p[v] += u[v];
                             return p;
                           }(),
                           c.surface.triangles};
  const auto before = triangleNormals(c.surface), after = triangleNormals(moved);
  for (std::size_t t = 0; t < before.size(); ++t)
    EXPECT_GT(before[t].dot(after[t]), 0.866);  // 30 degrees
}

/// A shell around the trunk, `gap` outside.
TriangleMesh shirtOver(double gap) {
  TriangleMesh mesh = starFigure(4);
  const std::vector<Vec3> normals = vertexNormals(mesh);
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) mesh.positions[v] += gap * normals[v];
  std::erase_if(mesh.triangles, [&](const Triangle& t) {
    const Vec3& p = mesh.positions[at(t[0])];
    return p.y() < 0.7 || p.y() > 1.4 || std::abs(p.x()) > 0.3;
  });
  removeUnusedVertices(mesh);
  return mesh;
}

TEST_F(BreathTransferTest, ClothesStayOnTopAndStillThingsStill) {
  for (const double gap : {0.004, 0.02, 0.045}) {
    const Character c = read({{"hero", starFigure(5)},
                              {"shirt", shirtOver(gap)},
                              {"eye", makeSphere(0.012, 1, Vec3(0.03, 1.6, 0.1))}});
    const BreathTransfer transfer(c, {}, skin);
    // A sharp bump, to put the guard to work.
    const auto u = transfer.apply(field(skin.mesh.positions, [](const Vec3& p) -> Vec3 {
      return 0.02 * std::exp(-(p - Vec3(0, 1, 0.18)).squaredNorm() / 0.004) * Vec3::UnitZ();
    }));
    TriangleMesh body = c.body;
    for (std::size_t v = 0; v < c.surface.vertexCount(); ++v)
      if (c.bodyVertex[v] >= 0) body.positions[at(c.bodyVertex[v])] = c.surface.positions[v] + u[v];
    const SurfaceQuery rest(c.body), moved(body);
    double shirtMoves = 0;
    for (const CharacterObject& o : c.objects)
      for (const std::int32_t v : o.vertices) {
        if (o.name == "eye") {
          EXPECT_EQ(u[at(v)], Vec3::Zero());
        }
        if (o.name != "shirt") continue;
        const Vec3 p = c.surface.positions[at(v)];
        shirtMoves = std::max(shirtMoves, u[at(v)].norm());
        EXPECT_GT(moved.signedDistance(p + u[at(v)]), 0.75 * rest.signedDistance(p)) << gap;
      }
    EXPECT_GT(shirtMoves, 0.01) << gap;
  }
}

TEST_F(BreathTransferTest, HeadStaysStillWhereItHasEyes) {
  const io::NamedMesh eye{"eye", makeSphere(0.012, 1, Vec3(0.03, 1.6, 0.1))};
  const std::vector<Vec3> rise(skin.mesh.vertexCount(), Vec3(0, 0.004, 0));
  for (const bool eyes : {false, true}) {
    const Character c =
        eyes ? read({{"hero", starFigure(4)}, eye}) : read({{"hero", starFigure(4)}});
    const auto u = BreathTransfer(c, {}, skin).apply(rise);
    for (const std::int32_t v : c.objects[0].vertices) {
      const double y = c.surface.positions[at(v)].y();
      if (y > 1.55) {
        EXPECT_NEAR(u[at(v)].y(), eyes ? 0 : 0.004, 1e-6);
      } else if (y < 1.3) {
        EXPECT_NEAR(u[at(v)].y(), 0.004, 1e-6);
      }
    }
  }
}

TEST_F(BreathTransferTest, SkinThatLiesElsewhereIsRefused) {
  const Character c = read({{"hero", starFigure(4)}});
  anatomy::SkinSurface away = skin;
  for (Vec3& p : away.mesh.positions) p.z() += 0.5;
  try {
    const BreathTransfer transfer(c, {}, away);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("of its trunk lie within 45.0 mm of the fitted skin"));
  }
}

/// Breath of two targets over a second.
CharacterBreath exampleBreath(const anatomy::SkinSurface& skin) {
  return {.targets = {{.name = "breath_chest", .offsets = field(skin.mesh.positions, breathAt)},
                      {.name = "breath_belly",
                       .offsets = field(skin.mesh.positions,
                                        [](const Vec3& p) -> Vec3 {
                                          return 0.01 *
                                                 std::exp(-std::pow((p.y() - 0.8) / 0.1, 2)) *
                                                 Vec3::UnitZ();
                                        })}},
          .times = {0, 0.5, 1},
          .weights = {0, 0, 1, 1, 0, 0}};
}

TEST_F(BreathTransferTest, ObjComesBackByteForByteWithItsCaches) {
  const Character c =
      read({{"hero", starFigure(4)}, {"eye", makeSphere(0.012, 1, Vec3(0, 1.6, 0.1))}});
  const BreathTransfer transfer(c, {}, skin);
  const CharacterFiles out =
      writeBreathingCharacter(folder / "out", c, {}, transfer, exampleBreath(skin));
  EXPECT_EQ(test::contentOf(folder / "out/hero.obj"), test::contentOf(folder / "hero.obj"));
  const io::PointCache cache = io::readPointCache(folder / "out/hero_hero.pc2").valueOrThrow();
  EXPECT_EQ(cache.pointCount, starFigure(4).vertexCount());
  ASSERT_EQ(cache.frames.size(), 31u);
  for (const std::size_t f : {0u, 30u})
    for (std::size_t v = 0; v < cache.pointCount; ++v)
      EXPECT_EQ(cache.frames[f][v], c.surface.positions[v].cast<float>().cast<double>());
  double most = 0;
  for (std::size_t v = 0; v < cache.pointCount; ++v)
    most = std::max(most, (cache.frames[15][v] - c.surface.positions[v]).norm());
  EXPECT_NEAR(most, out.largestOffset, 1e-6);
  EXPECT_EQ(out.seam, 0);
  EXPECT_TRUE(io::readMeshes(folder / "out/hero_preview.glb"));
  EXPECT_THROW(writeBreathingCharacter(folder.path(), c, {}, transfer, exampleBreath(skin)),
               InputError);
}

TEST_F(BreathTransferTest, PlyBecomesAnObjOfTheSamePolygons) {
  io::writeMesh(folder / "hero.ply", starFigure(4));
  const Character c = readCharacter(folder / "hero.ply");
  writeBreathingCharacter(folder / "out", c, {}, BreathTransfer(c, {}, skin), exampleBreath(skin));
  const TriangleMesh back = io::readMesh(folder / "out/hero.obj");
  EXPECT_EQ(back.triangles, c.surface.triangles);
  EXPECT_EQ(back.positions, c.surface.positions);
}

TEST_F(BreathTransferTest, GltfOffsetsAndNormalsAreInTheFrameOfTheirMesh) {
  // In centimetres under a node that scales, turned to lie on the back; corners split.
  const Eigen::AngleAxisd turn(0.7, Vec3::UnitX());
  const TriangleMesh whole = starFigure(4);
  io::GltfMesh mesh{.name = "hero"};
  for (const Triangle& t : whole.triangles) {
    const auto first = static_cast<std::int32_t>(mesh.positions.size());
    for (const std::int32_t v : t)
      mesh.positions.push_back(100 * (turn.inverse() * whole.positions[at(v)]));
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  io::GltfScene scene;
  scene.addNode({.name = "hero",
                 .pose = {.rotation = turn.toRotationMatrix()},
                 .scale = Vec3::Constant(0.01),
                 .mesh = scene.addMesh(mesh)});
  io::writeGlb(folder / "hero.glb", scene);
  const Character c = readCharacter(folder / "hero.glb");
  const BreathTransfer transfer(c, {}, skin);
  const CharacterBreath breath = exampleBreath(skin);
  writeBreathingCharacter(folder / "out", c, {}, transfer, breath);

  const auto expected = transfer.apply(breath.targets[0].offsets);
  for (std::size_t v = 0; v < c.surface.vertexCount(); ++v) {  // seams stay closed
    EXPECT_EQ(expected[v], expected[at(c.joined[v])]);
  }
  // A reader that knows nothing of us puts the targets where the transfer does.
  const auto edit = io::GltfEdit::read(folder / "out/hero.glb").valueOrThrow();
  EXPECT_THAT(edit.animations(), ::testing::ElementsAre("breath"));
  const std::string glb = test::contentOf(folder / "out/hero.glb");
  EXPECT_THAT(glb, HasSubstr(R"("targetNames":["breath_chest","breath_belly"])"));
  EXPECT_THAT(glb, HasSubstr(R"("NORMAL")"));
  // Nothing of ours is in it: neither shapes nor their licence.
  EXPECT_THAT(glb, ::testing::Not(HasSubstr("CC BY-SA")));
  EXPECT_THAT(glb, ::testing::Not(HasSubstr("BodyParts3D")));
}

TEST_F(BreathTransferTest, NormalsTurnWithTheSurface) {
  const Character c = read({{"hero", starFigure(4)}});
  const double angle = 0.1;
  const Mat3 turn = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
  std::vector<Vec3> offsets;
  for (const Vec3& p : c.surface.positions) offsets.push_back(turn * p - p);
  const std::vector<Vec3> normals = vertexNormals(c.surface);
  const std::vector<Vec3> changes = normalChanges(c, normals, offsets);
  for (std::size_t v = 0; v < normals.size(); ++v)
    EXPECT_LT((normals[v] + changes[v] - turn * normals[v]).norm(), 1e-9);
}

}  // namespace
}  // namespace pneuma::fit
