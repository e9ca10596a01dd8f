#include "pneuma/anatomy/body_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pneuma/anatomy/compile.h"
#include "pneuma/anatomy/points.h"

namespace pneuma::anatomy {
namespace {

using testing::HasSubstr;

TEST(BodyFile, DefaultBodyLoadsWithoutFindings) {
  const Result<Body> body = loadBody(defaultBodyPath());
  EXPECT_EQ(toString(body.diagnostics()), "");
  ASSERT_TRUE(body);
  EXPECT_EQ(body->name, "human");
}

TEST(BodyFile, SaveLoadSaveGivesTheSameBytes) {
  const Result<Body> body = readBody(defaultBodyPath());
  ASSERT_TRUE(body) << toString(body.diagnostics());
  const std::string first = bodyText(*body);
  const Result<Body> again =
      readBody("saved.toml", [&](const std::string&) { return Result<std::string>(first); });
  ASSERT_TRUE(again) << toString(again.diagnostics());
  EXPECT_EQ(bodyText(*again), first);
  const Result<Body> expanded = expandBody(*body);
  ASSERT_TRUE(expanded);
  const std::string all = bodyText(*expanded);
  const Result<Body> allAgain =
      readBody("saved.toml", [&](const std::string&) { return Result<std::string>(all); });
  ASSERT_TRUE(allAgain) << toString(allAgain.diagnostics());
  EXPECT_EQ(bodyText(*allAgain), all);
}

Result<Body> loadTexts(const std::map<std::string, std::string>& files) {
  const Result<Body> declared = readBody(
      "a.toml", [&](const std::string& path) -> Result<std::string> { return files.at(path); });
  if (!declared) return declared.diagnostics();
  return expandBody(*declared);
}

TEST(BodyFile, UnknownFieldsOfShapePartsAreKept) {
  const std::string text =
      "format = \"pneuma-body 1\"\nunits = { length = \"mm\" }\n[[bone]]\nname = \"b\"\n"
      "region = \"thorax\"\n[[shape]]\nbone = \"b\"\n[[shape.part]]\nkind = \"ellipsoid\"\n"
      "center = [0, 0, 0]\nradii = [1, 1, 1]\ncolour = \"ivory\"\n";
  const Result<Body> body =
      readBody("part.toml", [&](const std::string&) { return Result<std::string>(text); });
  ASSERT_TRUE(body) << toString(body.diagnostics());
  EXPECT_THAT(toString(body.diagnostics()), HasSubstr("colour"));
  EXPECT_THAT(bodyText(*body), HasSubstr("colour = \"ivory\""));
}

TEST(BodyFile, AnIncludingFileReplacesWhatItDefinesAgain) {
  const Result<Body> body = loadTexts({{"a.toml", R"(format = "pneuma-body 1"
include = ["b.toml"]
units = { length = "mm" }
[[bone]]
name = "thumb"
region = "arm"
[[landmarks]]
bone = "thumb"
points = { tip = [1, 2, 3] }
)"},
                                       {"b.toml", R"(format = "pneuma-body 1"
units = { length = "m" }
[[bone]]
name = "thumb"
region = "leg"
[[landmarks]]
bone = "thumb"
points = { tip = [4, 4, 4], base = [0, 0, 0.5] }
)"}});
  ASSERT_TRUE(body) << toString(body.diagnostics());
  ASSERT_EQ(body->bones.size(), 1u);
  EXPECT_EQ(body->bones[0].region, BodyRegion::Arm);
  std::vector<Diagnostic> findings;
  const PointTable points(*body, findings);
  EXPECT_LT((points.find("thumb:tip")->position - Vec3(0.001, 0.002, 0.003)).norm(), 1e-15);
  EXPECT_EQ(points.find("thumb:base")->position, Vec3(0, 0, 0.5));
}

TEST(BodyFile, EveryFormOfAPointLeadsToItsPlace) {
  const Result<Body> body = loadTexts({{"a.toml", R"(format = "pneuma-body 1"
units = { length = "m" }
[[bone]]
name = "arm_l"
mirror = true
[[landmarks]]
bone = "arm_l"
mirror = true
[landmarks.points]
a = [1, 0, 0]
b = [1, 2, 0]
middle = { at = "arm_l:a", towards = "arm_l:b", fraction = 0.5 }
moved = { at = "arm_l:a", offset = [0.25, 0, 0.5] }
across = { at = "arm_l:a", towards = "arm_r:a", fraction = 0.25 }
[landmarks.curves]
line = [[0, 0, 0], [0, 3, 0], [0, 3, 1]]
)"}});
  ASSERT_TRUE(body) << toString(body.diagnostics());
  std::vector<Diagnostic> findings;
  const PointTable points(*body, findings);
  const auto at = [&](const char* name) { return points.find(name).valueOrThrow().position; };
  EXPECT_EQ(at("arm_l:middle"), Vec3(1, 1, 0));
  EXPECT_EQ(at("arm_l:moved"), Vec3(1.25, 0, 0.5));
  EXPECT_EQ(at("arm_r:moved"), Vec3(-1.25, 0, 0.5));
  EXPECT_EQ(at("arm_l:across"), Vec3(0.5, 0, 0));
  EXPECT_EQ(at("arm_r:across"), Vec3(-0.5, 0, 0));
  EXPECT_EQ(at("arm_r:line@0.875"), Vec3(0, 3, 0.5));
}

TEST(BodyFile, TablesOfTheTrunkAreReadAndALaterOneWins) {
  const Result<Body> body = loadTexts({{"a.toml", R"(format = "pneuma-body 1"
units = { length = "cm", angle = "deg" }
include = ["b.toml"]
[trunk.wall]
center = [0, 0, 10]
height = [90, 100]
azimuth = [0, 90]
radius = [[10, 11], [12, 13]]
)"},
                                       {"b.toml", R"(format = "pneuma-body 1"
units = { length = "m", angle = "deg" }
[trunk.wall]
height = [0, 1, 2]
azimuth = [0, 90]
radius = [[0.5, 0.5], [0.5, 0.5], [0.5, 0.5]]
[trunk.outline]
height = [0, 1]
azimuth = [0, 90]
radius = [[0.5, 0.5], [0.5, 0.5]]
)"}});
  ASSERT_TRUE(body) << toString(body.diagnostics());
  const RadialTable& wall = body->trunk.wall;
  ASSERT_EQ(wall.radii.size(), 4u);
  EXPECT_NEAR(wall.radii[3], 0.13, 1e-15);
  EXPECT_NEAR(wall.center.z(), 0.1, 1e-15);
  EXPECT_NEAR(wall.azimuths[1], kPi / 2, 1e-15);
  EXPECT_EQ(body->trunk.outline.radii.size(), 4u);
}

TEST(BodyFile, TablesOfTheTrunkThatDoNotFillTheirRowsAreRefused) {
  const auto message = [](const std::string& table) {
    const Result<Body> body = loadTexts(
        {{"a.toml",
          "format = \"pneuma-body 1\"\nunits = { length = \"m\", angle = \"deg\" }\n" + table}});
    EXPECT_FALSE(body);
    return toString(body.diagnostics());
  };
  EXPECT_THAT(message("[trunk.wall]\nheight = [1, 2]\nazimuth = [0, 90]\nradius = [[1, 1]]\n"),
              HasSubstr("2 rows of 2"));
  EXPECT_THAT(
      message("[trunk.wall]\nheight = [2, 1]\nazimuth = [0, 90]\nradius = [[1, 1], [1, 1]]\n"),
      HasSubstr("ascending"));
  EXPECT_THAT(
      message("[trunk.diaphragm]\nheight = [1, 2]\nazimuth = [0, 90]\nradius = [[1, 1], [1, 1]]\n"),
      HasSubstr("elevation"));
  EXPECT_THAT(message("[trunk]\nrib_radius = [0.01]\n"), HasSubstr("rib_radius"));
}

TEST(BodyFile, BringsItsOwnSkinAndMuscles) {
  const Body body = loadBody(defaultBodyPath()).valueOrThrow();
  const auto named = [](const std::vector<Shape>& list, const char* name) {
    return std::any_of(list.begin(), list.end(), [&](const Shape& s) { return s.bone == name; });
  };
  EXPECT_TRUE(named(body.skinEnvelope, "skin_trunk"));
  EXPECT_TRUE(named(body.skinEnvelope, "skin_arm_r"));
  EXPECT_TRUE(named(body.muscleSolids, "abductor_hallucis_r"));
}

}  // namespace
}  // namespace pneuma::anatomy
