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

}  // namespace
}  // namespace pneuma::anatomy
