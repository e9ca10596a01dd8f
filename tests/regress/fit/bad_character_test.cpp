#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "pneuma/core/index.h"
#include "pneuma/fit/character.h"
#include "pneuma/io/mesh_file.h"
#include "tests/regress/cli/run_files.h"
#include "tests/support/run_pneuma.h"
#include "tests/support/shared_data.h"
#include "tests/unit/fit/stick_figures.h"

/// Files that hold no person, or one that is broken, given to the program: one clear error, or a
/// repair that is said.
namespace pneuma::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class BadCharacter : public RunTest {
 protected:
  BadCharacter() : RunTest({"fit", "--quiet", "--no-pictures", "--no-breath", "--sex", "male"}) {}

  std::string put(const TriangleMesh& mesh, const std::string& name) const {
    io::writeMesh(folder_ / name, mesh);
    return (folder_ / name).string();
  }
  /// Exit 2, one error that names the cause, and no folder.
  void expectRefused(const std::string& file, const std::string& why) const {
    const ProgramResult result = runPneuma(command("out", {file}));
    EXPECT_EQ(result.exitCode, 2) << file << "\n" << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr(file), HasSubstr(why)));
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_TRUE(result.out.empty()) << result.out;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << file;
  }
};

TEST_F(BadCharacter, WhatIsNoPersonIsRefused) {
  expectRefused(put(fit::test::dog(), "dog.ply"), "things on four legs");
  expectRefused(put(fit::test::chair(), "chair.ply"), "things on four legs");
  expectRefused(put(makeSphere(0.9, 4), "sphere.ply"), "ends where a person has five");
}

TEST_F(BadCharacter, MoreOrLessThanOneClosedBodyIsRefused) {
  TriangleMesh person = fit::test::stickPerson(0.8), two = person;
  for (Vec3& p : person.positions) p.x() += 1.5;
  append(two, person);
  expectRefused(put(two, "two.obj"), "holds more than one body");
  TriangleMesh open = fit::test::stickPerson(0.8);  // its back is missing
  std::erase_if(open.triangles, [&](const Triangle& t) {
    return open.positions[at(t[0])].z() < -0.02 && open.positions[at(t[0])].y() > 0.9;
  });
  expectRefused(put(open, "open.ply"), "has no closed surface");
}

TEST_F(BadCharacter, NumbersThatAreNoneAndFarTooManyOrFewAreRefused) {
  expectRefused(folder_.put("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n").string(),
                "nan.obj:2: vertex coordinate 'nan'");
  TriangleMesh person = fit::test::stickPerson(0.8);
  person.positions[7].y() = std::nan("");
  expectRefused(put(person, "nan.ply"), "nan.ply");
  TriangleMesh few;  // a double pyramid of ten vertices
  for (int k = 0; k < 8; ++k)
    few.positions.emplace_back(std::cos(k * kPi / 4), 0, std::sin(k * kPi / 4));
  few.positions.emplace_back(0, 1.7, 0);
  few.positions.emplace_back(0, -1.7, 0);
  for (std::int32_t k = 0; k < 8; ++k) {
    few.triangles.push_back({(k + 1) % 8, k, 8});
    few.triangles.push_back({k, (k + 1) % 8, 9});
  }
  expectRefused(put(few, "few.obj"), "its body has 10 vertices; expected at least 100");
  TriangleMesh many = makeSphere(0.9, 9);  // 5.2 million triangles
  ASSERT_GT(many.triangleCount(), 5'000'000u);
  expectRefused(put(many, "many.ply"), "too many; expected at most 4 million");
}

TEST_F(BadCharacter, HeadlessBodyIsSaidToHaveNoNeck) {
  expectRefused(put(fit::test::meshOf(fit::test::stickBody(0.8)), "headless.ply"), "has no neck");
}

TEST_F(BadCharacter, LandmarksThatCountForNothingAreRefused) {
  const std::string person = put(fit::test::stickPerson(0.8), "person.ply");
  const auto expectWrong = [&](const std::string& rows, const std::string& why) {
    const std::string csv = folder_.put("marks.csv", rows).string();
    const ProgramResult result = runPneuma(command("out", {person, "--landmarks", csv}));
    EXPECT_EQ(result.exitCode, 2) << rows << result.err;
    EXPECT_THAT(result.err, HasSubstr(why)) << rows;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out")) << rows;
  };
  expectWrong("name,x,y,z\nsholder_l,0.1,1.4,0\n",
              "marks.csv:2: landmarks: unknown landmark 'sholder_l'");
  expectWrong("sholder_l,0.1,1.4,0\n", "did you mean 'shoulder_l'?");
  expectWrong("elbow_l,0,1,0\nelbow_l,0,1,0\nelbow_r,0,1,0\n",
              "marks.csv:2: landmarks: 'elbow_l' is given twice");
  expectWrong("elbow_l,0,1,0,0\n", "'elbow_l,0,1,0,0' is no landmark");
  expectWrong("elbow_l,0,1,0\n", "marks.csv: landmarks: field 'elbow_r': is not given");
  expectWrong("head,0,1.7,0\nhand_l,0.5,0.9,0\nfoot_l,0.1,0,0\nfoot_r,-0.1,0,0\n",
              "marks.csv: landmarks: field 'hand_r': is not given");
  expectWrong(  // of a file in centimetres
      "head,0,170,0\nhand_l,50,90,0\nhand_r,-50,90,0\nfoot_l,10,0,0\nfoot_r,-10,0,0\n",
      "landmarks: field 'head': lies 168 beside a character");
  expectWrong("head,0,1.7,0\nhand_l,0.1,0,0\nhand_r,-0.1,0,0\nfoot_l,0.1,0,0\nfoot_r,-0.1,0,0\n",
              "two ends lie in one place");
}

TEST_F(BadCharacter, DracoIsRefusedByName) {
  const std::string text = R"({"asset": {"version": "2.0"},
    "extensionsRequired": ["KHR_draco_mesh_compression"],
    "extensionsUsed": ["KHR_draco_mesh_compression"],
    "buffers": [{"byteLength": 4, "uri": "data:application/octet-stream;base64,AAAAAA=="}],
    "bufferViews": [{"buffer": 0, "byteLength": 4}],
    "accessors": [
      {"componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 1]},
      {"componentType": 5123, "count": 3, "type": "SCALAR"}],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "extensions":
      {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}}]}],
    "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0})";
  expectRefused(folder_.put("draco.gltf", text).string(), "export without Draco compression");
}

TEST_F(BadCharacter, NonManifoldThroughoutIsRefused) {
  TriangleMesh finned = fit::test::stickPerson(0.8);
  const std::size_t count = finned.triangleCount();
  for (std::size_t t = 0; t < count; t += 3) {  // a triangle that stands on an edge
    const Triangle on = finned.triangles[t];
    finned.positions.push_back(finned.positions[at(on[0])] + Vec3(0, 0, 0.01));
    finned.triangles.push_back({on[0], on[1], static_cast<std::int32_t>(finned.vertexCount()) - 1});
  }
  expectRefused(put(finned, "finned.ply"), "have more than two triangles");
}

TEST_F(BadCharacter, InsideOutWithAHoleAndAFinIsMendedSaidAndFitted) {
  const auto data = sharedData("characters");
  if (data.empty()) GTEST_SKIP() << "no shared characters";
  TriangleMesh man = io::readMesh(data / "male_average.obj");
  flipOrientation(man);
  const Triangle on = man.triangles[4000];
  man.positions.push_back(man.positions[at(on[0])] + Vec3(0, 0, 0.005));
  man.triangles.push_back({on[0], on[1], static_cast<std::int32_t>(man.vertexCount()) - 1});
  man.triangles.erase(man.triangles.begin() + 9000);
  const ProgramResult result = runPneuma(command("out", {put(man, "man.ply")}));
  ASSERT_EQ(result.exitCode, 0) << result.err;
  const auto found = nlohmann::json::parse(contentOf(folder_ / "out" / "summary.json"));
  EXPECT_NEAR(found["height_m"].get<double>(), 1.73, 0.01 * 1.73);
  EXPECT_NEAR(found["volume_l"].get<double>(), 68.4, 0.01 * 68.4);  // README of the characters
  EXPECT_LT(found["skin"]["mean_mm"].get<double>(), 0.5);
  const std::string report = contentOf(folder_ / "out" / "report.html");
  for (const char* said :
       {"inside out", "holes of the body are closed", "edges have more than two"})
    EXPECT_THAT(report, HasSubstr(said));
}

}  // namespace
}  // namespace pneuma::test
